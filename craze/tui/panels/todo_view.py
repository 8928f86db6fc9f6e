"""The agent's todo list: one line, up to eight rows, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias, cast

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.codec import Todo
from craze.tui.keys import bindings
from craze.tui.lines import DIM, row, spread, stack
from craze.tui.panels.panel import drawn
from craze.tui.scrub import line

Form: TypeAlias = Literal["compact", "full", "hidden"]
FORMS: Final[tuple[Form, ...]] = ("compact", "full", "hidden")
MOST: Final = 8
_SIGNS: Final = {"pending": "○", "in_progress": "◐", "completed": "✓", "cancelled": "–"}
_STYLES: Final = {"in_progress": "$tool-running", "completed": "$tool-done", "cancelled": DIM, "pending": ""}


def wished(todos: Sequence[Todo], form: Form) -> int:
    """Rows of the screen that the list would like."""
    if not todos or form == "hidden":
        return 0
    return 1 if form == "compact" else 1 + min(len(todos), MOST)


def current(todos: Sequence[Todo]) -> int:
    """The entry that is worked on, else the first that is open, else the last."""
    for status in ("in_progress", "pending"):
        if (at := next((at for at, todo in enumerate(todos) if todo.status == status), None)) is not None:
            return at
    return len(todos) - 1


class TodoView(Widget, can_focus=True):
    """The list as its form says; it scrolls to what is worked on until the keyboard moves it."""

    BINDINGS = bindings("todos.up", "todos.down", "todos.expand", "todos.leave")
    DEFAULT_CSS = "TodoView { height: auto; }"

    todos: reactive[tuple[Todo, ...]] = reactive(())
    urgent: reactive[frozenset[str]] = reactive(frozenset())
    """Ids of entries of high priority."""
    cursor: reactive[int | None] = reactive(None)

    class Toggled(Message):
        """Compact or expanded."""

    class Left(Message):
        """Back to the composer."""

    @drawn
    def render(self) -> Content:
        width, height = self.size.width, self.size.height
        if not self.todos or not height:
            return Content("")
        rows = height - 1
        return stack([self._head(width, alone=rows == 0), *(self._row(at, width) for at in self._window(rows))])

    def on_blur(self) -> None:
        self.cursor = None

    def _window(self, rows: int) -> range:
        at = current(self.todos) if self.cursor is None else self.cursor
        first = max(0, min(at - rows // 2, len(self.todos) - rows))
        return range(first, min(first + rows, len(self.todos)))

    def _head(self, width: int, *, alone: bool) -> Content:
        done = sum(todo.status == "completed" for todo in self.todos)
        at = current(self.todos)
        parts = [(" todos   ", DIM), f"{done}/{len(self.todos)} "]
        said = self._entry(at) if alone and done < len(self.todos) else Content("")
        keys = Content.styled("ctrl+t", DIM) if width >= 60 or self.has_focus else Content("")
        return spread(width, Content.assemble(*parts) + said, keys)

    def _row(self, at: int, width: int) -> Content:
        mark = "▸ " if self.has_focus and at == self.cursor else "  "
        return (Content(" " * 7 + mark) + self._entry(at)).truncate(width, ellipsis=True)

    def _entry(self, at: int) -> Content:
        todo = self.todos[at]
        sign = _SIGNS.get(todo.status) or line(todo.status)
        high = "!" if todo.id in self.urgent else ""
        style = _STYLES.get(todo.status, "")
        text = DIM if todo.status in ("completed", "cancelled") else ""
        return row(9999, (sign, style), (high, "$warning"), " ", (line(todo.content), text))

    def on_click(self, event: events.Click) -> None:
        """Its head opens and closes the list."""
        if event.y == 0:
            self.action_expand()

    def action_up(self) -> None:
        self._to(-1)

    def action_down(self) -> None:
        self._to(1)

    def action_expand(self) -> None:
        self.post_message(self.Toggled())

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def _to(self, by: int) -> None:
        at = current(self.todos) if self.cursor is None else self.cursor
        self.cursor = max(0, min(at + by, len(self.todos) - 1))


def urgent(details: Mapping[str, object]) -> frozenset[str]:
    """Ids of the entries that the fact `details` of the todos marks as of high priority."""
    found = details.get("priorities")
    rows = cast(dict[str, object], found).items() if isinstance(found, dict) else ()
    return frozenset(id_ for id_, priority in rows if priority == "high")
