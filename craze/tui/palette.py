"""The palette: everything that can be done from here as rows of one list, and the dialog that shows it.

A row's id is `kind:value`, and running it is the screen's business. Rows that were run before come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final, Literal, TypeAlias, cast

from msgspec import Struct

from craze.codec import SlashItem
from craze.tui.desk import StoredRow
from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.offers import Offer
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint
from craze.tui.keys import BY_ID
from craze.tui.panels.hint_bar import first
from craze.tui.scrub import line

Kind: TypeAlias = Literal["action", "command", "model", "mode", "theme", "session", "file", "prompt"]

PREFIXES: Final[dict[str, Kind]] = {">": "action", "/": "command", "@": "file", "#": "prompt"}
SESSIONS: Final = 20
_ONLY_BY_PREFIX: Final = frozenset({"file", "prompt"})


class Deed(Struct, frozen=True):
    """What was chosen: a binding id, command, model, mode, theme, session, path, or the number of a prompt."""

    kind: Kind
    value: str


def actions(ids: Iterable[str], keys: dict[str, str]) -> list[Item]:
    """Bindings that can act now, with the first of their keys. `keys`: what holds for each id."""
    return [
        Item(f"action:{id_}", BY_ID[id_].description, (first(keys[id_]),), search=id_) for id_ in ids if keys.get(id_)
    ]


def commands(slash: Sequence[SlashItem]) -> list[Item]:
    return [
        Item(f"command:{row.name}", f"/{line(row.name)}", (line(row.description) or line(row.source),))
        for row in slash
        if row.run
    ]


def choices(kind: Literal["model", "mode"], offered: Sequence[Offer]) -> list[Item]:
    """Models or modes."""
    return [Item(f"{kind}:{each.id}", f"{kind.capitalize()}: {line(each.name)}", (line(each.id),)) for each in offered]


def themes(names: Iterable[str]) -> list[Item]:
    return [Item(f"theme:{name}", f"Theme: {name}") for name in names]


def sessions(rows: Sequence[StoredRow]) -> list[Item]:
    return [
        Item(f"session:{row.id}", f"Session: {line(row.title) or 'untitled'}", (line(row.agent),), search=row.id)
        for row in rows[:SESSIONS]
        if not row.problem
    ]


def files(paths: Iterable[str]) -> list[Item]:
    return [Item(f"file:{path}", line(path)) for path in paths]


def prompts(texts: Sequence[str]) -> list[Item]:
    """Newest first; the id is the place in `texts`."""
    return [Item(f"prompt:{at}", line(texts[at])) for at in range(len(texts) - 1, -1, -1)]


def ordered(items: Iterable[Item], used: Sequence[str]) -> tuple[Item, ...]:
    """The rows that were run before, newest first, then the others as they are."""
    ranks = {id_: at for at, id_ in enumerate(used)}
    return tuple(sorted(items, key=lambda item: ranks.get(item.id, len(ranks))))


class PaletteList(PickList):
    """A prefix narrows the rows to one kind; without one, files and prompts are left out."""

    LABEL: ClassVar[str] = "> "
    PREFIX: ClassVar[str] = ""

    def wanted(self) -> str:
        text = self.filter.text
        return text[1:].lstrip() if text[:1] in PREFIXES else text

    def pool(self) -> Sequence[Item]:
        kind = PREFIXES.get(self.filter.text[:1])
        if kind:
            return [item for item in self.items if kind_of(item.id) == kind]
        return [item for item in self.items if kind_of(item.id) not in _ONLY_BY_PREFIX]


class PaletteDialog(Dialog[Deed | None]):
    """Returns what should be done."""

    def __init__(self, items: Iterable[Item], typed: str = "") -> None:
        hints = (
            Hint("enter", "run", "choose"),
            Hint(">", "actions"),
            Hint("/", "commands"),
            Hint("@", "files"),
            Hint("#", "prompts"),
            Hint("esc", "close", "close"),
        )
        super().__init__(PaletteList("palette", items, hints=hints, empty="nothing fits", typed=typed))

    def add(self, items: Iterable[Item]) -> None:
        """Rows that take a moment to read."""
        known = {item.id for item in self.list.items}
        self.list.items = (*self.list.items, *(item for item in items if item.id not in known))

    @property
    def list(self) -> PaletteList:
        return cast(PaletteList, self.box)

    def on_pick_list_chosen(self, message: PickList.Chosen) -> None:
        self.dismiss(Deed(kind_of(message.id), message.id.partition(":")[2]))


def kind_of(id_: str) -> Kind:
    return cast(Kind, id_.partition(":")[0])
