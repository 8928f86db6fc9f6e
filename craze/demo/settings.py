"""What a person can choose in a session: mode, model, thought level, and one switch."""

from __future__ import annotations

from craze.demo.wire import Json, RpcError

MODES = {
    "code": ("Code", "Ask before each change"),
    "ask": ("Ask", "Read only"),
    "plan": ("Plan", "Make a plan before making changes"),
}
MODELS = {
    "small-1": ("Small 1", "Fast and cheap"),
    "medium-1": ("Medium 1", "For everyday work"),
    "large-1": ("Large 1", "For long and hard tasks"),
    "large-1[1m]": ("Large 1 (1M)", "The same with a long context"),
}
LEVELS = {"low": ("Low", ""), "medium": ("Medium", ""), "high": ("High", "")}
SWITCH = {"on": ("On", ""), "off": ("Off", "")}

_SELECTS = (
    ("mode", "Mode", "mode", MODES),
    ("model", "Model", "model", MODELS),
    ("effort", "Effort", "thought_level", LEVELS),
)
_CHOICES = {name: choices for name, _, _, choices in _SELECTS}


class Settings:
    """The chosen values by option id."""

    def __init__(self) -> None:
        self.chosen: dict[str, str | bool] = {"mode": "code", "model": "small-1", "effort": "high", "web": False}
        self.grouped = False

    def choose(self, option: str, value: object) -> None:
        """Set one option; a switch takes true and false, or "on" and "off"."""
        if option == "web" and value in (True, False, "on", "off"):
            self.chosen["web"] = value in (True, "on")
        elif isinstance(value, str) and value in _CHOICES.get(option, {}):
            self.chosen[option] = value
        else:
            raise RpcError(-32602, f"{value!r} is no value of {option}")

    def options(self, *, booleans: bool) -> list[Json]:
        selects = [self._select(*row) for row in _SELECTS]
        return [*selects, self._switch(booleans=booleans)]

    def modes(self) -> Json:
        rows = [{"id": key, "name": name, "description": about} for key, (name, about) in MODES.items()]
        return {"currentModeId": self.chosen["mode"], "availableModes": rows}

    def models(self) -> Json:
        rows = [{"modelId": key, "name": name, "description": about} for key, (name, about) in MODELS.items()]
        return {"currentModelId": self.chosen["model"], "availableModels": rows}

    def _select(self, option: str, name: str, category: str, choices: dict[str, tuple[str, str]]) -> Json:
        values = _values(choices)
        if self.grouped and option == "model":
            values = [
                {"group": "fast", "name": "Fast", "options": values[:2]},
                {"group": "strong", "name": "Strong", "options": values[2:]},
            ]
        head: Json = {"id": option, "name": name, "category": category, "type": "select"}
        return {**head, "currentValue": self.chosen[option], "options": values}

    def _switch(self, *, booleans: bool) -> Json:
        head: Json = {"id": "web", "name": "Web search", "category": "model_config"}
        on = self.chosen["web"]
        if booleans:
            return {**head, "type": "boolean", "currentValue": on}
        return {**head, "type": "select", "currentValue": "on" if on else "off", "options": _values(SWITCH)}


def _values(choices: dict[str, tuple[str, str]]) -> list[Json]:
    return [
        {"value": key, "name": name, **({"description": about} if about else {})}
        for key, (name, about) in choices.items()
    ]
