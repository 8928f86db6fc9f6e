"""What `session.json` says, and how it follows from what the engine keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import msgspec
from msgspec.structs import replace

from craze.codec import Queued, Stamp

VERSION: Final = 1


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A waiting prompt as it is stored; `attachments` are paths."""

    id: str
    text: str = ""
    queued_at: str = ""
    version: int = 0
    attachments: tuple[str, ...] = ()


class Stored(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What `session.json` says. `session_id` is the agent's own; `pinned`: the person gave the title."""

    version: int = VERSION
    craze_id: str
    session_id: str = ""
    provider: str = ""
    agent: str = ""
    cwd: str = ""
    origin: str = ""
    created_at: str = ""
    updated_at: str = ""
    title: str = ""
    pinned: bool = False
    turns: int = 0
    queue: tuple[Row, ...] = ()
    paused: str = ""
    draft: str = ""
    dirs: tuple[str, ...] = ()

    @property
    def pending(self) -> bool:
        """Whether something that the person wrote still waits here."""
        return bool(self.queue or self.draft)


class KeptLike(Protocol):
    """What the engine hands over after each change."""

    @property
    def title(self) -> str: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def turns(self) -> int: ...
    @property
    def queue(self) -> Sequence[Queued]: ...
    @property
    def attachments(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def paused(self) -> str: ...
    @property
    def draft(self) -> str: ...
    @property
    def provider_session(self) -> str: ...


def with_kept(stored: Stored, kept: KeptLike, now: Stamp) -> Stored:
    """What `session.json` says once the engine keeps this."""
    rows = tuple(
        Row(id=q.id, text=q.text, queued_at=q.queued_at, version=q.version, attachments=_paths(kept, q.id))
        for q in kept.queue
    )
    return replace(
        stored,
        session_id=kept.provider_session or stored.session_id,
        created_at=stored.created_at or now,
        updated_at=now,
        title=kept.title,
        pinned=kept.pinned,
        turns=kept.turns,
        queue=rows,
        paused=kept.paused,
        draft=kept.draft,
    )


def _paths(kept: KeptLike, row_id: str) -> tuple[str, ...]:
    return tuple(kept.attachments.get(row_id, ()))


def without_text(stored: Stored) -> Stored:
    """What is written with the journal off: folder, agent and times."""
    return replace(stored, title="", pinned=False, queue=(), paused="", draft="")
