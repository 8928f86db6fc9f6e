"""How a recorded client started its agent: read ahead, so that ours can be started alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import Struct

from craze.engine.ports import Start
from craze.providers.control.declaration import Declaration
from craze.providers.control.decode import read
from craze.providers.control.spoken import Frame, frame_of
from craze.providers.control.tools import object_of, text_of
from craze.store.capture import Row


class Found(NamedTuple):
    """How the recorded client started its agent."""

    start: Start
    declaration: Declaration


def found_in(rows: Iterable[Row]) -> Found:
    """The folder that the agent says, and what the client offered it when it greeted it."""
    workspace, offers = "", _Offers()
    for row in rows:
        frame = frame_of(row) if row.dir in ("in", "out") else Frame()
        if row.dir == "out" and frame.subtype == "initialize":
            offers = read(_Offers, msgspec.json.encode(frame.given)) or offers
        elif row.dir == "in" and b'"init"' in row.payload:
            workspace = text_of(object_of(row.payload).get("cwd"))
        if workspace:
            break
    declaration = Declaration(argv=(), served=offers.servers, dialog_kinds=offers.dialogs)
    return Found(Start(workspace=workspace or "/"), declaration)


class _Offers(Struct, frozen=True):
    servers: tuple[str, ...] = msgspec.field(default=(), name="sdkMcpServers")
    dialogs: tuple[str, ...] = msgspec.field(default=(), name="supportedDialogKinds")
