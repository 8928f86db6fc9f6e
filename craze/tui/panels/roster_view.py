"""The sub-agents of the main transcript, side by side on a line or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.codec import Subagent, ns
from craze.tui.keys import bindings
from craze.tui.lines import DIM, row, stack
from craze.tui.panels.panel import drawn
from craze.tui.scrub import line
from craze.tui.words import clock, tokens

LINGER: Final = 10.0
"""Seconds that a finished agent stays."""

MOST: Final = 3
_SIGNS: Final = {"running": "◐", "completed": "✓", "failed": "✗", "cancelled": "–"}
_STYLES: Final = {"running": "$tool-running", "completed": "$tool-done", "failed": "$tool-failed", "cancelled": DIM}
_GAP: Final = "     "


def shown(roster: Sequence[Subagent], now: float, prompted: float) -> tuple[Subagent, ...]:
    """Children of the main transcript that are still of interest, in the order they came.

    Args:
        now: Seconds since 1970.
        prompted: When the last prompt began; a failure stays until the next one.
    """
    ids = {row.id for row in roster}
    return tuple(row for row in roster if row.parent_id not in ids and _is_of_interest(row, now, prompted))


def _is_of_interest(row: Subagent, now: float, prompted: float) -> bool:
    if row.status == "running":
        return True
    ended = ns(row.ended_at) / 1e9 if row.ended_at else 0.0
    return ended >= prompted if row.status == "failed" else now - ended < LINGER


def below(roster: Sequence[Subagent]) -> dict[str, int]:
    """How many agents work under each one, at any depth."""
    parents = {agent.id: agent.parent_id for agent in roster}
    counts: dict[str, int] = {}
    for agent in roster:
        seen = {agent.id}
        parent = agent.parent_id
        while parent in parents and parent not in seen:
            seen.add(parent)
            counts[parent] = counts.get(parent, 0) + 1
            parent = parents[parent]
    return counts


def elapsed(row: Subagent, now: float) -> str:
    if row.duration_ms:
        return clock(row.duration_ms / 1000)
    if not row.started_at:
        return ""
    end = ns(row.ended_at) / 1e9 if row.ended_at else now
    return clock(end - ns(row.started_at) / 1e9)


def name(row: Subagent) -> str:
    return line(row.subagent_type or row.description or row.id)


def sign(row: Subagent) -> tuple[str, str]:
    return _SIGNS.get(row.status, line(row.status)), _STYLES.get(row.status, "")


class RosterView(Widget, can_focus=True):
    """The agents with a cursor; it says which one should be shown or stopped."""

    BINDINGS = bindings("agents.previous", "agents.next", "agents.open", "agents.stop", "agents.leave")
    DEFAULT_CSS = "RosterView { height: auto; pointer: pointer; }"

    agents: reactive[tuple[Subagent, ...]] = reactive(())
    under: reactive[Mapping[str, int]] = reactive(dict[str, int])
    stoppable: reactive[bool] = reactive(False)
    cursor: reactive[int] = reactive(0)

    class _Wish(Message):
        def __init__(self, agent: Subagent) -> None:
            super().__init__()
            self.agent = agent

    class Opened(_Wish):
        """Show this agent's transcript."""

    class Stopped(_Wish):
        """Stop this agent."""

    class Left(Message):
        """Back to the composer."""

    def __init__(self, now: Callable[[], float], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._now = now

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self.agents) - 1))

    def watch_agents(self) -> None:
        self.cursor = self.cursor

    def wished(self, width: int) -> int:
        """Rows of the screen that the agents would like."""
        return min(len(self._packed(width)), MOST) if self.agents else 0

    @drawn
    def render(self) -> Content:
        height, width = self.size.height, self.size.width
        rows = self._packed(width)
        if not height or not self.agents:
            return Content("")
        drawn: list[Content] = []
        for number, places in enumerate(rows[:height]):
            title = " agents  " if number == 0 else " " * 9
            said = Content.assemble((title, DIM)) + Content(_GAP).join(self._one(at) for at in places)
            left = len(self.agents) - places[-1] - 1
            if number == height - 1 and left:
                more = Content.styled(f"  +{left} more", DIM)
                said = said.truncate(width - more.cell_length, ellipsis=True) + more
            drawn.append(said.truncate(width, ellipsis=True))
        return stack(drawn)

    def _packed(self, width: int) -> list[list[int]]:
        """Which agents stand in which line."""
        lines: list[list[int]] = []
        used = 0
        for at in range(len(self.agents)):
            size = self._one(at).cell_length
            if lines and used + len(_GAP) + size <= width:
                lines[-1].append(at)
                used += len(_GAP) + size
            else:
                lines.append([at])
                used = 9 + size
        return lines

    def _one(self, at: int) -> Content:
        agent = self.agents[at]
        mark = "▸ " if self.has_focus and at == self.cursor else ""
        said = [elapsed(agent, self._now())]
        if agent.status == "running":
            said = [line(agent.activity), *said, f"{tokens(agent.tokens_used)} tok" if agent.tokens_used else ""]
        if agent.background:
            said.append("bg")
        more = f" (+{self.under[agent.id]})" if self.under.get(agent.id) else ""
        tail = "".join(f" · {each}" for each in said if each)
        return row(60, mark, sign(agent), f" {name(agent)}{more}", (tail, DIM))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "stop":
            return self.stoppable and bool(self.agents) and self.agents[self.cursor].status == "running"
        return True

    def on_click(self, event: events.Click) -> None:
        """The agent that was drawn there."""
        rows = self._packed(self.size.width)
        if event.y >= len(rows):
            return
        at, x = rows[event.y][0], 9
        for each in rows[event.y]:
            if event.x >= x:
                at = each
            x += self._one(each).cell_length + len(_GAP)
        self.cursor = at
        self.action_open()

    def action_previous(self) -> None:
        self.cursor -= 1

    def action_next(self) -> None:
        self.cursor += 1

    def action_open(self) -> None:
        if self.agents:
            self.post_message(self.Opened(self.agents[self.cursor]))

    def action_stop(self) -> None:
        self.post_message(self.Stopped(self.agents[self.cursor]))

    def action_leave(self) -> None:
        self.post_message(self.Left())
