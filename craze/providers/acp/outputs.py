"""What a tool printed and returned, from the many places where agents put it; pure.

A terminal of ours, a display terminal fed by `_meta`, `rawOutput` in its forms, `_meta.claudeCode.toolResponse`.
"""

from __future__ import annotations

from collections import deque
from typing import Final, cast

from msgspec import Raw, Struct, UnsetType
from msgspec.structs import replace

from craze.codec import ToolOutput
from craze.providers.acp.blocks import shown
from craze.providers.acp.decode import is_whole, read, value_of
from craze.providers.acp.types import AnyBlock, Meta, TerminalMeta, WrappedContent

NOTHING: Final = ToolOutput()
_KEPT = 256 << 10


class Display:
    """A terminal that only the agent has, fed by `_meta`; at least the last 256 KiB of it are kept."""

    def __init__(self) -> None:
        self.size = 0
        self._pieces: deque[str] = deque()
        self._held = 0

    def add(self, piece: str) -> None:
        self.size += len(piece)
        self._held += len(piece)
        self._pieces.append(piece)
        while self._held - len(self._pieces[0]) > _KEPT:
            self._held -= len(self._pieces.popleft())

    def forget(self) -> None:
        """Keep nothing of what it printed so far."""
        self._pieces.clear()
        self._held = 0

    def since(self, seen: int) -> str:
        """What came after the first `seen` characters, as far as it is kept."""
        wanted, parts = self.size - seen, list[str]()
        for piece in reversed(self._pieces):
            if wanted <= 0:
                break
            parts.append(piece[-wanted:])
            wanted -= len(piece)
        return "".join(reversed(parts))


def terminal_pieces(meta: Meta) -> tuple[TerminalMeta, ...]:
    """The `_meta` keys that feed a display terminal, in the order in which they apply."""
    parts = (meta.terminal_info, meta.terminal_output, meta.terminal_output_delta, meta.terminal_exit)
    return tuple(part for part in parts if part)


def returned(raw: Raw | UnsetType, *, texts: bool) -> ToolOutput:
    """What `rawOutput` says; its texts only where the call shows nothing else."""
    if not isinstance(raw, Raw):
        return NOTHING
    value = value_of(raw)
    output = _texts_of(value, raw) if texts else NOTHING
    code = _exit_code(value)
    return output if code is None else replace(output, exit_code=code)


def responded(raw: Raw | UnsetType) -> ToolOutput:
    """The last resort: `stdout` and `stderr` of a `toolResponse`."""
    if not isinstance(raw, Raw):
        return NOTHING
    value = _table(value_of(raw))
    return ToolOutput(stdout=_text(value, "stdout"), stderr=_text(value, "stderr"))


def _texts_of(value: object, raw: Raw) -> ToolOutput:
    if isinstance(value, str):
        return ToolOutput(content=value)
    if isinstance(value, list):
        return ToolOutput(content=_block_texts(raw))
    return _named_texts(_table(value))


def _named_texts(table: dict[str, object]) -> ToolOutput:
    if table.get("stdout") or table.get("stderr"):
        return ToolOutput(stdout=_text(table, "stdout"), stderr=_text(table, "stderr"))
    named = (_text(table, name) for name in ("output", "content", "aggregated_output"))
    return ToolOutput(content=next((text for text in named if text), ""))


class _Blocks(Struct, frozen=True):
    blocks: tuple[WrappedContent | AnyBlock, ...]


def _block_texts(raw: Raw) -> str:
    blocks = read(_Blocks, b'{"blocks":' + bytes(raw) + b"}").value
    items = blocks.blocks if blocks else ()
    said = (shown(item.content if isinstance(item, WrappedContent) else item) for item in items)
    return "\n".join(text for text in said if text)


def _exit_code(value: object) -> int | None:
    table = _table(value)
    contents = table.get("contents")
    places: list[object] = [table.get("exit_code"), table.get("exitCode"), _table(table.get("metadata")).get("exit")]
    if isinstance(contents, list):
        places += [_table(item).get("exitCode") for item in cast("list[object]", contents)]
    numbers = (code for code in places if isinstance(code, int | float) and not isinstance(code, bool))
    return next((int(code) for code in numbers if is_whole(code)), None)


def _table(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _text(table: dict[str, object], key: str) -> str:
    value = table.get(key)
    return value if isinstance(value, str) else ""
