"""Our prompts: written once what they mention is read, answered in the lane, cancelled at most once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec import Struct

from craze.codec import Failure, Stamp
from craze.engine.facts import Notice, fact
from craze.engine.limits import CANCEL_WRITE
from craze.engine.ports import Prompt, PromptBack, Report, Returned
from craze.providers.acp.connection import Reply
from craze.providers.acp.context import NO_TIME, Context
from craze.providers.acp.decode import read
from craze.providers.acp.link import MAX_BYTES, MAX_IMAGES, Attached, Wanted
from craze.providers.acp.prompts import without_images
from craze.providers.acp.results import PromptResult
from craze.transport.jsonrpc import BUSY, INVALID_PARAMS, INVALID_REQUEST

_BUSY_WORDS = ("busy", "already running", "in progress")


class Writing(Struct):
    """A prompt on its way: `attached` once what it mentions is read."""

    turn: str
    prompt: Prompt
    attached: Attached | None = None
    again: bool = False


class Prompting:
    """At most one prompt is open. `wants_login` tells that the agent wants a sign-in."""

    def __init__(self, context: Context, wants_login: Callable[[], list[Report]]) -> None:
        self._context, self._wants_login = context, wants_login
        self._reading: Writing | None = None
        self._turn = ""
        self._cancel_line = 0
        self.idle = asyncio.Event()
        self.idle.set()

    def prompt(self, turn: str, prompt: Prompt) -> None:
        agent, outside = self._context.agent, self._context.outside
        writing = self._reading = Writing(turn, prompt)
        limits = agent.image_limits
        wanted = Wanted(
            prompt,
            embed=agent.embeds,
            images=agent.images,
            max_bytes=min(MAX_BYTES, limits.max_bytes or MAX_BYTES),
            max_images=min(MAX_IMAGES, limits.max_images_per_turn or MAX_IMAGES),
        )
        outside.attach(wanted, lambda attached: self._read(writing, attached))

    def cancel(self) -> None:
        context = self._context
        prompt, live = context.state.prompt, context.live
        if self._reading is not None:
            self._reading = None
            context.report(NO_TIME, PromptBack(reason="prompt_cancelled"))
        elif prompt is not None and not prompt.cancelled and live and live.link:
            sent = live.notify("session/cancel", {"sessionId": context.state.session})
            context.state.cancelled()
            if sent:
                self._cancel_line = sent.number
                if live.link.waiting(sent.number):
                    context.clock.later(CANCEL_WRITE, f"provider:cancel:{self._turn}")

    def stuck(self, turn: str, at: Stamp) -> None:
        """The time in which the cancel had to be taken is over."""
        live = self._context.live
        if turn == self._turn and live and live.link and self._cancel_line and live.link.waiting(self._cancel_line):
            self._context.report(at, self._cancel_failed("the agent does not read what is written to it"))

    def undelivered(self, number: int) -> list[Report]:
        return [self._cancel_failed("the agent's input is closed")] if number == self._cancel_line else []

    def over(self) -> None:
        """No answer comes any more."""
        self._reading, self._cancel_line = None, 0
        self.idle.set()

    def _cancel_failed(self, why: str) -> Returned:
        self._cancel_line = 0
        return Returned(call="cancel", failure=Failure(message=why, error_class="other", code=0))

    def _read(self, writing: Writing, attached: Attached) -> None:
        if self._reading is not writing:
            return  # withdrawn meanwhile
        self._reading = None
        writing.attached = attached
        self._write(writing, attached.blocks, attached.notices)

    def _write(self, writing: Writing, blocks: tuple[dict[str, object], ...], notices: tuple[str, ...]) -> None:
        context = self._context
        live = context.live
        if live is None:
            return  # the end of the agent ends the turn
        self._turn, self._cancel_line = writing.turn, 0
        self.idle.clear()
        context.state.prompted(writing.prompt.text)
        params: dict[str, object] = {"sessionId": context.state.session, "prompt": blocks}
        sent = live.request("session/prompt", params, 0, lambda reply, at: self._answered(writing, reply, at))
        if notices and sent:
            context.report(sent.at, *(fact(Notice(severity="info", text=text)) for text in notices))

    def _answered(self, writing: Writing, reply: Reply, at: Stamp) -> list[Report]:
        state = self._context.state
        heard = state.prompt is not None and state.prompt.heard
        cancelled = state.prompt is not None and state.prompt.cancelled
        attached = writing.attached
        self._cancel_line = 0
        if reply.code == INVALID_PARAMS and attached and attached.images and not (heard or writing.again or cancelled):
            writing.again = True
            notice = ("the agent refused the images; it gets their paths",)
            self._write(writing, without_images(attached.blocks, writing.prompt), notice)
            return []
        self.idle.set()
        failure = reply.failed
        if failure is None:
            result = read(PromptResult, reply.result or b"{}").value
            return state.ended(result or PromptResult(), at)
        if _is_busy(reply, failure, heard=heard):
            return [*state.back(at), PromptBack(reason="prompt_in_flight")]
        told = self._wants_login() if failure.error_class == "auth" else []
        return [*told, *state.failed(failure, at)]


def _is_busy(reply: Reply, failure: Failure, *, heard: bool) -> bool:
    """The agent did not take the prompt: by its code, or by its words if nothing came of the prompt yet."""
    if reply.error is None:
        return False
    if reply.code == BUSY:
        return True
    said = failure.message.casefold() + bytes(reply.error.data or b"").decode("utf-8", "replace").casefold()
    return not heard and (reply.code == INVALID_REQUEST or any(word in said for word in _BUSY_WORDS))
