"""Command lines that are read at once, without the parser of options, which takes a while to import.

They are `craze dump SOURCE`, so that a pager opens at once, and the screen with options that stand for themselves.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from craze.cli.screening import Given

_FLAGS: Final = {
    "-c": "go_on",
    "--continue": "go_on",
    "--no-mouse": "no_mouse",
    "--trust": "trust",
    "--no-journal": "no_journal",
    "--no-wire": "no_wire",
}
_TEXTS: Final = {
    "--agent": "agent",
    "--agent-command": "agent_command",
    "--provider": "provider",
    "--model": "model",
    "--mode": "mode",
    "--effort": "effort",
    "--answers": "answers",
    "--theme": "theme",
}


def run(arguments: Sequence[str]) -> int | None:
    """The exit code, or None when the command is not of such a form."""
    if "_CRAZE_COMPLETE" in os.environ:
        return None
    if len(arguments) == 2 and arguments[0] == "dump" and not arguments[1].startswith("-"):
        return _dump(arguments[1])
    given = of_screen(arguments)
    if given is None:
        return None
    from craze.cli.screening import open_screen

    return open_screen(given)


def of_screen(arguments: Sequence[str]) -> Given | None:
    """The options of the screen, as the parser would have them; None when it has to look at them."""
    values: dict[str, object] = {}
    words = iter(arguments)
    for word in words:
        if word in _FLAGS:
            values[_FLAGS[word]] = True
            continue
        value = next(words, "")
        if word not in _TEXTS or not value.strip() or value.startswith("-"):
            return None
        values[_TEXTS[word]] = value
    from craze.cli.screening import Given

    return Given(**values)  # pyright: ignore[reportArgumentType] - each has the type of its field


def _dump(named: str) -> int | None:
    if os.path.exists(named) and not os.path.isfile(named):
        return None  # a pipe can be looked into only once
    try:
        here = os.getcwd()
    except OSError:
        return None  # it is gone, which is told as ever
    from craze.cli import dumping
    from craze.config import environment, paths
    from craze.store.source import find

    places = paths.places(environment.read(os.environ))
    if places.settings_file.exists():
        from craze.config import files

        files.load(places.settings_file)
    source = find(named, places.sessions, cwd=here)
    return dumping.bytes_of(source) if source.form == "journal" else None
