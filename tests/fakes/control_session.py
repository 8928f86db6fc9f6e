"""A whole session over the control provider and a scripted agent: for tests of what a front end sees."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from craze.codec import Stamp
from craze.engine.clock import LoopClock
from craze.engine.core import Core
from craze.engine.facts import Policies
from craze.engine.ports import Mark, Row, Start
from craze.engine.session import Session
from craze.engine.situation import Settings
from craze.providers.control.declaration import Declaration
from craze.providers.control.machine import Machine
from craze.providers.control.provider import ControlProvider
from craze.providers.control.toolserver import ToolServer
from craze.store.memory import MemoryLog
from tests.fakes.acp_session import Stage
from tests.fakes.tape import Tape

Step = dict[str, Any]
DEMO = (sys.executable, "-m", "craze.demo.control")
ROOT = Path(__file__).resolve().parents[2]
GREET: Step = {"greet": {"claude_code_version": "demo", "current_permission_mode": "default"}}
SEED: Step = {"greet": {}}
PROMPT: Step = {"expect": {"type": "user"}}


class ControlStage(Stage):
    """A session with an agent of the control kind."""

    def frames(self, kind: str = "", subtype: str = "") -> list[dict[str, Any]]:
        """What was written, by its `type` and the subtype of a request."""
        return [
            line
            for line in self.sent()
            if kind in ("", line.get("type")) and subtype in ("", line.get("request", {}).get("subtype"))
        ]

    def answers(self, request: object = None) -> list[dict[str, Any]]:
        """The answers to requests of the agent, those to one id."""
        found = [line["response"] for line in self.frames("control_response")]
        return [each for each in found if request is None or each["request_id"] == request]

    def bodies(self, request: object) -> list[Any]:
        return [each.get("response", each.get("error")) for each in self.answers(request)]

    def last_of(self, kind: str, key: str = "") -> dict[str, Any]:
        """The newest fact of a kind."""
        return self.facts(kind)[-1]


@asynccontextmanager
async def control(
    folder: Path,
    *steps: Step,
    argv: tuple[str, ...] = DEMO,
    start: Start | None = None,
    policies: Policies | None = None,
    servers: Iterable[ToolServer] = (),
    replays: bool = True,
    **declared: Any,
) -> AsyncIterator[ControlStage]:
    """A session whose agent plays these steps (or the demo's own scripts, or is `argv`), begun; at the end it is closed,
    and its capture must come to the same events and lines again, unless `replays` is off."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    if steps:
        script = folder / "steps.jsonl"
        script.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
        argv = (*DEMO, str(script))
    clock = LoopClock()
    served = tuple(servers)
    ids = {"session": "01890a5d-ac96-774b-bcce-b302099a8057", "incarnation": "i-1"}
    names = {"served": tuple(server.name for server in served), "env": {"PYTHONPATH": str(ROOT)}}
    declaration = Declaration(argv=argv, **{**ids, **names, **declared})
    provider = ControlProvider(declaration, clock, lambda: Machine(served))
    begin = start or Start(workspace=str(work))
    built_from = Settings(policies=policies or Policies())
    core = Core(built_from, session="craze-session", start=begin)
    began = clock.now()
    tape = Tape(
        folder / "captures", began, settings=built_from, start=begin, declaration=declaration, provider="control"
    )
    rows: list[ControlStage] = []

    def capture(row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
        rows[0].capture(row, payload, at, mark, size)
        tape.capture(row, payload, at, mark, size)

    session = Session(core, provider, clock=clock, log=MemoryLog(), capture=capture, began=began)
    made = ControlStage(session, provider, work)
    rows.append(made)
    following = asyncio.get_running_loop().create_task(made.follow())
    await asyncio.sleep(0)
    session.begin()
    try:
        yield made
    finally:
        async with asyncio.timeout(30):
            await session.close()
            await following
    difference = await tape.difference(made.items)
    if replays and difference:
        raise AssertionError(difference)
