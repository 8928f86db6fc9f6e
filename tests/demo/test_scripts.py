"""Every script plays to its end with any client, asks only what was offered, and stops when it is cancelled."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from craze.demo.scripts import SCRIPTS
from craze.transport import Exit
from tests.demo.client import RICH, Client, Json, Refused

ENDS_THE_PROCESS = {"crash", "exit0", "nonl"}
NEVER_ENDS = {"cancelslow", "cancelendturn", "cancelerror", "deaf"}
REFUSES = {"busy", "noauth"}
PLAIN = sorted(SCRIPTS.keys() - ENDS_THE_PROCESS - NEVER_ENDS - REFUSES)
SLOW = ["text", "slow", "stall", "retry", "plan", "display", "subagent"]


@pytest.mark.rule("ACP-170", "ACP-171")
@pytest.mark.parametrize("offers", [RICH, {}], ids=["rich", "bare"])
async def test_every_script_answers_its_prompt_and_asks_only_what_was_offered(offers: Json, tmp_path: Path) -> None:
    async with Client(tmp_path, offers=offers) as client:
        await client.open()
        for name in PLAIN:
            assert await client.play(name) == "end_turn", name

        open_tools = [tool for tool, status in client.tools().items() if status not in ("completed", "failed")]

    asked = {method for method, _ in client.asked} - {"demo/unheard", "fs/write_text_file"}
    if offers == {}:
        assert asked == {"session/request_permission"}
    assert len(open_tools) == 2  # those of `leftopen`
    assert client.end is not None


@pytest.mark.rule("ACP-171")
async def test_a_client_sees_a_command_for_every_script(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        await client.until(lambda: bool(client.of("available_commands_update")))

    (update,) = client.of("available_commands_update")
    assert [row["name"] for row in update["availableCommands"]] == list(SCRIPTS)


@pytest.mark.rule("ACP-171")
async def test_the_tour_shows_every_kind_of_update(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        assert await client.play("/tour") == "end_turn"

    kinds = {update["sessionUpdate"] for update in client.updates}
    assert kinds >= {
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "plan",
        "subagent_update",
        "compaction_update",
        "usage_update",
        "notice",
        "current_mode_update",
        "session_info_update",
    }
    assert {method for method, _ in client.asked} >= {
        "session/request_permission",
        "elicitation/create",
        "terminal/create",
    }


@pytest.mark.rule("ACP-171")
async def test_free_text_is_answered_with_its_echo_and_a_hint(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        image = {"type": "image", "mimeType": "image/png", "data": ""}
        await asyncio.wait_for(client.prompt("textual is fine", image), 20)

    assert client.text.startswith("You said: textual is fine (1 attached)")
    assert "/tour" in client.text


@pytest.mark.parametrize("name", [*SLOW, "permission", "question", "twoasks", "terminal"])
async def test_a_cancelled_turn_ends_cancelled_and_leaves_no_tool_open(name: str, tmp_path: Path) -> None:
    async with Client(tmp_path, "--speed", "0.01", picks=None) as client:
        client.answers["elicitation/create"] = client.answers["terminal/wait_for_exit"] = lambda _: None
        await client.open()
        answer = client.prompt(f"/{name}")
        await client.until(lambda: len(client.updates) > 1 or bool(client.asked) or name == "retry")

        client.cancel()

        assert (await asyncio.wait_for(answer, 20))["stopReason"] == "cancelled"
        assert set(client.tools().values()) <= {"failed", "completed"}


async def test_a_cancel_may_also_end_as_agents_do_it_wrong(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        for name in ("cancelslow", "cancelendturn", "cancelerror", "deaf"):
            seen = len(client.updates)
            answer = client.prompt(name)
            await client.until(lambda seen=seen: len(client.updates) > seen)
            client.cancel()
            if name in ("cancelslow", "cancelendturn"):
                reason = (await asyncio.wait_for(answer, 20))["stopReason"]
                assert reason == ("cancelled" if name == "cancelslow" else "end_turn")
            elif name == "cancelerror":
                with pytest.raises(Refused, match="aborted"):
                    await asyncio.wait_for(answer, 20)
            else:
                await client.call("session/list", {})
                assert not answer.done()
                answer.cancel()


async def test_a_no_is_taken_for_a_no(tmp_path: Path) -> None:
    async with Client(tmp_path, picks="reject_once") as client:
        await client.open()
        for name in ("edit", "permission", "reject", "planexit"):
            assert await client.play(name) == "end_turn"

    assert set(client.tools().values()) == {"failed"}


async def test_a_client_that_refuses_what_it_offered_does_not_end_the_turn(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        client.refused |= {"terminal/create", "fs/write_text_file", "fs/read_text_file"}
        await client.open()
        for name in ("terminal", "fs", "missing"):
            assert await client.play(name) == "end_turn"

    assert list(client.tools().values()) == ["failed"]


async def test_always_holds_until_the_session_ends(tmp_path: Path) -> None:
    async with Client(tmp_path, picks="allow_always") as client:
        await client.open()
        await client.play("permission")
        await client.play("permission")

    assert len(client.asked) == 1


async def test_a_busy_session_takes_the_prompt_in_the_end(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        for _ in range(2):
            with pytest.raises(Refused) as refused:
                await client.play("busy 2")
            assert refused.value.code == -32003
        assert await client.play("busy 2") == "end_turn"


async def test_a_second_prompt_in_a_turn_is_refused(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        first = client.prompt("deaf")
        with pytest.raises(Refused, match="already running"):
            await client.play("text")
        first.cancel()


async def test_a_late_cancel_spoils_the_next_prompt(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        await client.play("latecancel")
        client.cancel()

        assert await client.play("text") == "cancelled"
        assert await client.play("text") == "end_turn"


async def test_work_after_the_turn_comes_after_its_answer(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        for name, words in (("late", "came late"), ("foreign", "looked again"), ("background", "is green")):
            await client.play(name)
            await client.until(
                lambda words=words: any(words.split()[0] in line.decode() for line in client.lines[-12:])
            )


async def test_broken_lines_are_what_they_say(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        seen: dict[str, set[str]] = {}
        for name in ("noise", "surrogate", "badutf8", "huge 2"):
            client.lints.clear()
            await client.play(name)
            seen[name] = set(client.lints)

    assert seen == {
        "noise": {"noise"},
        "surrogate": {"repaired-line"},
        "badutf8": {"repaired-line"},
        "huge 2": set(),
    }
    assert max(map(len, client.lines)) > 2 << 20


@pytest.mark.parametrize(
    ("name", "end"),
    [("crash", Exit(code=3)), ("crash 7", Exit(code=7)), ("exit0", Exit(code=0)), ("nonl", Exit(code=0))],
)
async def test_a_death_in_the_turn(name: str, end: Exit, tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        answer = client.prompt(name)
        await client.process.wait()

    assert client.end == end
    if name == "nonl":
        assert (await answer)["stopReason"] == "end_turn"
    else:
        with pytest.raises(Refused):
            await answer


async def test_a_stubborn_agent_has_to_be_killed(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        await client.play("stubborn")

        assert (await client.process.stop(eof=0.05, term=0.05)).step == "kill"


@pytest.mark.rule("ACP-170")
async def test_nothing_is_written_but_below_its_own_folder(tmp_path: Path) -> None:
    async with Client(tmp_path) as client:
        await client.open()
        for name in PLAIN:
            await client.play(name)

    assert os.listdir(tmp_path) == [".craze-demo"]


@pytest.mark.rule("ACP-171")
async def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    runs: list[list[bytes]] = []
    for _ in range(2):
        async with Client(tmp_path, "--seed", "7") as client:
            await client.open()
            await client.play("tour")
            await client.call("session/delete", {"sessionId": client.session})
        runs.append(client.lines)

    assert runs[0] == runs[1]


@pytest.mark.rule("ACP-170")
def test_it_imports_the_standard_library_and_msgspec_alone() -> None:
    program = """
import sys
import craze.demo.agent, craze.demo.play
heavy = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names) - {"typing_extensions"}  # msgspec looks for it
ours = {name for name in sys.modules if name.startswith("craze.") and not name.startswith("craze.demo")}
print(sorted(name for name in heavy if name[0] != "_"), sorted(ours))
"""
    root = Path(__file__).parents[2]
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=root, check=True)

    assert told.stdout.strip() == "['craze', 'msgspec'] []"
