"""What `--model`, `--mode`, `--effort` and `--set` ask for, matched against what the agent offers.

A value is an id exactly, else an id or a name without case, else a unique beginning of either. Pure.
"""

from __future__ import annotations

import msgspec

from craze.codec import ConfigOption, SelectValue, State
from craze.engine.intents import Set
from craze.errors import UsageError


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """Settings by the words of the person; `options` are (option, value)."""

    model: str = ""
    mode: str = ""
    effort: str = ""
    options: tuple[tuple[str, str], ...] = ()
    title: str | None = None


def resolve(wishes: Wishes, state: State) -> list[Set]:
    """The settings to send, model first: it may change what the others offer.

    Raises:
        UsageError: Something is not offered, or more than one thing is meant; with the choices.
    """
    sets = [] if wishes.title is None else [Set(kind="title", value=wishes.title)]
    if wishes.model:
        sets.append(Set(kind="model", value=model(wishes.model, state)))
    if wishes.mode:
        sets.append(Set(kind="mode", value=_of_category("mode", "--mode", wishes.mode, state)))
    if wishes.effort:
        option = _category("thought_level", "--effort", state)
        sets.append(Set(kind="config", id=option.id, value=match("--effort", wishes.effort, option.select_values)))
    for name, value in wishes.options:
        option = _option(name, state)
        sets.append(Set(kind="config", id=option.id, value=match(f"--set {name}", value, option.select_values)))
    return sets


def model(text: str, state: State) -> str:
    if state.catalog and state.catalog.models:
        models = tuple(SelectValue(value=row.id, name=row.name) for row in state.catalog.models)
        return match("--model", text, models)
    return _of_category("model", "--model", text, state)


def match(flag: str, text: str, offered: tuple[SelectValue, ...]) -> str:
    """The value that `text` means.

    Raises:
        UsageError: None or several.
    """
    low = text.lower()
    ways: tuple[list[SelectValue], ...] = (
        [choice for choice in offered if choice.value == text],
        [choice for choice in offered if low in (choice.value.lower(), choice.name.lower())],
        [choice for choice in offered if choice.value.lower().startswith(low) or choice.name.lower().startswith(low)],
    )
    found = next(filter(None, ways), ways[0])
    if len(found) == 1:
        return found[0].value
    choices = ", ".join(choice.value for choice in found or offered) or "nothing"
    what = f"{text!r} means several: {choices}" if found else f"{text!r} is not offered"
    raise UsageError(f"{flag}: {what}", hint="" if found else f"the agent offers: {choices}")


def _of_category(category: str, flag: str, text: str, state: State) -> str:
    return match(flag, text, _category(category, flag, state).select_values)


def _category(category: str, flag: str, state: State) -> ConfigOption:
    options = state.config.options if state.config else ()
    for option in options:
        if option.category == category or (category == "mode" and option.id == "mode"):
            return option
    raise UsageError(f"{flag}: the agent offers no choice of that")


def _option(name: str, state: State) -> ConfigOption:
    options = state.config.options if state.config else ()
    offered = tuple(SelectValue(value=option.id, name=option.name) for option in options)
    wanted = match("--set", name, offered)
    return next(option for option in options if option.id == wanted)
