"""What single agents need beside the protocol: flags that add or relax, found by `agentInfo.name`."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Quirks(Struct, frozen=True):
    """All off: an unknown agent needs none.

    Attributes:
        own_input: The `rawInput` of a permission request never replaces the tool's own.
        total_usage: The usage of a prompt's answer is the session's running total.
        typed_arguments: Text that a tool shows before its `rawInput` is the arguments while they are typed.
        lasting_model: A change of the model is kept by the agent for later sessions.
    """

    own_input: bool = False
    total_usage: bool = False
    typed_arguments: bool = False
    lasting_model: bool = False


NONE: Final = Quirks()
ROWS: Final[dict[str, Quirks]] = {
    "Copilot": Quirks(own_input=True, total_usage=True),
    "Kimi Code CLI": Quirks(typed_arguments=True),
    "@mistralai/mistral-vibe": Quirks(lasting_model=True, total_usage=True),
}


def quirks_of(agent: str, named: str = "") -> Quirks:
    """The row that a declaration names, else the agent's own."""
    return ROWS.get(named) or ROWS.get(agent) or NONE
