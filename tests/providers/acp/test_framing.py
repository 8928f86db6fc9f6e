"""Lines that are broken, huge, doubled or no lines of the protocol."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from craze.codec import encode
from craze.engine.limits import RECORD_BODY
from craze.engine.ports import Gone, Opened, TurnEnded, TurnFailed
from craze.providers.acp import connection
from craze.providers.acp.translate import Translator
from craze.transport import Parsed, parse
from tests.fakes.acp_bench import bench, opened, prompted, request, text, updated
from tests.fakes.acp_session import stage

CHUNK = json.dumps(updated("agent_message_chunk", content={"type": "text", "text": "@@"})).replace("$sid", "s")


def chunk(content: bytes) -> dict[str, Any]:
    """A text chunk whose text is these raw bytes."""
    line = CHUNK.encode().replace(b"@@", content) + b"\n"
    return {"raw_b64": base64.b64encode(line).decode()}


@pytest.mark.rule("ACP-6", "ACP-7", "ACP-T3", "ACP-T4")
@pytest.mark.parametrize(
    ("sent", "shown"),
    [(b"a\\ud83d", "a\ufffd"), (b"a\xffb", "a\ufffdb"), (b"tab\there", "tab\there"), (b"\\ud83d\\ude80", "\U0001f680")],
)
async def test_broken_text_is_repaired_and_the_next_line_is_read(tmp_path: Path, sent: bytes, shown: str) -> None:
    async with bench(tmp_path, *opened(), *prompted(chunk(sent), text("next"))) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")
        await test.one(TurnEnded)

        assert [event.text for event in test.events("text")] == [shown, "next"]
        assert any(sent in line for row, line, _ in test.rows if row == "in")


@pytest.mark.rule("ACP-6")
async def test_what_cannot_be_repaired_is_a_lint_and_no_more(tmp_path: Path) -> None:
    async with bench(tmp_path, *opened(), {"raw": "{nonsense\n"}, {"raw": "\n"}, text("next")) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert test.lints() == {"bad-json": 1}


@pytest.mark.rule("ACP-2", "ACP-T5")
async def test_a_line_over_the_limit_costs_what_it_was_for(tmp_path: Path) -> None:
    limit = 1 << 20
    big = "x" * (limit + 1)
    update = CHUNK.replace("@@", big)
    answer = '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"' + big + '"}}'
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        {"raw": update + "\n"},
        {"raw": '{"jsonrpc":"2.0","id":"big","method":"x/y","params":"' + big + '"}\n'},
        {"expect": {"id": "big", "error": {"code": -32600}}},
        {"raw": answer + "\n"},
        text("next"),
    ]
    async with stage(tmp_path, *steps, max_line=limit) as test:
        await test.ready()
        ended = await test.turn("go")
        await test.until(lambda: test.of("text"))

        errors = [event.err for event in test.of("error") if event.err]
        assert [error.error_class for error in errors] == ["provider"] * 3
        assert all(f"the limit of {limit} bytes" in error.message for error in errors)
        assert ended.turn is not None
        assert ended.turn.err_class == "provider"


@pytest.mark.rule("ACP-2", "ACP-T5")
async def test_a_long_line_within_the_limit_is_applied(tmp_path: Path) -> None:
    async with bench(tmp_path, *opened(), chunk(b"x" * (8 << 20))) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert "".join(event.text for event in test.events("text")) == "x" * (8 << 20)
        assert all(len(encode(event)) < RECORD_BODY for event in test.events("text"))
        assert test.lints() == {"line-over-1mib": 1}


@pytest.mark.rule("ACP-2")
async def test_a_long_line_that_says_nothing_ends_the_connection(tmp_path: Path) -> None:
    async with bench(tmp_path, *opened(), {"raw": '{"' + "x" * (1 << 20) + "\n"}, max_line=1 << 20) as test:
        test.open()
        gone = await test.one(Gone)

        assert "over the limit" in gone.failure.message


@pytest.mark.rule("ACP-5")
async def test_a_batch_is_read_in_order(tmp_path: Path) -> None:
    batch = [json.loads(CHUNK.replace("@@", said)) for said in "ab"]
    async with bench(tmp_path, *opened(), {"raw": json.dumps(batch) + "\n"}) as test:
        test.open()
        await test.until(lambda: len(test.events("text")) == 2)

        assert [event.text for event in test.events("text")] == ["a", "b"]
        assert test.lints() == {"batch": 1}


@pytest.mark.rule("ACP-13")
async def test_answers_that_belong_to_nothing_are_ignored(tmp_path: Path) -> None:
    stray = [{"send": {"jsonrpc": "2.0", "id": number, "result": {}}} for number in (99, 2)]
    async with bench(tmp_path, *opened(), *stray, text("next")) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert test.lints() == {"unknown-response": 1, "duplicate-response": 1}


@pytest.mark.rule("ACP-16", "ACP-11")
async def test_unknown_notifications_and_a_missing_version_are_tolerated(tmp_path: Path) -> None:
    steps = [
        {"send": {"method": "_vendor/news"}},
        {"send": {"jsonrpc": "2.0", "method": "_vendor/news", "params": None}},
    ]
    async with bench(tmp_path, *opened(), *steps, text("next")) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert test.lints() == {"envelope": 1, "unknown-notification": 1}


@pytest.mark.rule("ACP-15")
@pytest.mark.parametrize(("number", "answers"), [(7, [{"jsonrpc": "2.0", "id": 7, "result": None}]), (None, [])])
async def test_an_update_that_wants_an_answer_counts_and_gets_one(
    tmp_path: Path, number: Any, answers: list[Any]
) -> None:
    """An id of null is what some serializers write for every field that has no value."""
    step = {"send": {"id": number, **text("a")["send"]}}
    async with bench(tmp_path, *opened(), step, text("b")) as test:
        test.open()
        await test.until(lambda: len(test.events("text")) == 2)

        assert [event.text for event in test.events("text")] == ["a", "b"]
        assert [line for line in test.sent() if "method" not in line] == answers
        assert test.lints() == {"envelope": 1}


@pytest.mark.rule("ACP-2", "ACP-4")
async def test_noise_over_the_limit_is_only_lost(tmp_path: Path) -> None:
    noise = {"raw": "." * ((1 << 20) + 1) + "\n"}
    async with bench(tmp_path, *opened(), noise, text("next"), max_line=1 << 20) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert test.lints() == {"noise": 1}
        assert [event.err.error_class for event in test.events("error") if event.err] == ["provider"]


@pytest.mark.rule("ACP-173")
async def test_every_inbound_line_is_one_report(tmp_path: Path) -> None:
    steps = [
        *opened(),
        {"raw": "noise\n\n"},
        request(0, "terminal/create", command="true"),
        {"expect": {"id": 0}},
        text("x"),
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        lines = [row for row in test.rows if row[0] == "in"]
        assert len(lines) == 6
        assert len([at for at, _ in test.lines if at]) == 6


@pytest.mark.rule("ACP-9", "ACP-201")
async def test_an_agent_that_does_not_read_is_gone(tmp_path: Path) -> None:
    steps = [*opened(), {"sleep_ms": 60_000}]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("x" * (4 << 20))
        (_, timer) = next(row for row in test.clock.timers if row[1].startswith("provider:write:"))
        test.provider.fired(timer, test.clock.now())

        assert "does not read" in (await test.one(Gone)).failure.message


@pytest.mark.rule("ACP-200", "ACP-201")
async def test_a_cancel_that_is_not_taken_fails(tmp_path: Path) -> None:
    from craze.engine.ports import Returned

    async with bench(tmp_path, *opened(), {"sleep_ms": 60_000}) as test:
        test.open()
        await test.one(Opened)
        test.prompt("x" * (4 << 20))
        test.provider.cancel()
        assert (2.0, "provider:cancel:turn-1") in test.clock.timers
        test.provider.fired("provider:cancel:turn-1", test.clock.now())

        returned = await test.one(Returned)
        assert (returned.call, returned.failure is not None) == ("cancel", True)


@pytest.mark.rule("ACP-15")
async def test_a_message_that_craze_stumbles_over_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from craze.providers.acp.serving import Serving

    def stumble(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Serving, "_permission", stumble)
    steps = [*opened(), request(0, "session/request_permission"), {"expect": {"error": {"code": -32603}}}, text("next")]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert [event.err.message for event in test.events("error") if event.err] == [
            "craze failed inside: RuntimeError('a bug')"
        ]


@pytest.mark.rule("ACP-15", "ACP-18")
async def test_an_answer_that_craze_stumbles_over_leaves_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Translator, "ended", stumble)
    async with stage(tmp_path, *opened(), *prompted()) as test:
        await test.ready()
        ended = await test.turn("go")

        assert ended.turn
        assert "a bug" in ended.turn.err


async def test_a_line_that_craze_stumbles_over_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(line: bytes) -> Parsed:
        if b"trap" in line:
            raise RuntimeError("a bug")
        return parse(line)

    monkeypatch.setattr(connection, "parse", stumble)
    async with bench(tmp_path, *opened(), text("trap"), text("next")) as test:
        test.open()
        await test.until(lambda: test.events("text"))

        assert [event.text for event in test.events("text")] == ["next"]
        assert len(test.events("error")) == 1


@pytest.mark.rule("ACP-19")
async def test_a_malformed_error_is_an_error(tmp_path: Path) -> None:
    steps = [
        *opened(),
        {"expect": {"method": "session/prompt"}},
        {"reply": {"error": 7, "result": {"stopReason": "end_turn"}}},
    ]
    async with bench(tmp_path, *steps) as test:
        test.open()
        await test.one(Opened)
        test.prompt("go")

        assert (await test.one(TurnFailed)).failure.message == "7"
