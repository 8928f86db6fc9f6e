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

# Most text holds none of these: a pattern is compiled, and kept by `re`, when it is first looked for.
# A string sequence ends at its terminator, or where a next sequence begins, as terminals do it.
_SEQUENCE = f"{_STRING_START}{_STRING_BODY}(?:\x1b\\\\|[\x07\x9c\x18\x1a]|(?=\x1b))|{_CSI}[@-~]|{_ESCAPE}[0-~]"
_OPEN_END = f"(?:{_STRING_START}{_STRING_BODY}\x1b?|{_CSI}|{_ESCAPE})\\Z"
_CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_MARK = "[\u200e\u200f\u061c]"
_BIDI = "[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]"
_SURROGATE = "[\ud800-\udfff]"
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\ud800-\udfff]")


def clean(text: str) -> str:
    """Whole text as prose: no sequences, no controls but newline and tab, direction overrides shown as `‹U+202E›`."""
    return _scrub(re.sub(_OPEN_END, "", text), _MARK) if _SUSPECT.search(text) else text


def clean_line(text: str) -> str:
    """A title, path, command or message on one line: newlines become `⏎`, every direction control is shown."""
    if _SUSPECT.search(text):
        text = _scrub(re.sub(_OPEN_END, "", text), "")
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
        if (open_end := re.search(_OPEN_END, text)) and len(open_end[0]) <= _HELD:
            text, self._held = text[: open_end.start()], open_end[0]
        return _scrub(text, _MARK)

    def end(self) -> None:
        """The text is over: an open sequence is dropped."""
        self._held = ""


def _scrub(text: str, dropped: str) -> str:
    text = re.sub(_CONTROL, "", re.sub(_SEQUENCE, "", text))
    if dropped:
        text = re.sub(dropped, "", text)
    return re.sub(_SURROGATE, "\ufffd", re.sub(_BIDI, _shown, text))


def _shown(match: re.Match[str]) -> str:
    return f"‹U+{ord(match[0]):04X}›"
