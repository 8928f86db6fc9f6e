"""The agent picker: every declared agent with its state, and what would help where it cannot start."""

from __future__ import annotations

from craze.errors import CrazeError
from craze.tui.desk import AgentRow, Agents
from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint, Rows
from craze.tui.keys import bindings
from craze.tui.scrub import line

_STARTS = frozenset({"ready", "needs sign-in"})


class _AgentList(PickList):
    BINDINGS = bindings("pick.command_line")

    def top(self, width: int) -> Rows:
        """The filter is drawn only while something is typed."""
        return super().top(width) if self.filter.text else []

    async def action_command_line(self) -> None:
        await self.run_action("screen.command_line")


class AgentPicker(Dialog[str | None]):
    """Returns the name of the agent to start. It installs nothing."""

    def __init__(self, agents: Agents, filter_: str = "") -> None:
        more = Hint("i", "command line", "command_line")
        hints = (Hint("enter", "start", "choose"), more, Hint("esc", "leave", "close"))
        self.list = _AgentList("choose an agent", hints=hints, empty="looking…", typed=filter_)
        super().__init__(self.list)
        self._agents = agents
        self._rows: dict[str, AgentRow] = {}

    def on_mount(self) -> None:
        self.run_worker(self._load())

    async def _load(self) -> None:
        try:
            rows = sorted(await self._agents.rows(), key=lambda row: row.state not in _STARTS)
        except CrazeError as error:
            self.list.empty, self.list.note = "no agents", line(str(error))
            return
        self._rows = {row.name: row for row in rows}
        ready = sum(row.state == "ready" for row in rows)
        self.list.right, self.list.empty = f"{ready} ready", "no such agent" if rows else "no agent is declared"
        self.list.current = next((row.name for row in rows if row.last), self.list.current)
        self.list.items = tuple(map(_item, rows))

    def on_pick_list_chosen(self, message: PickList.Chosen) -> None:
        self.dismiss(message.id)

    def action_command_line(self) -> None:
        """The whole command line of the row and what is wrong with it, until the cursor moves."""
        row = self._rows.get(self.list.current)
        if row is not None:
            command = line(row.line) or "no command: it runs inside craze"
            said = " · ".join(part for part in (command, line(row.reason)) if part)
            self.list.note = "" if self.list.note else said

    def on_pick_list_moved(self) -> None:
        self.list.note = ""


def _item(row: AgentRow) -> Item:
    # That a program is missing is said by the state; how to get it is what the row has room for.
    reason = "" if row.state == "not found" and row.fix else line(row.reason)
    said = " · ".join(part for part in (row.state, reason, line(row.fix)) if part)
    return Item(row.name, line(row.name), (line(row.kind), said), enabled=row.state in _STARTS)
