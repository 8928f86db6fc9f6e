"""What is read without the parser of options means what the parser makes of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command

from craze.cli import quick
from craze.cli.app import command_of
from craze.cli.screening import Given
from tests.cli.conftest import Craze

FLAGS = ("-c", "--continue", "--no-mouse", "--trust", "--no-journal", "--no-wire")
TEXTS = ("--agent", "--agent-command", "--provider", "--model", "--mode", "--effort", "--answers", "--theme")
WORDS = (*FLAGS, *TEXTS, "--set", "-r", "-C", "--", "", "-", "a", "a b", "--agent=a", "--help")


def parsed(arguments: Sequence[str]) -> Given:
    """What the parser makes of them."""
    found: list[Given] = []

    def keep(given: Given) -> int:
        found.append(given)
        return 0

    get_command(command_of(Given, keep)).main(list(arguments), standalone_mode=False)
    return found[0]


@pytest.mark.rule("CLI-6")
@given(
    st.lists(
        st.one_of(
            st.sampled_from(FLAGS).map(lambda flag: [flag]),
            st.tuples(st.sampled_from(TEXTS), st.text(min_size=1)).map(list),
        )
    )
)
def test_options_that_stand_for_themselves_are_read_as_the_parser_reads_them(pieces: list[list[str]]) -> None:
    arguments = [word for piece in pieces for word in piece]

    read = quick.of_screen(arguments)

    blank = any(not word.strip() or word.startswith("-") for piece in pieces for word in piece[1:])
    assert read == (None if blank else parsed(arguments))


@pytest.mark.rule("CLI-6")
@given(st.lists(st.sampled_from(WORDS), max_size=6))
def test_what_needs_the_parser_is_left_to_it(arguments: list[str]) -> None:
    read = quick.of_screen(arguments)

    if read is not None:
        assert read == parsed(arguments)


@pytest.mark.rule("CLI-6", "TUI-216")
def test_the_screen_starts_without_the_parser(craze: Craze) -> None:
    code = (
        "import sys\n"
        "from craze.cli import screening\n"
        "async def go(wanted, images):\n"
        "    import craze.cli.showing\n"
        "    print(wanted.agent.name, 'typer' in sys.modules)\n"
        "    return 'done'\n"
        "screening._go = go\n"
        "screening.stdio.is_terminal = lambda: True\n"
        "from craze.cli.main import main\n"
        "sys.exit(main(['--agent', 'demo', '--no-journal']))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=craze.work,
        env=craze.environment,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout.decode().split()) == (0, ["demo", "False"]), done.stderr.decode()


@pytest.mark.rule("CLI-6")
def test_a_shell_that_completes_is_answered_although_it_gives_no_arguments(craze: Craze) -> None:
    asked = craze.environment | {"_CRAZE_COMPLETE": "complete_bash", "COMP_WORDS": "craze ag", "COMP_CWORD": "1"}

    done = subprocess.run(
        craze.command(),
        cwd=craze.work,
        env=asked,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.stdout.decode().split(os.linesep)[0] == "agents"
