"""What the model says, streamed and whole: each piece is published once.

A call's blocks come as pieces, and then each block whole in a line of its own, whose text is the truth. Pure; one
`Blocks` for each transcript (the main one, and each sub-agent's).
"""

from __future__ import annotations

from collections import OrderedDict

from msgspec import Struct

from craze.providers.control.types import Block, Streamed

_CALLS = 8  # model calls that a late line may still belong to
SHOWN_INPUT = 1 << 20
_SAID = frozenset({"text", "thinking"})


class Said(Struct, frozen=True, gc=False):
    """A piece to publish; `thought` tells thinking from text."""

    text: str
    thought: bool = False


class ToolBegun(Struct, frozen=True):
    """A call that the model begins; `input` once it is known from its pieces alone."""

    id: str
    name: str
    input: str = ""


class _Streaming(Struct):
    """A block as far as it was streamed: its text, or the JSON of a call's input, in pieces."""

    type: str
    id: str = ""
    name: str = ""
    pieces: list[str] = []
    size: int = 0


class _Call(Struct):
    """A model call: its blocks by index, how many came whole, and whether its id is known."""

    blocks: dict[int, _Streaming] = {}
    whole: int = 0
    named: bool = False


class Blocks:
    """The model calls of one transcript, the newest of them."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, _Call] = OrderedDict()
        self._now = _Call()

    def streamed(self, event: Streamed) -> Said | ToolBegun | None:
        delta = event.delta
        if delta is not None and event.type == "content_block_delta":
            type_ = "text" if delta.text else "thinking" if delta.thinking else "tool_use"
            return self._piece(event.index, type_, delta.text or delta.thinking or delta.partial_json)
        if event.type == "message_start":
            name = event.message.id if event.message else ""
            self._now = self._calls.get(name) or (self._keep(name, _Call()) if name else _Call())
        elif event.type == "message_stop":
            self._now = _Call()
        elif event.type == "content_block_start" and (block := event.content_block):
            self._now.blocks[event.index] = _Streaming(block.type, block.id, block.name)
            if block.type == "tool_use" and block.id:
                return ToolBegun(block.id, block.name)
            return self._piece(event.index, block.type, block.text or block.thinking)
        elif event.type == "content_block_stop":
            return self._stopped(event.index)
        return None

    def said(self, index: int, type_: str, text: str) -> None:
        """A piece of `text` or `thinking`; what is to be published of it is all of it."""
        block = self._now.blocks.get(index)
        if block is None:
            block = self._now.blocks[index] = _Streaming(type_)
        block.pieces.append(text)

    def whole(self, message_id: str, block: Block, *, aborted: bool) -> Said | None:
        """A block that came whole: what of it was not streamed yet."""
        call = self._calls.get(message_id)
        if call is None:  # what is being streamed without a name is of it
            call = self._keep(message_id, _Call() if self._now.named or not self._now.blocks else self._now)
        streamed = call.blocks.get(call.whole)
        call.whole += 1
        thought = block.type == "thinking"
        text = block.thinking if thought else block.text
        if block.type not in ("text", "thinking"):
            return None
        before = "".join(streamed.pieces) if streamed else ""
        if text.startswith(before):
            rest = text[len(before) :]
        elif aborted or len(text) < len(before):
            rest = ""
        else:
            rest = f"\n\n{text}"
        return Said(rest, thought) if rest else None

    def _keep(self, name: str, call: _Call) -> _Call:
        call.named = True
        self._calls[name] = call
        if len(self._calls) > _CALLS:
            self._calls.popitem(last=False)
        return call

    def _piece(self, index: int, type_: str, text: str) -> Said | None:
        if not text:
            return None
        if type_ in _SAID:
            self.said(index, type_, text)
            return Said(text, type_ == "thinking")
        block = self._now.blocks.get(index)
        if block is None:
            block = self._now.blocks[index] = _Streaming(type_)
        if type_ == "tool_use" and block.size < SHOWN_INPUT:
            block.pieces.append(text)
            block.size += len(text)
        return None

    def _stopped(self, index: int) -> ToolBegun | None:
        """A call whose pieces are all there, and which did not come whole."""
        block = self._now.blocks.get(index)
        if block is None or block.type != "tool_use" or not block.id or self._now.whole > index:
            return None
        return ToolBegun(block.id, block.name, "".join(block.pieces)[:SHOWN_INPUT])
