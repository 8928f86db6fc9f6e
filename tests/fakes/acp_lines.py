"""Updates straight into the translator, and the events that the engine's tools make of its patches."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Raw

from craze.codec import Event, Stamp, Tool
from craze.engine.ports import Report, ToolPatch
from craze.engine.tools import Tools
from craze.providers.acp.quirks import NONE, Quirks
from craze.providers.acp.translate import Translator

AT = Stamp("2026-01-01T00:00:00Z")


class Lines:
    """A session that is open, with or without an open prompt."""

    def __init__(self, prompt: str | None = "go", quirks: Quirks = NONE) -> None:
        self.state = Translator(quirks=quirks)
        self.state.session = "s"
        self.reports: list[Report] = []
        self.tools = Tools()
        self.shown: list[Event] = []
        if prompt is not None:
            self.state.prompted(prompt)

    def say(self, kind: str, /, session: str = "s", **fields: Any) -> list[Report]:
        """One update; the reports that it brought."""
        return self.raw({"sessionId": session, "update": {"sessionUpdate": kind, **fields}})

    def raw(self, params: Any) -> list[Report]:
        return self.take(self.state.update(Raw(json.dumps(params).encode()), AT))

    def take(self, reports: list[Report]) -> list[Report]:
        self.reports += reports
        for report in reports:
            event = self.tools.patch(report, AT) if isinstance(report, ToolPatch) else report
            if isinstance(event, Event):
                self.shown.append(event)
        return reports

    def text(self, said: str, /, **fields: Any) -> list[Report]:
        return self.say("agent_message_chunk", content={"type": "text", "text": said}, **fields)

    def call(self, name: str, /, **fields: Any) -> list[Report]:
        return self.say("tool_call", toolCallId=name, **fields)

    def update(self, name: str, /, **fields: Any) -> list[Report]:
        return self.say("tool_call_update", toolCallId=name, **fields)

    def tool(self, name: str = "t", agent: str = "") -> Tool:
        """The call as last shown."""
        found = self.tools.get(name, agent)
        assert found is not None
        return found

    def events(self, *types: str) -> list[Event]:
        return [event for event in self.shown if not types or event.type in types]

    def texts(self, kind: str = "text") -> list[str]:
        return [event.text for event in self.events(kind)]

    @property
    def lints(self) -> dict[str, int]:
        return {row.name: row.count for row in self.state.lints.rows()}
