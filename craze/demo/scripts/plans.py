"""Scripts about plans and sub-agents."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from craze.demo.turn import CancelledTurnError, Tool, Turn, text_content
from craze.demo.wire import Json

_STEPS = (("Read the code", "high"), ("Change it", "medium"), ("Run the tests", "low"))
_PLAN = "## Plan\n\n1. Read the code\n2. Change it\n3. Run the tests\n"
_TWO = (("go", "Start coding", "allow_once"), ("stay", "Keep planning", "reject_once"))
_THREE = (
    ("exit-plan-auto", "Yes, and accept all edits", "allow_always"),
    ("exit-plan-default", "Yes, and ask for each edit", "allow_once"),
    ("reject", "No, keep planning", "reject_once"),
)


def plan(turn: Turn) -> None:
    for done in range(len(_STEPS) + 1):
        entries = [
            {"content": content, "priority": priority, "status": _status(at, done)}
            for at, (content, priority) in enumerate(_STEPS)
        ]
        turn.update("plan", entries=entries)
        turn.pause(0.15)
    turn.stream("All three steps are done.")


def _status(at: int, done: int) -> str:
    return "completed" if at < done else "in_progress" if at == done else "pending"


def planexit(turn: Turn) -> None:
    picked = _leave_plan(turn, _TWO)
    turn.stream("I start." if picked == "go" else "Then I think a little longer.")


def planexit3(turn: Turn) -> None:
    picked = _leave_plan(turn, _THREE)
    if picked != "reject":
        turn.session.settings.choose("mode", "code")
        turn.session.keep_head()
        turn.update("current_mode_update", currentModeId="code")
    turn.stream(f"You picked {picked}.")


def _leave_plan(turn: Turn, options: tuple[tuple[str, str, str], ...]) -> str:
    raw: Json = {"plan": _PLAN}
    tool = turn.tool("Ready to code?", "switch_mode", name="ExitPlanMode", rawInput=raw, content=[text_content(_PLAN)])
    call: Json = {"toolCallId": tool.id, "title": tool.title, "kind": tool.kind, "rawInput": raw}
    picked = turn.chosen(turn.ask_permission({**call, "content": [text_content(_PLAN)]}, options))
    tool.fail() if picked in ("stay", "reject") else tool.done()
    return picked


def subagent(turn: Turn) -> None:
    """A child session that streams, and asks for itself."""
    if not turn.client.subagents:
        flatchild(turn)
        return
    tool = _task(turn)
    with _child(turn, tool) as child:
        turn.child = child
        turn.say("Look for test files", kind="user_message_chunk")
        turn.stream("I look for the tests.")
        inner = turn.tool("ls tests", "execute", name="Bash", rawInput={"command": "ls tests"})
        inner.done(text_content("test_a.py\n")) if turn.allowed(inner) else inner.fail()
        turn.stream("I have found one file.")
    tool.done(text_content("One test file: test_a.py"))
    turn.stream("My helper has found one file.")


def flatchild(turn: Turn) -> None:
    """A child that is only known by the parent its calls name."""
    tool = _task(turn)
    tool.run()
    parent: Json = {"claudeCode": {"parentToolUseId": tool.id}}
    inner = turn.tool("Read README.md", "read", rawInput={"path": "README.md"}, _meta=parent)
    turn.pause(0.1)
    inner.done(text_content("# Readme\n"), _meta=parent)
    tool.done(text_content("The readme is empty."))
    turn.stream("My helper has read it.")


def background(turn: Turn) -> None:
    """A child that is still at work when the turn ends."""
    if not turn.client.subagents:
        turn.stream("Your client shows no sub-agents, so I start none.")
        return
    child = turn.desk.new_id("child")
    _state(turn, child, {"state": "running"}, title="Watch the build", description="explorer", capabilities={})
    turn.stream("My helper goes on in the background.")
    turn.end()
    turn.child = child
    turn.pause(0.3)
    turn.stream("The build is green.")
    turn.child = ""
    _state(turn, child, {"state": "idle", "stopReason": "end_turn"})


def _task(turn: Turn) -> Tool:
    raw = {"description": "Find the tests", "prompt": "Look for test files", "subagent_type": "explorer"}
    return turn.tool("Find the tests", "think", name="Task", rawInput=raw)


@contextmanager
def _child(turn: Turn, tool: Tool) -> Generator[str]:
    """A child session from its first news to its last; `turn.child` may point at it inside."""
    child = turn.desk.new_id("child")
    reason = "end_turn"
    tool.run()
    _state(
        turn, child, {"state": "running"}, title="Find the tests", description="explorer", capabilities={"cancel": {}}
    )
    turn.update(
        "session_message",
        messageId=tool.id,
        senderSessionId=turn.session.id,
        recipientSessionId=child,
        content=[{"type": "text", "text": "Look for test files"}],
    )
    try:
        yield child
    except CancelledTurnError:
        reason = "cancelled"
        turn.close_tools()
        raise
    finally:
        turn.child = ""
        _state(turn, child, {"state": "idle", "stopReason": reason})


def _state(turn: Turn, child: str, state: Json, **fields: object) -> None:
    turn.update("subagent_update", sessionId=child, state=state, **fields)
