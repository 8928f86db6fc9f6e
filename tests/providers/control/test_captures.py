"""Every shared capture: it decodes, is derived without a stumble, and each opening has its one ending."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from craze.cli import deriving
from craze.cli.strict import first_fault
from craze.codec import Event, Record, encode
from craze.engine.intents import Answer, Submit
from craze.providers.control import decode
from craze.providers.control.spoken import value_from
from craze.providers.control.toolserver import ServedTool, ToolResult
from craze.providers.control.types import Other
from craze.store.evidence import Evidence
from craze.store.source import Source
from tests.conftest import Golden
from tests.fakes.acp_session import without_times
from tests.fakes.control_session import ControlStage, control

SHARED = Path(__file__).resolve().parents[4] / "shared"
CAPTURES = SHARED / "captures" / "control"
FAKE = SHARED / "rig" / "control" / "fake_agent.py"
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "control"
ALL = sorted(CAPTURES.glob("*.jsonl"))
pytestmark = pytest.mark.skipif(not ALL, reason="the captures are not beside this checkout")


def events(path: Path) -> list[Event]:
    return [item.event for item in deriving.derived(Source("wire", (path,))) if isinstance(item, Record)]


@pytest.mark.rule("CTL-10", "CTL-86", "CTL-T33")
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_every_line_of_an_agent_is_known(path: Path) -> None:
    for number, row in enumerate(map(json.loads, path.read_text().splitlines()), 1):
        if row["dir"] == "in" and "msg" in row:
            line = decode.line(json.dumps(row["msg"]).encode())
            assert line is not None, number
            assert not isinstance(line, Other), (number, line)


@pytest.mark.rule("CTL-18", "CTL-104", "CTL-T33")
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_every_opening_has_its_one_ending(path: Path) -> None:
    items = list(deriving.derived(Source("wire", (path,))))

    assert not Evidence().gather(iter(items)).unbalanced
    said = [item.event for item in items if isinstance(item, Record)]
    stumbled = [event.err.message for event in said if event.err and "craze failed inside" in event.err.message]
    assert not stumbled


@pytest.mark.rule("CTL-89", "CTL-T33")
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_events_are_as_reviewed(path: Path, golden: Golden) -> None:
    """Pieces of one text are joined, and the sections of `meta` are named only: they are as long as catalogs."""
    told = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in _joined(map(_short, events(path))))

    golden(GOLDEN / f"{path.stem}.jsonl", told.encode())


def _short(event: Event) -> dict[str, Any]:
    told = without_times(json.loads(encode(event)))
    if event.type == "meta":
        state = told.get("state", {}).items()
        told["state"] = {name: value if isinstance(value, str) else "…" for name, value in state}
    return told


def _joined(told: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    last: dict[str, Any] = {}
    for each in told:
        if each["type"] in ("text", "thought") and {**each, "text": ""} == {**last, "text": ""}:
            last["text"] += each["text"]
            continue
        if last:
            yield last
        last = each
    yield last


@pytest.mark.rule("CTL-26")
@pytest.mark.parametrize("build", ["a", "b"])
def test_an_agent_that_is_greeted_again_says_the_same_and_nothing_is_published_twice(build: str) -> None:
    path = CAPTURES / f"setters.{build}.jsonl"
    rows = [row["msg"] for row in map(json.loads, path.read_text().splitlines()) if "msg" in row]
    asked = [row["request_id"] for row in rows if row.get("request", {}).get("subtype") == "initialize"]
    replies = {row["response"]["request_id"]: row["response"] for row in rows if row["type"] == "control_response"}
    first, again = (replies[request]["response"] for request in asked)

    assert first["commands"] == again["commands"]
    assert first.keys() == again.keys()
    told = [encode(event.state.commands) for event in events(path) if event.state and event.state.commands]
    assert len(set(told)) == len(told)


def _recorded(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows, and the body of each answer by the JSON text of its request's id."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    answers = [
        row["msg"]["response"]
        for row in rows
        if row["dir"] == "out" and row.get("msg", {}).get("type") == "control_response"
    ]
    return rows, {json.dumps(each["request_id"]): each.get("response", {}) for each in answers}


@pytest.mark.rule("CTL-7", "CTL-28", "CTL-114")
@pytest.mark.parametrize("name", ["tool_allow", "tool_deny", "question", "plan", "mcp"])
@pytest.mark.parametrize("build", ["a", "b"])
async def test_a_capture_played_by_a_program_gives_the_same_as_derived(tmp_path: Path, name: str, build: str) -> None:
    """The rig's player compares each answer with the recorded one; the person is the recording's."""
    path = CAPTURES / f"{name}.{build}.jsonl"
    rows, bodies = _recorded(path)
    prompts = [
        row["msg"]["message"]["content"]
        for row in rows
        if row["dir"] == "out" and row.get("msg", {}).get("type") == "user"
    ]
    servers = [_Desk()] if name == "mcp" else []
    recorded = [event for event in await asyncio.to_thread(events, path) if event.type == "ask"]

    argv = (sys.executable, str(FAKE), str(path), *(() if name == "mcp" else ("--strict",)))
    async with control(tmp_path, argv=argv, servers=servers, replays=False) as stage:
        await stage.ready()
        for number, prompt in enumerate(prompts, 1):
            await _turn(stage, prompt, number, bodies)

        assert [(e.ask.kind, e.ask.outcome) for e in stage.of("ask") if e.ask] == [
            (e.ask.kind, e.ask.outcome) for e in recorded if e.ask
        ]
    assert stage.session.view.status == "closed"


async def _turn(stage: ControlStage, prompt: str, number: int, bodies: dict[str, Any]) -> None:
    """One prompt, with every ask answered as the recording answered it."""
    serving = stage.provider.serving  # type: ignore[attr-defined]

    def over_or_asked() -> bool:
        ended = [event for event in stage.of("turn") if event.turn and event.turn.phase == "ended"]
        return len(ended) >= number or bool(stage.session.view.asks)

    await stage.send(Submit(text=prompt))
    while await stage.until(over_or_asked):
        if not stage.session.view.asks:
            return
        key = next(key for key in bodies if serving.open_ask(key) is not None)
        value = value_from(serving.open_ask(key), bodies[key])
        await stage.send(Answer(ask=stage.session.view.asks[0].id, answer=value))


class _Desk:
    """The recorded server."""

    name = "desk"

    def tools(self) -> list[ServedTool]:
        schema = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
        return [ServedTool("add", "add two numbers", schema)]

    async def call(self, name: str, arguments: object, cancel: object) -> ToolResult:
        return ToolResult(({"type": "text", "text": "5"},))


@pytest.mark.rule("CTL-105")
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_what_was_answered_comes_out_with_the_same_meaning(path: Path) -> None:
    assert first_fault(path) == ""
