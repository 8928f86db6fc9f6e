"""One story with every kind of block, as people see it at three widths. The golden files are to be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from craze.codec import Ask, Diff, Event, Failure, Permission, Plan, State, Task, Todo, Tool, ToolOutput
from craze.codec.turns import Command, Compaction, PluginCommand
from craze.tui.theme import ASCII, UNICODE, Themes
from craze.tui.transcript.fold import Fold
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.window import Window
from tests.conftest import Golden
from tests.tui.transcript.stories import ALLOW, ended, prompt, records, tool

FOLDER = Path(__file__).parent.parent.parent / "golden" / "transcript"

CODE = "def wait(self, attempt: int) -> float:\n    time.sleep(2 ** attempt)\n    return attempt\n"
ANSWER = """The test waited on the **real** clock. I replaced it with the injected one:

```python
def wait(self, attempt: int) -> float:
    return self._clock.sleep(self._delay(attempt))
```

1. first
   - nested `code`
2. [ ] open, see [the notes](https://example.org/notes)

| name | size |
|---|--:|
| lines | 120 |

> quoted
"""
STORY = [
    Event("meta", state=State(mode="code", model="small-1")),
    prompt("fix the flaky retry test in tests/test_client.py\nand say why"),
    Event("thought", text="The test sleeps.\nWhy?\n"),
    Event("text", text="I'll look at the test first, then at the clock it uses."),
    tool("1", locations=("tests/test_client.py",), output=ToolOutput(content="x\n" * 120)),
    tool("2", kind="search", title='"time.sleep" in src/', output=ToolOutput(content="a\nb\nc\n")),
    tool("3", kind="fetch", title="https://example.org/docs"),
    Event("todos", todos=(Todo(id="1", content="inject clock", status="pending"),)),
    Event("permission", permission=Permission(id="p", tool="4", options=(ALLOW,))),
    tool(
        "4",
        kind="edit",
        locations=("/work/src/client.py",),
        diffs=(
            Diff(path="src/client.py", old_text=CODE, new_text=CODE.replace("time", "self._clock"), added=1, removed=1),
        ),
    ),
    Event("ask", ask=Ask(id="p", kind="permission", outcome="answered", option_id="once", label="Allow")),
    tool(
        "5",
        "failed",
        "execute",
        raw_input='{"command":"pytest -q tests/test_client.py"}',
        output=ToolOutput(exit_code=1, stdout="\x1b[31mFAILED\x1b[0m test_wait\n1 failed\n"),
    ),
    Event(
        "tool",
        tool=Tool(
            id="6",
            status="completed",
            task=Task(subagent_type="explore", description="find fixtures", duration_ms=31_000),
        ),
    ),
    Event("user", text="use the injected clock", interjection=True),
    Event(
        "command", command=Command(plugin_command=PluginCommand(qualified="git:commit", kind="skill"), text="Commit.")
    ),
    Event("plan", plan=Plan(id="q", name="Retry rework", plan="1. Inject a clock\n2. Replace sleeps\n")),
    Event("ask", ask=Ask(id="q", kind="plan", outcome="answered", accepted=True)),
    Event("meta", state=State(mode="plan", title="fix retry test")),
    Event("compaction", compaction=Compaction(phase="ended", tokens_before=84_000, tokens_after=12_000)),
    Event("text", text=ANSWER),
    Event("error", err=Failure(message="the model is busy", error_class="rate_limited", code=429)),
    ended("max_tokens"),
    prompt("漢字 and 👩\u200d👧, please"),
    tool("7", "in_progress", "execute", raw_input='{"command":"sleep 10"}', output=ToolOutput(stdout="....F\n")),
]


@pytest.mark.rule("TUI-20", "TUI-24", "TUI-51", "TUI-80", "TUI-83", "TUI-86", "TUI-87", "TUI-194")
@pytest.mark.parametrize(
    ("name", "width", "glyphs"), [("story", 100, UNICODE), ("story", 60, UNICODE), ("ascii", 60, ASCII)]
)
def test_a_story_with_every_kind_of_block(name: str, width: int, glyphs: dict[str, str], golden: Golden) -> None:
    fold = Fold()
    fold.fold(records(STORY))
    brush = Brush(palette=Themes().get("craze-dark"), glyphs=glyphs, times="off", folder="/work")
    window = Window(fold.transcript(), brush, width, 200)
    window.settle()

    lines = [row.line.text.rstrip() for row in window.rows]

    assert all(row.line.strip.cell_length <= width for row in window.rows)
    golden(FOLDER / f"{name}.{width}.txt", "".join(f"{line}\n" for line in lines).encode())
