"""One thing in a transcript: a prompt, a text, a call, a line. Plain data; what an event makes of it is folded elsewhere."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, TypeAlias

from msgspec import Struct, json

from craze.codec import Ask, AskBody, Failure, Plan, Tool, encode
from craze.codec.turns import Command
from craze.tui.transcript.source import Source

Kind = Literal["prompt", "text", "thought", "tool", "shell", "plan", "ask", "command", "line", "error"]
Expansion = Literal["auto", "open", "closed"]

LOCAL: Final = 0.5
"""Added to a `seq` it is the id of a block that no event made."""

TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})
_PACKED: Final = 2 << 10
"""Up to this size a call that is over is kept as its bytes, which take a quarter of its memory."""
_UNPACKED: Final = 256
"""How many of those are at hand as calls."""
_CALL: Final = json.Decoder(Tool)


class Shell(Struct, frozen=True):
    """A command of the person's own; `status` is None while it runs, and when it was stopped."""

    command: str
    output: str = ""
    status: int | None = None
    running: bool = False


class Planned(Struct, frozen=True):
    """A plan and, once it is there, how its ask ended."""

    plan: Plan
    ending: Ask | None = None


class Asked(Struct, frozen=True):
    """The ending of an ask with what was asked, as far as that is known."""

    ending: Ask
    opening: AskBody | None = None


class Noted(Struct, frozen=True):
    """One dim line. `fact` says what it is about: `turn`, `mode`, `model`, `title`, `todos`, …"""

    text: str
    fact: str = ""


Data: TypeAlias = Source | Tool | Shell | Planned | Asked | Noted | Command | Failure


class Block:
    """One thing in the transcript.

    Attributes:
        id: The `seq` of its first event; a local block and a second one of an event have a fraction.
        revision: Raised whenever it would be drawn otherwise.
        open: More is expected: a text streams, a call runs.
        at: When it began and `until` when it last changed, in milliseconds since 1970; 0 = not known.
        mark: `interjection` of a prompt, else "".
        flags: How the person wants it drawn, as painters define it.
    """

    __slots__ = ("_data", "at", "expansion", "flags", "id", "kind", "mark", "open", "revision", "until")

    def __init__(self, id_: float, kind: Kind, data: Data, at: int = 0, *, open_: bool = False, mark: str = "") -> None:
        self.id, self.at, self.until = id_, at, at
        self.kind: Kind = kind
        self.data = data
        self.open, self.mark = open_, mark
        self.revision = self.flags = 0
        self.expansion: Expansion = "auto"

    @property
    def data(self) -> Data:
        kept = self._data
        return _unpacked(kept) if isinstance(kept, bytes) else kept

    @data.setter
    def data(self, data: Data) -> None:
        self._data: Data | bytes = _packed(data) if isinstance(data, Tool) and data.status in TERMINAL else data

    @property
    def source(self) -> Source:
        """The text of a prompt, text or thought."""
        assert isinstance(self.data, Source)
        return self.data

    def __repr__(self) -> str:
        return f"Block({self.id}, {self.kind}, {self.data!r})"


def _packed(tool: Tool) -> Tool | bytes:
    body = encode(tool)
    return body if len(body) <= _PACKED else tool


@lru_cache(maxsize=_UNPACKED)
def _unpacked(body: bytes) -> Tool:
    return _CALL.decode(body)


def has_ended(block: Block) -> bool:
    """Whether it is a call that is over."""
    return isinstance(block.data, Tool) and block.data.status in TERMINAL


def is_local(block: Block) -> bool:
    """Whether it comes from this screen and not from an event: its id is in the upper half behind a `seq`."""
    return block.id % 1 >= LOCAL
