"""The stored sessions that the screen's library lists."""

from __future__ import annotations

import asyncio
import json
import shutil
import tomllib

import pytest

from craze.cli.answering import of_screen
from craze.cli.context import Context
from craze.cli.desk import desk_of
from craze.cli.live import Flags
from craze.tui.desk import Library
from tests.cli.conftest import Craze


def library_of(craze: Craze, monkeypatch: pytest.MonkeyPatch) -> Library:
    for name, value in craze.environment.items():
        monkeypatch.setenv(name, value)
    context = Context(craze.work)
    return desk_of(context, Flags(answering=of_screen("", context.settings, context.folder)), craze.work).library


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
    library = library_of(craze, monkeypatch)

    rows, count = await library.page(everywhere=False, offset=0, limit=9)

    assert (sorted(row.title for row in rows), count) == (["", "hello you"], 2)


@pytest.mark.rule("TUI-205", "CLI-56")
async def test_of_what_is_chosen_at_once_nothing_is_lost_and_the_last_holds(
    craze: Craze, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_of(craze, monkeypatch)

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            library.add_model("demo", f"model-{number % 4}")
            group.create_task(library.choose("tui.theme", f"theme-{number}"))
            group.create_task(library.choose(f"tui.switch-{number}", True))

    (kept,) = craze.home.rglob("choices.toml")
    chosen = tomllib.loads(kept.read_text())["tui"]
    assert chosen == {"theme": "theme-19"} | {f"switch-{number}": True for number in range(20)}
    assert library.recent_models("demo") == ("model-3", "model-2", "model-1", "model-0")
