"""Events of made-up sessions for the tests of the transcript."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from craze.codec import (
    Ask,
    Compaction,
    Diff,
    Event,
    Failure,
    ForeignTurn,
    Permission,
    PermissionOption,
    Plan,
    Record,
    State,
    Todo,
    Tool,
    ToolOutput,
    Turn,
    encode,
)
from craze.codec.times import stamp

START = 1_789_813_845_000_000_000


def at(second: float) -> str:
    return stamp(START + int(second * 1_000_000_000))


def records(events: Iterable[Event], first: int = 1) -> list[Record]:
    """Numbered from `first`, a quarter of a second apart."""
    return [record(event, seq) for seq, event in enumerate(events, first)]


def record(event: Event, seq: int) -> Record:
    from msgspec.structs import replace

    timed = event if event.at else replace(event, at=at(seq / 4))
    return Record.of(seq, encode(timed), timed)


def tool(id_: str, status: str = "completed", kind: str = "read", **more: object) -> Event:
    return Event("tool", tool=Tool(id=id_, status=status, kind=kind, **more))  # pyright: ignore[reportArgumentType]


def prompt(text: str, turn: str = "t-1") -> Event:
    return Event("turn", turn=Turn(id=turn, phase="started", text=text, origin="submit"))


def ended(reason: str = "end_turn", **more: str) -> Event:
    return Event("turn", turn=Turn(id="t-1", phase="ended", stop_reason=reason, **more))


ALLOW = PermissionOption(option_id="once", name="Allow", kind="allow_once")
_AGENTS = st.sampled_from(["", "", "", "kid"])
_CHUNK = st.sampled_from(
    ["word ", "two words ", "line\n", "\n\n", "**bold**", "漢字", "\x1b[3", "1m", "- item\n", "```\n"]
)
_TOOL = st.builds(
    tool,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["pending", "in_progress", "completed", "failed"]),
    st.sampled_from(["read", "search", "edit", "execute"]),
    output=st.sampled_from([None, ToolOutput(exit_code=1, stdout="one\ntwo\n")]),
    diffs=st.sampled_from([(), (Diff(path="a.py", old_text="x\n", new_text="y\n", added=1, removed=1),)]),
)
_EVENTS = st.one_of(
    st.builds(lambda text, agent: Event("text", text=text, agent=agent), _CHUNK, _AGENTS),
    st.builds(lambda text, agent: Event("text", text=text, agent=agent), _CHUNK, _AGENTS),
    st.builds(lambda text: Event("thought", text=text), _CHUNK),
    _TOOL,
    st.sampled_from(
        [
            prompt("do it"),
            ended(),
            ended("cancelled"),
            ended("error", err="boom", err_class="other"),
            Event("error", err=Failure(message="boom", error_class="other", code=0)),
            Event("user", text="and this", interjection=True),
            Event("user", text="seen live"),
            Event("meta", state=State(mode="plan")),
            Event("meta", state=State(mode="code", model="m")),
            Event("meta", state=State(title="a title")),
            Event("meta", state=State(reason="regenerated")),
            Event("todos", todos=(Todo(id="1", content="x", status="pending"),)),
            Event("todos", todos=(Todo(id="1", content="x", status="completed"),)),
            Event("todos"),
            Event("permission", permission=Permission(id="p", tool="run", options=(ALLOW,))),
            Event("ask", ask=Ask(id="p", kind="permission", outcome="answered", option_id="once", label="Allow")),
            Event("plan", plan=Plan(id="q", name="a plan", plan="1. go")),
            Event("ask", ask=Ask(id="q", kind="plan", outcome="answered", accepted=True)),
            Event("compaction", compaction=Compaction(phase="started")),
            Event("foreign_turn", foreign_turn=ForeignTurn(id="wake-1", running=True)),
            Event("unheard_of"),
            Event("queue"),
        ]
    ),
)
STORIES = st.lists(_EVENTS, max_size=40)
