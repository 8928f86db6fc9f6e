"""The transcript behind 1 000 and behind 100 000 events, without a terminal around it: TUI-210 to TUI-217.

What Textual itself costs is the same for both and would hide a difference, so it is left out.
"""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Mapping
from functools import cache

from msgspec.structs import replace

from craze.codec import Event, Record, Tool, ToolOutput, Turn, encode, stamp
from craze.tui.theme import Themes
from craze.tui.transcript.fold import Fold
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.window import Window
from tests.bench import Bar, Candidate, Compare, Figure, Measurement

WIDTH, HEIGHT = 120, 30
NEWEST, PAGE = 2_000, 500
SHORT, LONG = 1_000, 100_000
_START = 1_789_813_845_000_000_000
_WORDS = ("the", "test", "reads", "a", "file", "and", "then", "writes", "what", "it", "found", "into", "another", "one")


@cache
def brush() -> Brush:
    return Brush(palette=Themes().get("craze-dark"))


@cache
def events(count: int, tools: bool = True) -> list[Record]:
    """Turns of four answers in chunks of four words, each with three calls behind it, unless `tools` is off."""
    dice = random.Random(count)
    found: list[Event] = []
    while len(found) < count:
        found.append(Event("turn", turn=Turn(id=f"t-{len(found)}", phase="started", text="go on", origin="submit")))
        for _ in range(4):
            found += [_chunk(dice) for _ in range(dice.randint(5, 30))]
            found += [_call(len(found) + at, dice) for at in range(3)] if tools else [Event("thought", text="hm")]
        found.append(Event("turn", turn=Turn(id=f"t-{len(found)}", phase="ended", stop_reason="end_turn")))
    return [_record(event, seq) for seq, event in enumerate(found[:count], 1)]


def _chunk(dice: random.Random) -> Event:
    end = " " if dice.random() < 0.9 else "\n\n"
    return Event("text", text=" ".join(dice.choices(_WORDS, k=4)) + end)


def _call(number: int, dice: random.Random) -> Event:
    kind = dice.choice(["read", "search", "edit", "execute"])
    output = ToolOutput(stdout="done\n")
    return Event(
        "tool", tool=Tool(id=f"c-{number}", status="completed", kind=kind, locations=("src/a.py",), output=output)
    )


def _record(event: Event, seq: int) -> Record:
    timed = replace(event, at=stamp(_START + seq * 7_654_321))
    return Record.of(seq, encode(timed), timed)


def opened(count: int, tools: bool = True) -> tuple[Fold, Window]:
    """The newest events folded and painted."""
    fold = Fold()
    fold.fold(events(count, tools)[-NEWEST:])
    window = Window(fold.transcript(), brush(), WIDTH, HEIGHT)
    window.settle()
    return fold, window


def settled(count: int) -> tuple[Fold, Window]:
    """All older pages put above, with the screen drawn after each."""
    fold, window = opened(count)
    records = events(count)
    for end in range(len(records) - NEWEST, 0, -PAGE):
        window.joined(fold.prepend(records[max(0, end - PAGE) : end])[""])
        window.settle()
    return fold, window


def _opening(_: bool) -> Mapping[str, Candidate]:
    # A page of 2 000 events against another: the shorter session has only 1 000.
    return {"1k events": lambda: opened(SHORT), "100k events": lambda: opened(LONG)}


def _acting(_: bool) -> Mapping[str, Candidate]:
    windows = {"1k": settled(SHORT), "100k": settled(LONG)}
    candidates: dict[str, Candidate] = {}
    for name, (fold, window) in windows.items():
        candidates[f"200 chunks, {name}"] = lambda fold=fold, window=window: _stream(fold, window, 200)
        candidates[f"50 resizes, {name}"] = lambda window=window: _resize(window, 50)
        candidates[f"50 pages up, {name}"] = lambda window=window: _page_up(window, 50)
    return candidates


def _stream(fold: Fold, window: Window, count: int) -> None:
    window.follow()
    for _ in range(count):
        fold.fold([_record(Event("text", text="some more words "), fold.last + 1)])
        window.changed()
        window.settle()
    fold.fold([_record(Event("turn", turn=Turn(id="x", phase="ended", stop_reason="end_turn")), fold.last + 1)])
    window.changed()
    window.settle()


def _resize(window: Window, count: int) -> None:
    window.follow()
    for at in range(count):
        window.resize(WIDTH - at % 2 * 20, HEIGHT)
        window.settle()


def _page_up(window: Window, count: int) -> None:
    window.resize(WIDTH, HEIGHT)
    window.follow()
    window.settle()
    for at in range(count):
        if at % 10 == 0:
            window.follow()
            window.settle()
        window.scroll(2 - HEIGHT)
        window.settle()


def _streaming(quick: bool) -> Mapping[str, Candidate]:
    lines = 5_000 if quick else 50_000
    return {
        f"fence, {'half' if share == 1 else 'whole'}": lambda share=share: _fence(lines * share) for share in (1, 2)
    }


def _fence(lines: int) -> None:
    fold = Fold()
    window = Window(fold.transcript(), brush(), WIDTH, HEIGHT)
    for seq, start in enumerate(range(0, lines, 20), 1):
        text = "".join(f"value_{at} = {at}\n" for at in range(start, start + 20))
        fold.fold([Record.of(seq, b"", Event("text", text=("```python\n" if seq == 1 else "") + text))])
        window.changed()
        window.settle()


def _memory(quick: bool, *, tools: bool) -> float:
    """MiB that the blocks and the layout take, for 100 000 events."""
    count = LONG // 10 if quick else LONG
    bodies = [Record.of(record.seq, record.body) for record in events(count, tools)]
    _settled(bodies[:SHORT])  # what draws a block is imported with the first one
    gc.collect()
    tracemalloc.start()
    held = _settled(bodies)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del held
    return grown / (1 << 20) * LONG / count


def _settled(bodies: list[Record]) -> Window:
    """A window over these events, which come in blocks as from a session."""
    fold = Fold()
    for start in range(0, len(bodies), 1_000):
        fold.fold(Record.of(record.seq, record.body) for record in bodies[start : start + 1_000])
        fold.transcript().take_changes()
    window = Window(fold.transcript(), brush(), WIDTH, HEIGHT)
    window.settle()
    return window


MEASUREMENTS: list[Measurement] = [
    Compare(
        candidates=_opening,
        bars=[Bar(rule="TUI-210", what="first paint", candidate="100k events", baseline="1k events", limit=2)],
    ),
    Compare(
        candidates=_acting,
        bars=[
            Bar(rule="TUI-213", what="stream", candidate="200 chunks, 100k", baseline="200 chunks, 1k", limit=1.3),
            Bar(rule="TUI-215", what="resize", candidate="50 resizes, 100k", baseline="50 resizes, 1k", limit=1.5),
            Bar(rule="TUI-215", what="page up", candidate="50 pages up, 100k", baseline="50 pages up, 1k", limit=1.5),
        ],
    ),
    Compare(
        candidates=_streaming,
        bars=[Bar(rule="TUI-217", what="streamed fence", candidate="fence, whole", baseline="fence, half", limit=2.3)],
        rounds=3,
    ),
    Figure(
        rule="TUI-211", what="MiB for 100k events of ordinary text", measure=lambda q: _memory(q, tools=False), limit=10
    ),
    Figure(
        rule="TUI-211",
        what="MiB for 100k events, every seventh a call",
        measure=lambda q: _memory(q, tools=True),
        limit=10,
    ),
]
