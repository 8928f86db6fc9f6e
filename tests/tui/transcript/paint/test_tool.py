"""What a call looks like."""

from __future__ import annotations

from typing import Any

import pytest

from craze.codec import Diff, Task, Tool, ToolOutput
from craze.tui.theme import ASCII, Themes
from craze.tui.transcript.blocks import Block, Expansion, Shell
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import width_of
from craze.tui.transcript.paint.painter import Painted
from craze.tui.transcript.paint.state import SIDE

PALETTE = Themes().get("craze-dark")


def drawn(
    width: int = 80,
    expansion: Expansion = "auto",
    brush: Brush | None = None,
    flags: int = 0,
    took: int = 0,
    **tool: Any,
) -> list[str]:
    """The lines of a call without the gutter."""
    fields: dict[str, Any] = {"id": "t", "status": "completed", **tool}
    block = Block(1, "tool", Tool(**fields), 1000, open_=fields["status"] in ("pending", "in_progress"))
    block.until = block.at + took
    block.expansion, block.flags = expansion, flags
    painted = Painted(block, width, brush or Brush(palette=PALETTE))
    assert all(width_of(line.runs) <= width for line in painted.lines)
    return [line.text[2:].rstrip() for line in painted.lines]


def numbered(count: int, changed: int = -1) -> str:
    return "".join(f"line {at}\n" if at != changed else "another line\n" for at in range(count))


@pytest.mark.rule("TUI-80")
def test_the_head_says_state_verb_subject_note_and_duration() -> None:
    lines = drawn(60, kind="read", locations=("src/a.py",), output=ToolOutput(content="x\n" * 120), took=100)
    wide = drawn(90, kind="read", locations=("src/a.py",), output=ToolOutput(content="x\n" * 120), took=100)

    assert lines == ["✓ read  src/a.py" + " " * 33 + "120 lines"]
    assert wide[0].endswith("120 lines  0.1s")


@pytest.mark.rule("TUI-80")
@pytest.mark.parametrize(("took", "said"), [(2740, "2.7s"), (10_000, "10s"), (59_999, "59s"), (83_000, "1:23")])
def test_a_duration_is_in_seconds_below_a_minute(took: int, said: str) -> None:
    assert drawn(90, kind="think", title="hm", took=took)[0].split()[-1] == said


@pytest.mark.rule("TUI-80", "TUI-184")
@pytest.mark.parametrize(
    ("status", "sign"),
    [("pending", "○"), ("in_progress", "◐"), ("completed", "✓"), ("failed", "✗"), ("cancelled", "–"), ("odd", "odd")],
)
def test_each_status_has_a_sign(status: str, sign: str) -> None:
    assert drawn(kind="think", status=status, title="hm")[0].startswith(f"{sign} ") or status == "odd"


@pytest.mark.rule("TUI-24")
def test_without_room_the_duration_goes_first_and_a_path_loses_its_head() -> None:
    place = "src/very/long/folder/names/that/go/on/client.py"

    narrow = drawn(40, kind="read", locations=(place,), output=ToolOutput(content="x\n" * 3), took=100)

    assert "0.1s" not in narrow[0]
    assert "client.py" in narrow[0]
    assert "…/" in narrow[0]


@pytest.mark.rule("TUI-81")
def test_a_run_shows_its_last_lines_while_it_runs_and_after_it_failed() -> None:
    printed = ToolOutput(stdout="".join(f"{at}\n" for at in range(40)))
    command = '{"command": "make"}'

    assert drawn(kind="execute", status="in_progress", raw_input=command, output=printed)[1:] == [
        f"  {at}" for at in range(35, 40)
    ]
    assert drawn(kind="execute", raw_input=command, output=printed) == ["✓ run     make"]
    assert len(drawn(kind="execute", status="failed", raw_input=command, output=printed)) == 11


@pytest.mark.rule("TUI-82")
def test_opened_it_tells_everything_once() -> None:
    output = ToolOutput(stdout="same\n", stderr="oops", content="same", exit_code=2)

    lines = drawn(kind="execute", expansion="open", raw_input='{"command": "x"}', output=output)

    assert [line.strip() for line in lines[1:]] == ["stdout", "same", "stderr", "oops", "exit 2"]
    assert drawn(kind="fetch", title="t", expansion="open")[1:] == ["  no output"]


@pytest.mark.rule("TUI-82")
@pytest.mark.parametrize(("more", "keys"), [("", 0), (',"model":"small"', 1)], ids=["all told", "something more"])
def test_what_a_sub_agent_is_to_do_is_told_once(more: str, keys: int) -> None:
    task = Task(description="Find it", prompt="Look for it", subagent_type="explorer")
    given = '{"description":"Find it","prompt":"Look for it","subagent_type":"explorer"' + more + "}"

    rows = drawn(kind="think", title="Find it", expansion="open", raw_input=given, task=task)

    assert sum("Look for it" in row for row in rows) == 1 + keys
    assert sum("small" in row for row in rows) == keys


@pytest.mark.rule("TUI-82")
def test_a_plan_that_is_told_as_text_is_not_told_as_input_too() -> None:
    plan = "## Plan\n\n1. Read"
    raw = '{"plan":"## Plan\\n\\n1. Read"}'

    rows = drawn(kind="switch_mode", title="Go?", expansion="open", raw_input=raw, content_text=plan)

    assert sum("Read" in row for row in rows) == 1


@pytest.mark.rule("TUI-82")
def test_a_cut_output_shows_head_and_tail() -> None:
    output = ToolOutput(stdout_head="begin", stdout="end", truncated=True)

    assert [line.strip() for line in drawn(expansion="open", output=output)[1:]] == ["begin", "… cut …", "end"]


@pytest.mark.rule("TUI-83")
def test_a_diff_has_numbers_signs_and_gaps() -> None:
    diff = Diff(path="a.py", old_text=numbered(40, 5), new_text=numbered(40, 30), added=2, removed=2)

    lines = drawn(kind="edit", expansion="open", locations=("a.py",), diffs=(diff,))

    assert lines[0].endswith("+2 −2")
    assert "    6     − another line" in lines
    assert "        6 + line 5" in lines
    assert any("⋯ 18" in line for line in lines)
    assert len([line for line in lines if " − " in line]) == 2


@pytest.mark.rule("TUI-81", "TUI-83")
def test_a_compact_diff_stops_after_ten_lines() -> None:
    diff = Diff(path="a.py", new_text=numbered(30), added=30)

    lines = drawn(kind="edit", diffs=(diff,))

    assert len(lines) == 12
    assert lines[-1].strip() == "… 20 more lines"
    assert drawn(kind="edit", expansion="open", diffs=(diff,))[1].strip() == "new file"


@pytest.mark.rule("TUI-83")
def test_changed_words_stand_out() -> None:
    diff = Diff(path="a.txt", old_text="sleep(2 ** attempt)\n", new_text="sleep(delay(attempt))\n")
    block = Block(1, "tool", Tool(id="t", status="completed", kind="edit", diffs=(diff,)))
    painted = Painted(block, 80, Brush(palette=PALETTE))

    words = [
        run.text for line in painted.lines for run in line.runs if run.style.bgcolor == PALETTE["diff-add-word"].bgcolor
    ]

    assert words


@pytest.mark.rule("TUI-84", "TUI-24")
def test_side_by_side_from_140_columns_or_by_hand_but_never_narrow() -> None:
    diff = Diff(path="a.py", old_text=numbered(5, 2), new_text=numbered(5), added=1, removed=1)

    wide = drawn(150, kind="edit", diffs=(diff,))
    assert any("another line" in line and "line 2" in line for line in wide)
    assert not any("another line" in line and "line 2" in line for line in drawn(100, kind="edit", diffs=(diff,)))
    by_hand = drawn(100, kind="edit", diffs=(diff,), flags=SIDE)
    assert any("another line" in line and "line 2" in line for line in by_hand)
    assert not any(
        "another line" in line and "line 2" in line for line in drawn(60, kind="edit", diffs=(diff,), flags=SIDE)
    )


@pytest.mark.rule("TUI-87")
def test_a_sub_agent_is_one_row() -> None:
    task = Task(subagent_type="explore", description="find fixtures", duration_ms=31_000)

    assert drawn(task=task)[0].startswith("⤷ ✓ explore: find fixtures")
    assert drawn(task=task)[0].endswith("0:31")


@pytest.mark.rule("TUI-107")
def test_of_a_command_of_the_person_its_last_lines_are_shown_and_how_many_more_there_are() -> None:
    block = Block(1, "shell", Shell("ls", "".join(f"{n}\n" for n in range(13)), 0, running=False), 1000, open_=False)

    rows = [line.text.strip() for line in Painted(block, 80, Brush(palette=PALETTE)).lines]

    assert rows == ["✓ ! ls", "… 3 more lines", *map(str, range(3, 13))]


@pytest.mark.rule("TUI-71")
def test_colours_of_output_are_kept() -> None:
    output = ToolOutput(stdout="\x1b[31mred\x1b[0m plain", exit_code=1)
    block = Block(1, "tool", Tool(id="t", kind="execute", status="failed", output=output))

    runs = [run for line in Painted(block, 80, Brush(palette=PALETTE)).lines for run in line.runs]

    red = next(run for run in runs if run.text == "red")
    assert red.style.color is not None
    assert red.style.color.number == 1


@pytest.mark.rule("TUI-194")
def test_ascii_signs_are_all_ascii() -> None:
    brush = Brush(palette=PALETTE, glyphs=ASCII)
    diff = Diff(path="a.py", new_text=numbered(30), added=30)

    for lines in (drawn(brush=brush, kind="edit", diffs=(diff,)), drawn(brush=brush, status="failed", title="x")):
        assert all(line.isascii() for line in lines)


@pytest.mark.rule("TUI-5", "TUI-4")
def test_a_painter_that_fails_costs_only_the_beauty(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from craze.tui.transcript.paint import painter

    def broken(*_: object) -> list[Any]:
        raise ValueError

    monkeypatch.setitem(painter._PAINTERS, "tool", broken)
    block = Block(1, "tool", Tool(id="t", title="\x1b[31mhello"))

    painted = Painted(block, 60, Brush(palette=PALETTE))
    painted.update()

    assert painted.lines[0].text.strip() == "‹not drawn: ValueError›"
    assert "hello" in "".join(line.text for line in painted.lines)
    assert len(caplog.records) == 1
