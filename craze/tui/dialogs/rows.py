"""A widget drawn as a list of rows, each with the places that a click hits; and the rows that dialogs share.

A hit names an action, as a binding does, so that keys and mouse are two ways into the same methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from textual import events
from textual.content import Content
from textual.geometry import Offset, Region
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from craze.tui.lines import DIM, cells, cursor_cell
from craze.tui.scrub import cut


class Hit(Struct, frozen=True):
    """Cells of a row and the action that a click on them calls."""

    start: int
    end: int
    action: str


class Row(Struct, frozen=True):
    """One line of the screen."""

    text: Content | Strip = Content("")
    hits: tuple[Hit, ...] = ()
    ground: str = ""
    """A style for the whole line."""


class Hint(Struct, frozen=True):
    """A key as it is written, the word for what it does, and the action itself."""

    key: str
    word: str
    action: str = ""
    joined: bool = False
    """It belongs to the key behind it."""
    first: bool = False
    """It is kept before others where there is no room for all."""


Rows: TypeAlias = list[Row]
EVERYWHERE: Final = 10_000
ASCII: Final = "-ascii"
"""The class of an app whose signs are all ASCII."""

_SIGNS: Final = str.maketrans(
    "✓✗▸●○◐–—−·…←→↑↓─│┌┐└┘█░▶■‖⏎•›‹↺⋯¼½☐☑",
    "+x>*o*---|.<>^v-|++++#.>#=/*><@.qhoX",
)


def text_row(*parts: str | tuple[str, str], action: str = "") -> Row:
    """One line of text; a click anywhere on it calls the action."""
    return Row(Content.assemble(*parts), (Hit(0, EVERYWHERE, action),) if action else ())


def title_row(width: int, title: str, sign: str = "─") -> Row:
    """`── title ─────`."""
    said = cut(title, max(1, width - 6))
    rest = max(0, width - cells(said) - 4)
    return Row(Content.assemble((f"{sign * 2} ", "$rule"), (said, "bold"), (f" {sign * rest}", "$rule")))


def hint_row(width: int, hints: Sequence[Hint], indent: str = " ") -> Row:
    """Hints behind each other, whole ones only; each is a button."""
    text, hits = Content(indent), list[Hit]()
    gap = ""
    for hint in _fitting(width - cells(indent), hints):
        said = Content.assemble((gap, DIM), (hint.key, "bold"), (f" {hint.word}" * bool(hint.word), DIM))
        hits.append(Hit(text.cell_length, text.cell_length + said.cell_length, hint.action))
        text += said
        gap = " " if hint.joined else " · "
    return Row(text, tuple(hit for hit in hits if hit.action))


def _fitting(room: int, hints: Sequence[Hint]) -> list[Hint]:
    """The hints that there is room for: before others the last one, which is the way out, and what Enter does."""
    last = len(hints) - 1
    wanted = sorted(range(len(hints)), key=lambda at: (at != last, hints[at].key != "enter", not hints[at].first, at))
    kept: list[int] = []
    room += cells(" · ")
    for at in wanted:
        hint = hints[at]
        needed = cells(f"{hint.key} {hint.word}".strip() + (" " if hint.joined else " · "))
        if needed <= room:
            kept.append(at)
            room -= needed
    return [hints[at] for at in sorted(kept)]


def wrapped(text: Content, width: int) -> Rows:
    """A text over as many rows as it needs, all of them as far to the right as it begins."""
    by = min(len(text.plain) - len(text.plain.lstrip(" ")), max(0, width - 1))
    return [Row(Content(" " * by) + line) for line in text[by:].wrap(max(1, width - by))]


def indented(rows: Iterable[Row], by: int) -> Rows:
    """Rows of text moved to the right, their hits too."""
    pad = " " * by
    return [
        Row(
            Content(pad) + row.text if isinstance(row.text, Content) else Strip.join([Strip.blank(by), row.text]),
            tuple(Hit(hit.start + by, hit.end + by, hit.action) for hit in row.hits),
            row.ground,
        )
        for row in rows
    ]


def _in_ascii(row: Row) -> Row:
    """The row with a character of the keyboard for each sign; the cells stay the same."""
    if isinstance(row.text, Content):
        return replace(row, text=Content(row.text.plain.translate(_SIGNS), list(row.text.spans)))
    segments = [Segment(part.text.translate(_SIGNS), part.style, part.control) for part in row.text]
    return replace(row, text=Strip(segments))


def place_cursor(widget: Widget, rows: Sequence[Content]) -> None:
    """Put the terminal's own cursor, which readers of the screen and input methods follow, where the keys go."""
    places = [Offset(cell, y) for y, row in enumerate(rows) if (cell := cursor_cell(row)) is not None]
    if places:
        widget.app.cursor_position = widget.content_region.offset + places[-1]  # pyright: ignore[reportUnknownMemberType]


class RowsWidget(Widget):
    """Draws rows and turns clicks into actions. `rows`: makes them for a width and a height, at most as many as that."""

    drawn: Sequence[Row] = ()
    """What is on the screen now."""

    def __init__(self, rows: Callable[[int, int], Rows]) -> None:
        super().__init__()
        self._rows = rows

    def render_lines(self, crop: Region) -> list[Strip]:
        self.drawn = self._rows(self.size.width, self.size.height)
        if self.has_focus:
            place_cursor(self, [row.text if isinstance(row.text, Content) else Content("") for row in self.drawn])
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width, style = self.size.width, self.visual_style
        row = self.drawn[y] if y < len(self.drawn) else Row()
        if self.app.has_class(ASCII):  # pyright: ignore[reportUnknownMemberType] - Textual leaves the app's type open
            row = _in_ascii(row)
        if isinstance(row.text, Strip):
            return row.text.adjust_cell_length(width, style.rich_style).apply_style(style.rich_style)
        text = row.text.truncate(width, pad=True)
        text = text.stylize_before(row.ground) if row.ground else text
        strips = Visual.to_strips(self, text, width, 1, style, pad=True)
        return strips[0] if strips else Strip.blank(width, style.rich_style)

    def takes_click(self, event: events.Click) -> bool:
        """Whether a click does what its place says; Textual calls `on_click` of every base, so this is overridden."""
        return True

    async def on_click(self, event: events.Click) -> None:
        if not self.takes_click(event):
            event.stop()
            return
        row = self.drawn[event.y] if 0 <= event.y < len(self.drawn) else Row()
        for hit in row.hits:
            if hit.start <= event.x < hit.end:
                event.stop()
                await self.run_action(hit.action)
                return
