"""An event with its number, and the bytes it was read from or written as. Nothing here encodes an event again."""

from __future__ import annotations

from typing import Final

import msgspec

from craze.codec.decode import decode
from craze.codec.event import Event
from craze.codec.kinds import Int, Shape
from craze.errors import DecodeError


class Omitted(Shape, frozen=True, kw_only=True):
    """Stands for an event whose body was not kept: its type, why (`oversized`, `encode_error`), its size in bytes, the error."""

    type: str = ""
    reason: str = ""
    bytes: Int = 0
    error: str = ""


_write: Final = msgspec.json.Encoder().encode


class Record(msgspec.Struct, eq=False, gc=False):
    """An event and its number.

    Attributes:
        seq: From 1; 0 = not numbered.
        body: The exact bytes of the event; `b""` when it was omitted.
        omitted: What stands for the body when that was not kept.
    """

    seq: int
    body: bytes
    omitted: Omitted | None = None
    _event: Event | None = None
    _line: bytes = b""

    @classmethod
    def of(cls, seq: int, body: bytes, event: Event | None = None) -> Record:
        """A record of these bytes; `event`, where it is known already, spares the decoding."""
        return cls(seq, body, None, event)

    @classmethod
    def left_out(cls, seq: int, omitted: Omitted, event: Event | None = None) -> Record:
        """A record without a body. Readers in this process still get the event where it is known."""
        return cls(seq, b"", omitted, event)

    @property
    def event(self) -> Event:
        """The event, decoded on first use.

        Raises:
            DecodeError: The body is refused, or it was omitted and the event is not known.
        """
        if self._event is None:
            if self.omitted is not None:
                raise DecodeError(f"event {self.seq} was not kept: {self.omitted.reason}", "not_json")
            self._event = decode(self.body)
        return self._event

    @property
    def line(self) -> bytes:
        """The whole line it was read from, without its end; else the line it is written as."""
        return self._line or (self.envelope() if self.seq else self.body)

    def envelope(self) -> bytes:
        """`{"seq":N,"event":BODY}` or `{"seq":N,"omitted":{...}}`."""
        if self.omitted is not None:
            return b'{"seq":%d,"omitted":%b}' % (self.seq, _write(self.omitted))
        return b'{"seq":%d,"event":%b}' % (self.seq, self.body)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return (self.seq, self.body, self.omitted) == (other.seq, other.body, other.omitted)

    def __hash__(self) -> int:
        return hash((self.seq, self.body))

    def __repr__(self) -> str:
        return f"Record({self.seq}, {self.omitted or self.body!r})"
