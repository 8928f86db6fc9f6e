"""Whatever events an agent can cause, all of it is drawn and nothing of it acts on the terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from craze.codec import Event, Record
from craze.tui.theme import Themes
from craze.tui.transcript.fold import Fold
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.parts import copied, parts
from craze.tui.transcript.window import Window
from tests.codec.strategies import known_events

PALETTE = Themes().get("craze-dark")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@pytest.mark.rule("TUI-4", "TUI-5", "TUI-20", "TUI-70", "TUI-72")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(known_events, max_size=12), st.sampled_from([40, 90, 150]), st.booleans())
def test_any_events_are_drawn_whole_and_harmless(events: list[Event], width: int, full: bool) -> None:
    fold = Fold()
    fold.fold(Record.of(seq, b"", event) for seq, event in enumerate(events, 1))

    for agent in {event.agent for event in events}:
        window = Window(fold.transcript(agent), Brush(palette=PALETTE, full=full), width, 300)
        window.settle()

        for row in window.rows:
            assert not CONTROL.search(row.line.text)
            assert row.line.strip.cell_length <= width
            assert "‹not drawn" not in row.line.text
        for block in window.transcript.blocks:
            texts = [copied(block), *(text for _, text in parts(block))]
            assert not any(CONTROL.search(text.replace("\n", "").replace("\t", "")) for text in texts)
