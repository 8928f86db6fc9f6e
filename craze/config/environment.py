"""The environment variables that craze reads, taken once at start. An empty variable is an unset one."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

_NOT_OFF = frozenset({"1", "true", "yes", "on"})


class Environment(msgspec.Struct, frozen=True):
    """A copy of the process's environment, without the empty variables."""

    values: dict[str, str]

    def get(self, name: str) -> str:
        return self.values.get(name, "")

    def turns_off(self, name: str) -> bool:
        """Whether an access switch (`CRAZE_JOURNAL`, `CRAZE_WIRE`) is turned off: such a variable can do nothing else."""
        return name in self.values and self.values[name].strip().lower() not in _NOT_OFF

    @property
    def debug(self) -> bool:
        return self.get("CRAZE_DEBUG") == "1"


def read(variables: Mapping[str, str]) -> Environment:
    return Environment({name: value for name, value in variables.items() if value})
