"""What can be set and what holds: modes, models, effort, output style; the requests that change them. Pure.

A value changes by the agent's word alone. While a change of ours is open the line that brings its value carries our
cause; any other change is the agent's.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from craze.codec import CommandInfo, Commands, Config, ConfigOption, Event, SelectValue, Stamp, State
from craze.engine.facts import details
from craze.engine.intents import Set
from craze.engine.ports import Report
from craze.providers.control.types import Catalogs, CommandOffer, ModelOffer

MODES: Final = {
    "default": "Default",
    "acceptEdits": "Accept edits",
    "plan": "Plan",
    "dontAsk": "Don't ask",
    "auto": "Auto",
    "bypassPermissions": "Bypass permissions",
}
BYPASS: Final = "bypassPermissions"
DEFAULT: Final = "default"


class Wish(NamedTuple):
    """How a setting is written: a request, the text of a prompt, or why it cannot be."""

    request: dict[str, Any] | None = None
    text: str = ""
    reason: str = ""


class Asked(Struct, frozen=True):
    """A change of ours that is open."""

    call: str
    setting: Set


class Settings:
    """The settings of one process."""

    def __init__(self, *, bypass: bool) -> None:
        self.mode = self.model = ""
        self.asked: Asked | None = None
        self._modes = [mode for mode in MODES if mode != BYPASS or bypass]
        self._models: tuple[ModelOffer, ...] = ()
        self._chosen = ""
        self._effort = ""
        self._style = ""
        self._styles: tuple[str, ...] = ()
        self._hidden: frozenset[str] = frozenset()
        self._commands: tuple[CommandOffer, ...] | None = None
        self._config = Config()

    # ---- what the agent says

    def catalogs(self, told: Catalogs, at: Stamp) -> list[Report]:
        """The reply to `initialize`."""
        self._models = tuple(model for model in told.models or () if model.value)
        self._style, self._styles = told.output_style, told.output_styles
        state = State()
        if told.mode and told.mode != self.mode:
            self.mode = told.mode
            state = replace(state, mode=told.mode)
        reports: list[Report] = []
        if told.commands is not None:
            reports += self.commands(told.commands, at)
        return [*self._said(state, "", at), *reports]

    def commands(self, offers: tuple[CommandOffer, ...], at: Stamp) -> list[Report]:
        """The slash commands, without those for a terminal of the agent's own."""
        self._commands = offers
        shown = [
            each for each in offers if each.name and not each.name.startswith("__") and each.name not in self._hidden
        ]
        section = Commands(commands=tuple(CommandInfo(name=c.name, description=c.description) for c in shown))
        hints = [{"name": c.name, "hint": c.hint} for c in shown if c.hint]
        event = Event("meta", state=State(commands=section), at=at)
        return [event, details("commands", {"commands": hints})] if hints else [event]

    def hide(self, names: tuple[str, ...], at: Stamp) -> list[Report]:
        """Commands that only work in a terminal of the agent's own."""
        if frozenset(names) == self._hidden:
            return []
        self._hidden = frozenset(names)
        return self.commands(self._commands, at) if self._commands is not None else []

    def changed(self, at: Stamp, *, mode: str = "", model: str = "") -> list[Report]:
        """A line names the mode or the model that holds."""
        state, agents_own = State(), ""
        cause = ""
        if mode and mode != self.mode:
            cause = self._cause("mode", mode)
            agents_own = "" if cause or not self.mode else mode  # the first one heard of is no change
            self.mode = mode
            state = replace(state, mode=mode)
        if model and model != self.model:
            cause = cause or self._cause("model", self._value_of(model), model)
            self.model = model
            self._chosen = self._value_of(model)
            state = replace(state, model=model)
        return self._said(state, cause, at, mode=agents_own)

    # ---- what a person wants

    def open(self, call: str, setting: Set) -> None:
        """A change of ours is written."""
        self.asked = Asked(call, setting)

    def over(self, call: str) -> None:
        """Its reply came."""
        if self.asked is not None and self.asked.call == call:
            self.asked = None

    def wish(self, setting: Set) -> Wish:
        match setting.kind:
            case "mode":
                if setting.value not in self._modes:
                    return Wish(reason=f"there is no mode {setting.value}; there is: {', '.join(self._modes)}")
                return Wish({"subtype": "set_permission_mode", "mode": setting.value})
            case "model":
                value = None if setting.value == DEFAULT else setting.value
                return Wish({"subtype": "set_model", "model": value})
            case "title":
                return Wish({"subtype": "rename_session", "title": setting.value})
            case _:
                return self._option(setting)

    def _option(self, setting: Set) -> Wish:
        if setting.id == "effort" and setting.value in self._efforts():
            return Wish(text=f"/effort {setting.value}")
        if setting.id == "output_style" and setting.value in self._styles:
            return Wish({"subtype": "apply_flag_settings", "settings": {"outputStyle": setting.value}})
        if setting.id == "thinking" and setting.value.isascii() and setting.value.isdigit():
            return Wish({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": int(setting.value)})
        return Wish(reason=f"this agent has no {setting.id} {setting.value}")

    def accepted(self, call: str, setting: Set, told: dict[str, Any], at: Stamp) -> list[Report]:
        """The reply to a change: what it says holds, or, where it says nothing, what was asked for."""
        state = State()
        match setting.kind:
            case "mode":
                mode = told.get("mode")
                if isinstance(mode, str) and mode and mode != self.mode:
                    self.mode = mode
                    state = replace(state, mode=mode)
            case "model":
                named = told.get("model")
                model = named if isinstance(named, str) and named else self._resolved(setting.value)
                self._chosen = setting.value
                if model != self.model:
                    self.model = model
                    state = replace(state, model=model)
            case "config":
                self._effort = setting.value if setting.id == "effort" else self._effort
                self._style = setting.value if setting.id == "output_style" else self._style
            case _:
                pass
        return self._said(state, call, at)

    # ---- what is said

    def _cause(self, kind: str, *values: str) -> str:
        asked = self.asked
        if asked is None or asked.setting.kind != kind or asked.setting.value not in values:
            return ""
        return asked.call

    def _said(self, state: State, cause: str, at: Stamp, *, mode: str = "") -> list[Report]:
        """The sections that changed, and the options with what is current."""
        config = self._options()
        if config != self._config:
            self._config = config
            state = replace(state, config=config)
        return [Event("meta", state=state, mode=mode, cause=cause, at=at)] if state != State() else []

    def _options(self) -> Config:
        efforts = self._efforts()
        options = [
            _select("mode", "Mode", "mode", self.mode or DEFAULT, [(mode, MODES[mode]) for mode in self._modes]),
        ]
        if self._models:
            rows = [(model.value, model.name or model.value) for model in self._models]
            options.append(_select("model", "Model", "model", self._chosen or self._value_of(self.model), rows))
        if efforts:
            options.append(
                _select("effort", "Effort", "thought_level", self._effort, [(each, each) for each in efforts])
            )
        if self._styles:
            rows = [(each, each) for each in self._styles]
            options.append(_select("output_style", "Output style", "", self._style, rows))
        return Config(options=tuple(options))

    def _efforts(self) -> tuple[str, ...]:
        """The levels of the current model, where the agent has a command for them."""
        if not any(each.name == "effort" for each in self._commands or ()):
            return ()
        chosen = self._chosen or self._value_of(self.model)
        return next((model.efforts for model in self._models if model.value == chosen), ())

    def _value_of(self, model: str) -> str:
        """What a picker calls a model."""
        if any(each.value == model for each in self._models):
            return model
        named = [each.value for each in self._models if each.resolved == model]
        if self._chosen in named:
            return self._chosen
        return named[0] if named else "" if model or not self._models else self._models[0].value

    def _resolved(self, value: str) -> str:
        return next((each.resolved or value for each in self._models if each.value == value), value)


def _select(name: str, label: str, category: str, current: str, rows: list[tuple[str, str]]) -> ConfigOption:
    values = tuple(SelectValue(value=value, name=shown) for value, shown in rows)
    return ConfigOption(id=name, name=label, category=category, type="select", current=current, select_values=values)
