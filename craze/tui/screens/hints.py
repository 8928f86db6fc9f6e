"""Which keys help most now: what the hint bar shows. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from textual.binding import Binding, BindingType

from craze.tui.keys import BY_ID, Remapped
from craze.tui.panels.hint_bar import Hint, first

AROUND: Final = ("focus.next", "transcript.detail", "app.palette", "app.help")
"""What helps beside an ask, whose panel shows its own keys."""


_SELECTING: Final = (("transcript.down", "extend"), ("transcript.copy", "copy"), ("transcript.leave", "clear"))
_HITS: Final = (
    ("transcript.next_hit", "next hit"),
    ("transcript.previous_hit", "previous hit"),
    ("transcript.toggle", "open"),
    ("transcript.find", "search again"),
    ("transcript.leave", "back"),
)


class At(Struct, frozen=True):
    """Where the composer stands."""

    mode: str = "prompt"
    menu: bool = False
    busy: bool = False
    armed: bool = False
    empty: bool = True
    held: bool = False
    modes: bool = False
    plan: bool = False
    asked: bool = False
    command: bool = False
    """A command of the person's own runs."""


def of_composer(at: At, keys: Remapped) -> tuple[Hint, ...]:
    """The hints of the composer, the most useful first."""
    if at.menu:
        wanted = [
            ("prompt.complete", "accept"),
            ("prompt.older", "up"),
            ("prompt.newer", "down"),
            ("app.escape", "close"),
        ]
    elif at.mode == "shell":
        wanted = [("prompt.send", "run"), ("app.escape", "back to the prompt")]
    elif at.mode == "edit":
        wanted = [("prompt.send", "save"), ("app.escape", "leave it as it was")]
    else:
        wanted = _of_prompt(at)
    return _spelled(wanted, keys)


def _of_prompt(at: At) -> list[tuple[str, str]]:
    enter = "queue" if at.busy else "send"
    if at.empty and at.plan:
        enter = "implement this plan"
    elif at.empty and at.held:
        enter = "release the queue"
    return [
        *([("prompt.complete", "answer")] if at.asked else []),
        ("prompt.send", enter),
        *([("prompt.send_now", "send now")] if at.busy else []),
        *([("app.escape", "stop the command")] if at.command else [("app.escape", "take back")] if at.armed else []),
        *([("mode.next", "mode")] if at.modes else []),
        ("app.palette", "palette"),
        *([("?", "help")] if at.empty else [("prompt.newline", "new line")]),
    ]


def of_widget(declared: Iterable[BindingType], keys: Remapped, can: Iterable[str]) -> tuple[Hint, ...]:
    """The hints of a focused widget, from its own bindings; `can`: the ids that can act now."""
    possible = frozenset(can)
    ids = dict.fromkeys(each.id for each in declared if isinstance(each, Binding) and each.id in possible)
    return _spelled([(id_, BY_ID[id_].hint) for id_ in ids if id_ and BY_ID[id_].hint], keys)


def of_transcript(keys: Remapped, *, selecting: bool, searching: bool) -> tuple[Hint, ...]:
    """The hints while lines are selected or hits are marked; otherwise none of their own."""
    return _spelled(_SELECTING if selecting else _HITS if searching else (), keys)


def of_ids(ids: Iterable[str], keys: Remapped) -> tuple[Hint, ...]:
    return _spelled([(id_, BY_ID[id_].hint) for id_ in ids], keys)


def _spelled(wanted: Iterable[tuple[str, str]], keys: Remapped) -> tuple[Hint, ...]:
    pairs = [(id_ if id_ not in BY_ID else first(keys.keys(id_)), word) for id_, word in wanted]
    return tuple((key, word) for key, word in pairs if key)
