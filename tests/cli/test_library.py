"""The stored sessions that the screen's library lists."""

from __future__ import annotations

import json
import shutil

import pytest

from craze.cli.answering import of_screen
from craze.cli.context import Context
from craze.cli.desk import desk_of
from craze.cli.live import Flags
from tests.cli.conftest import Craze


@pytest.mark.rule("TUI-157")
async def test_sessions_in_which_nothing_was_said_are_not_listed(craze: Craze, monkeypatch: pytest.MonkeyPatch) -> None:
    assert craze("run", "--agent", "demo", "hello you").returncode == 0
    (said,) = craze.sessions
    for number, draft in enumerate(("", "unfinished"), 7):
        other = said.with_name(f"{number}{said.name[1:]}")
        shutil.copytree(said, other)
        row = json.loads((other / "session.json").read_bytes())
        row |= {"crazeId": other.name, "turns": 0, "title": "", "draft": draft}
        (other / "session.json").write_text(json.dumps(row))
    for name, value in craze.environment.items():
        monkeypatch.setenv(name, value)
    context = Context(craze.work)
    library = desk_of(context, Flags(answering=of_screen("", context.settings, context.folder)), craze.work).library

    rows, count = await library.page(everywhere=False, offset=0, limit=9)

    assert (sorted(row.title for row in rows), count) == (["", "hello you"], 2)
