"""The bar of a replay: what plays and how far it is, with the keys that drive it."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive

from craze.tui.dialogs.rows import Hint, Hit, Row, Rows, RowsWidget, hint_row, text_row, title_row
from craze.tui.dialogs.typed import Typed, one_line
from craze.tui.keys import bindings
from craze.tui.lines import DIM, cells
from craze.tui.timeline import Timeline
from craze.tui.words import clock

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 0.0)
"""Factors; 0 is as fast as it can be."""

ROWS: Final = 3

REPLAY_KEYS: Final = (
    "replay.play",
    "replay.next_event",
    "replay.previous_event",
    "replay.next_turn",
    "replay.previous_turn",
    "replay.faster",
    "replay.slower",
    "replay.seek",
    "replay.start",
    "replay.end",
    "replay.goto",
    "replay.idle",
    "replay.choose",
    "replay.leave",
)


class TransportBar(RowsWidget, can_focus=True):
    """Says what the person wants of the replay, and moves nothing itself."""

    BINDINGS = bindings(*REPLAY_KEYS)
    DEFAULT_CSS = "TransportBar { height: 3; background: $background; }"

    seq: reactive[int] = reactive(0, init=False)
    """The number of the last event that is shown."""
    playing: reactive[bool] = reactive(True, init=False)
    ended: reactive[bool] = reactive(False, init=False)
    speed: reactive[int] = reactive(SPEEDS.index(1.0), init=False)
    cut_idle: reactive[bool] = reactive(True, init=False)
    told: reactive[str] = reactive("", init=False)
    typed: reactive[Typed | None] = reactive(None, init=False)

    class Wanted(Message):
        """`play` (or pause), `start`, `step`, `pace` or `leave`."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    class Seek(Message):
        """To the event of that number; 0 is the begin."""

        def __init__(self, seq: int) -> None:
            super().__init__()
            self.seq = seq

    def __init__(self, timeline: Timeline, title: str, recorded: str) -> None:
        super().__init__(self.rows)
        self.timeline, self._heading = (
            timeline,
            f"{title or 'untitled'} · recorded {recorded}".removesuffix(" · recorded "),
        )
        self._scale = (0, 0)
        """The first cell of the progress bar, and its length."""

    @property
    def factor(self) -> float:
        return SPEEDS[self.speed]

    # ---- drawing

    def rows(self, width: int, height: int) -> Rows:
        return [title_row(width, self._heading), self._progress(width), self._keys(width)]

    def _progress(self, width: int) -> Row:
        line, seq = self.timeline, self.seq
        speed = {0.0: "max", 0.25: "¼x", 0.5: "½x"}.get(self.factor, f"{self.factor:g}x")
        sign = "■" if self.ended else "▶" if self.playing else "‖"
        left = f" {sign} {speed:<3}  turn {line.turn(seq)}/{len(line.turns)}  "
        if line.timed and width >= 56:
            left += f"{clock(line.elapsed(seq))}/{clock(line.total)}  "
        right = f"  {seq}/{line.events}"
        room = max(4, width - cells(left) - cells(right) - 1)
        done = round(line.part(seq) * room)
        self._scale = (cells(left), room)
        text = Content.assemble(left, ("█" * done, "$primary"), ("░" * (room - done), "$rule"), (right, DIM))
        return Row(text, (Hit(1, 7, "play"),))

    def _keys(self, width: int) -> Row:
        if self.typed is not None:
            return Row(
                Content.assemble((" turn or time: ", DIM), one_line(self.typed, width - 17, active=self.has_focus))
            )
        if self.told:
            return text_row((f" {self.told}", DIM))
        idle = "true pauses" if self.cut_idle else "short pauses"
        hints = [
            Hint("space", "pause" if self.playing and not self.ended else "play", "play"),
            Hint("<", "", "previous_turn", joined=True),
            Hint(">", "turn", "next_turn"),
            Hint(",", "", "previous_event", joined=True),
            Hint(".", "step", "next_event"),
            Hint("+", "", "faster", joined=True),
            Hint("-", "speed", "slower"),
            Hint(":", "go to", "goto"),
            Hint("i", idle, "idle"),
            Hint("esc", "leave", "leave"),
        ]
        return hint_row(width, hints)

    def takes_click(self, event: events.Click) -> bool:
        start, length = self._scale
        if event.y != 1 or not start <= event.x < start + length:
            return True
        self.post_message(self.Seek(self.timeline.at((event.x - start + 0.5) / length)))
        return False

    # ---- keys

    def on_key(self, event: events.Key) -> None:
        if self.typed is not None and (changed := self.typed.take(event)) is not None:
            event.stop()
            event.prevent_default()
            self.typed = changed

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "choose" or self.typed is not None

    def action_play(self) -> None:
        if self.ended:
            self.post_message(self.Seek(0))
        self.post_message(self.Wanted("start" if self.ended else "play"))

    def action_next_event(self) -> None:
        self.post_message(self.Wanted("step"))

    def action_previous_event(self) -> None:
        self.post_message(self.Seek(max(0, self.seq - 1)))

    def action_next_turn(self) -> None:
        to = self.timeline.next_turn(self.seq)
        self.post_message(self.Seek(self.timeline.events if to is None else to))

    def action_previous_turn(self) -> None:
        self.post_message(self.Seek(self.timeline.previous_turn(self.seq)))

    def action_faster(self) -> None:
        self._pace(1)

    def action_slower(self) -> None:
        self._pace(-1)

    def _pace(self, by: int) -> None:
        self.speed = max(0, min(self.speed + by, len(SPEEDS) - 1))
        self.post_message(self.Wanted("pace"))

    def action_seek(self, tenth: int) -> None:
        self.post_message(self.Seek(self.timeline.at(tenth / 10)))

    def action_start(self) -> None:
        self.post_message(self.Seek(0))

    def action_end(self) -> None:
        self.post_message(self.Seek(self.timeline.events))

    def action_goto(self) -> None:
        self.typed = Typed()

    def action_choose(self) -> None:
        if self.typed is None:
            return
        to, text, self.typed = self.timeline.meant(self.typed.text), self.typed.text, None
        if to is None:
            self.told = f"no turn and no time: {text}" if text.strip() else ""
        else:
            self.told = ""
            self.post_message(self.Seek(to))

    def action_idle(self) -> None:
        self.cut_idle = not self.cut_idle
        self.post_message(self.Wanted("pace"))

    def action_leave(self) -> None:
        if self.typed is not None:
            self.typed = None
        else:
            self.post_message(self.Wanted("leave"))


def nearest(factor: float) -> int:
    """The place in `SPEEDS` that comes nearest to a factor."""
    if not factor:
        return len(SPEEDS) - 1
    return min(range(len(SPEEDS) - 1), key=lambda at: abs(SPEEDS[at] - factor))
