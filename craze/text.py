"""Makes text of an agent, a file or a title safe for a terminal.

Escape sequences and control characters are removed and bidirectional controls are shown, so that nothing that is
printed can move the cursor, change the title or reorder what is read. Pure and total. Events and files keep what
they hold: cleaning is for drawing alone.
"""

from __future__ import annotations

import re
from typing import Final

_HELD: Final = 4096
"""A sequence that has no end after so many characters is taken for text; only its introducer is dropped."""

_STRING_START = "(?:\x1b[\\]PX^_]|[\x90\x98\x9d\x9e\x9f])"
_STRING_BODY = f"[^\x07\x1b\x9c\x18\x1a]{{0,{_HELD}}}"
_CSI = "(?:\x1b\\[|\x9b)[0-?]*[ -/]*"
_ESCAPE = "\x1b[ -/]*"

# A string sequence ends at its terminator, or where a next sequence begins, as terminals do it.
_SEQUENCE = re.compile(
    f"{_STRING_START}{_STRING_BODY}(?:\x1b\\\\|[\x07\x9c\x18\x1a]|(?=\x1b))|{_CSI}[@-~]|{_ESCAPE}[0-~]"
)
_OPEN_END = re.compile(f"(?:{_STRING_START}{_STRING_BODY}\x1b?|{_CSI}|{_ESCAPE})\\Z")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MARK = re.compile("[\u200e\u200f\u061c]")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\ud800-\udfff]")


def clean(text: str) -> str:
    """Whole text as prose: no sequences, no controls but newline and tab, direction overrides shown as `‹U+202E›`."""
    return _scrub(_OPEN_END.sub("", text), _MARK) if _SUSPECT.search(text) else text


def clean_line(text: str) -> str:
    """A title, path, command or message on one line: newlines become `⏎`, every direction control is shown."""
    if _SUSPECT.search(text):
        text = _scrub(_OPEN_END.sub("", text), None)
    return text.replace("\n", "⏎").replace("\t", " ")


class Cleaner:
    """`clean` for text that comes in pieces: a sequence that is split over them is removed all the same."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """What of the text so far can be drawn; the open end of a sequence waits for the next piece."""
        text = self._held + piece
        self._held = ""
        if not _SUSPECT.search(text):
            return text
        if (open_end := _OPEN_END.search(text)) and len(open_end[0]) <= _HELD:
            text, self._held = text[: open_end.start()], open_end[0]
        return _scrub(text, _MARK)

    def end(self) -> None:
        """The text is over: an open sequence is dropped."""
        self._held = ""


def _scrub(text: str, dropped: re.Pattern[str] | None) -> str:
    text = _CONTROL.sub("", _SEQUENCE.sub("", text))
    if dropped:
        text = dropped.sub("", text)
    return _SURROGATE.sub("\ufffd", _BIDI.sub(_shown, text))


def _shown(match: re.Match[str]) -> str:
    return f"‹U+{ord(match[0]):04X}›"
