"""What an agent of this kind may do that it should not, and how much each weighs."""

from __future__ import annotations

from typing import Final

from craze.providers.lints import Level

NOISE: Final = "agent wrote N lines that are not messages"
LEVELS: Final[dict[str, Level]] = {
    "duplicate-request-id": "error",
    "request-without-id": "error",
    "malformed-request": "error",
    "bad-question": "error",
    NOISE: "warn",
    "unknown-hook": "warn",
    "unknown-request": "info",
    "unknown-type": "info",
}
