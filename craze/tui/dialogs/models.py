"""The pickers of the model with the agent's other options, and of the mode. Nothing applies before Enter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content
from textual.reactive import reactive

from craze.engine.intents import Set
from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.offers import Offer, Offers, Tab, settings
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint, Hit, Row, Rows
from craze.tui.dialogs.typed import Typed
from craze.tui.keys import bindings
from craze.tui.lines import DIM, cells
from craze.tui.scrub import cut, line

NO_CHOICE: Final = "this agent offers no model choice"


class ModelList(PickList):
    """The models, and behind further tabs the values of each option."""

    BINDINGS = bindings("list.next_tab", "list.previous_tab", "list.value_right", "list.value_left")

    tab: reactive[int] = reactive(0, init=False)
    """0 = the models, n = the n-th option."""

    def __init__(self, offered: Offers, at: str) -> None:
        self.offered = offered
        self.model = at if any(model.id == at for model in offered.models) else offered.current
        self.values = {tab.id: tab.current for tab in offered.tabs}
        hints = (
            Hint("tab", "options", "next_tab") if offered.tabs else Hint("type", "to filter"),
            *((Hint("←→", "value", "value_right"),) if offered.tabs else ()),
            Hint("enter", "apply", "choose"),
            Hint("esc", "close", "close"),
        )
        super().__init__("model", model_items(offered), current=self.model, hints=hints, empty="no such model")

    @property
    def option(self) -> Tab | None:
        return self.offered.tabs[self.tab - 1] if self.tab else None

    def tabs(self, width: int) -> Rows:
        if not self.offered.tabs:
            return []
        text, hits = Content(), list[Hit]()
        labels = ["model", *(f"[{line(tab.name)}: {self._named(tab)}]" for tab in self.offered.tabs)]
        for at, label in enumerate(labels):
            label = cut(label, 32)
            hits.append(Hit(text.cell_length, text.cell_length + cells(label), f"tab({at})"))
            text = Content.assemble(text, (label, "bold underline" if at == self.tab else DIM), "   ")
        return [Row(text, tuple(hits))]

    def _named(self, tab: Tab) -> str:
        return next((line(value.name) for value in tab.values if value.id == self.values[tab.id]), "")

    # ---- changes

    def watch_current(self, current: str) -> None:
        super().watch_current(current)
        if self.option is not None and current:
            self.values[self.option.id] = current
        elif current:
            self.model = current

    def watch_tab(self) -> None:
        chosen = self.values[self.option.id] if self.option else self.model
        self.set_reactive(PickList.filter, Typed())
        self.set_reactive(PickList.current, chosen)
        self.items = value_items(self.option) if self.option else model_items(self.offered)

    def action_tab(self, at: int) -> None:
        self.tab = at

    def action_next_tab(self) -> None:
        self.tab = (self.tab + 1) % (len(self.offered.tabs) + 1)

    def action_previous_tab(self) -> None:
        self.tab = (self.tab - 1) % (len(self.offered.tabs) + 1)

    def action_value_right(self) -> None:
        self._value(1)

    def action_value_left(self) -> None:
        self._value(-1)

    def _value(self, by: int) -> None:
        """The next value of the open option; from the models, of the first one."""
        tab = self.option or (self.offered.tabs[0] if self.offered.tabs else None)
        if tab is None:
            return
        ids = [value.id for value in tab.values]
        at = ids.index(self.values[tab.id]) if self.values[tab.id] in ids else -1
        self.values[tab.id] = ids[(at + by) % len(ids)]
        if self.option:
            self.current = self.values[tab.id]
        self.refresh()


class ModelPicker(Dialog[tuple[Set, ...] | None]):
    """Returns what to send, in its order; None when nothing should change.

    Args:
        at: The model that the cursor starts on.
    """

    def __init__(self, offered: Offers, at: str = "") -> None:
        self.models = ModelList(offered, at)
        super().__init__(self.models)

    def on_pick_list_chosen(self) -> None:
        chosen = self.models
        self.dismiss(settings(chosen.offered, chosen.model, chosen.values) or None)


class ModePicker(Dialog[str | None]):
    """Returns the id of the mode."""

    def __init__(self, current: str, offered: Sequence[Offer]) -> None:
        hints = (Hint("enter", "choose", "choose"), Hint("esc", "close", "close"))
        items = [_item(offer, "current" if offer.id == current else "", offer.id == current) for offer in offered]
        super().__init__(PickList("mode", items, current=current, hints=hints, empty="no such mode"))

    def on_pick_list_chosen(self, message: PickList.Chosen) -> None:
        self.dismiss(message.id)


def model_items(offered: Offers) -> tuple[Item, ...]:
    return tuple(
        _item(
            model,
            "current" if model.id == offered.current else "recent" if model.recent else "",
            model.id == offered.current,
        )
        for model in offered.models
    )


def value_items(tab: Tab) -> tuple[Item, ...]:
    return tuple(
        _item(value, "current" if value.id == tab.current else "", value.id == tab.current) for value in tab.values
    )


def _item(offer: Offer, word: str, current: bool) -> Item:
    name = line(offer.name) or line(offer.id)
    id_ = line(offer.id) if line(offer.id).casefold() != name.casefold() else ""
    notes = [word, id_, line(offer.effort), line(offer.description)]
    said = " · ".join(note for note in notes if note)
    return Item(offer.id, name, (said,), "●" if current else " ", search=line(offer.id))
