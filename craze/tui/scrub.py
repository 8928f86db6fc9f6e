"""Agent text made safe to draw: prose, one-line places, streams, and tool output with its colours.

`craze.text` removes what moves a cursor; this module adds what a screen needs on top: format characters, tabs, cutting
by cells, and the styles of tool output. Pure and total. Events keep what the agent sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Final

from msgspec import Struct
from rich.cells import cell_len

from craze.text import Cleaner, clean, clean_line
from craze.tui.clusters import clusters

TAB: Final = 4

_FORMAT = re.compile(
    "[\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2028\u2029\u2060-\u2064\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
_BREAKS = re.compile("([\n\t])")


def prose(text: str) -> str:
    """Whole text of a message: no sequences, controls or hidden characters; direction overrides are shown."""
    text = clean(text)
    return text if text.isascii() else _without_format(text)


def exact(text: str) -> str:
    """Text whose every character counts (commands, diffs): what is hidden in it is shown, newlines stay."""
    if text.isascii():
        return clean(text)
    return _shown_format(
        "".join(part if part in "\n\t" else clean_line(part) for part in _BREAKS.split(_unified(text)))
    )


def line(text: str) -> str:
    """A title, path, option or row on one line: newlines as `⏎`, hidden characters shown."""
    text = clean_line(_unified(text))
    return text if text.isascii() else _shown_format(text)


def cut(text: str, cells: int, mark: str = "…") -> str:
    """The text in at most so many cells, its end replaced by `…`; a cluster is never divided."""
    if cell_len(text) <= cells:
        return text
    return _head(text, cells - cell_len(mark)) + mark if cells >= cell_len(mark) else ""


def cut_head(text: str, cells: int, mark: str = "…") -> str:
    """The end of the text in at most so many cells behind `…`."""
    if cell_len(text) <= cells:
        return text
    room, total = cells - cell_len(mark), cell_len(text)
    for start, _, width in clusters(text):
        if total <= room:
            return mark + text[start:]
        total -= width
    return mark if room >= 0 else ""


def path_in(path: str, cells: int) -> str:
    """A path that loses its head (`…/b/c.py`), never its file name."""
    if cell_len(path) <= cells:
        return path
    parts = path.split("/")
    for at in range(1, len(parts)):
        if cell_len(shorter := "…/" + "/".join(parts[at:])) <= cells:
            return shorter
    return cut_head(parts[-1], cells)


def untabbed(text: str, column: int = 0) -> str:
    """Tabs as spaces up to the next multiple of four, for text that begins in this column."""
    if "\t" not in text:
        return text
    out: list[str] = []
    for at, part in enumerate(text.split("\t")):
        if at:
            gap = TAB - column % TAB
            out.append(" " * gap)
            column += gap
        out.append(part)
        column += cell_len(part)
    return "".join(out)


class Scrubber:
    """`prose` for text that comes in pieces; whatever the pieces cut, together they give what the whole gives."""

    def __init__(self) -> None:
        self._cleaner = Cleaner()
        self._before = self._joiner = ""

    def feed(self, piece: str) -> str:
        """What can be drawn of the text so far and was not before."""
        text = self._joiner + self._cleaner.feed(piece)
        # A joiner counts only between two characters: one at the end waits for what follows.
        self._joiner = "\u200d" if text.endswith("\u200d") else ""
        text = text.removesuffix(self._joiner)
        if not text:
            return ""
        before, self._before = self._before, text[-1]
        return text if text.isascii() else _without_format(before + text, len(before))

    def end(self) -> None:
        """The text is over: what is still held back is dropped."""
        self._cleaner.end()
        self._before = self._joiner = ""


class Span(Struct, frozen=True):
    """Tool output of one style. `style` is a rich style definition (`bold color(1)`), "" for none."""

    text: str
    style: str = ""


def output(text: str) -> list[list[Span]]:
    """Tool output as lines of styled spans: SGR is kept, `\\r` restarts a line, `\\b` erases a cell.

    Everything else that a terminal would obey is removed. Hidden characters are shown as in commands.
    """
    pen = _Pen()
    lines: list[list[Span]] = []
    for row in _unified(text).split("\n"):
        lines.append(_row(row, pen))
    return lines


def plain_output(text: str) -> str:
    """The same without styles: what is searched and copied."""
    return "\n".join("".join(span.text for span in row) for row in output(text))


_SGR = re.compile("(?:\x1b\\[|\x9b)([0-9;:]*)m")
_ATTRIBUTES: Final = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}
_ENDS: Final = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",)}


class _Pen:
    """The style that SGR codes have built up."""

    def __init__(self) -> None:
        self._attributes: dict[str, None] = {}
        self._front = self._back = ""

    def take(self, codes: str) -> None:
        numbers = [int(code or 0) for code in re.split("[;:]", codes)] if len(codes) < 64 else []
        while numbers:
            number = numbers.pop(0)
            if number == 0:
                self.__init__()
            elif number in _ATTRIBUTES:
                self._attributes[_ATTRIBUTES[number]] = None
            elif number in _ENDS:
                for name in _ENDS[number]:
                    self._attributes.pop(name, None)
            else:
                self._colour(number, numbers)

    def _colour(self, number: int, rest: list[int]) -> None:
        ground = 40 <= number <= 49 or 100 <= number <= 107
        base = number - 10 if ground else number
        if base in (38, 39):
            colour = _extended(rest) if base == 38 else ""
        elif 30 <= base <= 37:
            colour = f"color({base - 30})"
        elif 90 <= base <= 97:
            colour = f"color({base - 82})"
        else:
            return
        if ground:
            self._back = colour
        else:
            self._front = colour

    @property
    def style(self) -> str:
        return " ".join((*self._attributes, *filter(None, (self._front, self._back and f"on {self._back}"))))


def _extended(rest: list[int]) -> str:
    kind = rest.pop(0) if rest else 0
    if kind == 5 and rest:
        return f"color({min(rest.pop(0), 255)})"
    if kind == 2 and len(rest) >= 3:
        red, green, blue = (min(rest.pop(0), 255) for _ in range(3))
        return f"#{red:02x}{green:02x}{blue:02x}"
    rest.clear()
    return ""


def _row(row: str, pen: _Pen) -> list[Span]:
    """One line of output; the pieces between SGR codes are cleaned one by one, so that colours split nothing."""
    pieces: list[tuple[str, str]] = []
    at = 0
    # The sequences go first, so that a code inside of one is not taken for a colour.
    row = _without_sequences(row)
    for code in _SGR.finditer(row):
        pieces.append((row[at : code.start()], pen.style))
        pen.take(code[1])
        at = code.end()
    pieces.append((row[at:], pen.style))
    if "\r" in row or "\b" in row:
        pieces = _overwritten(pieces)
    spans = [Span(exact(text), style) for text, style in pieces if text]
    return [span for span in spans if span.text]


def _without_sequences(row: str) -> str:
    """The row with its SGR codes and without every other sequence."""
    if "\x1b" not in row and not _C1.search(row):
        return row
    kept: list[str] = []
    at = 0
    for code in _SEQUENCE_OR_SGR.finditer(row):
        kept.append(_C1_OR_ESC.sub("", row[at : code.start()]))
        if _SGR.fullmatch(code[0]):
            kept.append(code[0])
        at = code.end()
    kept.append(_C1_OR_ESC.sub("", row[at:]))
    return "".join(kept)


_C1 = re.compile("[\x80-\x9f]")
_C1_OR_ESC = re.compile("[\x1b\x80-\x9f]")
_SEQUENCE_OR_SGR = re.compile(
    "(?:\x1b[\\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\x18\x1a]{0,4096}(?:\x1b\\\\|[\x07\x9c\x18\x1a]|(?=\x1b)|\\Z)"
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*(?:[@-~]|\\Z)"
    "|\x1b[ -/]*(?:[0-~]|\\Z)"
)


def _overwritten(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cells that remain when `\\r` goes back to the start and `\\b` erases the last one."""
    cells: list[tuple[str, str]] = []
    at = 0
    for text, style in pieces:
        for cluster in _clusters(text):
            if cluster == "\r":
                at = 0
            elif cluster == "\b":
                at = max(0, at - 1)
                del cells[at:]
            else:
                cells[at : at + 1] = [(cluster, style)]
                at += 1
    return [("".join(text for text, _ in run), style) for style, run in groupby(cells, itemgetter(1))]


def _clusters(text: str) -> Iterable[str]:
    return text if text.isascii() else (text[start:end] for start, end, _ in clusters(text))


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text


def _head(text: str, cells: int) -> str:
    for start, _, width in clusters(text):
        cells -= width
        if cells < 0:
            return text[:start]
    return text


def _without_format(text: str, start: int = 0) -> str:
    """The text from `start` on without hidden characters; what stands before is context."""
    kept: list[str] = []
    for match in _FORMAT.finditer(text, start):
        if not (match[0] in _JOINERS and _in_emoji(match)):
            kept.append(text[start : match.start()])
            start = match.end()
    return "".join((*kept, text[start:]))


def _shown_format(text: str) -> str:
    return _FORMAT.sub(_told, _TAGS.sub(lambda tags: f"‹{len(tags[0])} hidden›", text))


def _told(match: re.Match[str]) -> str:
    if match[0] in _JOINERS and _in_emoji(match):
        return match[0]
    return f"‹U+{ord(match[0]):04X}›"


def _in_emoji(match: re.Match[str]) -> bool:
    """Whether a joiner or variation selector belongs to a pictograph (or a letter of a script that joins)."""
    text, at = match.string, match.start()
    before = text[at - 1] if at else ""
    if match[0] == "\u200d":
        return _joins(before) and at + 1 < len(text) and _joins(text[at + 1])
    return bool(before) and (ord(before) > 0x2000 or before in "#*0123456789©®") and before not in _JOINERS


def _joins(character: str) -> bool:
    return bool(character) and (ord(character) >= 0x2190 or character == "\ufe0f" or 0x0600 <= ord(character) <= 0x0DFF)
