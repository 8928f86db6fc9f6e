"""Habits of agents, one small recording each: what comes of it stands in a golden file beside its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Golden
from tests.providers.replay.derive import GOLDEN, WIRES, derive, golden_lines

STORIES = sorted(WIRES.glob("*.jsonl"), key=lambda path: path.name)
ALONE = ["session_loaded_with_its_replay", "session_resumed_in_another_process"]


@pytest.mark.rule("ACP-T55", "STORE-16", "STORE-35", "STORE-36", "STORE-37")
@pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)
def test_the_story_comes_out_as_it_is_written_down(story: Path, golden: Golden) -> None:
    found = derive(story)

    assert found.faults == []
    golden(GOLDEN / story.name, b"".join(line + b"\n" for line in golden_lines(found)))


@pytest.mark.rule("STORE-37", "ACP-T46", "ENG-98")
@pytest.mark.parametrize("name", ALONE)
def test_its_second_process_alone_is_a_session_without_a_history(name: str, golden: Golden) -> None:
    found = derive(WIRES / f"{name}.jsonl", 2)

    assert found.faults == []
    golden(GOLDEN / f"{name}.second.jsonl", b"".join(line + b"\n" for line in golden_lines(found)))
