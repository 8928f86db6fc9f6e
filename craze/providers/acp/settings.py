"""Options, models and modes: what holds, what an agent's line changes of it, and the one change of ours that is open.

Pure. The three forms in which agents give modes and models become one list of select options.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from craze.codec import Config, ConfigOption, Event, SelectValue, Stamp, State
from craze.engine.facts import details
from craze.engine.intents import Set
from craze.engine.ports import Report
from craze.providers.acp.results import SessionResult
from craze.providers.acp.types import Option, OptionValue, text
from craze.providers.lints import Lints

MODE: Final = "craze.mode"
MODEL: Final = "craze.model"
_SWITCH: Final = (SelectValue(value="true", name="On"), SelectValue(value="false", name="Off"))
_METHODS: Final = {MODE: ("session/set_mode", "modeId"), MODEL: ("session/set_model", "modelId")}

Params: TypeAlias = dict[str, object]


class Asked(Struct):
    """A change of ours between its writing and its answer; `moved`: an update has said what holds meanwhile."""

    call: str
    option: str
    value: str
    moved: bool = False


class Written(Struct, frozen=True):
    """The request for a change; `method` empty: it cannot be made, `reason` says why."""

    method: str
    params: Params
    reason: str = ""


class Settings:
    """What holds of one session. Every method that takes news gives the reports they are worth."""

    def __init__(self, lints: Lints) -> None:
        self._lints = lints
        self._own: tuple[ConfigOption, ...] = ()
        self._made: dict[str, ConfigOption] = {}
        self._shown: tuple[ConfigOption, ...] | None = None
        self._mode: str = ""
        self._model: str = ""
        self._notes: dict[str, object] = {}
        self._told: dict[str, object] = {}
        self._asked: Asked | None = None
        self.quiet = self.lasting = False

    # ---- news

    def options(self, options: Iterable[Option], at: Stamp) -> list[Report]:
        """The agent's complete list."""
        self._take(options)
        return self._news(at)

    def result(self, result: SessionResult, at: Stamp) -> list[Report]:
        """What an answer that names the session says, in whichever forms; what it leaves out stays."""
        if result.modes is not None:
            modes = [(mode.id, mode.name, mode.description) for mode in result.modes.available_modes or ()]
            self._make(MODE, "Mode", "mode", text(result.modes.current_mode_id), modes)
        if result.models is not None:
            models = [(model.model_id, model.name, model.description) for model in result.models.available_models or ()]
            self._make(MODEL, "Model", "model", text(result.models.current_model_id), models)
        if result.config_options is not None:
            self._take(result.config_options)
        return self._news(at)

    def mode(self, mode: str, at: Stamp) -> list[Report]:
        """The agent is in this mode."""
        option = self.find("mode")
        if option is None:
            self._make(MODE, "Mode", "mode", mode, [])
        else:
            self._put(option.id, mode)
        return self._news(at)

    def everything(self, at: Stamp) -> list[Report]:
        """Every section in one event: the end of a replay."""
        self.quiet, self._shown, self._mode, self._model = False, None, "", ""
        return self._news(at) if self._offered() else []

    # ---- changes of ours

    def find(self, kind: str, name: str = "") -> ConfigOption | None:
        """The option that a `Set` of this kind is about."""
        offered = self._offered()
        if kind == "config":
            return next((option for option in offered if option.id == name), None)
        return next((option for option in offered if option.category == kind), None)

    def write(self, session: str, call: str, setting: Set) -> Written:
        """Begin a change: what is to be written."""
        option = self.find(setting.kind, setting.id)
        if option is None:
            return Written("", {}, f"this agent has no {setting.id or setting.kind} to set")
        self._asked = Asked(call, option.id, setting.value)
        if option.id in _METHODS:
            method, key = _METHODS[option.id]
            return Written(method, {"sessionId": session, key: setting.value})
        params: Params = {"sessionId": session, "configId": option.id, "value": setting.value}
        if option.type == "boolean":
            params = {**params, "type": "boolean", "value": setting.value == "true"}
        return Written("session/set_config_option", params)

    def answered(self, options: Iterable[Option] | None, at: Stamp) -> list[Report]:
        """The change was answered; without a list the value counts as set, unless an update said otherwise."""
        asked = self._asked
        if asked is None:
            return []
        if options is not None:
            reports = self.options(options, at)
        else:
            if not asked.moved:
                self._put(asked.option, asked.value)
            reports = self._news(at)
        self._asked = None
        return reports

    def refused(self, *, unknown: bool, at: Stamp) -> list[Report]:
        """The change was refused; one whose method the agent does not know cannot be made again."""
        asked, self._asked = self._asked, None
        if asked is None or not unknown or asked.option not in self._made:
            return []
        option = self._made[asked.option]
        only = tuple(value for value in option.select_values if value.value == option.current)
        self._made[asked.option] = replace(option, select_values=only)
        return self._news(at)

    def forget(self) -> None:
        """The change that was open has nobody left to answer it."""
        self._asked = None

    # ---- what holds

    def _offered(self) -> tuple[ConfigOption, ...]:
        """The agent's options, and made ones where it has none of the kind; an uncategorised `mode` counts last."""
        own = self._own
        made: list[ConfigOption] = []
        for name, category in ((MODE, "mode"), (MODEL, "model")):
            if name in self._made and not any(option.category == category for option in own):
                made.append(self._made[name])
        offered = (*own, *made)
        if not any(option.category == "mode" for option in offered):
            return tuple(
                replace(option, category="mode") if option.id == "mode" and not option.category else option
                for option in offered
            )
        return offered

    def _news(self, at: Stamp) -> list[Report]:
        """One `meta` with what differs from what was said last, and the descriptions if they changed."""
        if self.quiet:
            return []
        offered = self._offered()
        mode, model = self._current("mode"), self._current("model")
        config = Config(options=offered) if offered != (self._shown or ()) and _worth(offered) else None
        new_mode = mode if mode != self._mode else None
        new_model = model if model != self._model else None
        cause = self._cause(offered)
        self._shown, self._mode, self._model = offered, mode, model
        if config is None and new_mode is None and new_model is None:
            return self._descriptions()
        state = State(mode=new_mode, model=new_model, config=config)
        said = "" if cause else new_mode or ""
        return [Event("meta", mode=said, state=state, cause=cause, at=at), *self._descriptions()]

    def _cause(self, offered: tuple[ConfigOption, ...]) -> str:
        """The open change of ours, if this is the news that brings the value it asked for."""
        asked = self._asked
        if asked is None:
            return ""
        before = {option.id: option.current for option in self._shown or ()}.get(asked.option)
        now = {option.id: option.current for option in offered}.get(asked.option)
        asked.moved |= now != before
        return asked.call if now == asked.value and before != now else ""

    def _descriptions(self) -> list[Report]:
        offered = {option.id for option in self._offered()}
        notes = {name: note for name, note in self._notes.items() if name in offered}
        if self.lasting and (model := self.find("model")):
            notes[model.id] = {**_table(notes.get(model.id)), "lasting": True}
        if notes == self._told:
            return []
        self._told = notes
        return [details("config", {"options": self._told})]

    def _current(self, kind: str) -> str:
        option = self.find(kind)
        return option.current if option else ""

    def _put(self, name: str, value: str) -> None:
        self._own = tuple(replace(option, current=value) if option.id == name else option for option in self._own)
        if name in self._made:
            self._made[name] = replace(self._made[name], current=value)

    # ---- the forms of the wire

    def _take(self, options: Iterable[Option]) -> None:
        self._own = tuple(self._readable(option) for option in options if self._known(option))

    def _make(
        self, name: str, label: str, category: str, current: str, rows: list[tuple[str, str | None, str | None]]
    ) -> None:
        values = tuple(SelectValue(value=value, name=text(title) or value) for value, title, _ in rows)
        self._made[name] = ConfigOption(
            id=name, name=label, category=category, type="select", current=current, select_values=values
        )
        described = {value: said for value, _, said in rows if said}
        if described:
            self._notes[name] = {"values": described}

    def _known(self, option: Option) -> bool:
        known = option.type in ("select", "boolean") or (option.type is None and option.options is not None)
        if not known:
            self._lints.once("unknown-option-type", text(option.type) or option.id)
        return known

    def _readable(self, option: Option) -> ConfigOption:
        current = option.current_value
        switch = option.type == "boolean"
        values = _SWITCH if switch else tuple(_flat(option.options or ()))
        self._describe(option)
        return ConfigOption(
            id=option.id,
            name=text(option.name) or option.id,
            category=text(option.category),
            type="boolean" if switch else "select",
            current=str(current).lower() if isinstance(current, bool) else text(current),
            select_values=values,
        )

    def _describe(self, option: Option) -> None:
        leaves = [(leaf, group) for leaf, group in _leaves(option.options or ())]
        parts: dict[str, object] = {
            "description": text(option.description),
            "values": {text(leaf.value): said for leaf, _ in leaves if (said := text(leaf.description))},
            "groups": {text(leaf.value): group for leaf, group in leaves if group},
        }
        kept = {key: part for key, part in parts.items() if part}
        if kept:
            self._notes[option.id] = kept
        else:
            self._notes.pop(option.id, None)


def _table(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _worth(offered: tuple[ConfigOption, ...]) -> bool:
    """A made option with nothing to choose says no more than `state.mode` does."""
    return any(option.id not in _METHODS or option.select_values for option in offered)


def _flat(values: Iterable[OptionValue]) -> Iterable[SelectValue]:
    for leaf, _ in _leaves(values):
        yield SelectValue(value=text(leaf.value), name=text(leaf.name) or text(leaf.value))


def _leaves(values: Iterable[OptionValue]) -> Iterable[tuple[OptionValue, str]]:
    """Each value with the name of its group; a value without a text is dropped alone."""
    for value in values:
        if value.options is not None:
            group = text(value.name) or text(value.group)
            yield from ((leaf, group) for leaf in value.options if leaf.value is not None)
        elif value.value is not None:
            yield value, ""


def match(option: ConfigOption, wanted: str) -> str | None:
    """The value that a person means: exact, else by name without case, else the only one that begins so."""
    exact = [value.value for value in option.select_values if value.value == wanted]
    by_name = [value.value for value in option.select_values if value.name.casefold() == wanted.casefold()]
    begins = [
        value.value
        for value in option.select_values
        if any(known.casefold().startswith(wanted.casefold()) for known in (value.value, value.name))
    ]
    if exact or by_name:
        return (exact or by_name)[0]
    return begins[0] if len(begins) == 1 else None
