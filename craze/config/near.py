"""What a person may have meant: the nearest known names."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, alike: float = 0.6) -> str:
    """The known name closest to `name`, or "". `alike`: from 0 to 1, how much of both must agree."""
    import difflib  # here, since most names are known

    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=alike)), "")


def meant(name: str, known: Iterable[str]) -> str:
    """A hint's text: `did you mean X?`, else the choices."""
    choices = sorted(known)
    if found := nearest(name, choices):
        return f"did you mean {found}?"
    return f"one of: {', '.join(choices)}" if choices else ""
