"""The scripts of the demo agent by name: a prompt names one with `[[NAME]]`, any other prompt is answered by `text`."""

from __future__ import annotations

import re
from typing import Any, Final

Step = dict[str, Any]

_QUESTIONS: Final = [
    {
        "question": "Which colour?",
        "header": "Colour",
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
        "multiSelect": False,
    },
    {
        "question": "Which checks?",
        "header": "Checks",
        "options": [{"label": "Auth"}, {"label": "Audit"}, {"label": "Rate"}],
        "multiSelect": True,
    },
]
_BASH: Final = {"command": "touch made.txt && echo made", "description": "make a file"}
_RULES: Final = [
    {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": "touch *"}],
        "behavior": "allow",
        "destination": "localSettings",
    },
    {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
]
_FORM: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 1, "maximum": 9}},
    "required": ["name"],
}
_PATCH: Final = [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" one", "-two", "+three"]}]
_EDITED: Final = {"filePath": "note.txt", "oldString": "two", "newString": "three", "originalFile": "one\ntwo"}


def _task(subtype: str, **more: Any) -> Step:
    return {"send": {"type": "system", "subtype": subtype, "task_id": "task-1", "tool_use_id": "toolu_task", **more}}


def _of_child(line: Step) -> Step:
    return {"send": {**line, "parent_tool_use_id": "toolu_task"}}


_CHILD: Final[tuple[Step, ...]] = (
    _task(
        "task_started", task_type="local_agent", description="count", subagent_type="general-purpose", prompt="count"
    ),
    _of_child(
        {"type": "assistant", "message": {"id": "msg_child", "content": [{"type": "text", "text": "Counting."}]}}
    ),
    _task("task_progress", description="Counting", usage={"total_tokens": 10, "tool_uses": 1, "duration_ms": 5}),
    _task("task_updated", patch={"status": "completed"}),
    _task(
        "task_notification", status="completed", summary="There are two.", usage={"total_tokens": 12, "tool_uses": 1}
    ),
)

SCRIPTS: Final[dict[str, tuple[Step, ...]]] = {
    "text": ({"think": "Let me think."}, {"stream": ["Hello ", "from the ", "demo."]}, {"end": {}}),
    "slow": ({"stream": ["word "] * 400}, {"end": {}}),
    "bash": (
        {"say": "Running it."},
        {"call": {"name": "Bash", "input": _BASH}},
        {
            "ask": {
                "subtype": "can_use_tool",
                "tool_name": "Bash",
                "display_name": "Bash",
                "input": _BASH,
                "permission_suggestions": _RULES,
            }
        },
        {"unless_denied": [{"answered": {"content": "made", "result": {"stdout": "made", "stderr": ""}}}]},
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "edit": (
        {"call": {"name": "Edit", "input": {"file_path": "note.txt", "old_string": "two", "new_string": "three"}}},
        {"answered": {"content": "edited", "result": {**_EDITED, "structuredPatch": _PATCH}}},
        {"end": {}},
    ),
    "question": (
        {"call": {"name": "AskUserQuestion", "input": {"questions": _QUESTIONS}}},
        {"ask": {"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": {"questions": _QUESTIONS}}},
        {"unless_denied": [{"answered": {"content": "answered"}}]},
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "plan": (
        {"call": {"name": "ExitPlanMode", "input": {"plan": "# The plan\n1. Look\n2. Change"}}},
        {
            "ask": {
                "subtype": "can_use_tool",
                "tool_name": "ExitPlanMode",
                "input": {"plan": "# The plan\n1. Look\n2. Change"},
            }
        },
        {"unless_denied": [{"answered": {"content": "approved"}}]},
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "form": (
        {"ask": {"subtype": "elicitation", "mcp_server_name": "form", "message": "Who?", "requested_schema": _FORM}},
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "dialog": (
        {"ask": {"subtype": "request_user_dialog", "dialog_kind": "demo", "payload": {"message": "Go on?"}}},
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "hook": (
        {"ask": {"subtype": "hook_callback", "callback_id": "h-1", "input": {}}},
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "mcp": (
        {
            "ask": {
                "subtype": "mcp_message",
                "server_name": "desk",
                "message": {"jsonrpc": "2.0", "id": 0, "method": "tools/list"},
            }
        },
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "strange": (
        {"ask": {"subtype": "no_such"}},
        {"say": "Answered: $answer"},
        {"end": {}},
    ),
    "todo": (
        {"call": {"name": "TaskCreate", "input": {"subject": "Look"}}},
        {"answered": {"content": "created", "result": {"task": {"id": "1", "subject": "Look"}}}},
        {"call": {"name": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}}},
        {
            "answered": {
                "content": "updated",
                "result": {"success": True, "taskId": "1", "statusChange": {"from": "pending", "to": "completed"}},
            }
        },
        {"end": {}},
    ),
    "task": (
        {"call": {"id": "toolu_task", "name": "Agent", "input": {"description": "count", "prompt": "count"}}},
        *_CHILD,
        {
            "answered": {
                "id": "toolu_task",
                "content": "There are two.",
                "result": {
                    "status": "completed",
                    "agentId": "task-1",
                    "content": [{"type": "text", "text": "There are two."}],
                },
            }
        },
        {"end": {}},
    ),
    "background": (
        {"call": {"id": "toolu_task", "name": "Agent", "input": {"description": "count", "prompt": "count"}}},
        _task("task_started", task_type="local_agent", description="count", is_backgrounded=True, prompt="count"),
        {
            "answered": {
                "id": "toolu_task",
                "content": "launched",
                "result": {"status": "async_launched", "agentId": "task-1"},
            }
        },
        {"end": {}},
        {"sleep_ms": 400},
        _task("task_notification", status="completed", summary="There are two."),
        {"begin": {}},
        {"say": "The child is done."},
        {"end": {"origin": {"kind": "task-notification"}}},
    ),
    "compact": (
        {"send": {"type": "system", "subtype": "status", "status": "compacting"}},
        {
            "send": {
                "type": "system",
                "subtype": "compact_boundary",
                "compact_metadata": {"trigger": "auto", "pre_tokens": 900, "post_tokens": 90},
            }
        },
        {"say": "Shorter now."},
        {"end": {}},
    ),
    "retry": (
        {
            "send": {
                "type": "system",
                "subtype": "api_retry",
                "attempt": 1,
                "max_retries": 3,
                "retry_delay_ms": 602,
                "error_status": 529,
            }
        },
        {"say": "Recovered."},
        {"end": {}},
    ),
    "fail": ({"end": {"is_error": True, "api_error_status": 400, "result": "API Error: 400 bad request"}},),
    "die": ({"say": "Oh."}, {"exit": 3}),
}


def named(prompt: str) -> str:
    """The script that a prompt names."""
    found = re.search(r"\[\[([a-z]+)\]\]", prompt)
    return found[1] if found and found[1] in SCRIPTS else "text"
