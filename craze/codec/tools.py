"""What an agent does: its tool calls, their outputs and changes, and the todo list."""

from __future__ import annotations

from typing import Annotated

from craze.codec.kinds import NO_TIME, Int, Shape, Time, says


class ToolOutput(Shape, frozen=True, kw_only=True):
    """What a call printed or returned. `exitCode` is there, 0 included, whenever the tool gave one."""

    exit_code: Int | None = None
    stdout: str = ""
    stderr: str = ""
    content: str = ""
    stdout_head: Annotated[str, says("The beginning of `stdout`, where only the end was kept.")] = ""
    stderr_head: Annotated[str, says("The beginning of `stderr`, where only the end was kept.")] = ""
    truncated: bool = False


class Diff(Shape, frozen=True, kw_only=True):
    """One file that a call changed: its text before and after, and the number of lines added and removed."""

    path: str = ""
    old_text: str = ""
    new_text: str = ""
    added: Int = 0
    removed: Int = 0
    truncated: bool = False


class Task(Shape, frozen=True, kw_only=True):
    """What a call that starts a sub-agent says about it. Even an empty one makes the call a task."""

    description: str = ""
    prompt: str = ""
    model: str = ""
    agent_id: str = ""
    subagent_type: str = ""
    duration_ms: Int = 0
    receipt: Annotated[bool, says("The call only reports that the sub-agent was started.")] = False
    status: str = ""
    background: bool = False


class Tool(Shape, frozen=True, kw_only=True):
    """The whole state of one tool call; it replaces the earlier one of the same `id` and agent."""

    id: str = ""
    name: str = ""
    status: str = ""
    kind: str = ""
    title: str = ""
    tool_name: str = ""
    raw_input: Annotated[str, says("The arguments of the call, as the JSON text they came as.")] = ""
    content_text: str = ""
    locations: Annotated[tuple[str, ...], says("Files the call touches, each `path` or `path:line`.")] = ()
    output: ToolOutput | None = None
    diffs: tuple[Diff, ...] = ()
    task: Task | None = None
    at: Time = NO_TIME


class Todo(Shape, frozen=True, kw_only=True):
    """One entry of a todo list; `status` is `pending`, `in_progress`, `completed` or `cancelled`."""

    id: str = ""
    content: str = ""
    status: str = ""
