"""Lays the chat screen out: how many rows each panel gets, and where those that float stand."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget

from craze.tui.fit import Rows, Wishes, composer_most, fit
from craze.tui.panels import queue_view
from craze.tui.screens.parts import Parts
from craze.tui.screens.searching import Searching
from craze.tui.screens.todo_list import TodoList

SHRUNK = 1
"""Rows of the composer while an ask is open."""


class Layout:
    """Gives out the rows, once a frame at most.

    Args:
        moved: Told when panels got other rows.
        laid_out: Told each time.
    """

    def __init__(
        self,
        parts: Parts,
        todos: TodoList,
        searching: Searching,
        *,
        moved: Callable[[], None],
        laid_out: Callable[[], None],
    ) -> None:
        self._parts, self._todos, self._searching = parts, todos, searching
        self._moved, self._laid_out = moved, laid_out
        self.rows: Rows | None = None
        self.fits = 0
        """How often the rows were given out."""
        self._waits = False

    def fit_soon(self) -> None:
        """Once in this frame; the first picture cannot wait for the next one."""
        screen = self._parts.screen
        if self.rows is None and screen.is_attached:
            self._lay_out()
        elif not self._waits and screen.is_mounted:
            self._waits = True
            screen.call_next(self._lay_out)

    def _lay_out(self) -> None:
        self._waits = False
        self.fits += 1
        width, height = self._parts.screen.app.size  # pyright: ignore[reportUnknownMemberType] - the app's own result type
        if not width or not height:
            return
        rows = fit(height, self._wishes(width, height))
        if rows != self.rows:
            self.rows = rows
            self._apply(rows)
            self._moved()
        self._float(rows, width, height)
        self._laid_out()

    def _wishes(self, width: int, height: int) -> Wishes:
        view, widgets = self._parts.view, self._parts.widgets
        ask, least = widgets.asks.wished(width)
        bare = bool(view.asks or self._parts.child)
        return Wishes(
            todos=self._todos.wished(),
            agents=widgets.roster.wished(width),
            queue=queue_view.wished(view.queue, view.paused),
            activity=1 if widgets.activity.doing else 0,
            ask=ask,
            ask_least=least,
            composer=SHRUNK if bare else min(widgets.composer.editor.rows, composer_most(height)),
            bare=bare,
            bar=bool(widgets.bar.text) + bool(self._parts.child) + self._searching.open,
            inline=widgets.menu.wished(height) if self._parts.reader else 0,
            hints=0 if self._parts.child else 1,
        )

    def _apply(self, rows: Rows) -> None:
        widgets, child, finding = self._parts.widgets, bool(self._parts.child), self._searching.open
        heights = (
            (widgets.banner, 1 if child and rows.bar else 0),
            (widgets.transcript, rows.transcript),
            (widgets.todos, rows.todos),
            (widgets.roster, rows.agents),
            (widgets.queue, rows.queue),
            (widgets.activity, rows.activity),
            (widgets.bar, 1 if widgets.bar.text and rows.bar > child + finding else 0),
            (widgets.finder, 1 if finding else 0),
            (widgets.asks, rows.ask),
            (widgets.composer, 0 if child else rows.composer),
            (widgets.child_keys, rows.composer if child else 0),
            (widgets.hints, rows.hints),
        )
        held = self._parts.screen.focused
        for widget, height in heights:
            _give(widget, height)
        if held in (widgets.todos, widgets.roster, widgets.queue) and not held.display:
            self._parts.focus_composer()

    def _float(self, rows: Rows, width: int, height: int) -> None:
        """Menu, card and notices stand over the others."""
        widgets = self._parts.widgets
        below = rows.composer + rows.status + rows.hints
        size = rows.inline or min(widgets.menu.wished(height), height - below)
        if size:
            widgets.menu.styles.offset = (0, height - below - size + (rows.composer + size if rows.inline else 0))
            widgets.menu.styles.height = size
        if widgets.card.display:
            widgets.card.place(width, rows.transcript)
        keys = rows.hints or (rows.composer if self._parts.child else 0)
        left = max(0, width - widgets.notices.cells)
        widgets.notices.styles.offset = (left, height - rows.status - keys - 1)

    def next_part(self, by: int) -> None:
        """The keyboard to the next panel that is seen, around the screen."""
        widgets = self._parts.widgets
        home = widgets.child_keys if self._parts.child else widgets.composer.editor
        around = (widgets.transcript, widgets.card, widgets.todos, widgets.roster, widgets.queue, widgets.bar, home)
        shown: list[Widget] = [widget for widget in around if widget.display and widget.size.height]
        if widgets.asks.panel is not None:
            shown.insert(-1, widgets.asks.panel)
        focused = self._parts.screen.focused
        at = next((at for at, widget in enumerate(shown) if widget is focused), len(shown) - 1)
        # At once: the next key may be here already.
        self._parts.screen.set_focus(shown[(at + by) % len(shown)])


def _give(widget: Widget, height: int) -> None:
    """A widget without rows is not there."""
    widget.display = height > 0
    widget.styles.height = height
