"""The panels: what they draw in the room they get, and what they say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from craze.codec import Config, ConfigOption, Queued, SelectValue, State, Subagent, Todo, Tool
from craze.engine.facts import Info
from craze.engine.view import View
from craze.tui.moment import Moment
from craze.tui.panels import roster_view, status_bar, todo_view
from craze.tui.panels.activity import doing, parts
from craze.tui.panels.hint_bar import line as hint_line
from craze.tui.panels.notices import Notices
from craze.tui.panels.queue_view import QueueView, why, wished
from craze.tui.panels.roster_view import RosterView
from craze.tui.panels.status_bar import Piece, Shown, fitting, pieces
from craze.tui.panels.todo_view import TodoView
from craze.tui.theme import Themes
from tests.fakes.screen import NOON, text_of

PALETTE = Themes().get("craze-dark")


class Stand(App[None]):
    """One widget of some rows, and what it says."""

    def __init__(self, widget: Widget, rows: int) -> None:
        super().__init__()
        self.widget, self.rows = widget, rows
        self.heard: list[Message] = []
        self.register_theme(PALETTE.textual)
        self.theme = PALETTE.name

    def compose(self) -> ComposeResult:
        self.widget.styles.height = self.rows
        yield self.widget

    def on_mount(self) -> None:
        self.widget.focus()

    def on_queue_view_remove(self, message: Message) -> None:
        self.heard.append(message)

    on_queue_view_now = on_queue_view_edit = on_queue_view_move = on_queue_view_left = on_queue_view_remove
    on_roster_view_opened = on_todo_view_toggled = on_queue_view_remove

    @property
    def lines(self) -> list[str]:
        return text_of(self).split("\n")[: self.rows]


def queue(*texts: str, **more: Any) -> QueueView:
    view = QueueView()
    view.set_reactive(QueueView.rows, tuple(Queued(id=text, text=text, version=1) for text in texts))
    for name, value in more.items():
        view.set_reactive(getattr(QueueView, name), value)
    return view


# ---- the queue


@pytest.mark.rule("TUI-93")
async def test_rows_that_do_not_fit_are_counted_and_the_window_follows_the_cursor() -> None:
    app = Stand(queue(*"abcdefgh"), 4)
    async with app.run_test(size=(60, 10)) as pilot:
        assert [line.strip() for line in app.lines] == [
            "queue 8 ▸ 1 a                              [now] [edit] [×]",
            "2 b",
            "3 c",
            "+5 more",
        ]
        await pilot.press(*["down"] * 5)

        assert app.lines[2].strip().startswith("▸ 6 f")


@pytest.mark.rule("TUI-93")
async def test_the_buttons_of_a_row_can_be_clicked() -> None:
    app = Stand(queue("a", "b"), 2)
    async with app.run_test(size=(60, 10)) as pilot:
        for x in (45, 51, 58):
            await pilot.click(QueueView, offset=(x, 1))

    assert [(type(said).__name__, said.row.id) for said in app.heard] == [("Now", "b"), ("Edit", "b"), ("Remove", "b")]  # type: ignore[attr-defined]


@pytest.mark.rule("TUI-77")
async def test_a_row_is_one_scrubbed_line() -> None:
    app = Stand(queue("one\ntwo\x1b[31m!"), 1)
    async with app.run_test(size=(60, 10)):
        assert "one⏎two!" in app.lines[0]


@pytest.mark.rule("TUI-95")
@pytest.mark.parametrize(
    ("paused", "said"), [("turn_failed", "the turn failed"), ("person", "by you"), ("odd_word", "odd word")]
)
def test_why_a_queue_is_held_is_said_in_words(paused: str, said: str) -> None:
    assert why(paused) == said


def test_the_band_wishes_six_rows_at_most_and_one_for_its_head() -> None:
    rows = [Queued(id=str(n)) for n in range(9)]

    assert (wished(rows, ""), wished(rows, "person"), wished([], "person")) == (6, 7, 0)


# ---- todos


def todos(*statuses: str) -> tuple[Todo, ...]:
    return tuple(Todo(id=str(n), content=f"entry {n}", status=status) for n, status in enumerate(statuses))


@pytest.mark.rule("TUI-90")
async def test_the_list_scrolls_to_what_is_worked_on_and_marks_what_is_urgent() -> None:
    view = TodoView()
    view.set_reactive(TodoView.todos, todos(*["completed"] * 9, "in_progress", "pending", "odd"))
    view.set_reactive(TodoView.urgent, frozenset({"9"}))
    app = Stand(view, 5)
    async with app.run_test(size=(60, 10)):
        assert app.lines[0].startswith(" todos   9/12")
        assert [line.strip() for line in app.lines[1:]] == ["✓ entry 7", "✓ entry 8", "◐! entry 9", "○ entry 10"]


@pytest.mark.rule("TUI-90")
def test_an_empty_list_has_no_rows_and_a_long_one_eight() -> None:
    many = todos(*["pending"] * 20)

    assert [todo_view.wished(many, form) for form in todo_view.FORMS] == [1, 9, 0]
    assert todo_view.wished((), "full") == 0


# ---- agents


def agents(*ids: str, **more: Any) -> tuple[Subagent, ...]:
    return tuple(Subagent(id=id_, subagent_type=id_, status="running", **more) for id_ in ids)


@pytest.mark.rule("TUI-91")
async def test_agents_that_do_not_fit_are_counted() -> None:
    view = RosterView(lambda: NOON)
    view.set_reactive(RosterView.agents, agents(*(f"agent-number-{n}" for n in range(9))))
    app = Stand(view, 2)
    async with app.run_test(size=(60, 10)):
        assert app.lines[0].startswith(" agents  ▸ ◐ agent-number-0")
        assert app.lines[1].endswith("+5 more")


@pytest.mark.rule("TUI-91")
def test_grandchildren_are_counted_on_their_parent_and_not_shown() -> None:
    roster = (*agents("a"), *agents("b", parent_id="a"), *agents("c", parent_id="b"), *agents("d", parent_id="gone"))

    assert [row.id for row in roster_view.shown(roster, NOON, 0.0)] == ["a", "d"]
    assert roster_view.below(roster) == {"a": 2, "b": 1}


@pytest.mark.rule("TUI-91")
def test_a_failed_agent_stays_until_the_next_prompt() -> None:
    from craze.codec import stamp

    failed = Subagent(id="a", status="failed", ended_at=stamp(int(NOON * 1e9)))

    assert roster_view.shown((failed,), NOON + 500, NOON - 1) == (failed,)
    assert roster_view.shown((failed,), NOON + 500, NOON + 1) == ()


# ---- status and activity


@pytest.mark.rule("TUI-165")
def test_parts_of_the_status_give_way_in_their_order_and_mode_and_queue_stay() -> None:
    names = ("agent", "model", "mode", "ctx", "cost", "branch", "elapsed", "queue")
    found = [Piece(name, (name,)) for name in names]

    gone: list[str] = []
    for width in range(80, 5, -1):
        kept = [piece.name for piece in fitting(found, width)]
        gone += [name for name in names if name not in kept and name not in gone]

    assert gone == ["elapsed", "branch", "cost", "agent", "ctx", "model"]


@pytest.mark.rule("TUI-166")
def test_what_is_not_reported_is_not_shown() -> None:
    assert pieces(View(), Moment(), Shown()) == []


@pytest.mark.rule("TUI-165")
def test_the_model_is_shown_with_its_effort() -> None:
    def option(id_: str, category: str, current: str) -> ConfigOption:
        return ConfigOption(
            id=id_,
            category=category,
            current=current,
            select_values=(SelectValue(value=current, name=current.upper()),),
        )

    state = State(config=Config(options=(option("model", "model", "m"), option("e", "thought_level", "high"))))

    assert status_bar.model_of(state) == "M (HIGH)"


@pytest.mark.rule("TUI-167")
@pytest.mark.parametrize(
    ("view", "word"),
    [
        (View(status="starting"), "starting demo"),
        (View(status="replaying"), "restoring"),
        (View(status="working", turn="t1"), "working"),
        (View(status="working", turn="t1", compacting=True), "compacting"),
        (
            View(status="working", turn="t1", tools_open=(Tool(id="1", kind="execute", status="in_progress"),)),
            "running a command",
        ),
        (
            View(status="working", turn="t1", tools_open=(Tool(id="1", tool_name="zap", status="in_progress"),)),
            "running zap",
        ),
    ],
)
def test_the_activity_has_a_word_for_what_goes_on(view: View, word: str) -> None:
    found = doing(view, Moment(turn_began=NOON), now=NOON + 42, agent="demo")

    assert found is not None
    assert found.word == word


@pytest.mark.rule("TUI-167")
def test_a_quiet_agent_is_said_to_be_quiet() -> None:
    view = View(status="working", turn="t1", info=Info())
    found = doing(view, Moment(turn_began=NOON, heard=NOON, quiet=True), now=NOON + 124, agent="")

    assert found is not None
    assert _text(parts(found, "⠹", NOON + 124)) == "⠹ working 2:04 · quiet 2:04 · esc to stop"
    assert _text(parts(found, "⠹", NOON + 124, brief=True)) == "⠹ 2:04 esc stop"


def _text(found: Iterable[str | tuple[str, str]]) -> str:
    return "".join(part if isinstance(part, str) else part[0] for part in found)


# ---- notices and hints


@pytest.mark.rule("TUI-168")
async def test_the_same_notice_within_a_second_is_counted_and_an_error_stays_until_a_key() -> None:
    clock = [NOON]
    notices = Notices(lambda: clock[0])
    app = Stand(notices, 1)
    async with app.run_test(size=(60, 10)):
        for _ in range(12):
            notices.say("again")
        assert notices.text.plain == " again (x12) "
        assert len(notices.kept) == 1

        notices.say("bad", "error")
        clock[0] += 100
        notices.tick()
        assert notices.display
        notices.pressed()
        assert not notices.display


@pytest.mark.rule("TUI-202")
def test_only_whole_hints_are_shown() -> None:
    hints = (("enter", "send"), ("ctrl+s", "send now"))

    assert [hint_line(hints, width).plain for width in (60, 20, 8)] == [
        " enter send · ctrl+s send now",
        " enter send",
        " ",
    ]
