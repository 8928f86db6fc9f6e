"""The todo lists, the main one and each sub-agent's, from the results of the tools that change them. Pure."""

from __future__ import annotations

from typing import Final, cast

from craze.codec import Event, Stamp, Todo
from craze.providers.control.tools import Call, Json, text_of

WRITE, CREATE, UPDATE, LIST = "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"
TOOLS: Final = frozenset({WRITE, CREATE, UPDATE, LIST})


class Todos:
    """One list a transcript."""

    def __init__(self) -> None:
        self._lists: dict[str, dict[str, Todo]] = {}

    def result(self, call: Call, told: Json, at: Stamp) -> list[Event]:
        """What a call that went well made of the list; `told` is its structured result."""
        before = self._lists.get(call.agent, {})
        after = _HANDLERS[call.name](before, call.input, told)
        if after == before:
            return []
        self._lists[call.agent] = after
        return [Event("todos", todos=tuple(after.values()), agent=call.agent, at=at)]


def _write(before: dict[str, Todo], given: Json, told: Json) -> dict[str, Todo]:
    return _listed(told.get("newTodos", given.get("todos")), before)


def _list(before: dict[str, Todo], given: Json, told: Json) -> dict[str, Todo]:
    return _listed(told.get("tasks"), before)


def _listed(value: object, before: dict[str, Todo]) -> dict[str, Todo]:
    if not isinstance(value, list):
        return before
    after: dict[str, Todo] = {}
    for number, each in enumerate(cast("list[object]", value), 1):
        todo = _todo(_object(each), str(number))
        after[todo.id] = todo
    return after


def _object(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _todo(each: Json, number: str) -> Todo:
    content = text_of(each.get("content")) or text_of(each.get("subject"))
    return Todo(id=text_of(each.get("id")) or number, content=content, status=text_of(each.get("status")) or "pending")


def _create(before: dict[str, Todo], given: Json, told: Json) -> dict[str, Todo]:
    made = _todo({**given, **_object(told.get("task"))}, str(len(before) + 1))
    return {**before, made.id: Todo(id=made.id, content=made.content, status="pending")}


def _update(before: dict[str, Todo], given: Json, told: Json) -> dict[str, Todo]:
    name = text_of(told.get("taskId")) or text_of(given.get("taskId"))
    if told.get("success") is False or name not in before:
        return before
    status = text_of(_object(told.get("statusChange")).get("to")) or text_of(given.get("status")) or before[name].status
    if status == "deleted":
        return {key: todo for key, todo in before.items() if key != name}
    content = text_of(given.get("subject")) or before[name].content
    return {**before, name: Todo(id=name, content=content, status=status)}


_HANDLERS = {WRITE: _write, CREATE: _create, UPDATE: _update, LIST: _list}
