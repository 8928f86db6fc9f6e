"""Prompts, thoughts, plans and the blocks of one line."""

from __future__ import annotations

from datetime import datetime

import pytest

from craze.codec import (
    Ask,
    AskBody,
    Event,
    Failure,
    Permission,
    Plan,
    Question,
    QuestionItem,
    QuestionOption,
    Tool,
    Turn,
)
from craze.codec.state import State
from craze.codec.turns import Command, Compaction, PluginCommand
from craze.tui.theme import Themes
from craze.tui.transcript.fold import Fold
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.window import Window
from tests.tui.transcript.stories import ALLOW, prompt, records

PALETTE = Themes().get("craze-dark")


def drawn(*events: Event, brush: Brush | None = None, width: int = 60) -> list[str]:
    fold = Fold()
    fold.fold(records(events))
    window = Window(fold.transcript(), brush or Brush(palette=PALETTE, times="off"), width, 60)
    window.roomy = False
    window.settle()
    return [row.line.text.rstrip() for row in window.rows]


def ended(**ask: object) -> Event:
    return Event("ask", ask=Ask(**{"kind": "permission", "outcome": "answered", **ask}))  # pyright: ignore[reportArgumentType]


@pytest.mark.rule("TUI-57")
def test_a_prompt_has_its_local_time_and_on_other_days_the_date() -> None:
    moment = datetime.fromtimestamp(1_789_813_845).astimezone()

    today = drawn(prompt("hi"), brush=Brush(palette=PALETTE, today=moment.strftime("%Y-%m-%d")))
    other = drawn(prompt("hi"), brush=Brush(palette=PALETTE, today="2001-01-01"))
    everything = drawn(Event("text", text="hello"), brush=Brush(palette=PALETTE, times="all"))

    assert today[0].startswith("› hi")
    assert today[0].endswith(moment.strftime("  %H:%M"))
    assert other[0].endswith(moment.strftime("%Y-%m-%d %H:%M"))
    assert everything[0].split()[-1].count(":") == 1
    assert drawn(Event("user", text="old", replayed=True), brush=Brush(palette=PALETTE)) == ["› old"]


@pytest.mark.rule("TUI-86")
def test_a_thought_shows_its_last_lines_then_how_long_it_took() -> None:
    thought = [Event("thought", text=f"step {at}\n") for at in range(9)]

    assert drawn(*thought) == ["  step 6", "  step 7", "  step 8"]
    assert drawn(*thought, prompt("x")) == ["  thought for 0:02", "› x"]
    opened = Brush(palette=PALETTE, thoughts="open", times="off")
    assert len(drawn(*thought, prompt("x"), brush=opened)) == 11
    assert drawn(*thought, prompt("x"), brush=Brush(palette=PALETTE, thoughts="hidden", times="off")) == ["› x"]


def test_an_ask_says_how_it_ended_and_what_it_was_about() -> None:
    opening = Event("permission", permission=Permission(id="p", tool="t", options=(ALLOW,)))
    call = Event("tool", tool=Tool(id="t", kind="execute", status="pending", raw_input='{"command": "pytest"}'))
    question = Question(
        id="q", title="Colour", questions=(QuestionItem(id="1", options=(QuestionOption(id="r", label="Red"),)),)
    )

    assert drawn(call, opening, ended(id="p", option_id="once"))[-1] == "  ✓ allowed once · run pytest"
    assert drawn(opening, ended(id="p", option_id="once"))[-1] == "  ✓ allowed once · t"
    assert drawn(ended(id="p", outcome="cancelled"))[-1] == "  – cancelled"
    automatic = ended(id="p", outcome="automatic", label="No", body=AskBody(permission=Permission(tool="run x")))
    assert drawn(automatic)[-1] == "  ✓ chose No by policy · run x"
    answered = ended(id="q", kind="question", answers={"1": ("r",)})
    assert drawn(Event("question", question=question), answered)[-1] == "  ✓ answered Red · Colour"


def test_a_plan_keeps_its_text_and_says_how_it_was_answered() -> None:
    opening = Event("plan", plan=Plan(id="q", name="Rework", plan="1. go\n2. stop"))

    assert drawn(opening) == ["  ○ Rework", "    1. go", "    2. stop"]
    assert drawn(opening, ended(id="q", kind="plan", accepted=True))[0] == "  ✓ Rework · plan accepted"


@pytest.mark.rule("TUI-34")
def test_endings_out_of_the_ordinary_are_said_in_words() -> None:
    def end(reason: str) -> Event:
        return Event("turn", turn=Turn(id="t", phase="ended", stop_reason=reason))

    assert drawn(end("max_tokens")) == ["  the answer was cut at the limit of tokens"]
    assert drawn(end("refusal")) == ["  the agent refused to go on"]
    assert drawn(end("cancelled")) == ["  stopped"]
    assert drawn(end("end_turn"), Event("unheard_of"), Event("queue")) == []


def test_an_error_says_message_class_code_and_what_helps() -> None:
    failed = Event("error", err=Failure(message="no\x1b[31m key", error_class="auth", code=401))

    assert drawn(failed) == ["  ✗ no key", "    auth · 401 · /connect signs in"]


def test_changes_are_one_dim_line_each_and_the_first_mode_none() -> None:
    lines = drawn(
        Event("meta", state=State(mode="code", model="small")),
        Event("meta", state=State(mode="plan")),
        Event("meta", state=State(mode="plan", title="Fix it")),
        Event("compaction", compaction=Compaction(phase="ended", tokens_before=84_000, tokens_after=1_500)),
        Event("command", command=Command(plugin_command=PluginCommand(qualified="git:commit", kind="skill"))),
    )

    assert lines == [
        *("  mode plan", "  title Fix it", "  context compacted: 84k → 1.5k tokens", "  ⤷ git:commit (skill)"),
    ]


@pytest.mark.rule("TUI-226")
def test_an_unknown_reason_of_the_agents_own_turn_is_left_out() -> None:
    from craze.codec.turns import ForeignTurn

    def turn(reason: str) -> Event:
        return Event("foreign_turn", foreign_turn=ForeignTurn(id="w", running=True, reason=reason))

    assert drawn(turn("odd")) == ["  the agent works on its own"]
    assert drawn(turn("external")) == ["  the agent works on its own: asked from elsewhere"]
