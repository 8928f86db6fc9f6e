"""An agent's process: lines with their stamps, order, its end, and what never reached it."""

from __future__ import annotations

import fcntl
import json
from contextlib import suppress
from pathlib import Path

import pytest

from craze.transport import Command, Exit, Line, Process, Tap
from tests.transport.hearing import Hearer, gone

_ECHO = """
    import sys
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
"""


@pytest.mark.rule("ACP-14", "ACP-173", "ACP-21")
async def test_every_line_is_captured_and_then_handed_over_in_order(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(
        """
        import os, sys
        os.write(1, b"one\\r\\n\\ntwo\\n" + b"\\xff\\nlast")
        os.write(2, b"a word")
        sys.exit(3)
        """,
        tmp_path,
    )
    await process.wait()

    assert hearer.lines == [Line(b"one"), Line(b""), Line(b"two"), Line(b"\xff"), Line(b"last", "eof")]
    assert hearer.errors == [Line(b"a word", "eof")]
    assert hearer.end == Exit(code=3)
    assert [row for row in hearer.rows if row[0] == "in"][-1] == ("in", b"last", "eof", 0)
    assert hearer.rows[-1] == ("exit", b'{"code":3}', "", 0)
    assert hearer.stamps == hearer.row_stamps
    assert process.stderr.tail() == "a word"


@pytest.mark.rule("ACP-9", "ACP-10")
async def test_lines_arrive_whole_and_in_order_however_long_they_are(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(_ECHO, tmp_path)
    sent = [b"a" * 3_000_000, b"b", b"c" * 2_000_000, b"d"]

    numbers = [process.send(line).number for line in sent]
    waiting = [process.waiting(number) for number in numbers]
    await hearer.until(lambda: len(hearer.lines) == 4)

    assert [line.data for line in hearer.lines] == sent
    assert waiting == [True, True, True, True]
    assert not any(process.waiting(number) for number in numbers)
    assert (await process.stop()).step == "eof"


@pytest.mark.rule("ACP-9")
async def test_a_short_line_is_taken_at_once(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(_ECHO, tmp_path)

    sent = process.send(b"hello")

    assert not process.waiting(sent.number)
    assert hearer.rows == [("out", b"hello", "", 0)]
    assert sent.at == "1"
    await process.stop()


@pytest.mark.rule("ACP-173")
async def test_lines_that_the_agent_never_took_come_back_before_its_end(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start("import sys; sys.stdin.readline(); sys.exit(1)", tmp_path)
    big = b"x" * 5_000_000

    process.send(b"go")
    process.send(big)
    process.send(b"after")
    await process.wait()

    assert hearer.lost == [(2, big), (3, b"after")]
    assert hearer.told[-1] == "ended"
    assert [(row, mark) for row, _, mark, _ in hearer.rows] == [
        ("out", ""),
        ("out", ""),
        ("out", ""),
        ("out", "undelivered"),
        ("out", "undelivered"),
        ("exit", ""),
    ]


async def test_a_closed_stdin_alone_is_no_end(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(
        "import os, signal; os.close(0); print('closed'); signal.pause()",
        tmp_path,
    )
    await hearer.until(lambda: len(hearer.lines) == 1)

    process.send(b"nobody reads this")
    await hearer.until(lambda: bool(hearer.lost))

    assert hearer.end is None
    assert (await process.stop(eof=0)).step == "term"


@pytest.mark.rule("ACP-20")
async def test_a_program_that_cannot_be_started_is_an_exit_row_with_an_error(tmp_path: Path) -> None:
    hearer = Hearer()

    process = await Process.start(Command(("no-such-agent",), str(tmp_path)), hearer, Tap(hearer.capture, hearer.now))

    assert process is None
    assert hearer.end is not None
    assert hearer.end.error.startswith("cannot start no-such-agent: not found in PATH")
    ((row, payload, _, _),) = hearer.rows
    assert (row, json.loads(payload)) == ("exit", {"error": hearer.end.error})


@pytest.mark.rule("ACP-20")
async def test_a_missing_folder_is_named_and_not_the_program(tmp_path: Path) -> None:
    hearer = Hearer()

    await Process.start(Command(("true",), str(tmp_path / "gone")), hearer, Tap(hearer.capture, hearer.now))

    assert hearer.end is not None
    assert "does not exist" in hearer.end.error


@pytest.mark.rule("ACP-20")
async def test_the_agent_has_the_persons_environment_and_the_declared_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FROM_PERSON", "1")
    monkeypatch.setenv("BOTH", "1")
    hearer = Hearer()
    command = Command(
        ("sh", "-c", "echo $FROM_PERSON $BOTH $(pwd) $(ps -o pgid= -p $$) $$"), str(tmp_path), {"BOTH": "2"}
    )
    process = await Process.start(command, hearer, Tap(hearer.capture, hearer.now))
    assert process is not None
    await process.wait()

    person, both, cwd, group, leader = hearer.lines[0].data.decode().split()
    assert (person, both, cwd) == ("1", "2", str(tmp_path))
    assert group == leader == str(process.pid)


@pytest.mark.rule("ACP-3")
@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="the system does not tell the size of a pipe")
async def test_the_pipes_are_wide_as_far_as_the_system_lets_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    given: list[int] = []
    control = fcntl.fcntl

    def noted(pipe: int, what: int, size: int) -> int:
        asked.append(size)
        # All pipes of a user together have a limit, and others may have used it up.
        with suppress(OSError):
            control(pipe, what, size)
        given.append(control(pipe, fcntl.F_GETPIPE_SZ))
        return given[-1]

    hearer = Hearer()
    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "fcntl", noted)
        process = await hearer.start(
            "import fcntl; print([fcntl.fcntl(n, fcntl.F_GETPIPE_SZ) for n in (0, 1)])", tmp_path
        )
    await process.wait()

    assert asked == [1 << 20] * 3
    assert hearer.lines == [Line(str(given[:2]).encode())]


@pytest.mark.rule("ACP-24")
async def test_a_killed_agent_is_told_by_the_signals_name(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", tmp_path)
    await process.wait()

    assert hearer.end == Exit(signal="SIGKILL")
    assert hearer.rows[-1][1] == b'{"signal":"SIGKILL"}'


@pytest.mark.rule("ACP-18")
async def test_an_agent_that_closes_its_output_and_lives_is_ended(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start("import os, signal; os.close(1); signal.pause()", tmp_path)
    await process.wait()

    assert hearer.end == Exit(signal="SIGTERM", closed="output")


@pytest.mark.rule("ACP-18", "CTL-13")
async def test_an_agent_that_closes_its_input_and_lives_is_ended_once_a_line_cannot_reach_it(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start("import os, signal; os.close(0); print('closed'); signal.pause()", tmp_path)
    await hearer.until(lambda: hearer.lines)
    process.send(b"hello")
    await process.wait()

    assert hearer.end == Exit(signal="SIGTERM", closed="input")


@pytest.mark.rule("ACP-2")
async def test_a_line_over_the_ceiling_is_captured_by_its_head_and_length(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start("import os; os.write(1, b'x' * (1 << 20)); print('y'); print('next')", tmp_path)
    await process.wait()
    assert [len(line.data) for line in hearer.lines] == [(1 << 20) + 1, 4]

    hearer = Hearer()
    command = Command(("sh", "-c", "head -c 200000 /dev/zero | tr '\\0' x; echo; echo next"), str(tmp_path))
    process = await Process.start(command, hearer, Tap(hearer.capture, hearer.now), 100_000)
    assert process is not None
    await process.wait()

    assert hearer.lines == [Line(b"x" * (64 << 10), "long", 200_000), Line(b"next")]
    assert hearer.rows[0] == ("in", b"x" * (64 << 10), "long", 200_000)


async def test_nothing_more_is_read_while_the_agent_is_held(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(_ECHO, tmp_path)
    process.send(b"one")
    await hearer.until(lambda: len(hearer.lines) == 1)

    process.hold(True)
    process.send(b"two")
    process.send(b"x" * (4 << 20))
    await hearer.until(lambda: True)
    held = len(hearer.lines)
    process.hold(False)
    await hearer.until(lambda: len(hearer.lines) == 3)

    assert held == 1
    await process.stop()


async def test_what_a_held_agent_wrote_before_it_ended_is_not_lost(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start(
        "import sys; print('ready'); sys.stdin.readline(); print('last words', file=sys.stdout); sys.exit(0)", tmp_path
    )
    await hearer.until(lambda: len(hearer.lines) == 1)

    process.hold(True)
    process.send(b"end")
    await gone(process.pid)
    process.hold(False)
    await process.wait()

    assert [line.data for line in hearer.lines] == [b"ready", b"last words"]
    assert hearer.end == Exit(code=0)


async def test_a_hundred_thousand_lines_come_in_order(tmp_path: Path) -> None:
    hearer = Hearer()
    process = await hearer.start("import sys; sys.stdout.write(''.join(f'{n}\\n' for n in range(100_000)))", tmp_path)
    await process.wait()

    assert [line.data for line in hearer.lines] == [b"%d" % number for number in range(100_000)]
