"""Help: the keys by group, the slash commands, the version and where files are. Built from what others declare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from craze.codec import SlashItem
from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint
from craze.tui.fit import is_narrow
from craze.tui.keys import KEYS, shown
from craze.tui.scrub import line

_GROUPS: Final = {
    "prompt": "prompt",
    "app": "everywhere",
    "transcript": "transcript",
    "ask": "questions of the agent",
    "list": "lists",
    "find": "search line",
    "start": "while starting",
    "agent": "when the agent is gone",
    "cancel": "while a stop hangs",
    "child": "a sub-agent's transcript",
}
_EVERYWHERE: Final = frozenset({"app", "mode", "model", "todos.cycle", "focus"})


class HelpDialog(Dialog[None]):
    """Everything that can be typed.

    Args:
        keys: The keys of a binding id as they hold now, separated by commas; "" when it is switched off.
        facts: Version, agent and places by name.
    """

    def __init__(self, keys: Callable[[str], str], slash: Sequence[SlashItem], facts: Mapping[str, str]) -> None:
        hints = (Hint("type", "to filter"), Hint("pgdn", "", "page_down"), Hint("esc", "close", "close"))
        self.list = PickList("help", items(keys, slash, facts), hints=hints, empty="no key and no command has that")
        super().__init__(self.list)

    def on_mount(self) -> None:
        self.on_pick_list_moved()

    def on_resize(self) -> None:
        self.on_pick_list_moved()

    def on_pick_list_moved(self) -> None:
        """Where rows are cut, the one under the cursor in full."""
        item = self.list.item
        self.list.note = " · ".join((item.label, *item.columns)) if item and is_narrow(self.size.width) else ""

    def on_pick_list_chosen(self) -> None:
        self.dismiss(None)


def items(keys: Callable[[str], str], slash: Sequence[SlashItem], facts: Mapping[str, str]) -> Iterable[Item]:
    """Every row of the help."""
    grouped: dict[str, list[Item]] = {}
    for key in KEYS:
        held = keys(key.id)
        if held:
            group = (
                "everywhere" if key.group in _EVERYWHERE or key.id in _EVERYWHERE else _GROUPS.get(key.group, key.group)
            )
            grouped.setdefault(group, []).append(
                Item(key.id, _written(held), (key.description,), search=key.description, group=group)
            )
    for rows in grouped.values():
        yield from rows
    for row in slash:
        hint = f" {line(row.run.arg_hint)}" if row.run and row.run.arg_hint else ""
        said = line(row.description)
        yield Item(f"/{row.name}", f"/{line(row.name)}{hint}", (said,), search=said, group="commands")
    for name, value in facts.items():
        yield Item(f"fact:{name}", name, (value,), search=value, group="about")


def _written(keys: str) -> str:
    """Keys as they are shown; a row of digits by its ends."""
    digits = keys.split(",")
    return f"{digits[0]}-{digits[-1]}" if len(digits) > 2 and all(map(str.isdigit, digits)) else shown(keys)
