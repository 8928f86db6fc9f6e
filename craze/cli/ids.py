"""Ids of sessions and incarnations: UUIDv7, so that their order is the order in which they were made."""

from __future__ import annotations

import os
import time


def uuid7() -> str:
    """48 bits of milliseconds, version 7, variant, 74 random bits; lower case with hyphens."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    number = milliseconds << 80 | 0x7 << 76 | (random >> 68) << 64 | 0b10 << 62 | random & ((1 << 62) - 1)
    text = f"{number:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
