"""Scripts that call tools."""

from __future__ import annotations

import os

from craze.demo.sessions import FOLDER
from craze.demo.turn import Tool, Turn, diff_content, text_content
from craze.demo.wire import Json, RpcError

_OLD = 'def greet(name):\n    print("Hello " + name)\n'
_NEW = 'def greet(name: str) -> str:\n    """A friendly line."""\n    return f"Hello, {name}!"\n'
_LINES = "for i in 1 2 3; do echo line $i; sleep 0.1; done"


def read(turn: Turn) -> None:
    path = os.path.join(turn.session.cwd, "greeting.py")
    tool = turn.tool(
        "Read greeting.py", "read", name="Read", rawInput={"path": path}, locations=[{"path": path, "line": 1}]
    )
    tool.run()
    turn.pause(0.1)
    tool.done(text_content(_OLD))
    turn.stream("I have read it.")


def edit(turn: Turn) -> None:
    _change(turn, "Edit greeting.py", os.path.join(turn.session.cwd, FOLDER, "greeting.py"), _OLD, _NEW)


def newfile(turn: Turn) -> None:
    _change(turn, "Write notes.md", os.path.join(turn.session.cwd, FOLDER, "notes.md"), None, "# Notes\n\n- one\n")


def bigdiff(turn: Turn) -> None:
    old = "".join(f"value_{number} = {number}\n" for number in range(5000))
    new = "".join(f"value_{number} = {number * 2 if number % 2 else number}\n" for number in range(5000))
    _change(turn, "Edit values.py", os.path.join(turn.session.cwd, FOLDER, "values.py"), old, new)


def _change(turn: Turn, title: str, path: str, old: str | None, new: str) -> None:
    """A diff that is asked about; nothing is written, it only looks so."""
    diff = diff_content(path, old, new)
    raw = {"path": path, "content": new[:200]}
    tool = turn.tool(title, "edit", name="Edit", rawInput=raw, content=[diff], locations=[{"path": path}])
    if turn.allowed(tool):
        tool.run()
        turn.pause(0.1)
        tool.done(diff)
        turn.stream("The change is made.")
    else:
        tool.fail(text_content("The person said no."))
        turn.stream("Then I leave the file as it is.")


def shell(turn: Turn) -> None:
    tool = turn.tool("ls -1", "execute", name="Bash", rawInput={"command": "ls -1", "description": "List the files"})
    tool.run()
    turn.pause(0.1)
    tool.done(
        text_content("README.md\ngreeting.py\n"), rawOutput={"stdout": "README.md\ngreeting.py\n", "exit_code": 0}
    )
    turn.stream("There are two files.")


def shellfail(turn: Turn) -> None:
    tool = turn.tool("make test", "execute", name="Bash", rawInput={"command": "make test"})
    tool.run()
    turn.pause(0.1)
    said = "make: *** No rule to make target 'test'.  Stop.\n"
    tool.fail(text_content(said), rawOutput={"stdout": "", "stderr": said, "exit_code": 3})
    turn.stream("The command ended with status 3.")


def terminal(turn: Turn) -> None:
    """A command that the client runs for us."""
    if not turn.client.terminal:
        display(turn)
        return
    tool = turn.tool("Count to three", "execute", name="Bash", rawInput={"command": _LINES})
    try:
        ended = _run_at_client(turn, tool)
    except RpcError as refused:
        tool.fail(text_content(refused.message))
        turn.stream("The client would not run it.")
    else:
        tool.done(rawOutput={"exit_code": ended.get("exitCode")})
        turn.stream("The client ran it for me.")


def _run_at_client(turn: Turn, tool: Tool) -> Json:
    """Create, show, wait, read, release; how it ended."""
    own: Json = {"sessionId": turn.session.id}
    create: Json = {**own, "command": "/bin/sh", "args": ["-c", _LINES], "cwd": turn.session.cwd}
    held: Json = {**own, "terminalId": turn.call("terminal/create", create)["terminalId"]}
    tool.update(status="in_progress", content=[{"type": "terminal", "terminalId": held["terminalId"]}])
    ended = turn.call("terminal/wait_for_exit", held)
    turn.call("terminal/output", held)
    turn.call("terminal/release", held)
    return ended


def display(turn: Turn) -> None:
    """A terminal of our own, told by deltas where the client takes them."""
    name = turn.desk.new_id("shown")
    if not turn.client.deltas:
        shell(turn)
        return
    tool = turn.tool(
        "Count to three",
        "execute",
        name="Bash",
        rawInput={"command": _LINES},
        content=[{"type": "terminal", "terminalId": name}],
        _meta={"terminal_info": {"terminal_id": name}},
    )
    tool.run()
    for number in range(1, 4):
        tool.update(_meta={"terminal_output_delta": {"terminal_id": name, "data": f"line {number}\r\n"}})
        turn.pause(0.1)
    tool.done(_meta={"terminal_exit": {"terminal_id": name, "exit_code": 0, "signal": None}})
    turn.stream("I ran it myself.")


def cumulative(turn: Turn) -> None:
    """Output that is sent again whole 200 times; kilobytes at the end may be given."""
    size = (int(turn.words) if turn.words.isdigit() else 64) << 10
    tool = turn.tool("make all", "execute", name="Bash", rawInput={"command": "make all"})
    tool.run()
    rows = "".join(f"[{number:6}] compiling part_{number}.c\n" for number in range(size // 32 + 1))
    for step in range(1, 201):
        tool.update(content=[text_content(rows[: size * step // 200])])
    tool.done(text_content(rows[:size]))
    turn.stream("Built.")
