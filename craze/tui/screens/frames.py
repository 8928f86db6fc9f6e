"""Takes the frames of a session: into the transcript, into what is known of the moment, and onto the panels."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from craze.codec import Record
from craze.tui.bridge import Bridge, Frame
from craze.tui.moment import after
from craze.tui.screens import narration, restoring
from craze.tui.screens.attention import Attention
from craze.tui.screens.feed import Feed
from craze.tui.screens.milestones import READY, Milestones
from craze.tui.screens.parts import Parts
from craze.tui.screens.restoring import Restoring


class Frames:
    """Follows one session from its subscription on."""

    def __init__(self, parts: Parts, feed: Feed, restored: Restoring, milestones: Milestones) -> None:
        self._parts, self._feed, self._restoring, self._milestones = parts, feed, restored, milestones
        self._attention = Attention(parts.around)
        self._bridge: asyncio.Task[None] | None = None

    def begin(self) -> None:
        session, parts = self._parts.session, self._parts
        bridge = Bridge(session.subscribe(), lambda: session.view, parts.screen.post_message, fps=parts.config.tui.fps)
        self._bridge = asyncio.get_running_loop().create_task(bridge.run())

    def stop(self) -> None:
        """Read no more of the session."""
        if self._bridge:
            self._bridge.cancel()
        self._feed.stop()

    def take(self, frame: Frame) -> None:
        parts = self._parts
        before, parts.view = parts.view, frame.view
        if frame.view.status in READY:
            self._restoring.end(restoring.DONE)
        self._feed.take(frame)
        if parts.reader:
            for text in narration.changes(before, frame.view, parts.opening.agent):
                parts.widgets.transcript.note(text)
        parts.moment = after(parts.moment, (), frame.facts)
        for notice in parts.moment.notices:
            parts.say(notice.text, notice.severity)
        self._milestones.passed(before)
        parts.changed()
        self._attention.show(frame.view, parts.moment)
        parts.screen.call_after_refresh(frame.handled.set)

    def seen(self, records: Sequence[Record]) -> None:
        """The feed has drawn these."""
        self._parts.moment = after(self._parts.moment, records, ())
        self._restoring.drawn(ready=self._parts.ready)
