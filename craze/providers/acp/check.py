"""`craze agents check`: what an agent does that it should not, told by the lints of one short session."""

from __future__ import annotations

import asyncio

from craze.codec import Permission, Plan, Stamp, exception
from craze.engine.answers import AnswerValue, Judge, OpenAsk, Pick, Skip
from craze.engine.clock import LoopClock
from craze.engine.ports import (
    AskOpened,
    Gone,
    Mark,
    Opened,
    Prompt,
    PromptBack,
    Report,
    Returned,
    Row,
    Start,
    TurnEnded,
    TurnFailed,
)
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration
from craze.providers.lints import LintRow


async def check(declaration: Declaration, folder: str, prompt: str = "") -> tuple[LintRow, ...]:
    """Open a session, give it one prompt if there is one, close it. Whatever is asked is refused.

    Raises:
        ProviderError: No session could be opened, or the agent went away.
    """
    clock = LoopClock()
    provider = AcpProvider(declaration, clock)
    listener = _Listener(provider)
    clock.bind(lambda timer: provider.fired(timer, clock.now()))
    try:
        provider.open(Start(workspace=folder), listener, _unkept)
        await listener.over
        if prompt:
            listener.over = asyncio.get_running_loop().create_future()
            provider.prompt("turn-1", Prompt(text=prompt))
            await listener.over
    finally:
        await provider.close(2.0)
        clock.stop()
    return provider.lints


class _Listener:
    """A sink that waits for one ending after the other."""

    def __init__(self, provider: AcpProvider) -> None:
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._provider = provider

    def report(self, at: Stamp, *reports: Report) -> None:
        for report in reports:
            match report:
                case AskOpened():
                    self._provider.answer(report.key, _refusal(report.ask))
                case Opened() | TurnEnded() | TurnFailed() | PromptBack():
                    self._end(None)
                case Gone():
                    self._end(exception(report.failure))
                case Returned(failure=failure) if failure is not None:
                    self._end(exception(failure))
                case _:
                    pass

    def may_wake(self) -> bool:
        return False

    def _end(self, error: Exception | None) -> None:
        if self.over.done():
            return
        if error is None:
            self.over.set_result(None)
        else:
            self.over.set_exception(error)


def _refusal(ask: OpenAsk) -> AnswerValue | None:
    match ask.body:
        case Permission(options=options):
            rejects = [option.option_id for option in options if option.kind.startswith("reject")]
            return Pick(option=rejects[0]) if rejects else None
        case Plan():
            return Judge(accepted=False)
        case _:
            return Skip()


def _unkept(row: Row, payload: bytes, at: Stamp, mark: Mark = "", size: int = 0) -> None:
    """A check is not captured."""
