"""Our prompts, and what goes beside a turn: steers, interrupts, side questions, settings.

One prompt at a time is with the agent. Texts that it holds and did not take yet are withdrawn before the end of a turn
is reported, so that none is lost and none runs twice.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast
from uuid import NAMESPACE_OID, UUID, uuid5

from msgspec import Struct

from craze.codec import Stamp
from craze.engine.facts import Notice, fact
from craze.engine.intents import Set
from craze.engine.ports import Prompt, PromptBack, Report, Returned, SteersReturned
from craze.providers.control import frames
from craze.providers.control.channel import Reply
from craze.providers.control.context import NO_TIME, Context, other
from craze.providers.control.frames import SteerFrame, UserFrame, UserMessage
from craze.providers.control.link import Attached
from craze.providers.control.opening import Opening
from craze.providers.control.tools import object_of, text_of
from craze.providers.control.translate import is_ending
from craze.providers.control.types import Assistant, Known, Other, Result, StreamEvent, System
from craze.transport import Sent

_CANCEL_QUEUED = "interrupt_cancel_queued_v1"
_NOT_RUNNING = "the agent does not run"
_UNSUPPORTED = "Unsupported control request subtype"


class _Reading(Struct):
    """A prompt whose images are being read."""

    turn: str
    prompt: Prompt


class _Private(Struct, frozen=True):
    """A setting that is made by a prompt of its own."""

    call: str
    setting: Set


class Prompting:
    """Everything that craze writes of its own accord once the agent is up.

    Attributes:
        held: The ending of a turn, while texts are taken back that the agent has not run.
    """

    def __init__(self, context: Context, opening: Opening) -> None:
        self._context, self._opening = context, opening
        self._reading: _Reading | None = None
        self._turn = ""
        self._steered = 0
        self._interrupting = False
        self._cancel_line = 0
        self._private: _Private | None = None
        self.held: list[Report] | None = None
        self._undecided: dict[str, str] = {}
        self._returned: list[str] = []
        self._unsupported: set[str] = set()

    def over(self) -> None:
        """The process is gone: no reply comes any more."""
        self._reading = self._private = self.held = None
        self._interrupting, self._cancel_line = False, 0
        self._undecided.clear()
        self._returned.clear()
        self._unsupported.clear()

    # ---- prompts

    def prompt(self, turn: str, prompt: Prompt) -> None:
        reading = self._reading = _Reading(turn, prompt)
        self._context.outside.attach(prompt, partial(self._read, reading))

    def _read(self, reading: _Reading, attached: Attached) -> None:
        context = self._context
        if self._reading is not reading:
            return  # withdrawn meanwhile
        self._reading = None
        self._turn, self._steered = reading.turn, 0
        uuid = self._uuid(reading.turn)
        sent = self._write(
            UserFrame(message=UserMessage(content=attached.content), uuid=uuid, session_id=self._session())
        )
        if sent is None:
            return  # the end of the agent ends the turn
        context.state.prompted(uuid, reading.prompt.text)
        if attached.notices:
            context.report(sent.at, *(fact(Notice(severity="info", text=text)) for text in attached.notices))

    def steer(self, call: str, text: str) -> None:
        context = self._context
        if context.live is None or context.profile == "seed" or context.state.own is None:
            return context.returned(call, "not taken: the agent takes no text in the middle of a turn")
        self._steered += 1
        uuid = self._uuid(f"{self._turn}/{self._steered}")
        sent = self._write(SteerFrame(message=UserMessage(content=text), uuid=uuid, session_id=self._session()))
        if sent is None:
            return context.returned(call, _NOT_RUNNING)
        return context.report(sent.at, *context.state.steered(uuid, text, sent.at), Returned(call=call))

    def _write(self, frame: UserFrame | SteerFrame) -> Sent | None:
        live = self._context.live
        return live.send(frames.user(frame, live.profile)) if live else None

    def _uuid(self, name: str) -> str:
        """One for each turn for ever, so that a frame that is written twice runs once."""
        declaration = self._context.declaration
        try:
            namespace = UUID(declaration.session)
        except ValueError:
            namespace = uuid5(NAMESPACE_OID, declaration.session)
        return str(uuid5(namespace, f"{declaration.incarnation}/{name}"))

    def _session(self) -> str:
        return self._context.session or self._context.start.reopen or "default"

    # ---- lines that concern what was written

    def line(self, line: Known | Other, at: Stamp) -> list[Report]:
        """What a line says; the ending of a turn waits for the texts that the agent still holds."""
        before = self._let_go(at) if self.held is not None and _is_main(line) else []
        if self._private is not None and isinstance(line, Result):
            return [*before, *self._private_over(self._private, line, at)]
        reports = self._context.state.line(line, at)
        if before:
            reports = [*before, *reports]
        if type(line) is not Result or not any(map(is_ending, reports)):
            return reports
        self._interrupting, self._cancel_line = False, 0
        return self._withdraw(reports)

    def _withdraw(self, reports: list[Report]) -> list[Report]:
        """A turn ended before the agent took these texts: they are taken back from it."""
        context = self._context
        steers, context.state.steers = context.state.steers, {}
        live = context.live
        if not steers or live is None:
            return reports
        place = next(at for at, report in enumerate(reports) if is_ending(report))
        self.held, self._undecided = reports[place:], dict(steers)
        for uuid in steers:
            seconds = context.declaration.timeouts.withdraw
            body = {"subtype": "cancel_async_message", "message_uuid": uuid}
            then = partial(self._withdrawn, uuid)
            live.request(body, then, limit="withdraw", seconds=seconds, withdraws=True)
        return reports[:place]

    def _withdrawn(self, uuid: str, reply: Reply, at: Stamp) -> list[Report]:
        text = self._undecided.pop(uuid, None)
        if text is None:
            return []
        taken_back = reply.failure is None and object_of(reply.body).get("cancelled") is True
        (self._returned if taken_back else self._context.state.left_steers).append(text)
        return [] if self._undecided else self._let_go(at)

    def _let_go(self, at: Stamp) -> list[Report]:
        """Report the ending that waited; what is undecided runs as a turn of its own."""
        held, self.held = self.held or [], None
        self._context.state.left_steers += self._undecided.values()
        self._undecided.clear()
        back, self._returned = tuple(self._returned), []
        return [*([SteersReturned(texts=back)] if back else []), *held]

    # ---- cancel

    def cancel(self) -> None:
        context = self._context
        state = context.state
        if self._reading is not None:
            self._reading = None
            context.report(NO_TIME, PromptBack(reason="prompt_cancelled"))
        elif state.own is not None or state.foreign:
            self.interrupt()

    def interrupt(self) -> None:
        """Written once a turn; what the agent holds is withdrawn with it, or it would run right after."""
        context = self._context
        live = context.live
        if self._interrupting or live is None or live.link is None:
            return
        self._interrupting = True
        steers = context.state.steers
        at_once = live.profile == "extended" and _CANCEL_QUEUED in context.state.capabilities
        if not at_once:
            self._take_back(steers)
        sent = live.request(frames.InterruptAll() if at_once and steers else frames.Interrupt(), self._interrupted)
        if sent is not None:
            self._cancel_line = sent.number
            if live.link.waiting(sent.number):
                context.clock.later(context.declaration.timeouts.cancel, f"provider:cancel:{self._turn}")

    def _take_back(self, steers: dict[str, str]) -> None:
        live = self._context.live
        for uuid in tuple(steers):
            if live is not None:
                body = {"subtype": "cancel_async_message", "message_uuid": uuid}
                live.request(body, partial(self._taken_back, uuid), limit="request", seconds=self._limit())

    def _taken_back(self, uuid: str, reply: Reply, at: Stamp) -> list[Report]:
        cancelled = object_of(reply.body).get("cancelled") is True
        return self._given_back([uuid]) if cancelled else []

    def _given_back(self, uuids: object) -> list[Report]:
        """What the agent says it gave back, of the texts that it held."""
        held = self._context.state.steers
        named = cast("list[object]", uuids) if isinstance(uuids, list) else []
        texts = tuple(held.pop(uuid) for uuid in named if isinstance(uuid, str) and uuid in held)
        return [SteersReturned(texts=texts)] if texts else []

    def _interrupted(self, reply: Reply, at: Stamp) -> list[Report]:
        self._interrupting = False
        if reply.failure is not None:
            return [Returned(call="cancel", failure=reply.failure)]
        return self._given_back(object_of(reply.body).get("cancelled"))

    def stuck(self, turn: str, at: Stamp) -> None:
        """The time in which the interrupt had to be taken is over."""
        live = self._context.live
        line = self._cancel_line
        if turn == self._turn and live and live.link and line and live.link.waiting(line):
            self._cancel_line = 0
            self._context.report(
                at, Returned(call="cancel", failure=other("the agent does not read what is written to it"))
            )

    def undelivered(self, number: int) -> list[Report]:
        if not number or number != self._cancel_line:
            return []
        self._cancel_line = 0
        return [Returned(call="cancel", failure=other("the agent's input is closed"))]

    # ---- beside the turn

    def aside(self, call: str, question: str) -> None:
        seconds = self._context.declaration.timeouts.aside
        body = {"subtype": "side_question", "question": question}
        self._call(call, body, limit="aside", seconds=seconds)

    def stop_child(self, call: str, agent: str) -> None:
        context = self._context
        task = context.state.children.task_of(agent)
        if not task:
            return context.returned(call, "this sub-agent does not run")
        sent = self._call(call, {"subtype": "stop_task", "task_id": task}, limit="request", seconds=self._limit())
        return context.state.children.stopping(agent, sent.at) if sent else None

    def _call(self, call: str, body: dict[str, Any], *, limit: str, seconds: float) -> Sent | None:
        """A request whose reply is the result of a call; a long one is withdrawn at its limit."""
        live = self._context.live
        if live is None:
            self._context.returned(call, _NOT_RUNNING)
            return None
        then = partial(self._called, call)
        return live.request(body, then, limit=limit, seconds=seconds, withdraws=limit == "aside")

    def _called(self, call: str, reply: Reply, at: Stamp) -> list[Report]:
        text = text_of(object_of(reply.body).get("response"))
        return [Returned(call=call, text=text, failure=reply.failure)]

    # ---- settings

    def set(self, call: str, setting: Set) -> None:
        context = self._context
        live, settings = context.live, context.state.settings
        if live is None:
            return context.returned(call, _NOT_RUNNING)
        if setting.kind == "title" and (not setting.value or live.profile == "seed" or "title" in self._unsupported):
            return context.returned(call)
        wish = settings.wish(setting)
        if wish.text:
            return self._set_by_prompt(call, setting, wish.text)
        if wish.request is None:
            return context.returned(call, wish.reason)
        settings.open(call, setting)
        live.request(wish.request, partial(self._set_over, call, setting))
        return None

    def set_mode(self, mode: str) -> None:
        """Behind an accepted plan, where the answer cannot say it."""
        live = self._context.live
        wish = self._context.state.settings.wish(Set(kind="mode", value=mode))
        if live is not None and wish.request is not None:
            live.request(wish.request, lambda _reply, _at: [])

    def _set_over(self, call: str, setting: Set, reply: Reply, at: Stamp) -> list[Report]:
        settings = self._context.state.settings
        if reply.failure is not None:
            settings.over(call)
            if setting.kind == "title" and reply.failure.message.startswith(_UNSUPPORTED):
                self._unsupported.add("title")
                return [Returned(call=call)]
            return [Returned(call=call, failure=reply.failure)]
        self._opening.chosen[setting.kind, setting.id] = setting.value
        told = settings.accepted(call, setting, object_of(reply.body), at)
        settings.over(call)
        return [*told, Returned(call=call)]

    def _set_by_prompt(self, call: str, setting: Set, text: str) -> None:
        """Its reply is the result of a prompt, which is no turn's."""
        context = self._context
        state = context.state
        if state.own is not None or state.foreign or self._private or self._reading:
            return context.returned(call, f"{setting.id} can be changed between turns only")
        self._private = _Private(call, setting)
        state.private = True
        self._write(
            UserFrame(message=UserMessage(content=text), uuid=self._uuid(f"set/{call}"), session_id=self._session())
        )
        return None

    def _private_over(self, private: _Private, line: Result, at: Stamp) -> list[Report]:
        state = self._context.state
        told = state.line(line, at)
        self._private, state.private = None, False
        if line.is_error:
            return [*told, Returned(call=private.call, failure=other(line.result or "the agent refused it"))]
        self._opening.chosen[private.setting.kind, private.setting.id] = private.setting.value
        return [*told, *state.settings.accepted(private.call, private.setting, {}, at), Returned(call=private.call)]

    def _limit(self) -> float:
        return self._context.declaration.timeouts.request


def _is_main(line: Known | Other) -> bool:
    """Whether a line begins another turn."""
    if isinstance(line, System):
        return line.subtype == "init"
    return isinstance(line, Assistant | StreamEvent) and not line.parent_tool_use_id
