"""Finds `themes/` and `schema/`: inside a wheel, or beside the package in a checkout."""

from __future__ import annotations

import os.path

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def asset(kind: str, name: str = "") -> str:
    """The absolute path of a shipped file (`asset("schema", "event.json")`) or of the folder `kind`."""
    shipped = os.path.join(_PACKAGE, "data", kind)
    folder = shipped if os.path.isdir(shipped) else os.path.join(os.path.dirname(_PACKAGE), kind)
    return os.path.join(folder, name) if name else folder
