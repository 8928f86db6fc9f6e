"""Ids of sessions and incarnations: UUIDv7, so that their order is the order in which they were made."""

from __future__ import annotations

import secrets
import time
import uuid


def uuid7() -> str:
    """48 bits of milliseconds, version, 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    number = milliseconds << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=number))
