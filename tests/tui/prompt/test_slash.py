"""Which rows are shown, and what a draft means."""

from __future__ import annotations

import pytest

from craze.codec import Slash, SlashItem, SlashRun, SlashSetting, State
from craze.engine.facts import Info
from craze.engine.slash import BUILTINS
from craze.engine.view import View
from craze.tui.prompt import slash
from craze.tui.prompt.slash import meant, open_command


def row(name: str, kind: str = "local", source: str = "builtin", **more: object) -> SlashItem:
    run = {key: more.pop(key) for key in ("arg", "arg_hint", "local", "picker", "method", "setting") if key in more}
    if kind == "local":
        run.setdefault("local", "help")
    return SlashItem(name=name, source=source, run=SlashRun(kind=kind, **run), **more)  # type: ignore[arg-type]


def view(*rows: SlashItem, can: frozenset[str] = frozenset()) -> View:
    return View(state=State(slash=Slash(items=rows)), info=Info(can=can))  # type: ignore[arg-type]


ROWS = (
    row("help"),
    row("image", arg="required", arg_hint="file", local="image"),
    row("new", local="new"),
    row("model", "picker", picker="model", arg="optional", while_working=True),
    row("plan", "prompt", source="agent", arg="optional"),
    row("tool:test", "prompt", source="plugin", qualified="plug:tool:test"),
)


@pytest.mark.rule("TUI-110")
def test_the_first_shown_row_of_a_name_wins_whatever_its_case() -> None:
    shown = slash.rows(view(row("Help", local="help"), row("help", "prompt", source="agent")))

    assert [(each.name, each.source) for each in shown] == [("Help", "builtin")]


@pytest.mark.rule("TUI-110", "TUI-227")
@pytest.mark.parametrize(
    "hidden",
    [
        row("x", local="unheard"),
        row("x", "picker", picker="unheard"),
        row("x", "method", method="unheard"),
        row("x", "method", method="session.set"),
        row("x", "unheard"),
        row("x", source="unheard"),
        row("x", requires="stop"),
        row("x", requires="aside"),
        row("x", arg="sometimes"),
    ],
)
def test_a_row_that_cannot_run_is_hidden_and_claims_no_name(hidden: SlashItem) -> None:
    agents_own = row("x", "prompt", source="agent")

    assert slash.rows(view(hidden, agents_own)) == (agents_own,)


@pytest.mark.rule("TUI-227")
def test_every_builtin_row_of_the_session_can_be_run() -> None:
    rows = [
        SlashItem(
            name=each.name,
            source="builtin",
            requires=each.requires,
            run=SlashRun(kind="method", method="session.set", setting=SlashSetting(kind="mode", value="x"))
            if each.mode
            else each.run,
        )
        for each in BUILTINS
    ]

    shown = slash.rows(view(*rows, can=frozenset({"aside"})))

    assert {each.name for each in shown} == {each.name for each in BUILTINS}


@pytest.mark.rule("TUI-112")
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("/", ""),
        ("/mo", "mo"),
        ("say /mo", "mo"),
        ("a/b", None),
        ("http://x", None),
        ("/usr/bin", None),
        ("/mo x", None),
    ],
)
def test_the_menu_opens_at_a_slash_at_the_start_of_a_word(text: str, query: str | None) -> None:
    found = open_command(text, text)

    assert (found.query if found else None) == query


@pytest.mark.rule("TUI-112")
def test_prefix_hits_come_before_others_and_builtins_only_as_the_first_word() -> None:
    first = open_command("/e", "/e")
    later = open_command("see /p", "see /p")
    assert first is not None
    assert later is not None

    assert [each.name for each in slash.matches(ROWS, first)] == ["help", "image", "new", "model", "tool:test"]
    assert [each.name for each in slash.matches(ROWS, later)] == ["plan"]


@pytest.mark.rule("TUI-111", "TUI-114", "TUI-115", "TUI-116")
@pytest.mark.parametrize(
    ("text", "working", "known", "name", "sent", "trouble"),
    [
        ("/help", False, True, "help", "/help", ""),
        ("/HELP", False, True, "help", "/HELP", ""),
        ("/craze:help", False, True, "help", "/craze:help", ""),
        ("//help me", False, True, None, "/help me", ""),
        ("/image", False, True, "image", "/image", "needs"),
        ("/help me", False, True, "help", "/help me", "takes none"),
        ("/new", True, True, "new", "/new", "busy"),
        ("/model small", True, True, "model", "/model small", ""),
        ("/plan it", True, True, "plan", "/plan it", ""),
        ("/plug:tool:test", False, True, "tool:test", "/plug:tool:test", ""),
        ("/modle", False, True, None, "/modle", "near"),
        ("/strange", False, True, None, "/strange", ""),
        ("/strange", False, False, None, "/strange", "waiting"),
    ],
)
def test_what_a_draft_means(text: str, working: bool, known: bool, name: str | None, sent: str, trouble: str) -> None:
    found = meant(text, ROWS, working=working, known=known)

    assert found is not None
    assert (found.row.name if found.row else None, found.text, found.trouble) == (name, sent, trouble)


@pytest.mark.rule("TUI-111")
@pytest.mark.parametrize("text", [" /help", "help", "/", "/ help", "a /help"])
def test_other_drafts_are_texts(text: str) -> None:
    assert meant(text, ROWS, working=False, known=True) is None


@pytest.mark.rule("TUI-116")
@pytest.mark.parametrize(("word", "near"), [("/hlep", "help"), ("/hel", "help"), ("/helpp", "help"), ("/hxxp", "")])
def test_a_near_miss_is_one_letter_away(word: str, near: str) -> None:
    found = meant(word, ROWS, working=False, known=True)

    assert found is not None
    assert found.near == near
