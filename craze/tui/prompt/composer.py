"""The composer: where prompts are written. It says what the person wants sent and never sends anything itself.

It is the node that is drawn and has the keys, and decides what they mean in each mode; the drafts, the completer and the
recall of earlier prompts are plain objects beside it, and so is its look. What a wish becomes is the screen's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.codec import Queued
from craze.engine.facts import Severity
from craze.engine.view import View
from craze.tui.keys import bindings
from craze.tui.prompt.chips import Chips
from craze.tui.prompt.completer import Completer
from craze.tui.prompt.drafts import Drafts, Mode
from craze.tui.prompt.editor import PromptEditor
from craze.tui.prompt.look import Look, placeholder
from craze.tui.prompt.menu import Menu
from craze.tui.prompt.recall import Recall
from craze.tui.prompt.slash import Meant
from craze.tui.scrub import line

TOO_LONG: Final = "that would be more than 256 KiB"


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

    first: reactive[bool] = reactive(False, init=False)
    """Nothing was asked for yet."""

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

    def __init__(self, menu: Menu, *, is_image: Callable[[str], bool], ascii_only: bool = False) -> None:
        super().__init__()
        chips = Chips()
        self.editor = PromptEditor(chips, self.takes, self)
        self.drafts = Drafts(
            self.editor,
            chips,
            turned=self._turned,
            parted=self._tell_draft,
            remembered=lambda text: self.post_message(self.Remembered(text)),
        )
        self.completer = Completer(
            menu,
            self.drafts,
            resized=lambda: self.post_message(self.Resized()),
            paths_wanted=lambda: self.post_message(self.Asked("paths")),
        )
        self._look = Look(ascii_only=ascii_only)
        self.recall = Recall(self.drafts, self.completer)
        self.offers_plan = False
        self._is_image = is_image
        self._view = View()
        self._completed = ""  # the text that the menu is for
        self._rows_taken = (1, 0)

    # ---- what the screen tells

    def show(self, view: View, *, busy: bool) -> None:
        """The state of the session as far as completing and sending depends on it."""
        self._view = view
        self.completer.show(view, busy=busy)
        self.title = view.title
        self._place()

    def refresh_paths(self, paths: tuple[str, ...]) -> None:
        self.completer.paths = paths
        self.completer.complete()

    def offer_plan(self, offers: bool) -> None:
        if offers != self.offers_plan:
            self.offers_plan = offers
            self._place()

    def edit_row(self, row: Queued) -> None:
        """A waiting prompt is edited in place of the draft."""
        self.completer.close()
        self.drafts.edit(row)
        self.editor.focus()

    def escape(self) -> bool:
        """Close what is open in the composer; False when nothing is."""
        if self.completer.kind == "history":
            self.recall.end()
        elif self.completer.is_open:
            self.completer.dismiss()
        elif self.mode == "edit":
            self.drafts.end_edit()
        elif self.mode == "shell":
            self.drafts.end_shell()
        elif self.offers_plan and self.blank:
            self.offer_plan(False)
        else:
            return False
        return True

    def paste(self, text: str) -> None:
        if not self.drafts.paste(text):
            self.post_message(self.Said("control characters in the paste were dropped"))

    @property
    def mode(self) -> Mode:
        return self.drafts.mode

    @property
    def text(self) -> str:
        return self.drafts.text

    @property
    def blank(self) -> bool:
        return self.drafts.blank

    # ---- how it is drawn

    def compose(self) -> ComposeResult:
        yield self._look.upper
        with Horizontal():
            yield self._look.sign
            yield self.editor
        yield self._look.lower

    def on_mount(self) -> None:
        self._look.draw_sign(self.mode)
        self._draw_rules()

    def on_resize(self) -> None:
        self._draw_rules()
        self._place()
        self._check_size()

    def watch_title(self) -> None:
        self._draw_rules()

    def watch_first(self) -> None:
        self._place()

    def _turned(self) -> None:
        self.set_class(self.mode == "shell", "-shell")
        self._look.draw_sign(self.mode)
        self._draw_rules()
        self._place()

    def _draw_rules(self) -> None:
        if self.children:
            self._look.draw_rules(self.mode, self._width, title=line(self.title), editing=self._number())

    @property
    def _width(self) -> int:
        """As wide as it will be, before the first picture."""
        return self.size.width or self.app.size.width  # pyright: ignore[reportUnknownMemberType] - the app's own result

    def _number(self) -> str:
        rows, editing = [row.id for row in self._view.queue], self.drafts.editing
        return str(rows.index(editing.id) + 1) if editing and editing.id in rows else ""

    def _place(self) -> None:
        words = placeholder(self.mode, self._width, first=self.first, offers_plan=self.offers_plan)
        if self.editor.placeholder != words:
            self.editor.placeholder = words

    def _check_size(self) -> None:
        size = (self.editor.rows, self.completer.menu.wished(99))
        if size != self._rows_taken:
            self._rows_taken = size
            self.post_message(self.Resized())

    # ---- the editor's messages

    def on_text_area_changed(self) -> None:
        self._completed = self.text
        self._place()
        if self.mode == "search":
            self.recall.search()
        else:
            self.completer.complete()
            if self.mode in ("prompt", "shell"):
                self._tell_draft()
        if self.offers_plan and not self.blank:
            self.offer_plan(False)
        self._check_size()

    def _tell_draft(self) -> None:
        self.post_message(self.Drafted(self.drafts.whole))

    def on_text_area_selection_changed(self) -> None:
        if self.mode == "prompt":
            self.completer.complete()

    def on_prompt_editor_too_long(self) -> None:
        self.post_message(self.Said(TOO_LONG, "warning"))

    def on_prompt_editor_pasted(self, message: PromptEditor.Pasted) -> None:
        if self.mode == "prompt" and self._is_image(message.text):
            self.post_message(self.Dropped(message.text))
        else:
            self.paste(message.text)

    def on_menu_chosen(self) -> None:
        self.action_complete()

    def takes(self, event: events.Key) -> bool:
        """Keys that mean something else where nothing is written yet; True when the key was used."""
        self.post_message(self.Touched())
        if not event.is_printable and self.text != self._completed:
            # The editor's own news of the letters before this key is still on its way.
            self.on_text_area_changed()
        first = not self.text[self.drafts.riders(self.text) :]
        if event.character == "!" and self.mode == "prompt" and first:
            self.drafts.begin_shell()
        elif not self.blank:
            return False
        elif event.character == "?" and self.mode == "prompt":
            self.post_message(self.Asked("help"))
        elif event.key in ("backspace", "ctrl+h") and self.mode == "shell":
            self.drafts.end_shell()
        else:
            return False
        return True

    # ---- actions

    def action_send(self) -> None:
        if self.completer.kind == "history":
            self.recall.take_hit()
        elif self.completer.would_change:
            self.completer.take()
        elif not self.editor.expand_chip() and not self.editor.continue_line():
            self._send(now=False)

    def action_send_now(self) -> None:
        self._send(now=True)

    def _send(self, *, now: bool) -> None:
        if self.mode == "edit" and (row := self.drafts.editing):
            self.post_message(self.Saved(row, self.text))
        elif not self.text.strip():
            self.post_message(self.Entered())
        elif self.mode == "shell":
            self.post_message(self.Ran(self.text))
        else:
            self._send_prompt(now=now)

    def _send_prompt(self, *, now: bool) -> None:
        text, draft = self.text, self.drafts.chips.filled(self.text)
        # A chip is never a command, whatever it stands for.
        meant = self.completer.meant(draft.text) if text.startswith("/") else None
        if meant and not (now and meant.trouble == "near"):
            self.post_message(self.Commanded(meant))
        else:
            body = draft.text[1:] if text.startswith((" /", " !")) else draft.text
            if not now:
                self.drafts.part(body)
            self.post_message(self.Sent(body, draft.images, now=now))

    def action_newline(self) -> None:
        self.editor.put("\n")

    def action_complete(self) -> None:
        if self.completer.kind == "history":
            self.recall.take_hit()
        elif self.completer.is_open:
            self.completer.take()
        else:
            self.post_message(self.Tabbed())

    def action_older(self) -> None:
        if self.completer.is_open:
            self.completer.menu.move(-1)
        elif not self.editor.on_first_row:
            self.editor.action_cursor_up()
        elif self.blank and self._view.queue and self.mode == "prompt" and not self.drafts.history.browsing:
            self.post_message(self.Upward())
        elif self.mode in ("prompt", "shell"):
            self.recall.older()

    def action_newer(self) -> None:
        if self.completer.is_open:
            self.completer.menu.move(1)
        elif not self.editor.on_last_row:
            self.editor.action_cursor_down()
        elif self.mode in ("prompt", "shell"):
            self.recall.newer()

    def action_search(self) -> None:
        if self.mode == "search":
            self.completer.menu.move(1)
        elif self.mode == "prompt":
            self.recall.begin()

    def action_editor(self) -> None:
        self.post_message(self.Asked("editor"))

    def action_paste(self) -> None:
        self.post_message(self.Asked("paste"))
