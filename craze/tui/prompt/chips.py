"""Chips: short marks in the draft that stand for something longer - a paste, an image, a command's output. Pure."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

import msgspec

from craze.tui.words import count

Kind: TypeAlias = Literal["paste", "image", "output"]
PASTE_LINES: Final = 20
PASTE_BYTES: Final = 4096


class Chip(msgspec.Struct, frozen=True):
    """`label` is what stands in the draft, brackets included; `content` what it stands for: a text, or a path."""

    label: str
    kind: Kind
    content: str


class Draft(msgspec.Struct, frozen=True):
    """A draft made ready to be sent."""

    text: str
    images: tuple[str, ...] = ()


def is_long(text: str) -> bool:
    """Whether a paste becomes a chip."""
    return text.count("\n") >= PASTE_LINES or len(text.encode(errors="replace")) > PASTE_BYTES


def _lines(text: str) -> str:
    """How many there are; a newline at the end begins no further one."""
    return count(text.removesuffix("\n").count("\n") + 1, "line")


class Chips:
    """The chips of one draft by label; a chip whose label was deleted from the text counts no more."""

    def __init__(self) -> None:
        self._held: dict[str, Chip] = {}

    def paste(self, text: str) -> Chip:
        return self._add("paste", f"pasted {_lines(text)}", text)

    def image(self, path: str, *, path_only: bool = False) -> Chip:
        number = 1 + sum(chip.kind == "image" for chip in self._held.values())
        return self._add("image", f"image {number}{', path only' if path_only else ''}", path)

    def output(self, line: str, text: str) -> Chip:
        """What a command printed; it stands for the command, too."""
        said = line if len(line) <= 30 else line[:29] + "…"
        return self._add("output", f"!{said.replace(']', '')}, {_lines(text)}", f"$ {line}\n{text}\n")

    def in_text(self, text: str) -> list[tuple[int, int, Chip]]:
        """Where chips stand in a text: start, end, chip."""
        if not self._held or "[" not in text:
            return []
        found = re.finditer("|".join(map(re.escape, sorted(self._held, key=len, reverse=True))), text)
        return [(match.start(), match.end(), self._held[match[0]]) for match in found]

    def at(self, text: str, column: int) -> tuple[int, int, Chip] | None:
        """The chip that `column` is in or right behind."""
        return next((place for place in self.in_text(text) if place[0] < column <= place[1]), None)

    def of(self, text: str) -> dict[str, Chip]:
        return {chip.label: chip for _, _, chip in self.in_text(text)}

    def put_back(self, chips: dict[str, Chip]) -> None:
        self._held.update(chips)

    def clear(self) -> None:
        self._held.clear()

    def filled(self, text: str) -> Draft:
        """The text in full, and the images that go beside it; a path-only image is its path."""
        images: list[str] = []
        out: list[str] = []
        at = 0
        for start, end, chip in self.in_text(text):
            out.append(text[at:start])
            # An output ends with its own line.
            at = end + (chip.kind == "output" and text[end : end + 1] == " ")
            if chip.kind == "image" and "path only" not in chip.label:
                images.append(chip.content)
                out.append(chip.label)
            else:
                out.append(chip.content)
        out.append(text[at:])
        return Draft("".join(out), tuple(images))

    def whole(self, text: str) -> str:
        """The text in full, for history and for the stored draft."""
        return self.filled(text).text

    def _add(self, kind: Kind, words: str, content: str) -> Chip:
        label, number = f"[{words}]", 1
        while label in self._held:
            number += 1
            label = f"[{words} #{number}]"
        chip = self._held[label] = Chip(label, kind, content)
        return chip
