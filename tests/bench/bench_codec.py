"""Speed and memory of the codec: the bars CODEC-130 to CODEC-139."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import repeat
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

import msgspec
import orjson

from craze.codec import (
    Diff,
    Event,
    Queued,
    Record,
    State,
    Tool,
    ToolOutput,
    Turn,
    decode,
    decode_lines,
    encode,
    iter_records,
    stamp,
)
from craze.codec.lenient import read
from tests.bench import Bar, Candidate, Compare, Figure, Measurement

_START = 1_789_813_845_123_456_789
_BLOCK = 64 << 10
_MIB = 1 << 20
_PROSE = (
    "the test reads a file and then writes what it found into another one because the parser expects every line "
    "to end with a newline while nothing in this function checks for it"
)
_WORDS = _PROSE.split()
_BEYOND_ASCII = ("naïve", "→", "“quoted”", "—")

typed = msgspec.json.Decoder(Event).decode
write = msgspec.json.Encoder().encode


@cache
def events(count: int) -> list[Event]:
    """70 % text, 8 % thought, 15 % tool, 7 % others, all with `at`."""
    dice = random.Random(count)
    return [_event(dice, dice.random(), number) for number in range(count)]


def _event(dice: random.Random, luck: float, number: int) -> Event:
    def words(least: int, most: int) -> str:
        some = [dice.choice(_WORDS) for _ in range(dice.randint(least, most))]
        if dice.random() < 0.1:
            some[0] = dice.choice(_BEYOND_ASCII)
        return " ".join(some)

    at = stamp(_START + number * 7_654_321)
    if luck < 0.78:
        return Event("text" if luck < 0.70 else "thought", text=words(4, 32), at=at)
    if luck < 0.93:
        path = f"src/{dice.choice(_WORDS)}.py"
        call = Tool(
            id=f"call-{number}",
            name="edit",
            status="completed",
            kind="edit",
            title=f"Edit {path}",
            tool_name="Edit",
            raw_input=f'{{"path":"{path}","text":"{words(4, 9)}"}}',
            locations=(f"{path}:{number % 900}",),
            output=ToolOutput(exit_code=0, stdout=words(10, 20) + "\n"),
            diffs=(Diff(path=path, old_text=words(4, 9), new_text=words(4, 9), added=1, removed=1),),
            at=at,
        )
        return Event("tool", tool=call, at=at)
    others = (
        Event("done", stop_reason="end_turn", at=at),
        Event("meta", state=State(mode="plan"), cause=f"client-1/{number}", at=at),
        Event("queue", queue=Queued(id="row-1", text=words(5, 20), queued_at=at), queue_change="queued", at=at),
        Event("turn", turn=Turn(id="turn-1", phase="started", text=words(5, 20), origin="submit"), at=at),
    )
    return dice.choice(others)


@cache
def lines(count: int) -> list[bytes]:
    return [encode(event) for event in events(count)]


def blocks(source: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The lines in groups that fill one block each."""
    group: list[bytes] = []
    for line in source:
        group.append(line)
        if sum(map(len, group)) + len(group) >= _BLOCK:
            yield group
            group = []
    yield group


def each(work: Callable[[bytes], object], items: Iterable[object]) -> Callable[[], None]:
    """Runs `work` over all items and keeps nothing."""

    def run() -> None:
        for item in items:
            work(item)  # type: ignore[arg-type]

    return run


def _reading(quick: bool) -> dict[str, Candidate]:
    source = lines(5_000 if quick else 20_000)
    grouped = list(blocks(source))
    joined = [b"\n".join(group) + b"\n" for group in grouped]
    model = _pydantic_model()
    return {
        "orjson": each(orjson.loads, source),
        "orjson, by block": each(lambda group: [orjson.loads(line) for line in group], grouped),
        "typed": each(typed, source),
        "decode_lines": each(decode_lines, joined),
        "decode": each(decode, source),
        "pydantic": each(model, source),
        "lenient": each(partial(read, Event), source),
    }


def _writing(quick: bool) -> dict[str, Candidate]:
    made = events(5_000 if quick else 20_000)
    return {
        "orjson.dumps": each(orjson.dumps, [orjson.loads(encode(event)) for event in made]),
        "typed encoder": each(write, made),
        "encode": each(encode, made),
    }


def _long_line(quick: bool) -> dict[str, Candidate]:
    # Both lengths are beyond what an allocator keeps for reuse, so that both pay for fresh pages.
    half, whole = (encode(Event("text", text="abcdefg\\" * (size * _MIB // 9))) for size in (36, 72))
    return {
        "orjson": partial(orjson.loads, whole),
        "decode": partial(decode, whole),
        "two of half the length": lambda: [_read(cut(half, 500)) for _ in range(2)],
        "in 1000 blocks": lambda: _read(cut(whole, 1000)),
    }


def cut(line: bytes, pieces: int) -> list[bytes]:
    size = len(line) // pieces + 1
    return [line[start : start + size] for start in range(0, len(line), size)]


def _read(blocks: Iterable[bytes]) -> int:
    return sum(isinstance(found, Record) for found in iter_records(blocks, max_line=128 << 20))


def _imports(_: bool) -> dict[str, Candidate]:
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import craze.codec": [sys.executable, "-c", "import craze.codec"],
    }


def _held_event(quick: bool) -> float:
    """Bytes of memory of one event whose line has 200 bytes."""
    line = next(line for line in lines(5_000) if 195 <= len(line) <= 205 and line.startswith(b'{"type":"text"'))
    count = 1_000 if quick else 10_000
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    held = [decode(line) for _ in repeat(None, count)]
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / len(held)


# The peak is that of the address space: `ru_maxrss` of a child begins at its parent's.
_STREAM = """
import re, sys
from craze.codec import Record, iter_records
def blocks():
    with open(sys.argv[1], "rb") as file:
        while block := file.read(65536):
            yield block
def peak():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\\s*([0-9]+) kB", status.read())[1])
seen = (found.event for found in iter_records(blocks()) if isinstance(found, Record))
next(seen)
before = peak()
assert sum(1 for _ in seen) > 1000
print(peak() - before)
"""


def _streamed_growth(quick: bool) -> float:
    """MiB by which the peak memory of a process grows while it reads a large file, event by event."""
    block = b"".join(Record.of(seq, line).envelope() + b"\n" for seq, line in enumerate(lines(5_000), 1))
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        for _ in range((10 * _MIB if quick else 100_000_000) // len(block) + 1):
            file.write(block)
        file.flush()
        run = subprocess.run([sys.executable, "-c", _STREAM, file.name], check=True, capture_output=True, text=True)
    return int(run.stdout) / 1024


_BOUNDS = ("ge", "le", "min_length", "max_length")


def _pydantic_model() -> Callable[[bytes], object]:
    """What reads the same shapes with pydantic; its models are made from the structs."""
    from pydantic import BaseModel, ConfigDict, Field, create_model

    def swapped(kind: object) -> object:
        arguments = get_args(kind)
        if get_origin(kind) is Annotated:
            bounds = {name: getattr(meta, name) for meta in arguments[1:] for name in _BOUNDS if getattr(meta, name)}
            return Annotated[swapped(arguments[0]), Field(**bounds)]
        if get_origin(kind) is tuple:
            return tuple[swapped(arguments[0]), ...]  # type: ignore[misc]
        if isinstance(kind, UnionType) or get_origin(kind) is Union:
            return Union[tuple(swapped(member) for member in arguments)]  # noqa: UP007
        return model(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else kind

    @cache
    def model(kind: type[msgspec.Struct]) -> type[BaseModel]:
        fields: dict[str, object] = {}
        for field in msgspec.structs.fields(kind):
            default = ... if field.required else None if field.default is msgspec.NODEFAULT else field.default
            fields[field.name] = (swapped(field.type), Field(default, alias=field.encode_name))
        return create_model(kind.__name__, __config__=ConfigDict(frozen=True), **fields)  # type: ignore[call-overload]

    return model(Event).model_validate_json


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_reading,
        bars=[
            Bar(rule="CODEC-130", what="typed decoder", candidate="typed", baseline="orjson", limit=1.0),
            Bar(
                rule="CODEC-131", what="decode_lines", candidate="decode_lines", baseline="orjson, by block", limit=1.25
            ),
            Bar(rule="CODEC-132", what="decode", candidate="decode", baseline="orjson", limit=1.75),
            Bar(rule="CODEC-133", what="pydantic", candidate="pydantic", baseline="typed", limit=6, at_least=True),
            Bar(rule="CODEC-133", what="pydantic", candidate="pydantic", baseline="decode", limit=3.5, at_least=True),
            Bar(rule="CODEC-135", what="lenient way", candidate="lenient", baseline="decode", limit=40),
        ],
    ),
    Compare(
        candidates=_writing,
        bars=[
            Bar(rule="CODEC-134", what="typed encoder", candidate="typed encoder", baseline="orjson.dumps", limit=1.6),
            Bar(rule="CODEC-134", what="encode", candidate="encode", baseline="orjson.dumps", limit=2.5),
        ],
    ),
    Figure(rule="CODEC-136", what="bytes of a held event whose line has 200", measure=_held_event, limit=900),
    Figure(rule="CODEC-137", what="MiB of growth while reading 100 MB", measure=_streamed_growth, limit=16),
    Compare(
        candidates=_long_line,
        bars=[
            Bar(rule="CODEC-138", what="decode, one line of 72 MiB", candidate="decode", baseline="orjson", limit=2),
            Bar(
                rule="CODEC-138",
                what="that line in 1000 blocks",
                candidate="in 1000 blocks",
                baseline="two of half the length",
                limit=1.5,
            ),
        ],
    ),
    Compare(
        candidates=_imports,
        bars=[
            Bar(rule="CODEC-139", what="import", candidate="import craze.codec", baseline="python -c pass", limit=6),
        ],
    ),
]
