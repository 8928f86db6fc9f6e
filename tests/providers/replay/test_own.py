"""Captures of craze itself: whatever the agent does and the person wishes comes out again, event for event.

`stage` derives each session again from its capture when it closes and compares; so these tests only have to play.
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import pytest

from craze.codec import Permission, Plan
from craze.demo.scripts import SCRIPTS
from craze.engine.answers import Judge, OpenAsk, Pick, Skip
from craze.engine.facts import Policies
from craze.engine.intents import (
    Answer,
    Cancel,
    Disarm,
    Intent,
    QueueEdit,
    QueueHold,
    QueueRemove,
    Reconnect,
    SendNow,
    Set,
    Submit,
)
from craze.providers.acp.declaration import Timeouts
from tests.fakes.acp_session import Stage, stage
from tests.providers.replay.derive import ROOT

FAST = (sys.executable, "-m", "craze.demo", "--seed", "1", "--speed", "1000")
HERE = {"PYTHONPATH": str(ROOT)}
SLOW = (*FAST[:-1], "5")
ENDLESS = ("cancelslow", "cancelendturn", "cancelerror", "latecancel", "slow", "stall")
"""They are cancelled."""
STUCK = ("deaf", "noauth", "stubborn", "huge", "stderrflood", "bigdiff", "login")
"""No turn of theirs ends by itself, or they are only long."""
NAMES = [name for name in SCRIPTS if name not in STUCK]
PRESETS = [Policies(permission=preset, question=preset, plan=preset) for preset in ("all", "deny", "reads")]
pytestmark = pytest.mark.rule("STORE-14", "STORE-15", "STORE-16", "STORE-33", "ACP-199")


@pytest.mark.parametrize("policies", PRESETS, ids=lambda policies: policies.permission)
async def test_each_script_of_the_demo_under_each_preset_comes_out_again(tmp_path: Path, policies: Policies) -> None:
    async with stage(tmp_path, argv=FAST, env=HERE, policies=policies, fs=True) as test:
        for number, name in enumerate(NAMES, 1):
            await test.send(Submit(text=f"/{name}"))
            if name in ENDLESS:
                await test.send(Cancel())
            await ended(test, number)


async def test_files_that_a_prompt_names_are_those_that_were_read_then(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.py").write_text("before")
    async with stage(tmp_path, argv=FAST, env=HERE) as test:
        await test.turn("look at @a.py and @none.py")
        (folder / "a.py").unlink()  # the capture alone says what it held

    assert "before" in str(test.sent("session/prompt"))


@pytest.mark.rule("ACP-T66", "ACP-92")
async def test_a_file_outside_is_asked_for_again_where_it_is_not(tmp_path: Path) -> None:
    async with stage(tmp_path, argv=FAST, env=HERE, policies=PRESETS[0], fs=True) as test:
        await test.turn("/fsoutside")


@pytest.mark.rule("ACP-T93", "ACP-26")
async def test_an_agent_that_never_answers_fails_to_start_again(tmp_path: Path) -> None:
    waits = Timeouts(initialize=0.05)
    deaf: list[dict[str, object]] = [{"expect": {"method": "initialize"}}, {"expect": {}}]
    async with stage(tmp_path, *deaf, timeouts=waits) as test:
        await test.until(lambda: test.session.view.status == "stopped")

    assert ("timer", b"provider:request:1", "") in test.rows


@pytest.mark.rule("STORE-16", "ENG-135")
@pytest.mark.parametrize("seed", range(6))
async def test_whatever_a_person_does_comes_out_again(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    async with stage(tmp_path, argv=SLOW, env=HERE, fs=True) as test:
        for _ in range(24):
            if (intent := wish(test, chance)) is not None:
                sent = asyncio.ensure_future(test.send(intent))
                await next_news(test, chance.randrange(12))
                if chance.random() < 0.5:
                    await sent


async def ended(test: Stage, number: int) -> None:
    """Until this many turns have ended; what no preset answers is skipped meanwhile."""

    def turns() -> int:
        return len([event for event in test.of("turn") if event.turn and event.turn.phase == "ended"])

    while turns() < number:
        await test.until(lambda: turns() >= number or test.session.view.asks)
        for ask in test.session.view.asks:
            await test.send(answer(ask, random.Random(number)))


def wish(test: Stage, chance: random.Random) -> Intent | None:
    view = test.session.view
    if view.asks and chance.random() < 0.6:
        return answer(chance.choice(view.asks), chance)
    row = chance.choice(view.queue) if view.queue else None
    wishes: list[Intent | None] = [
        *(Submit(text=f"/{chance.choice(NAMES)}") for _ in range(4)),
        Cancel(),
        Reconnect(),
        Disarm(),
        SendNow(text="now"),
        QueueHold(held=chance.random() < 0.3),
        Set(kind="mode", value=chance.choice(["plan", "code", "none"])),
        Set(kind="title", value="A title"),
        QueueEdit(row=row.id, version=1, text="edited") if row else None,
        QueueRemove(rows=(row.id,)) if row else None,
    ]
    return chance.choice(wishes)


def answer(ask: OpenAsk, chance: random.Random) -> Intent:
    match ask.body:
        case Permission(options=options):
            return Answer(ask=ask.id, answer=Pick(option=chance.choice(options).option_id))
        case Plan():
            return Answer(ask=ask.id, answer=Judge(accepted=chance.random() < 0.5))
        case _:
            return Answer(ask=ask.id, answer=Skip())


async def next_news(test: Stage, count: int) -> None:
    """Until some more was published, or nothing is under way that could bring more."""
    seen = len(test.items) + count
    await test.until(lambda: len(test.items) >= seen or test.session.view.asks or not test.session.view.turn)
