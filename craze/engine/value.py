"""The base of every value of the engine's vocabulary."""

from __future__ import annotations

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Immutable, compared by content, and writable as a row of a capture (`{"type":"Pick",…}`)."""
