"""Drives a core without a session: inputs go in, what it says comes out as short lines that a test can read."""

from __future__ import annotations

from msgspec.structs import replace

from craze.codec import Event, Failure, Permission, PermissionOption, Stamp, encode, stamp
from craze.engine.answers import OpenAsk
from craze.engine.core import Core
from craze.engine.facts import Can, Fact, Info
from craze.engine.intents import Intent, Result
from craze.engine.ports import AskOpened, Begin, Effect, Given, Kept, Opened, Start, Step, TimerFired
from craze.engine.situation import Settings
from craze.engine.view import View, fold, fold_fact

ALL: frozenset[Can] = frozenset(
    {"steer", "cancel_foreign", "cancel_subagent", "aside", "images", "edit_input", "feedback", "reopen", "logout"}
)


class Bench:
    """A core, the view that its words fold to, and everything it ever said or did."""

    def __init__(
        self,
        *,
        can: frozenset[Can] = ALL,
        settings: Settings | None = None,
        kept: Kept | None = None,
        numbers: dict[str, int] | None = None,
        start: Start | None = None,
        decide=lambda ask, tool, used: None,
        ready: bool = True,
    ) -> None:
        self.core = Core(
            settings or Settings(),
            session="s-1",
            start=start or Start(workspace="/work"),
            decider=decide,
            kept=kept,
            numbers=numbers,
        )
        self.can = can
        self.view = View()
        self.said: list[Event | Fact] = []
        self.did: list[Effect] = []
        self.results: dict[str, Result] = {}
        self._seconds = 0
        self._causes = 0
        self.give(Begin())
        if ready:
            self.ready()

    def ready(self) -> Step:
        return self.give((Opened(info=Info(agent="fake", version="1", provider_session="p-1", can=self.can)),))

    def give(self, given: Given, cause: str = "") -> Step:
        self._seconds += 1
        return self._took(self.core.take(given, stamp(self._seconds * 10**9), cause))

    def give_at(self, seconds: float, given: Given | str) -> Step:
        """An input, or a timer, so many seconds after the last input that `give` took."""
        at = stamp(int((self._seconds + seconds) * 1e9))
        return self._took(self.core.take(TimerFired(timer=given) if isinstance(given, str) else given, at))

    def _took(self, step: Step) -> Step:
        for item in step.out:
            self.view = fold_fact(self.view, item) if isinstance(item, Fact) else fold(self.view, item)
        self.said += step.out
        self.did += step.effects
        self.results.update(step.results)
        return step

    def report(self, *reports) -> list[str]:
        """What one line of the agent brings, as lines."""
        return lines(self.give(reports))

    def send(self, intent: Intent) -> Result | None:
        """The result of an intent, None while it waits."""
        self._causes += 1
        cause = f"c-1/{self._causes}"
        self.last = self.give(intent, cause)
        return self.results.get(cause)

    def fire(self, timer: str) -> list[str]:
        return lines(self.give(TimerFired(timer=timer)))

    def closed(self) -> list[str]:
        """The agent is closed for good: the last that is said."""
        self._seconds += 1
        return lines(self._took(self.core.closed(stamp(self._seconds * 10**9))))

    def effects(self) -> list[str]:
        """What was done by the last step, by name."""
        return [type(effect).__name__ for effect in self.last.effects]


def lines(step: Step) -> list[str]:
    """Each event as its bytes without time and cause, each fact as `kind key`."""
    return [line(item) for item in step.out]


def line(item: Event | Fact) -> str:
    if isinstance(item, Fact):
        return f"fact {item.kind} {bytes(item.data).decode()}"
    bare = replace(item, at=Stamp(""), cause="")
    if bare.queue:
        bare = replace(bare, queue=replace(bare.queue, queued_at=Stamp("")))
    if bare.tool:
        bare = replace(bare, tool=replace(bare.tool, at=Stamp("")))
    return encode(bare).decode()


def text(words: str) -> Event:
    return Event("text", text=words)


def failed(message: str = "boom", error_class: str = "rpc", code: int = -32603) -> Failure:
    return Failure(message=message, error_class=error_class, code=code)


def permission(key: str = "7", tool: str = "call-1", **more) -> AskOpened:
    options = (
        PermissionOption(option_id="once", name="Yes", kind="allow_once"),
        PermissionOption(option_id="no", name="No", kind="reject_once"),
    )
    return AskOpened(key=key, ask=OpenAsk(body=Permission(tool=tool, options=options), tool=tool), **more)
