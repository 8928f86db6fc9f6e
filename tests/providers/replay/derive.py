"""What comes of a recording, and the wire it came from: what tests of the replayer look at."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from craze.cli import deriving
from craze.codec import Event, Record, State, decode, encode, event_schema
from craze.codec.validate import problems, validator_of
from craze.engine.facts import Lint
from craze.store.evidence import Evidence
from craze.store.lines import FactLine
from craze.store.reader import Damage
from craze.store.source import Source

ROOT = Path(__file__).parents[3]
CAPTURES = ROOT.parent / "shared" / "captures" / "acp"
WIRES = ROOT / "tests" / "fakes" / "wire"
GOLDEN = ROOT / "tests" / "golden" / "acp"
_VALIDATOR = validator_of(event_schema())


class Derived(NamedTuple):
    """Everything that came out of a recording, in order."""

    items: list[Record | FactLine | Damage]

    @property
    def bodies(self) -> list[bytes]:
        return [item.body for item in self.items if isinstance(item, Record)]

    @property
    def events(self) -> list[Event]:
        return [item.event for item in self.items if isinstance(item, Record)]

    @property
    def lints(self) -> dict[str, int]:
        """Each lint with its last count."""
        return {fact["name"]: fact["count"] for fact in self.facts("lint")}

    def facts(self, kind: str) -> list[Any]:
        return [json.loads(bytes(item.data)) for item in self.items if isinstance(item, FactLine) and item.kind == kind]

    def of(self, *kinds: str) -> list[Event]:
        return [event for event in self.events if event.type in kinds]

    @property
    def faults(self) -> list[str]:
        """What no recording may bring out: unbalanced openings, invalid or not canonical bytes."""
        evidence = Evidence(_misfit).gather(iter(self.items))
        odd = [body.decode() for body in self.bodies if encode(decode(body)) != body]
        return [*evidence.unbalanced, *evidence.faults, *odd]

    @property
    def summary(self) -> dict[str, Any]:
        """The whole in a few words and a sum of its bytes: for recordings whose text is not ours to keep."""
        ended = [event.turn for event in self.events if event.turn and event.turn.phase == "ended"]
        return {
            "events": dict(sorted(Counter(event.type for event in self.events).items())),
            "stops": [turn.err_class or turn.stop_reason for turn in ended],
            "lints": dict(sorted(self.lints.items())),
            "sha256": sha256(b"\n".join(self.bodies)).hexdigest()[:16],
        }


def derive(path: Path, part: int | None = None) -> Derived:
    return Derived(list(deriving.derived(Source("wire", (path,)), None, part)))


def golden_lines(found: Derived) -> Iterator[bytes]:
    """Events as the codec writes them but for those that list the commands of craze alone; lints where they were told."""
    for item in found.items:
        if isinstance(item, Record):
            state = item.event.state
            if state is None or state != State(slash=state.slash):
                yield item.body
        elif isinstance(item, FactLine) and item.kind == "lint":
            lint = msgspec.json.decode(item.data, type=Lint)
            yield json.dumps({"lint": lint.name, "count": lint.count}).encode()


def _misfit(record: Record) -> str:
    found = next(problems(json.loads(record.body), _VALIDATOR), None)
    return f"{found[0]}: {found[1]}" if found else ""


# ---- the wire


class Line(NamedTuple):
    """A message of a recording. `part`: its process, from 1; `live`: no session was being loaded or resumed."""

    dir: str
    message: dict[str, Any]
    part: int
    live: bool

    @property
    def update(self) -> dict[str, Any]:
        params = self.message.get("params") if self.message.get("method") == "session/update" else None
        return cast("dict[str, Any]", params).get("update", {}) if isinstance(params, dict) else {}


def wire(path: Path) -> list[Line]:
    """The messages of a recording in the rows of STORE-35."""
    lines: list[Line] = []
    process = 0
    loading: set[Any] = set()
    for text in path.read_text().splitlines():
        row = json.loads(text)
        if row["dir"] not in ("in", "out") or not str(row.get("line", "")).startswith("{"):
            continue
        message = json.loads(row["line"])
        if row["dir"] == "out" and message.get("method") == "initialize":
            process += 1
            loading.clear()
        if row["dir"] == "out" and message.get("method") in ("session/load", "session/resume"):
            loading.add(message["id"])
        if row["dir"] == "in" and "method" not in message:
            loading.discard(message.get("id"))
        lines.append(Line(row["dir"], message, process, not loading))
    return lines
