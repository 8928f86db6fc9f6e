"""What Esc and Ctrl+C do: the first that applies of an ordered list. Pure."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

Deed: TypeAlias = Literal[
    "copy",
    "unselect",
    "close",
    "ask",
    "leave_child",
    "focus",
    "kill",
    "leave_shell",
    "disarm",
    "cancel",
    "give_up",
    "clear",
    "clear_soon",
    "prompts",
    "prompts_soon",
    "hold_and_cancel",
    "quit",
    "quit_soon",
    "nothing",
]


class Now(Struct, frozen=True):
    """What is there to be closed, stopped or cleared. `soon`: the same key was pressed a moment ago."""

    selection: bool = False
    open: bool = False
    """Something that floats over the transcript."""
    ask: bool = False
    child: bool = False
    elsewhere: bool = False
    """The keyboard is not in the composer."""
    command: bool = False
    """A command of the person's own runs."""
    shell: bool = False
    armed: bool = False
    running: bool = False
    """Something runs that can be cancelled and is not being cancelled."""
    stopping: bool = False
    starting: bool = False
    rows: bool = False
    text: bool = False
    soon: bool = False


_ESCAPE: Final[tuple[tuple[str, Deed], ...]] = (
    ("selection", "unselect"),
    ("open", "close"),
    ("ask", "ask"),
    ("child", "leave_child"),
    ("elsewhere", "focus"),
    ("command", "kill"),
    ("shell", "leave_shell"),
    ("armed", "disarm"),
    ("running", "cancel"),
    ("stopping", "nothing"),
    ("starting", "give_up"),
)
_CANCEL: Final[tuple[tuple[str, Deed], ...]] = (
    ("selection", "copy"),
    ("command", "kill"),
    ("running", "hold_and_cancel"),
    ("starting", "give_up"),
    ("text", "clear"),
)


def escape(now: Now) -> Deed:
    for name, deed in _ESCAPE:
        if getattr(now, name):
            return deed
    if now.text:
        return "clear" if now.soon else "clear_soon"
    return "prompts" if now.soon else "prompts_soon"


def cancel(now: Now) -> Deed:
    """Ctrl+C; a second one quits from any state."""
    if now.soon:
        return "quit"
    for name, deed in _CANCEL:
        if getattr(now, name):
            return deed
    return "quit_soon"
