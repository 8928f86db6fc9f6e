"""The official SDK of the channel reads the same captures: whatever it finds in them, craze tells too."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from craze.cli import deriving
from craze.codec import Event, Record
from craze.store.lines import FactLine
from craze.store.source import Source

pytest.importorskip("claude_agent_sdk", reason="the official SDK is not installed (the extra `dev` has it)")

from claude_agent_sdk import (
    AssistantMessage,
    ResultMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from claude_agent_sdk._internal.message_parser import parse_message

CAPTURES = Path(__file__).resolve().parents[4] / "shared" / "captures" / "control"
ALL = sorted(CAPTURES.glob("*.jsonl"))
PLAYED_OTHERWISE = ("queue", "malformed")
"""Captures of a client that wrote several prompts at once, or broke its lines: craze does neither."""
pytestmark = pytest.mark.skipif(not ALL, reason="the captures are not beside this checkout")


class Told:
    """What the SDK makes of a capture."""

    def __init__(self, path: Path) -> None:
        self.messages: list[Any] = []
        for line in path.read_text().splitlines():
            row = json.loads(line)
            message = row.get("msg", {})
            if row["dir"] == "in" and message.get("type") in ("assistant", "user", "result"):
                self.messages.append(parse_message(message))

    def blocks(self, kind: type) -> list[Any]:
        found: list[Any] = []
        for message in self.messages:
            content = message.content if isinstance(message, AssistantMessage | UserMessage) else []
            synthetic = getattr(message, "error", None) or getattr(message, "model", "") == "<synthetic>"
            if isinstance(content, list) and not synthetic:
                found += [block for block in content if isinstance(block, kind)]
        return found

    @property
    def said(self) -> list[str]:
        """Texts of the model, the user's own left out."""
        texts: list[str] = []
        for message in self.messages:
            if isinstance(message, AssistantMessage) and not message.error and message.model != "<synthetic>":
                texts += [block.text for block in message.content if isinstance(block, TextBlock)]
        return texts

    @property
    def results(self) -> list[ResultMessage]:
        return [message for message in self.messages if isinstance(message, ResultMessage)]


def events(path: Path) -> tuple[list[Event], list[dict[str, Any]]]:
    items = list(deriving.derived(Source("wire", (path,))))
    usage = [json.loads(bytes(item.data)) for item in items if isinstance(item, FactLine) and item.kind == "usage"]
    return [item.event for item in items if isinstance(item, Record)], usage


@pytest.mark.parametrize("path", [p for p in ALL if p.stem.split(".")[0] not in PLAYED_OTHERWISE], ids=lambda p: p.stem)
def test_craze_tells_whatever_the_official_sdk_finds(path: Path) -> None:
    theirs, (ours, usage) = Told(path), events(path)
    agents = {event.agent for event in ours}
    said = ["".join(event.text for event in ours if event.type == "text" and event.agent == agent) for agent in agents]
    thought = "".join(event.text for event in ours if event.type == "thought")
    tools = {event.tool.id: event.tool for event in ours if event.tool}

    whole = [text.partition("…<")[0] for text in theirs.said]  # long texts of the captures are cut
    assert all(any(text in one for one in said) for text in whole)
    assert all(block.thinking in thought for block in theirs.blocks(ThinkingBlock))
    for use in theirs.blocks(ToolUseBlock):
        assert tools[use.id].name == use.name
        assert tools[use.id].raw_input
    for result in theirs.blocks(ToolResultBlock):
        assert tools[result.tool_use_id].status == ("failed" if result.is_error else "completed")
    ended = [event for event in ours if event.turn and event.turn.phase == "ended"]
    woken = [event for event in ours if event.foreign_turn and not event.foreign_turn.running]
    assert len(ended) + len(woken) == len(theirs.results)
    if theirs.results and path.stem.split(".")[0] != "resume":
        cost = Decimal(str(theirs.results[-1].total_cost_usd)).quantize(Decimal("1e-9"))
        assert Decimal(usage[-1]["cost"]["amount"] if "cost" in usage[-1] else "0").quantize(Decimal("1e-9")) == cost
