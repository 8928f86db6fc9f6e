"""What changed in words, for who hears the screen instead of seeing it: panels redrawn in place say nothing. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from craze.engine.facts import Cancelling
from craze.engine.view import View
from craze.tui.dialogs.context import asker, does, kind, tool_of
from craze.tui.panels.todo_view import current
from craze.tui.scrub import line
from craze.tui.told import told
from craze.tui.words import count


def changes(before: View, after: View, agent: str) -> Iterator[str]:
    """A line for each thing that is another one now, and has something to say. `agent`: what the person calls it."""
    for aspect in _ASPECTS:
        if (said := aspect(after, agent)) and said != aspect(before, agent):
            yield said


def _session(view: View, _: str) -> str:
    pending = told(view, "cancelling", Cancelling)
    if pending.turn or pending.foreign:
        return "stopping"
    if view.status in ("idle", "error"):
        return "ready for a prompt"
    return view.status


def _ask(view: View, agent: str) -> str:
    if not view.asks:
        return ""
    ask, tool = view.asks[0], tool_of(view, view.asks[0])
    about = line(tool.title) if tool else ""
    wants = f"{does(tool)}: {about}".removesuffix(": ") if kind(ask) == "permission" else kind(ask)
    more = f", {len(view.asks) - 1} more behind it" if len(view.asks) > 1 else ""
    return f"{asker(view, ask, agent)} asks: {wants}{more}"


def _queue(view: View, _: str) -> str:
    held = ", held" if view.paused else ""
    return f"{count(len(view.queue), 'prompt')} in the queue{held}" if view.queue else ""


def _todos(view: View, _: str) -> str:
    if not view.todos:
        return ""
    done = sum(todo.status == "completed" for todo in view.todos)
    return f"todo {done} of {len(view.todos)} done: {line(view.todos[current(view.todos)].content)}"


_ASPECTS: Final[tuple[Callable[[View, str], str], ...]] = (_session, _ask, _queue, _todos)
