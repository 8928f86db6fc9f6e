"""Real agents, line by line: every stored capture goes through the decoder and the translator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from craze.codec import Event, Stamp, encode
from craze.engine.ports import Report, TurnEnded
from craze.providers.acp.decode import read
from craze.providers.acp.opening import agent_of
from craze.providers.acp.quirks import quirks_of
from craze.providers.acp.results import InitializeResult, PromptResult, SessionResult
from craze.providers.acp.translate import Translator
from craze.transport import Notification, Request, Response, parse

CAPTURES = Path(__file__).parents[4] / "shared" / "captures" / "acp"
NAMES = sorted(path.name for path in CAPTURES.glob("*.jsonl"))
OPENING = ("session/new", "session/load", "session/resume")
EXPECTED = {  # what is off in them, beside what the probe that recorded them did on purpose
    "noise",
    "repeated-tool-call",
    "unknown-session",
    "unknown-terminal",
    "cancel-end-turn",
    "cancel-error",
    "update-after-stop",
    "resume-replayed",
}
pytestmark = pytest.mark.skipif(not NAMES, reason="the captures stand beside the checkout")


class Played:
    """One capture through the translator; the requests of both sides are matched by their ids."""

    def __init__(self, name: str) -> None:
        self.state = Translator()
        self.reports: list[Report] = []
        self.updates = 0
        self._asked: dict[bytes, Request] = {}
        for text in (CAPTURES / name).read_text().splitlines():
            row = json.loads(text)
            if row["dir"] in ("in", "out"):
                for message in parse(row["line"].encode()).messages:
                    self.reports += self._in(message) if row["dir"] == "in" else self._out(message)

    def _out(self, message: Any) -> list[Report]:
        if isinstance(message, Notification):
            self.state.cancelled()
        elif isinstance(message, Request):
            self._asked[message.id] = message
            params = json.loads(bytes(message.params))
            if message.method == "initialize":
                self.state.renew()
            elif message.method == "session/prompt":
                self.state.prompted(params["prompt"][0].get("text", ""))
            elif message.method in OPENING:
                return self.state.begin(params.get("sessionId", ""), Stamp(""), replay="sessionId" in params)
        return []

    def _in(self, message: Any) -> list[Report]:
        at = Stamp("")
        if isinstance(message, Notification) and message.method == "session/update":
            self.updates += 1
            return self.state.update(message.params, at)
        request = self._asked.get(message.id) if isinstance(message, Response) else None
        if request is None or message.result is None:
            return []
        if request.method == "initialize":
            agent = agent_of(read(InitializeResult, message.result).value or InitializeResult())
            self.state.quirks(quirks_of(agent.name))
        elif request.method in OPENING:
            result = read(SessionResult, message.result).value or SessionResult()
            return self.state.opened(result.session_id or self.state.session, result, at)
        elif request.method == "session/prompt":
            return self.state.ended(read(PromptResult, message.result).value or PromptResult(), at)
        return []


@pytest.mark.rule("ACP-160")
@pytest.mark.parametrize("name", [name for name in NAMES if "-v2" not in name])
def test_every_line_is_understood(name: str) -> None:
    played = Played(name)

    for report in played.reports:
        if isinstance(report, Event):
            encode(report)
    assert {row.name for row in played.state.lints.rows()} <= EXPECTED


@pytest.mark.rule("ACP-131")
@pytest.mark.parametrize("name", [name for name in NAMES if "-v2" in name])
def test_lines_of_version_2_are_unknown_kinds_and_no_more(name: str) -> None:
    played = Played(name)

    assert {row.name for row in played.state.lints.rows()} <= {
        "unknown-kind",
        "stop-reason",
        "update-before-call",
        "unknown-terminal",
    }


@pytest.mark.rule("ACP-T80", "ACP-191")
@pytest.mark.skipif("kimicode-shell.jsonl" not in NAMES, reason="needs the capture")
def test_arguments_that_are_typed_are_never_shown_as_content() -> None:
    from craze.engine.tools import Tools

    tools, shown = Tools(), list[str]()
    for report in Played("kimicode-shell.jsonl").reports:
        if type(report).__name__ == "ToolPatch":
            event = tools.patch(report, Stamp(""))  # pyright: ignore[reportArgumentType]
            shown += [event.tool.content_text] if event and event.tool else []

    assert not [text for text in shown if text.lstrip().startswith("{")]


@pytest.mark.rule("ACP-T85")
@pytest.mark.parametrize("name", ["copilot-text.jsonl", "vibe-text.jsonl"])
def test_totals_of_real_agents_are_told_by_turn(name: str) -> None:
    from craze.engine.facts import Fact

    played = Played(name)

    turns: list[Any] = []
    told: Any = None
    for report in played.reports:
        if isinstance(report, Fact) and report.kind == "usage":
            told = json.loads(bytes(report.data)).get("turn")
        if isinstance(report, TurnEnded):
            turns.append(told)
    assert len(turns) == 3
    assert all(turn["output"] >= 0 for turn in turns)
