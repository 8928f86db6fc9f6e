"""How much of the agent's todos the person wants to see."""

from __future__ import annotations

from craze.codec import Todo
from craze.tui.panels import todo_view
from craze.tui.panels.todo_view import Form
from craze.tui.screens.parts import Parts


class TodoList:
    """Its form; the choice is kept."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._form: Form = parts.config.tui.todos
        self._done: tuple[Todo, ...] = ()

    def wished(self) -> int:
        """Rows; a list that was done before the last prompt is not shown any more."""
        todos = self._parts.view.todos
        return 0 if todos == self._done else todo_view.wished(todos, self._form)

    def prompted(self) -> None:
        """A prompt began its turn."""
        todos = self._parts.view.todos
        if all(todo.status == "completed" for todo in todos):
            self._done = todos

    def cycle(self, arg: str = "") -> None:
        """Compact, expanded, hidden, and so on."""
        self._change(todo_view.FORMS[(todo_view.FORMS.index(self._form) + 1) % len(todo_view.FORMS)])

    def toggle(self) -> None:
        self._change("compact" if self._form == "full" else "full")

    def _change(self, form: Form) -> None:
        self._form = form
        self._parts.keep("tui.todos", form)
        self._parts.changed()
