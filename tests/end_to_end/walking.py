"""Walks through the real screen: each step types what a terminal sends and waits for what it does."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from tests.end_to_end.pty_screen import PtyScreen

ENTER, ESC, TAB, BACK_TAB, BACKSPACE = "\r", "\x1b", "\t", "\x1b[Z", "\x7f"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
HOME, END, DELETE, PAGE_UP, PAGE_DOWN = "\x1b[H", "\x1b[F", "\x1b[3~", "\x1b[5~", "\x1b[6~"
F1, F2, F6, SHIFT_F6 = "\x1bOP", "\x1bOQ", "\x1b[17~", "\x1b[17;2~"
ESC_ESC = "\x1b[27u\x1b[27u"
"""Twice, as terminals tell it that keep it apart from Alt."""

_NAMED: Final = {
    "enter": ENTER,
    "escape": ESC,
    "tab": TAB,
    "space": " ",
    "backspace": BACKSPACE,
    "delete": DELETE,
    "up": UP,
    "down": DOWN,
    "right": RIGHT,
    "left": LEFT,
    "home": HOME,
    "end": END,
    "pageup": PAGE_UP,
    "pagedown": PAGE_DOWN,
    "f1": F1,
    "f2": F2,
    "f6": F6,
    "shift+f6": SHIFT_F6,
    "shift+tab": BACK_TAB,
    "comma": ",",
    "alt+underscore": "\x1b_",
    "ctrl+underscore": "\x1f",
    "ctrl+@": "\x00",
    # What only terminals with a protocol for such keys tell apart.
    "ctrl+slash": "\x1b[47;5u",
    "ctrl+space": "\x1b[32;5u",
    "ctrl+enter": "\x1b[13;5u",
    "shift+enter": "\x1b[13;2u",
    "ctrl+backspace": "\x1b[127;5u",
}
_HELD: Final = {"shift": 2, "alt": 3, "ctrl": 5}


class Step(NamedTuple):
    """One thing that is done.

    Attributes:
        ids: The bindings that it walks, divided by blanks; "" for what only leads on.
        typed: What the terminal sends.
        shown: A text that is shown then and was not before; with `-` in front one that is gone.
    """

    ids: str
    typed: str
    shown: str


Steps: TypeAlias = list[tuple[str, str, str]]


def sent(key: str) -> str:
    """What a terminal sends for a key by its name in the list of keys."""
    if key in _NAMED or len(key) == 1:
        return _NAMED.get(key, key)
    held, _, last = key.rpartition("+")
    if held == "ctrl" and len(last) == 1:
        return chr(ord(last.upper()) & 0x1F)
    code = _NAMED.get(last, last)
    if code.startswith("\x1b["):
        return f"\x1b[1;{_HELD[held]}{code[-1]}"
    assert held == "alt", key
    return f"\x1b{code}"


def ctrl(key: str) -> str:
    return sent(f"ctrl+{key}")


def alt(key: str) -> str:
    return sent(f"alt+{key}")


def shift(key: str) -> str:
    return sent(f"shift+{key}")


async def walk(terminal: PtyScreen, steps: Steps) -> None:
    """Take the steps; one that is to show what is there already proves nothing and fails."""
    for number, step in enumerate(map(Step._make, steps)):
        name = f"step {number}, {step.ids or 'on the way'}, {step.typed!r}"
        if step.ids and step.shown:
            await _until(terminal, step.shown, False, f"{name}: shows already")
        if step.typed:
            terminal.type(step.typed)
        await _until(terminal, step.shown, True, f"{name}: does not show")


async def _until(terminal: PtyScreen, shown: str, holds: bool, trouble: str) -> None:
    gone, text = shown.startswith("-"), shown.removeprefix("-")
    try:
        # A picture may come in two pieces.
        await terminal.until(lambda: ((text in terminal.text) != gone) == holds)
    except AssertionError:
        raise AssertionError(f"{trouble} {shown!r}\n{terminal.text}") from None
