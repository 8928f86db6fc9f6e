"""The drafts: the one in the editor with its chips and its mode, those on their way, and one that is put aside.

What keys do to them is the composer's; it is told what has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from craze.codec import Queued
from craze.tui.prompt.chips import Chip, Chips, is_long
from craze.tui.prompt.editor import Location, PromptEditor
from craze.tui.prompt.history import History
from craze.tui.scrub import prose

Mode: TypeAlias = Literal["prompt", "shell", "edit", "search"]


class Before(Struct, frozen=True):
    """A draft that was put aside."""

    text: str
    cursor: Location
    chips: dict[str, Chip]
    mode: Mode = "prompt"


class Drafts:
    """What is written, from the first letter until it was accepted.

    Args:
        turned: The mode, or what is edited, is another one.
        parted: A draft on its way is no longer the person's to keep.
        remembered: A text belongs into the history on disk.
    """

    def __init__(
        self,
        editor: PromptEditor,
        chips: Chips,
        *,
        turned: Callable[[], object],
        parted: Callable[[], object],
        remembered: Callable[[str], object],
    ) -> None:
        self.editor, self.chips, self.history = editor, chips, History()
        self._turned, self._parted, self._remembered = turned, parted, remembered
        self.editing: Queued | None = None
        self.settled = ""
        """A text that was put there whole, or whose menu was closed by hand: nothing is offered for it."""
        self._mode: Mode = "prompt"
        self._aside: Before | None = None
        self._under_way: list[tuple[str, Before]] = []

    @property
    def mode(self) -> Mode:
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        if mode != self._mode:
            self._mode = mode
            self._turned()

    @property
    def text(self) -> str:
        return self.editor.text

    @property
    def blank(self) -> bool:
        return not self.editor.text

    @property
    def whole(self) -> str:
        """The draft in full, as it is stored."""
        text, mode = (self._aside.text, self._aside.mode) if self._aside else (self.text, self.mode)
        return "\n".join(filter(None, (*(said for said, _ in self._under_way), self._full(text, mode))))

    def _full(self, text: str, mode: Mode) -> str:
        return ("!" if mode == "shell" else "") + self.chips.whole(text)

    # ---- writing

    def fill(self, text: str) -> None:
        """Put a text into the draft, in place of what is there."""
        if text.startswith("!") and self.mode == "prompt":
            self.mode, text = "shell", text[1:]
        self.editor.set_text(text)

    def add(self, text: str) -> None:
        """Put a text in front of the draft."""
        self.editor.set_text(f"{text}\n{self.text}" if self.text else text)

    def recall(self, text: str) -> None:
        """An earlier prompt, or line for the shell, is the draft."""
        self.mode = "shell" if text.startswith("!") else "prompt"
        self._settle(text[1:] if text.startswith("!") else text)

    def _settle(self, text: str, cursor: Location | None = None) -> None:
        self.settled = text
        self.editor.set_text(text, cursor)

    def paste(self, text: str) -> bool:
        """Newlines stay, controls go; a long text becomes a chip. False when there were controls."""
        lines = text.replace("\r\n", "\n")
        clean = prose(lines.replace("\r", "\n"))
        if self.mode == "prompt" and is_long(clean) and self.editor.fits(clean):
            self.add_chip(self.chips.paste(clean))
        else:
            self.editor.put(clean)
        return len(clean) >= len(lines)

    def add_chip(self, chip: Chip) -> None:
        self.editor.put(chip.label + " ")

    def ride(self, chip: Chip) -> None:
        """A chip in front of the prompt, behind those that ride there already; the prompt may be put aside."""
        put = chip.label + " "
        if self.mode != "prompt":
            before = self._aside or Before("", (0, 0), {})
            text = before.text[: self.riders(before.text)] + put + before.text[self.riders(before.text) :]
            row, column = before.cursor
            self._aside = Before(text, (row, column + len(put) * (row == 0)), {**before.chips, chip.label: chip})
            return
        row, column = self.editor.cursor_location
        at = self.riders(self.text)
        self.editor.insert(put, (0, at), maintain_selection_offset=False)
        self.editor.move_cursor((row, column + len(put)) if row == 0 and column >= at else (row, column))

    def riders(self, text: str) -> int:
        """Where the chips of commands end that ride in front of a text."""
        end = 0
        for start, stop, chip in self.chips.in_text(text):
            if chip.kind != "output" or text[end:start].strip():
                break
            end = stop + (text[stop : stop + 1] == " ")
        return end

    def begin_shell(self) -> None:
        """What is written next is for the shell; chips that ride in front of the prompt stay there."""
        if not self.blank:
            self.put_aside()
        self.mode = "shell"

    def end_shell(self) -> None:
        """Back to the prompt, with what was written."""
        text = self.text
        self.mode = "prompt"
        if self._aside is not None:
            self.bring_back()
            self.editor.put(text)

    def clear(self, *, keep: bool = False) -> None:
        """Empty the draft; `keep`: it goes into the history."""
        if keep:
            self.remember(self._full(self.text, self.mode))
        self._empty()
        if self.mode == "shell":
            self.end_shell()
        self.mode = "prompt"

    def _empty(self) -> None:
        self.editor.set_text("")
        self.chips.clear()

    def remember(self, text: str) -> None:
        if self.history.add(text):
            self._remembered(text)

    # ---- on its way

    def part(self, said: str) -> None:
        """Make room at once for the next draft: this one is on its way as `said`, and its own until it is accepted."""
        self._under_way.append((said, self._now()))
        self._empty()

    def accepted(self, text: str) -> None:
        """A text was sent: it goes into the history, and out of the draft if it stands there."""
        self.remember(text)
        if self._under_way and self._under_way[0][0] == text:
            del self._under_way[0]
            self._parted()
        elif self.mode == "edit":
            pass
        elif text in (self.whole, self.whole[1:], self._full(self.text, self.mode)):
            self.clear()
        elif self.text.startswith(text):
            self.editor.set_text(self.text.removeprefix(text))

    def refused(self, text: str) -> None:
        """A text was not taken: if it was parted with, it is back in front of what was typed since."""
        if self._under_way and self._under_way[0][0] == text:
            _, before = self._under_way.pop(0)
            self.chips.put_back(before.chips)
            cursor = before.cursor if self.blank else None
            self.add(before.text)
            self.editor.move_cursor(cursor if cursor is not None else self.editor.document.end)

    # ---- put aside

    def put_aside(self) -> None:
        if self._aside is None:
            self._aside = self._now()
        self.editor.set_text("")

    def bring_back(self) -> None:
        if aside := self._aside:
            self._aside = None
            self.mode = aside.mode
            self.chips.put_back(aside.chips)
            self._settle(aside.text, aside.cursor)

    def edit(self, row: Queued) -> None:
        """A waiting prompt is edited in place of the draft, which comes back afterwards."""
        self.put_aside()
        self.editing, self._mode = row, "edit"
        self._turned()
        self.editor.set_text(row.text)

    def end_edit(self, *, keep: bool = False) -> None:
        """Back to the draft; `keep`: what was edited is the draft now."""
        self.editing = None
        text = self.text
        self.bring_back()
        if keep:
            self.add(text)

    def _now(self) -> Before:
        text = self.text
        return Before(text, self.editor.cursor_location, self.chips.of(text), self.mode)
