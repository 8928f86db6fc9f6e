"""`craze --version`; imports next to nothing."""

from __future__ import annotations

import sys

from craze import __version__


def line() -> str:
    """Version, Python and platform in one line."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"craze {__version__} (Python {python}, {sys.platform})"
