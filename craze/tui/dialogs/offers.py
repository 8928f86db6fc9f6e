"""What can be chosen for a session: its models, and every other option but the mode. Pure.

offers(view, recent) -> Offers         models in the order of the picker, and the options as tabs
settings(offers, model, values)        what to send for a choice: the model first, then each changed option
meant(offers, "large high")            the same for the argument of a command, or what is wrong with it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from craze.codec import ConfigOption, SelectValue
from craze.engine.intents import Set
from craze.engine.view import View
from craze.tui.panels.status_bar import option
from craze.tui.told import details

RECENT = 5
"""How many models count as recent."""


class Offer(Struct, frozen=True):
    """A model or value. `effort`: the level that a switch to the model lands on."""

    id: str
    name: str
    description: str = ""
    recent: bool = False
    effort: str = ""


class Tab(Struct, frozen=True):
    """An option of the agent with its values."""

    id: str
    name: str
    current: str
    values: tuple[Offer, ...]
    is_effort: bool = False


class Offers(Struct, frozen=True):
    current: str
    models: tuple[Offer, ...]
    tabs: tuple[Tab, ...]


def offers(view: View, recent: Sequence[str] = ()) -> Offers:
    """What the agent offers now; no models where it offers no choice."""
    state, told = view.state, _described(view)
    of_model = option(state, "model")
    current = state.model if state.model is not None else of_model.current if of_model else ""
    if state.catalog and state.catalog.models:
        ranked = {model.id: model.recent for model in state.catalog.models if model.recent}
        recent = sorted(ranked, key=lambda id_: ranked[id_]) or recent
        found = [Offer(model.id, model.name or model.id, effort=model.switch_effort) for model in state.catalog.models]
    else:
        found = list(_values(of_model, told)) if of_model else []
    tabs = tuple(
        Tab(each.id, each.name or each.id, each.current, _values(each, told), each.category == "thought_level")
        for each in (state.config.options if state.config else ())
        if each.category not in ("mode", "model") and each.id not in ("mode", "model") and each.select_values
    )
    return Offers(current, _ordered(found, current, recent), tabs)


def modes(view: View) -> tuple[str, tuple[Offer, ...]]:
    """The current mode and all of them, in the agent's order."""
    found = option(view.state, "mode")
    current = view.state.mode if view.state.mode is not None else found.current if found else ""
    return current, _values(found, _described(view)) if found else ()


def settings(offered: Offers, model: str, values: Mapping[str, str]) -> tuple[Set, ...]:
    """The intents for a choice, in their order; nothing that holds already."""
    first = (Set(kind="model", value=model),) if model and model != offered.current else ()
    rest = (
        Set(kind="config", value=values[tab.id], id=tab.id)
        for tab in offered.tabs
        if tab.id in values and values[tab.id] != tab.current
    )
    return (*first, *rest)


def meant(offered: Offers, arg: str) -> tuple[Set, ...] | str:
    """`model` or `model effort` as settings; a text says what does not fit."""
    name, _, effort = arg.strip().partition(" ")
    model = _match(offered.models, name)
    if isinstance(model, str):
        return f"model {model}"
    if not effort.strip():
        return settings(offered, model.id, {})
    tab = next((tab for tab in offered.tabs if tab.is_effort), None)
    if tab is None:
        return "this agent has no levels of effort"
    value = _match(tab.values, effort.strip())
    if isinstance(value, str):
        return f"{tab.name} {value}"
    # The level goes out even where it holds now: a switch of the model may change it.
    return (*settings(offered, model.id, {}), Set(kind="config", value=value.id, id=tab.id))


def _match(values: Sequence[Offer], text: str) -> Offer | str:
    """The only value of that id, else of that name, without regard to case; or what is wrong."""
    low = text.casefold()
    for found in (
        [each for each in values if each.id.casefold() == low],
        [each for each in values if each.name.casefold() == low],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            return f"{text}: several have that name"
    return f"{text}: not offered"


def _ordered(found: Sequence[Offer], current: str, recent: Sequence[str]) -> tuple[Offer, ...]:
    by_id = {offer.id: offer for offer in found}
    late = [id_ for id_ in recent if id_ in by_id and id_ != current][:RECENT]
    first = [by_id[current]] if current in by_id else []
    rest = (offer for offer in found if offer.id != current and offer.id not in late)
    return (*first, *(replace(by_id[id_], recent=True) for id_ in late), *rest)


def _values(found: ConfigOption, told: Mapping[str, Mapping[str, str]]) -> tuple[Offer, ...]:
    said = told.get(found.id, {})
    values = found.select_values or (_SWITCH if found.type == "boolean" else ())
    return tuple(Offer(each.value, each.name or each.value, said.get(each.value, "")) for each in values)


_SWITCH = (SelectValue(value="true", name="on"), SelectValue(value="false", name="off"))


def _described(view: View) -> dict[str, dict[str, str]]:
    """Descriptions of values by option id, from the fact `details`."""
    found = _table(details(view, "config").get("options"))
    tables = {name: _table(_table(about).get("values")) for name, about in found.items()}
    return {
        name: {value: said for value, said in table.items() if isinstance(said, str)} for name, table in tables.items()
    }


def _table(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
