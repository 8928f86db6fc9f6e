"""Prompts, messages and thoughts: text that may still be streaming."""

from __future__ import annotations

from craze.tui import scrub
from craze.tui.transcript import said
from craze.tui.transcript.blocks import Block
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import Line, Run, width_of
from craze.tui.transcript.paint.prose import Prose, source_lines
from craze.tui.transcript.paint.state import as_source, cut_code, is_open

LAST_THOUGHTS = 3


class TextPainter:
    """Keeps what is painted of a text, so that more of it costs only what is new."""

    def __init__(self, block: Block, width: int, brush: Brush) -> None:
        self._block, self._width, self._brush = block, width, brush
        self._streams: dict[int, _Stream] = {}
        self._closed = False

    @property
    def parsed(self) -> int:
        return sum(stream.prose.parsed for stream in self._streams.values())

    def update(self) -> None:
        """Take what has come since the last time."""
        parts = self._block.source.parts()
        for start, text in parts:
            if start not in self._streams:
                prose = Prose(self._width, self._brush, start, cut=cut_code(self._block))
                self._streams[start] = _Stream(prose)
            self._streams[start].feed(text)
        for start in self._streams.keys() - {start for start, _ in parts}:
            del self._streams[start]
        if not self._block.open and not self._closed:
            self._closed = True
            for stream in self._streams.values():
                stream.prose.close()

    @property
    def plain(self) -> bool:
        """Whether a fence waits for its colours."""
        return any(stream.prose.plain_fences for stream in self._streams.values())

    def colour(self) -> None:
        for stream in self._streams.values():
            stream.prose.colour()

    def lines(self) -> list[Line]:
        self.update()
        streams = [self._streams[start].prose.lines for start in sorted(self._streams)]
        if len(streams) == 1:
            return streams[0]
        hidden = f"{self._brush.glyphs['ellipsis']} {said.size(self._block.source.hidden)} hidden (v)"
        return [*streams[0], Line([self._brush.dim(hidden)]), *streams[1]]


class _Stream:
    """One part of the text on its way from raw to painted."""

    def __init__(self, prose: Prose) -> None:
        self.prose = prose
        self._scrubber = scrub.Scrubber()
        self._taken = 0

    def feed(self, text: str) -> None:
        if len(text) > self._taken:
            self.prose.feed(self._scrubber.feed(text[self._taken :]))
            self._taken = len(text)


def raw_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    """The source of a message as it is written."""
    lines: list[Line] = []
    for start, text in block.source.parts():
        if lines:
            lines.append(Line([brush.dim(f"… {said.size(block.source.hidden)} hidden (v)")]))
        lines += source_lines(scrub.prose(text), width, brush["foreground"], start)
    return lines


def prompt_lines(block: Block, width: int, brush: Brush, time: str) -> list[Line]:
    """What the person has said, as it was typed, with its time at the right."""
    style = brush["user"]
    right = [brush.dim(time)] if time and width >= 40 else []
    room = width - (len(time) + 2 if right else 0)
    lines: list[Line] = []
    for start, text in block.source.parts():
        if lines:
            lines.append(Line([brush.dim(f"… {said.size(block.source.hidden)} hidden (v)")]))
        lines += source_lines(scrub.prose(text).rstrip("\n"), room, style, start)
    if right:
        first = lines[0]
        gap = width - width_of(first.runs) - len(time)
        lines[0] = Line([*first.runs, Run(" " * gap), *right])
    return lines


def thought_lines(block: Block, width: int, brush: Brush) -> list[Line]:
    """Dim: the last lines while it streams, one line when it is over, all of it when opened."""
    opened = is_open(block, brush) or (brush.thoughts == "open" and block.expansion == "auto")
    style = brush["thought"]
    head = Line([Run(_thought_head(block), style)])
    if as_source(block):
        return raw_lines(block, width, brush)
    if not opened and not block.open:
        return [head]
    lines: list[Line] = []
    for start, text in block.source.parts():
        lines += source_lines(scrub.prose(text).strip("\n"), width, style, start)
    return [head, *lines] if opened and not block.open else lines if opened else lines[-LAST_THOUGHTS:]


def _thought_head(block: Block) -> str:
    took = block.until - block.at
    return f"thought for {said.clock(took)}" if took >= 1000 and block.at else "thought"
