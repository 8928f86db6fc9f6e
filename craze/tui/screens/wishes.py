"""Sends what the person wants of the session, and says what became of it.

Prompts, queue verbs, cancels and answers have their result at once. What waits for the agent runs in a task of its own,
so that no key ever waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine

from craze.codec import Queued, State
from craze.engine.answers import AnswerValue
from craze.engine.facts import Severity
from craze.engine.intents import (
    Accepted,
    Answer,
    Aside,
    Authenticate,
    Cancel,
    CancelSubagent,
    Disarm,
    Intent,
    QueueEdit,
    QueueHold,
    QueueRemove,
    Reconnect,
    Refused,
    Result,
    SendNow,
    Set,
    Steer,
    Submit,
)
from craze.tui.desk import Library, Session
from craze.tui.panels.status_bar import mode_of, option
from craze.tui.prompt.drafts import Drafts
from craze.tui.screens.refusals import words

_log = logging.getLogger(__name__)


class Wishes:
    """The intents of one screen.

    Args:
        say: Shows a notice.
        changed: Told when something that the screen shows has changed without an event.
        sent: Told when a prompt was taken.
    """

    def __init__(
        self,
        session: Session,
        library: Library,
        drafts: Drafts,
        say: Callable[[str, Severity], None],
        changed: Callable[[], None],
        sent: Callable[[], None],
    ) -> None:
        self.session, self._library, self._drafts = session, library, drafts
        self._say, self._changed, self._sent = say, changed, sent
        self._tasks: set[asyncio.Task[object]] = set()
        self.wished_mode = ""
        self._next_mode = ""
        self.last_sent = ("", "")
        """Turn and text of the prompt that was sent last, to take it back."""

    # ---- prompts

    async def prompt(self, text: str, images: tuple[str, ...] = (), *, now: bool = False) -> None:
        """Submit, steer or send now; a refused text stays in the editor."""
        view = self.session.view
        intent: Intent = Submit(text=text, attachments=images)
        if now and view.turn:
            steers = "steer" in view.info.can and not images
            intent = Steer(text=text) if steers else SendNow(text=text, attachments=images)
        if isinstance(intent, Steer):
            self._took(text)
            self.later(self._steered(intent))
            return
        result = await self.session.send(intent)
        if isinstance(result, Refused):
            self._drafts.refused(text)
            self._say(words(result), "warning")
            return
        self.last_sent = (result.turn, text)
        self._took(text)

    def _took(self, text: str) -> None:
        self._drafts.accepted(text)
        self._sent()

    async def send_title(self, title: str) -> None:
        await self.send(Set(kind="title", value=title))

    async def _steered(self, intent: Steer) -> None:
        result = await self.session.send(intent)
        if isinstance(result, Refused):
            self._say(words(result), "warning")
            self._drafts.add(intent.text)

    async def cancel(self, *, hold: bool = False) -> None:
        """Stop what runs; `hold`: the rows that wait stay where they are."""
        view = self.session.view
        if hold and view.queue and not view.paused:
            await self.send(QueueHold(held=True))
        if view.turn:
            await self.send(Cancel(turn=view.turn))
        elif view.foreign:
            await self.send(Cancel(turn=view.foreign.id, foreign=True))
        elif view.asks:
            await self.send(Cancel())

    async def disarm(self) -> None:
        """Take a send-now back; the text of a row that it made returns."""
        result = await self.send(Disarm())
        if isinstance(result, Accepted) and result.text:
            self._drafts.add(result.text)

    # ---- the queue

    async def edit(self, row: Queued, text: str) -> None:
        if not text.strip():
            await self.remove(row)
            self._drafts.end_edit()
            return
        result = await self.send(QueueEdit(row=row.id, version=row.version, text=text))
        self._drafts.end_edit(keep=isinstance(result, Refused))

    async def move(self, row: Queued, position: int) -> None:
        await self.send(QueueEdit(row=row.id, version=row.version, position=position))

    async def remove(self, *rows: Queued) -> None:
        result = await self.send(QueueRemove(rows=tuple(row.id for row in rows)))
        if isinstance(result, Accepted):
            for row in rows:
                self._drafts.remember(row.text)

    async def take_back(self, row: Queued) -> None:
        """A waiting row into the composer."""
        result = await self.send(QueueRemove(rows=(row.id,)))
        if isinstance(result, Accepted):
            self._drafts.add(row.text)

    async def now(self, row: Queued) -> None:
        await self.send(SendNow(row=row.id))

    async def hold(self) -> None:
        await self.send(QueueHold(held=not self.session.view.paused))

    async def release(self) -> None:
        await self.send(QueueHold(held=False))

    # ---- what waits for the agent

    def set(self, *settings: Set) -> None:
        """Change settings one after another, up to the first that is refused."""
        self.later(self._set(settings))

    async def _set(self, settings: tuple[Set, ...]) -> None:
        for setting in settings:
            if setting is not settings[0] and not offered(self.session.view.state, setting):
                self._say(f"{setting.id} {setting.value} is not offered by this model", "warning")
                continue
            result = await self.session.send(setting)
            if isinstance(result, Refused):
                self._say(f"{setting.id or setting.kind} {setting.value}: {words(result)}", "error")
                return
            if setting.kind == "model":
                self._library.add_model(self.session.view.info.agent, setting.value)

    def next_mode(self) -> None:
        """The next mode in the agent's order; presses while one is on its way skip ahead."""
        found = option(self.session.view.state, "mode")
        modes = [each.value for each in found.select_values] if found else []
        if len(modes) < 2:
            return
        held = self._next_mode or self.wished_mode or mode_of(self.session.view.state)[0]
        wish = modes[(modes.index(held) + 1) % len(modes)] if held in modes else modes[0]
        self.to_mode(wish)

    def to_mode(self, wish: str) -> None:
        if self.wished_mode:
            self._next_mode = wish
        else:
            self.wished_mode = wish
            self.later(self._mode(wish))
        self._changed()

    async def _mode(self, wish: str) -> None:
        self.wished_mode, self._next_mode = wish, ""
        result = await self.session.send(Set(kind="mode", value=wish))
        wish, self.wished_mode, self._next_mode = self._next_mode, "", ""
        if isinstance(result, Refused):
            self._say(f"mode: {words(result)}", "error")
        elif wish and wish != mode_of(self.session.view.state)[0]:
            await self._mode(wish)
        self._changed()

    async def mode_then(self, mode: str, text: str) -> None:
        """A prompt that goes only when the mode is the wished one."""
        await self._mode(mode)
        if mode_of(self.session.view.state)[0] == mode:
            await self.prompt(text)

    def stop_child(self, agent: str) -> None:
        self.later(self.send(CancelSubagent(agent=agent)))

    def reconnect(self, *, refused: Callable[[Refused], None] | None = None) -> None:
        self.later(self._reconnect(refused))

    async def _reconnect(self, refused: Callable[[Refused], None] | None) -> None:
        result = await self.session.send(Reconnect())
        if isinstance(result, Refused):
            if refused:
                refused(result)
            else:
                self._say(words(result), "error")

    async def authenticate(self, method: str | None) -> Result:
        return await self.session.send(Authenticate(method=method))

    def aside(self, question: str, done: Callable[[Result], None]) -> None:
        self.later(self._aside(question, done))

    async def _aside(self, question: str, done: Callable[[Result], None]) -> None:
        done(await self.session.send(Aside(question=question)))

    # ---- answers

    async def answer(self, ask: str, answer: AnswerValue) -> Result:
        return await self.session.send(Answer(ask=ask, answer=answer))

    # ---- sending

    async def send(self, intent: Intent) -> Result:
        """Send; a refusal is said."""
        result = await self.session.send(intent)
        if isinstance(result, Refused):
            self._say(words(result), "warning")
        return result

    def later(self, work: Coroutine[object, object, object]) -> None:
        """Do something beside the keys."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("a wish failed", exc_info=error)
            self._say(f"craze failed inside: {error!r}", "error")

    @property
    def busy(self) -> bool:
        """Whether something that was wished is under way."""
        return bool(self._tasks)

    def stop(self) -> None:
        """End what is under way, but for the wish that asks for it: it may be the one that leaves for another session."""
        current = asyncio.current_task()
        for task in tuple(self._tasks):
            if task is not current:
                task.cancel()


def offered(state: State, setting: Set) -> bool:
    """Whether an option and its value are offered now: a switch of the model may take both away."""
    options = state.config.options if state.config else ()
    return any(
        each.id == setting.id and any(value.value == setting.value for value in each.select_values) for each in options
    )
