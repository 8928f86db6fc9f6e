"""The composer: where prompts are written. It says what the person wants sent and never sends anything itself.

It owns what keys do: history, the menu, and what Enter means in each mode. What a wish becomes is the screen's business.
"""

from __future__ import annotations

from collections.abc import Callable

from textual import events

from craze.codec import SlashItem
from craze.engine.view import View
from craze.tui.keys import bindings
from craze.tui.prompt import completion, slash
from craze.tui.prompt.completion import NOTHING, Offer
from craze.tui.prompt.drafting import TOO_LONG, Drafting
from craze.tui.prompt.editor import PromptEditor
from craze.tui.prompt.menu import Menu, Row
from craze.tui.scrub import line


class Composer(Drafting):
    """The draft, with keys."""

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

    def __init__(self, menu: Menu, *, is_image: Callable[[str], bool], id: str | None = None) -> None:  # noqa: A002
        super().__init__(menu, id=id)
        self.paths: tuple[str, ...] = ()
        self._is_image = is_image
        self._rows, self._busy = tuple[SlashItem, ...](), False
        self._offer: Offer = NOTHING
        self._offer_size = 0
        self._hits: list[int] = []
        self._completed = ""  # the text that the menu is for

    # ---- what the screen tells

    def show(self, view: View, *, busy: bool) -> None:
        """The state of the session as far as completing and sending depends on it."""
        if view.state.slash is not self._view.state.slash or view.info is not self._view.info:
            self._rows = slash.rows(view)
        self._view, self._busy = view, busy
        self.title = view.title
        self.place()

    @property
    def slash_rows(self) -> tuple[SlashItem, ...]:
        return self._rows

    def escape(self) -> bool:
        """Close what is open in the composer; False when nothing is."""
        if self._offer.kind == "history":
            self._end_search()
        elif self.menu.display:
            self._quiet = self.editor.text
            self.close_menu()
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
        self._completed = self.editor.text
        self.place()
        if self.mode == "search":
            self._search()
        else:
            self._complete()
            if self.mode in ("prompt", "shell"):
                self.post_message(self.Drafted(self.whole))
        if self.offers_plan and not self.blank:
            self.offer_plan(False)
        self.check_size()

    def on_text_area_selection_changed(self) -> None:
        if self.mode == "prompt":
            self._complete()

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
        """Keys that mean something else on an empty draft; True when the key was used."""
        self.post_message(self.Touched())
        if not event.is_printable and self.editor.text != self._completed:
            # The editor's own news of the letters before this key is still on its way.
            self.on_text_area_changed()
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
        elif self.menu.display and self.menu.cursor != self._offer.exact:
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
            self.close_menu()
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
            self.put_aside()
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
            if not now:
                self.part(body)
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
            self.close_menu()
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
        self.menu.open(offer.rows, max(0, offer.exact))
        if self.menu.wished(99) != was:
            self.post_message(self.Resized())

    def close_menu(self) -> None:
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
        self.close_menu()
        self.bring_back()
