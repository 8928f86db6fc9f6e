"""The composer: where prompts are written. It says what the person wants sent and never sends anything itself.

It owns the draft with its chips, the history, the menu and three further modes: a shell line, a waiting prompt that is
edited, and the search of earlier prompts. What a wish becomes is the screen's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from craze.codec import Queued, SlashItem
from craze.engine.facts import Severity
from craze.engine.view import View
from craze.tui.keys import bindings
from craze.tui.lines import in_ascii, rule
from craze.tui.prompt import completion, slash
from craze.tui.prompt.chips import Chip, Chips, is_long
from craze.tui.prompt.completion import NOTHING, Offer
from craze.tui.prompt.editor import Location, PromptEditor
from craze.tui.prompt.history import History
from craze.tui.prompt.menu import Menu, Row
from craze.tui.scrub import line, prose

Mode: TypeAlias = Literal["prompt", "shell", "edit", "search"]
SIGNS: Final[dict[Mode, str]] = {"prompt": "›", "shell": "!", "edit": "✎", "search": "?"}
IMPLEMENT: Final = "enter: implement this plan"


class Before(NamedTuple):
    """A draft that was put aside."""

    text: str
    cursor: Location
    chips: dict[str, Chip]
    mode: Mode = "prompt"


class Composer(Widget):
    """Rule, text, rule."""

    BINDINGS = bindings(
        "prompt.send",
        "prompt.newline",
        "prompt.send_now",
        "prompt.older",
        "prompt.newer",
        "prompt.search",
        "prompt.editor",
        "prompt.paste",
        "prompt.complete",
    )
    DEFAULT_CSS = """
    Composer { height: auto; }
    Composer > Horizontal { height: 1fr; }
    Composer .rule { height: 1; }
    Composer .sign { width: 2; color: $user; }
    Composer.-shell .sign, Composer.-shell .rule { color: $warning; }
    Composer.-bare .rule { display: none; }
    """

    title: reactive[str] = reactive("")
    mode: reactive[Mode] = reactive("prompt", init=False)

    class Sent(Message):
        """A prompt: `now` asks to steer or to replace what runs."""

        def __init__(self, text: str, images: tuple[str, ...], *, now: bool) -> None:
            super().__init__()
            self.text, self.images, self.now = text, images, now

    class Commanded(Message):
        """A slash command, or a text that begins like one."""

        def __init__(self, meant: slash.Meant) -> None:
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

    def __init__(self, menu: Menu, *, is_image: Callable[[str], bool], id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.menu = menu
        self.chips = Chips()
        self.history = History()
        self.paths: tuple[str, ...] = ()
        self.editing: Queued | None = None
        self.offers_plan = False
        self._is_image = is_image
        self._view, self._rows, self._busy = View(), tuple[SlashItem, ...](), False
        self._aside: Before | None = None
        self._offer: Offer = NOTHING
        self._quiet = ""  # the text for which the menu was closed by hand
        self._hits: list[int] = []
        self._rows_taken = (1, 0)
        self._ascii = False
        self.editor = PromptEditor(self.chips, self._meant)

    # ---- composition

    def compose(self) -> ComposeResult:
        yield Static(classes="rule", id="upper")
        with Horizontal():
            yield Static(SIGNS["prompt"], classes="sign")
            yield self.editor
        yield Static(classes="rule", id="lower")

    def on_resize(self) -> None:
        self._draw_rules()
        self._check_size()

    def watch_title(self) -> None:
        self._draw_rules()

    def watch_mode(self, mode: Mode) -> None:
        self.set_class(mode == "shell", "-shell")
        self._draw_sign()
        self._draw_rules()
        self._place()

    def _draw_sign(self) -> None:
        sign = Content(SIGNS[self.mode])
        self.query_one(".sign", Static).update(in_ascii(sign) if self._ascii else sign)

    def _draw_rules(self) -> None:
        if not self.is_mounted or not self.size.width:
            return
        titles = {"prompt": line(self.title) or "craze", "shell": "shell", "search": "earlier prompts"}
        said = titles.get(self.mode) or f"editing {self._number()}"
        sign = "-" if self._ascii else "─"
        self.query_one("#upper", Static).update(rule(self.size.width, said, sign))
        self.query_one("#lower", Static).update(rule(self.size.width, "", sign))

    def _number(self) -> str:
        rows = [row.id for row in self._view.queue]
        return str(rows.index(self.editing.id) + 1) if self.editing and self.editing.id in rows else ""

    # ---- what the screen tells

    def show(self, view: View, *, busy: bool) -> None:
        """The state of the session as far as completing and sending depends on it."""
        if view.state.slash is not self._view.state.slash or view.info is not self._view.info:
            self._rows = slash.rows(view)
        self._view, self._busy = view, busy
        self.title = view.state.title or ""
        self._place()

    def offer_plan(self, offers: bool) -> None:
        if offers != self.offers_plan:
            self.offers_plan = offers
            self._place()

    def glyphs(self, *, ascii_only: bool) -> None:
        """Before it is mounted: whether its signs are plain."""
        self._ascii = ascii_only

    def on_mount(self) -> None:
        self._draw_sign()

    @property
    def slash_rows(self) -> tuple[SlashItem, ...]:
        return self._rows

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
        return ("!" if self.mode == "shell" else "") + self.chips.whole(draft)

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

    def accepted(self, text: str) -> None:
        """The draft was sent: it goes into the history and is cleared, unless it has changed since."""
        self.remember(text)
        if self.mode != "edit":
            self.clear()

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
        self._put_aside()
        self.editing = row
        self.mode = "edit"
        self._draw_rules()
        self.editor.set_text(row.text)
        self.editor.focus()

    def end_edit(self, *, keep: bool = False) -> None:
        """Back to the draft; `keep`: what was edited is the draft now."""
        self.editing = None
        text = self.editor.text
        self._bring_back()
        if keep:
            self.add(text)

    def escape(self) -> bool:
        """Close what is open in the composer; False when nothing is."""
        if self._offer.kind == "history":
            self._end_search()
        elif self.menu.display:
            self._quiet = self.editor.text
            self._close_menu()
        elif self.mode == "edit":
            self.end_edit()
        elif self.mode == "shell":
            self.mode = "prompt"
        elif self.offers_plan and self.blank:
            self.offer_plan(False)
        else:
            return False
        return True

    # ---- the editor's messages

    def on_text_area_changed(self) -> None:
        self._place()
        if self.mode == "search":
            self._search()
        else:
            self._complete()
            if self.mode in ("prompt", "shell"):
                self.post_message(self.Drafted(self.whole))
        if self.offers_plan and not self.blank:
            self.offer_plan(False)
        self._check_size()

    def on_text_area_selection_changed(self) -> None:
        if self.mode == "prompt":
            self._complete()

    def on_prompt_editor_too_long(self) -> None:
        self.post_message(self.Said("that would be more than 256 KiB", "warning"))

    def on_prompt_editor_pasted(self, message: PromptEditor.Pasted) -> None:
        if self.mode == "prompt" and self._is_image(message.text):
            self.post_message(self.Dropped(message.text))
        else:
            self.paste(message.text)

    def paste(self, text: str) -> None:
        """Newlines stay, controls go; a long text becomes a chip."""
        clean = prose(text.replace("\r\n", "\n").replace("\r", "\n"))
        if len(clean) < len(text.replace("\r\n", "\n")):
            self.post_message(self.Said("control characters in the paste were dropped"))
        if not self.editor.fits(clean):
            self.on_prompt_editor_too_long()
        elif self.mode == "prompt" and is_long(clean):
            self.add_chip(self.chips.paste(clean))
        else:
            self.editor.put(clean)

    def on_menu_chosen(self) -> None:
        self.action_complete()

    def _meant(self, event: events.Key) -> bool:
        """Keys that mean something else on an empty draft; True when the key was used."""
        self.post_message(self.Touched())
        if not self.blank:
            return False
        if event.character == "?" and self.mode == "prompt":
            self.post_message(self.Asked("help"))
        elif event.character == "!" and self.mode == "prompt":
            self.mode = "shell"
        elif event.key in ("backspace", "ctrl+h") and self.mode == "shell":
            self.mode = "prompt"
        else:
            return False
        return True

    # ---- actions

    def action_send(self) -> None:
        if self._offer.kind == "history":
            self._take_hit()
        elif self.menu.display and not (self._offer.exact and self.menu.cursor == 0):
            self.action_complete()
        elif not self._expand_chip() and not self._continue_line():
            self._send(now=False)

    def action_send_now(self) -> None:
        self._send(now=True)

    def action_newline(self) -> None:
        self.editor.put("\n")

    def action_complete(self) -> None:
        """Take the menu's row; a folder stays open for what is in it."""
        if self._offer.kind == "history":
            self._take_hit()
        elif self.menu.display:
            put = self._offer.puts[self.menu.cursor]
            self._close_menu()
            self.editor.replace_before(self._offer_size, put)
        else:
            self.post_message(self.Tabbed())

    def action_older(self) -> None:
        if self.menu.display:
            self.menu.move(-1)
        elif not self.editor.on_first_row:
            self.editor.action_cursor_up()
        elif self.blank and self._view.queue and self.mode == "prompt" and not self.history.browsing:
            self.post_message(self.Upward())
        elif self.mode in ("prompt", "shell"):
            self._browse(self.history.older(self.whole))

    def action_newer(self) -> None:
        if self.menu.display:
            self.menu.move(1)
        elif not self.editor.on_last_row:
            self.editor.action_cursor_down()
        elif self.mode in ("prompt", "shell"):
            self._browse(self.history.newer())

    def action_search(self) -> None:
        if self.mode == "search":
            self.menu.move(1)
            return
        if self.mode == "prompt":
            self._put_aside()
            self.mode = "search"
            self._search()

    def action_editor(self) -> None:
        self.post_message(self.Asked("editor"))

    def action_paste(self) -> None:
        self.post_message(self.Asked("paste"))

    # ---- sending

    def _send(self, *, now: bool) -> None:
        text = self.editor.text
        if self.mode == "edit" and self.editing:
            self.post_message(self.Saved(self.editing, text))
        elif not text.strip():
            self.post_message(self.Entered())
        elif self.mode == "shell":
            self.post_message(self.Ran(text))
        else:
            self._send_prompt(text, now=now)

    def _send_prompt(self, text: str, *, now: bool) -> None:
        draft = self.chips.filled(text)
        known = self._view.state.commands is not None
        # A chip is never a command, whatever it stands for.
        typed = text.startswith("/")
        meant = slash.meant(draft.text, self._rows, working=self._busy, known=known) if typed else None
        if meant and not (now and meant.trouble == "near"):
            self.post_message(self.Commanded(meant))
        else:
            body = draft.text[1:] if text.startswith((" /", " !")) else draft.text
            self.post_message(self.Sent(body, draft.images, now=now))

    def _continue_line(self) -> bool:
        """A backslash in front of the cursor makes Enter a new line."""
        if not self.editor.before.endswith("\\"):
            return False
        self.editor.replace_before(1, "\n")
        return True

    def _expand_chip(self) -> bool:
        """Enter on a paste puts its text there."""
        row, column = self.editor.cursor_location
        text = self.editor.document[row]
        place = self.chips.at(text, column + 1)
        if place is None or place[0] != column or place[2].kind != "paste":
            return False
        self.editor.replace(place[2].content, (row, place[0]), (row, place[1]), maintain_selection_offset=False)
        return True

    # ---- the menu

    def _complete(self) -> None:
        if self.mode != "prompt" or self.editor.text == self._quiet or not self.editor.selection.is_empty:
            self._close_menu()
            return
        self._quiet = ""
        before = self.editor.before
        if "@" in before and not self.paths:
            self.post_message(self.Asked("paths"))
        self._open(completion.offered(self.editor.text, before, self._view, self._rows, self.paths, busy=self._busy))
        self._show_hint()

    def refresh_paths(self, paths: tuple[str, ...]) -> None:
        self.paths = paths
        self._complete()

    def _open(self, offer: Offer) -> None:
        was, self._offer, self._offer_size = self.menu.wished(99), offer, offer.size
        self.menu.open(offer.rows)
        if self.menu.wished(99) != was:
            self.post_message(self.Resized())

    def _close_menu(self) -> None:
        size = self._offer.size
        if self.menu.display or self._offer.kind:
            self._open(NOTHING)
        self._offer_size = size

    def _show_hint(self) -> None:
        """The argument of a command that needs one, behind the cursor."""
        meant = slash.meant(self.editor.text, self._rows, working=False, known=True)
        run = meant.row.run if meant and meant.row and meant.trouble == "needs" else None
        ends = self.editor.text.endswith(" ")
        self.editor.suggestion = f"<{line(run.arg_hint) or 'text'}>" if run and ends else ""

    # ---- history

    def _browse(self, text: str | None) -> None:
        if text is None:
            return
        self.mode = "shell" if text.startswith("!") else "prompt"
        shown = text[1:] if text.startswith("!") else text
        self._quiet = shown
        self.editor.set_text(shown)

    def _search(self) -> None:
        query = self.editor.text
        hits: list[int] = []
        at = self.history.find(query)
        while at is not None and len(hits) < 100:
            if self.history[at] not in {self.history[hit] for hit in hits}:
                hits.append(at)
            at = self.history.find(query, at)
        self._hits = hits
        rows = tuple(Row(line(self.history[hit])) for hit in hits) or (Row("", about="nothing found", dim=True),)
        self._open(Offer("history", rows))

    def _take_hit(self) -> None:
        hit = self.history[self._hits[self.menu.cursor]] if self._hits else None
        self._end_search()
        if hit is not None:
            self._browse(hit)

    def _end_search(self) -> None:
        self._close_menu()
        self._bring_back()

    # ---- a draft put aside

    def _put_aside(self) -> None:
        if self._aside is None:
            text = self.editor.text
            self._aside = Before(text, self.editor.cursor_location, self.chips.of(text), self.mode)
        self._close_menu()
        self.editor.set_text("")

    def _bring_back(self) -> None:
        if aside := self._aside:
            self._aside = None
            self.mode = aside.mode
            self.chips.put_back(aside.chips)
            self._quiet = aside.text
            self.editor.set_text(aside.text, aside.cursor)

    # ---- size and placeholder

    def _place(self) -> None:
        words: dict[Mode, str] = {"shell": "a command for your shell", "search": "type to search earlier prompts"}
        placeholder = words.get(self.mode, "")
        if self.offers_plan and self.mode == "prompt":
            placeholder = IMPLEMENT
        if self.editor.placeholder != Content(placeholder):
            self.editor.placeholder = Content(placeholder)

    def _check_size(self) -> None:
        size = (self.wished, self.menu.wished(99))
        if size != self._rows_taken:
            self._rows_taken = size
            self.post_message(self.Resized())
