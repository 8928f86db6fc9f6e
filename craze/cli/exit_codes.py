"""Every exit code, and nothing else. When several apply to a run: 130, 3, 7, 1, 5, 6, the first of them."""

from __future__ import annotations

from typing import Final

from craze.errors import ExitName

DONE: Final = 0
FAILED: Final = 1
"""An agent or protocol error, a check that failed, an invalid file, an internal error."""
USAGE: Final = 2
"""An unknown option, a bad value, an unreadable configuration or answers file, no terminal for the screen."""
TIMEOUT: Final = 3
NO_SESSION: Final = 4
"""No such session, none to continue, or it is open elsewhere."""
DENIED: Final = 5
"""Permissions were asked and none was granted, or `fail` or a failing rule met an ask."""
SHORT: Final = 6
"""The last turn ended, but not by `end_turn`."""
SIGN_IN: Final = 7
INTERRUPTED: Final = 130

NUMBERS: Final[dict[ExitName, int]] = {
    "done": DONE,
    "failed": FAILED,
    "usage": USAGE,
    "timeout": TIMEOUT,
    "no_session": NO_SESSION,
    "denied": DENIED,
    "short": SHORT,
    "sign_in": SIGN_IN,
    "interrupted": INTERRUPTED,
}
