"""The draft: text with chips, its modes, what is put aside meanwhile, and how the composer is drawn.

Keys, menu and sending are the other half's (`composer`).
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from craze.codec import Queued
from craze.engine.facts import Severity
from craze.engine.view import View
from craze.tui.lines import in_ascii, rule
from craze.tui.prompt.chips import Chip, Chips, is_long
from craze.tui.prompt.editor import Location, PromptEditor
from craze.tui.prompt.history import History
from craze.tui.prompt.menu import Menu
from craze.tui.prompt.slash import Meant
from craze.tui.scrub import line, prose

Mode: TypeAlias = Literal["prompt", "shell", "edit", "search"]
SIGNS: Final[dict[Mode, str]] = {"prompt": "›", "shell": "!", "edit": "✎", "search": "?"}
TOO_LONG: Final = "that would be more than 256 KiB"
IMPLEMENT: Final = "enter: implement this plan"
FIRST: Final = "ask for something · / commands · @ files · ! shell"


class Before(NamedTuple):
    """A draft that was put aside."""

    text: str
    cursor: Location
    chips: dict[str, Chip]
    mode: Mode = "prompt"


class Drafting(Widget):
    """Rule, text, rule; and everything that the composer says."""

    DEFAULT_CSS = """
    Drafting { height: auto; }
    Drafting > Horizontal { height: 1fr; }
    Drafting .rule { height: 1; }
    Drafting .sign { width: 2; color: $user; }
    Drafting.-shell .sign, Drafting.-shell .rule { color: $warning; }
    Drafting.-bare .rule { display: none; }
    """

    title: reactive[str] = reactive("")

    first: reactive[bool] = reactive(False, init=False)
    """Nothing was asked for yet."""

    mode: reactive[Mode] = reactive("prompt", init=False)

    class Sent(Message):
        """A prompt: `now` asks to steer or to replace what runs."""

        def __init__(self, text: str, images: tuple[str, ...], *, now: bool) -> None:
            super().__init__()
            self.text, self.images, self.now = text, images, now

    class Commanded(Message):
        """A slash command, or a text that begins like one."""

        def __init__(self, meant: Meant) -> None:
            super().__init__()
            self.meant = meant

    class Ran(Message):
        """A shell line."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    class Saved(Message):
        """A waiting prompt was edited."""

        def __init__(self, row: Queued, text: str) -> None:
            super().__init__()
            self.row, self.text = row, text

    class Drafted(Message):
        """The draft changed; `text` is all of it."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Entered(Message):
        """Enter on an empty draft."""

    class Upward(Message):
        """Up on an empty draft."""

    class Tabbed(Message):
        """Tab with nothing to complete."""

    class Asked(Message):
        """Something else is wanted: `help`, `editor`, `paste`, `paths`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    class Remembered(Message):
        """A text that belongs into the history on disk."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Dropped(Message):
        """A paste that may be image files."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Said(Message):
        """A notice."""

        def __init__(self, text: str, severity: Severity = "info") -> None:
            super().__init__()
            self.text = text
            self.severity: Severity = severity

    class Resized(Message):
        """The text, or the menu, takes more rows or fewer."""

    class Touched(Message):
        """A key was pressed in the composer."""

    def __init__(self, menu: Menu, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.menu = menu
        self.chips = Chips()
        self.history = History()
        self.editing: Queued | None = None
        self.offers_plan = False
        self._view = View()
        self._aside: Before | None = None
        self._under_way: list[tuple[str, Before]] = []
        self._quiet = ""  # the text for which the menu was closed by hand
        self._rows_taken = (1, 0)
        self._ascii = False
        self.editor = PromptEditor(self.chips, self.takes, self)

    # ---- what the other half brings

    def takes(self, event: events.Key) -> bool:
        """Whether a key means something else than text."""
        raise NotImplementedError

    def close_menu(self) -> None:
        raise NotImplementedError

    # ---- composition

    def compose(self) -> ComposeResult:
        yield Static(classes="rule", id="upper")
        with Horizontal():
            yield Static(SIGNS["prompt"], classes="sign")
            yield self.editor
        yield Static(classes="rule", id="lower")

    def on_resize(self) -> None:
        self._draw_rules()
        self.check_size()

    def watch_title(self) -> None:
        self._draw_rules()

    def watch_first(self) -> None:
        self.place()

    def watch_mode(self, mode: Mode) -> None:
        self.set_class(mode == "shell", "-shell")
        self._draw_sign()
        self._draw_rules()
        self.place()

    def _draw_sign(self) -> None:
        sign = Content(SIGNS[self.mode])
        self.query_one(".sign", Static).update(in_ascii(sign) if self._ascii else sign)

    def _draw_rules(self) -> None:
        if not self.children:
            return
        # As wide as it will be, before the first picture.
        width = self.size.width or self.app.size.width  # pyright: ignore[reportUnknownMemberType] - the app's own result
        titles = {"prompt": line(self.title) or "craze", "shell": "shell", "search": "earlier prompts"}
        said = titles.get(self.mode) or f"editing {self._number()}"
        sign = "-" if self._ascii else "─"
        self.query_one("#upper", Static).update(rule(width, said, sign))
        self.query_one("#lower", Static).update(rule(width, "", sign))

    def _number(self) -> str:
        rows = [row.id for row in self._view.queue]
        return str(rows.index(self.editing.id) + 1) if self.editing and self.editing.id in rows else ""

    # ---- the draft

    def offer_plan(self, offers: bool) -> None:
        if offers != self.offers_plan:
            self.offers_plan = offers
            self.place()

    def glyphs(self, *, ascii_only: bool) -> None:
        """Before it is mounted: whether its signs are plain."""
        self._ascii = ascii_only

    def on_mount(self) -> None:
        self._draw_sign()
        self._draw_rules()

    @property
    def text(self) -> str:
        return self.editor.text

    @property
    def blank(self) -> bool:
        return not self.editor.text

    @property
    def whole(self) -> str:
        """The draft in full, as it is stored."""
        draft = self._aside.text if self._aside else self.editor.text
        shown = ("!" if self.mode == "shell" else "") + self.chips.whole(draft)
        return "\n".join(filter(None, (*(said for said, _ in self._under_way), shown)))

    @property
    def wished(self) -> int:
        """Text rows that the draft takes."""
        return self.editor.rows

    def fill(self, text: str) -> None:
        """Put a text into the draft, in place of what is there."""
        if text.startswith("!") and self.mode == "prompt":
            self.mode, text = "shell", text[1:]
        self.editor.set_text(text)

    def add(self, text: str) -> None:
        """Put a text in front of the draft."""
        self.editor.set_text(f"{text}\n{self.editor.text}" if self.editor.text else text)

    def insert(self, text: str) -> None:
        self.editor.put(text)

    def add_chip(self, chip: Chip) -> None:
        self.editor.put(chip.label + " ")

    def ride(self, chip: Chip) -> None:
        """A chip in front of the draft."""
        row, column = self.editor.cursor_location
        put = chip.label + " "
        self.editor.insert(put, (0, 0), maintain_selection_offset=False)
        self.editor.move_cursor((row, column + len(put)) if row == 0 else (row, column))

    def part(self, said: str) -> None:
        """Make room at once for the next draft: this one is on its way as `said`, and its own until it is accepted."""
        text = self.editor.text
        self._under_way.append((said, Before(text, self.editor.cursor_location, self.chips.of(text))))
        self.editor.set_text("")
        self.chips.clear()

    def accepted(self, text: str) -> None:
        """A text was sent: it goes into the history, and out of the draft if it stands there."""
        self.remember(text)
        if self._under_way and self._under_way[0][0] == text:
            del self._under_way[0]
            self.post_message(self.Drafted(self.whole))
        elif self.mode == "edit":
            pass
        elif text in (self.whole, self.whole[1:]):
            self.clear()
        elif self.editor.text.startswith(text):
            self.editor.set_text(self.editor.text.removeprefix(text))

    def refused(self, text: str) -> None:
        """A text was not taken: if it was parted with, it is back in front of what was typed since."""
        if self._under_way and self._under_way[0][0] == text:
            _, before = self._under_way.pop(0)
            self.chips.put_back(before.chips)
            cursor = before.cursor if self.blank else None
            self.add(before.text)
            self.editor.move_cursor(cursor if cursor is not None else self.editor.document.end)

    def clear(self, *, keep: bool = False) -> str:
        """Empty the draft; `keep`: it goes into the history. Returns what it was."""
        whole = ("!" if self.mode == "shell" else "") + self.chips.whole(self.editor.text)
        if keep:
            self.remember(whole)
        self.editor.set_text("")
        self.chips.clear()
        self.mode = "prompt"
        return whole

    def remember(self, text: str) -> None:
        if self.history.add(text):
            self.post_message(self.Remembered(text))

    def edit_row(self, row: Queued) -> None:
        """A waiting prompt is edited in place of the draft, which comes back afterwards."""
        self.put_aside()
        self.editing = row
        self.mode = "edit"
        self._draw_rules()
        self.editor.set_text(row.text)
        self.editor.focus()

    def end_edit(self, *, keep: bool = False) -> None:
        """Back to the draft; `keep`: what was edited is the draft now."""
        self.editing = None
        text = self.editor.text
        self.bring_back()
        if keep:
            self.add(text)

    def paste(self, text: str) -> None:
        """Newlines stay, controls go; a long text becomes a chip."""
        clean = prose(text.replace("\r\n", "\n").replace("\r", "\n"))
        if len(clean) < len(text.replace("\r\n", "\n")):
            self.post_message(self.Said("control characters in the paste were dropped"))
        if not self.editor.fits(clean):
            self.post_message(self.Said(TOO_LONG, "warning"))
        elif self.mode == "prompt" and is_long(clean):
            self.add_chip(self.chips.paste(clean))
        else:
            self.editor.put(clean)

    # ---- a draft put aside

    def put_aside(self) -> None:
        if self._aside is None:
            text = self.editor.text
            self._aside = Before(text, self.editor.cursor_location, self.chips.of(text), self.mode)
        self.close_menu()
        self.editor.set_text("")

    def bring_back(self) -> None:
        if aside := self._aside:
            self._aside = None
            self.mode = aside.mode
            self.chips.put_back(aside.chips)
            self._quiet = aside.text
            self.editor.set_text(aside.text, aside.cursor)

    # ---- size and placeholder

    def place(self) -> None:
        words: dict[Mode, str] = {
            "prompt": FIRST if self.first else "",
            "shell": "a command for your shell",
            "search": "type to search earlier prompts",
        }
        placeholder = words.get(self.mode, "")
        if self.offers_plan and self.mode == "prompt":
            placeholder = IMPLEMENT
        if self.editor.placeholder != Content(placeholder):
            self.editor.placeholder = Content(placeholder)

    def check_size(self) -> None:
        size = (self.wished, self.menu.wished(99))
        if size != self._rows_taken:
            self._rows_taken = size
            self.post_message(self.Resized())
