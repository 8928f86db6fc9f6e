"""What is completed at the cursor: the menu's rows, and what taking one puts into the draft."""

from __future__ import annotations

from collections.abc import Callable

from craze.codec import SlashItem
from craze.engine.view import View
from craze.tui.prompt import completion, slash
from craze.tui.prompt.completion import NOTHING, Kind, Offer
from craze.tui.prompt.drafts import Drafts
from craze.tui.prompt.menu import Menu
from craze.tui.scrub import line


class Completer:
    """The menu's hand.

    Args:
        resized: The menu takes more rows or fewer.
        paths_wanted: The names of files are needed and not known yet.
    """

    def __init__(
        self, menu: Menu, drafts: Drafts, *, resized: Callable[[], object], paths_wanted: Callable[[], object]
    ) -> None:
        self.menu = menu
        self._drafts, self._editor = drafts, drafts.editor
        self._resized, self._paths_wanted = resized, paths_wanted
        self.rows: tuple[SlashItem, ...] = ()
        self.paths: tuple[str, ...] = ()
        self._view, self._busy = View(), False
        self._offer: Offer = NOTHING

    @property
    def kind(self) -> Kind:
        """What is offered now."""
        return self._offer.kind

    @property
    def is_open(self) -> bool:
        return self.menu.display

    @property
    def would_change(self) -> bool:
        """Whether taking the menu's row brings another text than the one that stands there."""
        return self.menu.display and self.menu.cursor != self._offer.exact

    def show(self, view: View, *, busy: bool) -> None:
        if view.state.slash is not self._view.state.slash or view.info is not self._view.info:
            self.rows = slash.rows(view)
        self._view, self._busy = view, busy

    def meant(self, text: str) -> slash.Meant | None:
        """The command that a text is, or begins like."""
        return slash.meant(text, self.rows, working=self._busy, known=self._view.state.commands is not None)

    def complete(self) -> None:
        """Offer what fits at the cursor."""
        drafts, editor = self._drafts, self._editor
        if drafts.mode != "prompt" or editor.text == drafts.settled or not editor.selection.is_empty:
            self.close()
            return
        drafts.settled = ""
        before = editor.before
        if "@" in before and not self.paths:
            self._paths_wanted()
        self.open(completion.offered(editor.text, before, self._view, self.rows, self.paths, busy=self._busy))
        self._show_hint()

    def _show_hint(self) -> None:
        """The argument of a command that needs one, behind the cursor."""
        meant = slash.meant(self._editor.text, self.rows, working=False, known=True)
        run = meant.row.run if meant and meant.row and meant.trouble == "needs" else None
        ends = self._editor.text.endswith(" ")
        self._editor.suggestion = f"<{line(run.arg_hint) or 'text'}>" if run and ends else ""

    def open(self, offer: Offer) -> None:
        was, self._offer = self.menu.wished(99), offer
        self.menu.open(offer.rows, max(0, offer.exact))
        if self.menu.wished(99) != was:
            self._resized()

    def close(self) -> None:
        if self.menu.display or self._offer.kind:
            self.open(NOTHING)

    def dismiss(self) -> None:
        """Closed by hand: not again for this text."""
        self._drafts.settled = self._editor.text
        self.close()

    def take(self) -> None:
        """Put the menu's row there; a folder stays open for what is in it."""
        offer, at = self._offer, self.menu.cursor
        self.close()
        self._editor.replace_before(offer.size, offer.puts[at])
