"""The session list: what it shows, and what is done to its rows."""

from __future__ import annotations

from typing import Any, cast

import pytest

from craze.tui.desk import Hit, Library, StoredRow
from craze.tui.screens.sessions import PAGE, Picked, SessionPicker
from tests.fakes.dialogs import Showing, find, text_of
from tests.fakes.library import Shelf

NOW = 1_700_000_000.0
SIZE = (100, 24)


def row(id_: str, title: str, *, hours: float = 1, **more: Any) -> StoredRow:
    return StoredRow(
        id=id_,
        title=title,
        updated=int((NOW - hours * 3600) * 1e9),
        **{"agent": "demo", "turns": 3, "bytes": 4096, **more},
    )


ROWS = (
    row("s1", "fix retry test", hours=2, turns=12),
    row("s2", "changelog wording", hours=30),
    row("s3", "spike", hours=220, agent="old", known=False),
    row("s4", "broken one", hours=300, problem="session.json: not readable"),
)


def showing(shelf: Shelf, agent: str = "") -> Showing:
    return Showing(SessionPicker(cast(Library, shelf), agent=agent, now=lambda: NOW))


async def picked(shelf: Shelf, *keys: str, agent: str = "") -> list[object]:
    app = showing(shelf, agent)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
    return app.results


@pytest.mark.rule("TUI-157")
async def test_rows_tell_title_agent_age_turns_and_size_and_broken_ones_their_reason() -> None:
    app = showing(Shelf(ROWS))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.pause()
        shown = text_of(app)

    assert "this workspace · 1/4" in shown
    assert "▸ fix retry test" in shown
    assert all(part in shown for part in ("2 h", "1 d", " 12 turns", "4 KB", "(agent unknown) spike"))
    assert "session.json: not readable" in shown


@pytest.mark.rule("TUI-157")
@pytest.mark.parametrize(
    ("keys", "result"),
    [
        (("enter",), Picked("s1")),
        (("down", "enter"), Picked("s2")),
        (("down", "p"), Picked("s2", replay=True)),
        (("down", "down", "enter"), Picked("s3", replay=True)),
        (("escape",), None),
    ],
)
async def test_enter_resumes_p_replays_and_an_unknown_agent_is_replayed(keys: tuple[str, ...], result: object) -> None:
    assert await picked(Shelf(ROWS), *keys) == [result]


@pytest.mark.rule("TUI-157")
async def test_a_broken_session_cannot_be_opened() -> None:
    assert await picked(Shelf(ROWS), "end", "enter") == []


@pytest.mark.rule("TUI-155")
async def test_typing_narrows_and_a_slash_begins_a_filter_with_a_letter_that_is_a_key() -> None:
    shelf = Shelf((row("a", "first"), row("b", "palette work")))

    assert await picked(shelf, "/", "p", "a", "l", "enter") == [Picked("b")]
    assert await picked(shelf, "w", "o", "enter") == [Picked("b")]


@pytest.mark.rule("TUI-157")
async def test_renaming_takes_a_title_and_shows_it() -> None:
    app = showing(shelf := Shelf(ROWS))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("f2", "ctrl+u", *"new name", "enter")
        await pilot.pause()
        await pilot.pause()
        shown = text_of(app)

    assert shelf.rows[0].title == "new name"
    assert "▸ new name" in shown


@pytest.mark.rule("TUI-157")
async def test_deleting_asks_first() -> None:
    app = showing(shelf := Shelf(ROWS))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("delete")
        await pilot.pause()
        asked = text_of(app)
        await pilot.press("escape")
        await pilot.pause()
        kept = len(shelf.rows)
        await pilot.press("delete")
        await pilot.pause()
        await pilot.press("d")
        await pilot.pause()
        await pilot.pause()

    assert "delete the session?" in asked
    assert "fix retry test: 12 turns" in asked
    assert kept == 4
    assert [each.id for each in shelf.rows] == ["s2", "s3", "s4"]


async def test_what_cannot_be_done_is_said_in_the_list() -> None:
    app = showing(shelf := Shelf(ROWS))
    shelf.trouble = "the session is open in another process"

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("f2", "x", "enter")
        await pilot.pause()
        await pilot.pause()
        assert "open in another process" in text_of(app)


@pytest.mark.rule("TUI-157")
async def test_tab_shows_all_workspaces() -> None:
    app = showing(Shelf(ROWS, [row("far", "elsewhere", folder="/srv/other")]))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("tab")
        await pilot.pause()
        await pilot.pause()
        shown = text_of(app)

    assert "all workspaces · 1/5" in shown
    assert "/srv/other" in shown


@pytest.mark.rule("TUI-157")
async def test_a_search_lists_what_was_said_and_opens_its_session() -> None:
    shelf = Shelf(ROWS, hits=[Hit(session="s2", seq=3, type="text", snippet="…the injected clock…")])
    app = showing(shelf)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("ctrl+f", *"clock", "enter")
        await pilot.pause()
        shown = text_of(app)
        await pilot.press("enter")
        await pilot.pause()

    assert shelf.searched == ["clock"]
    assert "…the injected clock…" in shown
    assert app.results == [Picked("s2")]


@pytest.mark.rule("TUI-157", "TUI-155")
async def test_pages_are_read_when_the_cursor_comes_near_and_it_stays_on_its_row() -> None:
    shelf = Shelf([row(f"s{n}", f"session {n}", hours=n) for n in range(120)])
    app = showing(shelf)

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        first = list(shelf.pages)
        await pilot.press(*["down"] * 40)
        await pilot.pause()
        await pilot.pause()
        shown = text_of(app)

    assert first == [(0, PAGE)]
    assert shelf.pages == [(0, PAGE), (PAGE, PAGE)]
    assert "▸ session 40" in shown
    assert "41/120" in shown


@pytest.mark.rule("TUI-155")
async def test_a_click_marks_and_a_second_one_opens() -> None:
    app = showing(Shelf(ROWS))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.pause()
        place = find(app, "changelog wording")
        await pilot.click(offset=place)
        await pilot.pause()
        marked = text_of(app)
        await pilot.click(offset=place)
        await pilot.pause()

    assert "▸ changelog wording" in marked
    assert app.results == [Picked("s2")]


async def test_an_empty_list_says_so() -> None:
    app = showing(Shelf(()))

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.pause()
        assert "no sessions in this workspace · tab looks in all of them" in text_of(app)
        await pilot.press("tab")
        await pilot.pause()
        await pilot.pause()
        assert "no sessions in all workspaces  " in text_of(app)
        assert "tab here" in text_of(app)


def with_own() -> Shelf:
    shelf = Shelf(ROWS)
    shelf.own = [row("agent:a", "seen elsewhere", hours=20, agents_own=True)]
    return shelf


@pytest.mark.rule("ACP-43")
async def test_sessions_that_only_the_agent_has_stand_between_the_others_and_are_marked() -> None:
    app = showing(with_own(), "demo")

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.pause()
        shown = text_of(app).split("\n")

    at = next(at for at, line in enumerate(shown) if "seen elsewhere" in line)
    assert "the agent's own" in shown[at]
    assert "turns" not in shown[at]
    assert "fix retry test" in shown[at - 1]
    assert "changelog" in shown[at + 1]
    assert any("this workspace · 1/5" in line for line in shown)


@pytest.mark.rule("ACP-43")
async def test_one_of_the_agents_own_opens_but_has_nothing_to_replay_or_to_rename() -> None:
    assert await picked(with_own(), "down", "enter", agent="demo") == [Picked("agent:a")]
    assert await picked(with_own(), "down", "p", "f2", "enter", agent="demo") == [Picked("agent:a")]


@pytest.mark.rule("ACP-43")
async def test_the_agent_deletes_its_own_once_the_person_has_agreed() -> None:
    shelf = with_own()

    await picked(shelf, "down", "delete", "d", agent="demo")

    assert shelf.own == []
    assert len(shelf.rows) == 4


@pytest.mark.rule("ACP-43")
async def test_an_agent_that_fails_to_list_leaves_the_list_as_it_is() -> None:
    shelf = with_own()
    shelf.trouble = "it is gone"
    shelf.told.clear()
    app = showing(shelf, "demo")

    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        shelf.told.set()
        await pilot.pause()
        await pilot.pause()

        assert "sessions of demo: it is gone" in text_of(app)
        assert "fix retry test" in text_of(app)
