"""`craze dump SOURCE` without any option, before a parser of options is imported: a pager opens at once."""

from __future__ import annotations

import os
from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int | None:
    """The exit code, or None when the command is not of that form or its source is no journal."""
    if len(arguments) != 2 or arguments[0] != "dump" or arguments[1].startswith("-"):
        return None
    if os.path.exists(arguments[1]) and not os.path.isfile(arguments[1]):
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
    source = find(arguments[1], places.sessions, cwd=here)
    return dumping.bytes_of(source) if source.form == "journal" else None
