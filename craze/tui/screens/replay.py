"""The replay screen: a stored session drawn like a live one, with a transport bar in place of the composer.

Nothing is sent and nothing is kept: its session refuses every wish, and asks close by their recorded ending.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from textual import on
from textual.app import ComposeResult

from craze.codec import CodecError, Record
from craze.tui.bridge import Bridge, Frame
from craze.tui.desk import Desk, Replay
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.dialogs.ask_slot import AskSlot
from craze.tui.dialogs.search import SearchLine
from craze.tui.keys import bindings
from craze.tui.panels.transport_bar import ROWS, TransportBar, nearest
from craze.tui.screens.feed import Feed
from craze.tui.screens.reading import Reading
from craze.tui.screens.searching import Searching
from craze.tui.screens.under import UnderDialogs
from craze.tui.scrub import line
from craze.tui.timeline import Timeline
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.view import TranscriptView

TICK: Final = 0.25
TRANSCRIPT: Final = 3
ENDS: Final = "the recording ends here, in the middle of a turn"


class ReplayScreen(UnderDialogs, inherit_bindings=False):
    """Plays one stored session, from the event `first` on; dismissed when the person leaves. `by_escape` puts a text on
    the terminal's clipboard."""

    BINDINGS = bindings(
        "focus.next",
        "focus.previous",
        "transcript.detail",
        "transcript.search",
        "transcript.copy_reply",
        "transcript.page_up",
        "transcript.page_down",
        "transcript.top",
        "transcript.bottom",
        "transcript.focus",
    )
    DEFAULT_CSS = """
    ReplayScreen { layout: vertical; overflow: hidden; background: $background; }
    ReplayScreen TranscriptView { height: 1fr; }
    """

    def __init__(
        self,
        replay: Replay,
        desk: Desk,
        brush: Brush,
        by_escape: Callable[[str], bool],
        *,
        first: int = 0,
        factor: float = 1.0,
        fps: int = 30,
    ) -> None:
        super().__init__()
        self.replay, self.first, self.fps = replay, first, fps
        self.transcript = TranscriptView(brush)
        self.asks = AskSlot(lambda: None, lambda: self.transcript.brush, locked=True)
        self.finder = SearchLine()
        self.bar = TransportBar(Timeline(replay.times, replay.turns), line(replay.title), recorded(replay.recorded))
        self.bar.set_reactive(TransportBar.speed, nearest(factor))
        self.feed = Feed(replay.session, self.transcript, seen=self._seen, settled=self._settled)
        self.searching = Searching(
            self.finder, self.transcript, self.feed, home=self.bar.focus, fit=self.refresh, say=self._say
        )
        self.reading = Reading(
            self,
            replay.session,
            self.transcript,
            desk.workspace,
            by_escape=by_escape,
            say=lambda text, _: self._say(text),
            later=self.run_worker,
        )
        self._bridge: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.asks
        yield self.finder
        yield self.bar

    # ---- life and frames

    def on_mount(self) -> None:
        self.finder.display = False
        self.bar.focus()
        session = self.replay.session
        bridge = Bridge(session.subscribe(), lambda: session.view, self.post_message, fps=self.fps)
        self._bridge = asyncio.get_running_loop().create_task(bridge.run())
        self.set_interval(TICK, self._show_state)
        self._pace()
        if self.first > 1:
            self.replay.control.seek(self.first)
        self.replay.control.play()

    async def leave(self) -> None:
        """Stop to play; the session is closed."""
        if self._bridge:
            self._bridge.cancel()
        self.feed.stop()
        await self.replay.session.close()
        self.dismiss(None)

    def on_frame(self, frame: Frame) -> None:
        self.feed.take(frame)
        self.bar.seq = frame.view.seq
        self.asks.show(frame.view)
        self._show_state()
        self._fit()
        self.call_after_refresh(frame.handled.set)

    def _seen(self, records: Sequence[Record]) -> None:
        """An event that cannot be read is said with its number; the transcript shows nothing of it."""
        for record in records:
            try:
                _ = record.event
            except CodecError:
                self.bar.told = f"event {record.seq} cannot be read"

    def _settled(self) -> None: ...

    def _say(self, text: str) -> None:
        self.bar.told = text

    def _show_state(self) -> None:
        control, view = self.replay.control, self.replay.session.view
        self.bar.playing, self.bar.ended = control.playing, control.ended
        if control.ended and view.turn:
            self.bar.told = ENDS
        elif self.bar.told == ENDS:
            self.bar.told = ""

    def _fit(self) -> None:
        """The panel of an ask takes what it wishes, as long as the transcript keeps its rows."""
        width, height = self.size
        wished, _ = self.asks.wished(width)
        self.asks.styles.height = max(0, min(wished, height - ROWS - TRANSCRIPT - 1))

    def on_resize(self) -> None:
        self._fit()

    @on(AskPanel.Resized)
    def _ask_resized(self) -> None:
        self._fit()

    # ---- driving

    @on(TransportBar.Seek)
    def _seek(self, message: TransportBar.Seek) -> None:
        self.bar.told = ""
        self.replay.control.seek(message.seq)

    @on(TransportBar.Wanted)
    async def _wanted(self, message: TransportBar.Wanted) -> None:
        control = self.replay.control
        match message.what:
            case "play" if control.playing and not control.ended:
                control.pause()
            case "play" | "start":
                control.play()
            case "step":
                control.pause()
                control.step(1)
            case "pace":
                self._pace()
            case _:
                await self.leave()
        self._show_state()

    def _pace(self) -> None:
        self.replay.control.speed(self.bar.factor, cut_idle=self.bar.cut_idle)

    # ---- reading

    @on(AskPanel.ViewFull)
    def _full(self, message: AskPanel.ViewFull) -> None:
        self.reading.read(message.title, message.text)

    @on(AskPanel.NextAsk)
    def _next_ask(self) -> None:
        self.asks.next()

    @on(TranscriptView.OpenViewer)
    def _viewer(self, message: TranscriptView.OpenViewer) -> None:
        self.reading.read_block(message)

    @on(TranscriptView.OpenLink)
    def _link(self, message: TranscriptView.OpenLink) -> None:
        self.reading.ask_to_open(message.target)

    @on(TranscriptView.Copy)
    def _copy(self, message: TranscriptView.Copy) -> None:
        self.reading.copy(message.text)

    @on(TranscriptView.OpenChild)
    def _child(self, message: TranscriptView.OpenChild) -> None:
        self.transcript.show(message.agent)
        self.bar.told = "a sub-agent's transcript · esc back"

    @on(TranscriptView.Leave)
    @on(AskSlot.Emptied)
    def _leave_part(self) -> None:
        self.transcript.show(None)
        self.bar.told = ""
        self.searching.leave()

    # ---- search

    @on(SearchLine.Changed)
    def _find_changed(self, message: SearchLine.Changed) -> None:
        self.transcript.search(message.query, message.regex)

    @on(SearchLine.Moved)
    def _find_moved(self, message: SearchLine.Moved) -> None:
        self.transcript.move_hit(message.step)

    @on(SearchLine.Closed)
    def _find_closed(self, message: SearchLine.Closed) -> None:
        self.searching.close(message)

    @on(TranscriptView.Found)
    def _found(self, message: TranscriptView.Found) -> None:
        self.searching.found(message)

    # ---- keys of the whole screen

    def action_next_part(self) -> None:
        (self.bar if self.transcript.has_focus else self.transcript).focus()

    def action_previous_part(self) -> None:
        self.action_next_part()

    def action_to_transcript(self) -> None:
        self.transcript.focus()

    @on(TranscriptView.Find)
    def action_find(self) -> None:
        self.searching.begin()

    def action_detail(self) -> None:
        self.transcript.toggle_all()

    def action_copy_reply(self) -> None:
        self.reading.copy_reply()

    def action_page_up(self) -> None:
        self.transcript.page(-1)

    def action_page_down(self) -> None:
        self.transcript.page(1)

    def action_top(self) -> None:
        self.transcript.to_top()

    def action_bottom(self) -> None:
        self.transcript.follow()


def recorded(at: str) -> str:
    """A time of a file as the local date and time; what is none as it is."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M") if at else ""
    except ValueError:
        return line(at)
