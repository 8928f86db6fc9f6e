"""The output of a command, its newest bytes: cut from the front, never through a character. Pure."""

from __future__ import annotations

import codecs

_LONGEST_CHARACTER = 4
_LAST_LINE = 4 << 10


class OutputRing:
    """At most `limit` bytes; 0 keeps nothing."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = bytearray()
        self.truncated = False

    def add(self, data: bytes) -> None:
        self._bytes += data
        over = len(self._bytes) - self._limit
        if over > 0:
            del self._bytes[:over]
            self.truncated = True

    def text(self, *, final: bool) -> str:
        """What is held, invalid bytes as U+FFFD; a character that is not complete yet waits unless `final`."""
        start = self._boundary() if self.truncated else 0
        return codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._bytes[start:]), final)

    def last_line(self) -> str:
        text = self._bytes[-_LAST_LINE:].decode("utf-8", "replace").strip()
        return text.splitlines()[-1] if text else ""

    def _boundary(self) -> int:
        """Where the first whole character begins: up to three bytes may continue one that was cut."""
        for at, byte in enumerate(self._bytes[: _LONGEST_CHARACTER - 1]):
            if byte & 0xC0 != 0x80:
                return at
        return min(_LONGEST_CHARACTER - 1, len(self._bytes))
