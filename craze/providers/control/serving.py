"""Requests of the agent: opened as asks, answered once each, whatever they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
from msgspec import Raw, UnsetType

from craze.codec import Stamp
from craze.engine.answers import AnswerValue
from craze.engine.facts import details
from craze.engine.ports import AskOpened, AskWithdrawn, Report
from craze.providers.control import answers, seed
from craze.providers.control.answers import Asked, Open, key_of
from craze.providers.control.context import Context
from craze.providers.control.decode import read
from craze.providers.control.link import Served
from craze.providers.control.tools import object_of, title_of
from craze.providers.control.types import AskedDialog, AskedForm, AskedHook, AskedServer, AskedTool

QUESTION, PLAN = "AskUserQuestion", "ExitPlanMode"
_Handler = Callable[[bytes, Raw, Stamp], list[Report]]


class Serving:
    """Args:
    interrupt: End the turn, where the answer itself cannot say so.
    set_mode: Switch the mode behind an answer that cannot.
    """

    def __init__(self, context: Context, interrupt: Callable[[], None], set_mode: Callable[[str], None]) -> None:
        self._context, self._interrupt, self._set_mode = context, interrupt, set_mode
        self._open: dict[str, Open] = {}
        self._unshown: set[str] = set()  # dialogs that nobody can show, until their time is over
        self._handlers: Final[dict[str, _Handler]] = {
            "can_use_tool": self._tool,
            "hook_callback": self._hook,
            "mcp_message": self._server,
            "elicitation": self._form,
            "side_question": self._form,
            "request_user_dialog": self._dialog,
        }

    def open_ask(self, key: str) -> Open | None:
        return self._open.get(key)

    def over(self) -> None:
        """The agent is gone: nothing is answered any more."""
        self._open.clear()
        self._unshown.clear()

    # ---- from the agent

    def asked(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        given = object_of(body)
        subtype = given.get("subtype")
        if not isinstance(subtype, str):
            return self._refuse(request, "malformed control_request: request.subtype is missing", "malformed-request")
        handler = self._handlers.get(subtype)
        if handler is None:
            name = msgspec.json.encode(subtype).decode()
            return self._refuse(request, f"unsupported control_request subtype {name}", "unknown-request", subtype)
        if wrong := next((f"{name} {what}" for name, what in _wrong(subtype, given)), ""):
            return self._refuse(request, f"malformed {subtype}: {wrong}", "malformed-request", wrong)
        return handler(request, body, at)

    def withdrawn(self, request: bytes) -> list[Report]:
        key = key_of(request)
        self._unshown.discard(key)
        self._context.outside.withdraw(key)
        return [AskWithdrawn(key=key)] if self._open.pop(key, None) else []

    def _tool(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        context = self._context
        state = context.state
        asked = read(AskedTool, body) or AskedTool()
        row = state.children.of_task(asked.agent_id) if asked.agent_id else ""
        agent = state.calls.agent_of(asked.tool_use_id, row)
        name = asked.tool_name if isinstance(asked.tool_name, str) else ""
        title = title_of(name, object_of(asked.input), asked.title or asked.display_name)
        if name == QUESTION:
            made = answers.question(request, asked, agent)
        elif name == PLAN:
            made = answers.plan(request, asked, state.calls.plan, agent)
        else:
            made = answers.permission(request, asked, title, agent, context.profile)
        patch = [state.calls.asked(asked, agent)] if asked.tool_use_id else []
        told = answers.details_of(asked, title)
        more: list[Report] = [details(key_of(request), told)] if told else []
        return self._opened(request, made, [*patch], more)

    def _form(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        return self._opened(request, answers.elicitation(request, read(AskedForm, body) or AskedForm()))

    def _dialog(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        context = self._context
        asked = read(AskedDialog, body) or AskedDialog()
        if asked.kind in context.declaration.dialog_kinds:
            return self._opened(request, answers.dialog(request, asked))
        if context.profile == "seed":
            self._unshown.add(key_of(request))
            context.clock.later(context.declaration.timeouts.dialog, f"provider:dialog:{key_of(request)}")
        return []

    def _hook(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        """None was registered; an error would let the tool run unasked, and so would silence in the end."""
        asked = read(AskedHook, body) or AskedHook()
        self._answer(request, seed.Empty())
        name = asked.callback_id if isinstance(asked.callback_id, str) else ""
        return self._context.lints.note("unknown-hook", name)

    def _server(self, request: bytes, body: Raw, at: Stamp) -> list[Report]:
        context = self._context
        asked = read(AskedServer, body) or AskedServer()
        name = asked.server_name if isinstance(asked.server_name, str) else ""
        if not context.declaration.served or isinstance(asked.message, UnsetType):
            quoted = msgspec.json.encode(name).decode()
            return self._refuse(request, f"no server is served here: {quoted}", "unknown-request", name)
        served = Served(key_of(request), name, asked.message)
        context.outside.serve(served, context.declaration.timeouts.tool_call, partial(self._answer, request))
        return []

    def _opened(
        self, request: bytes, made: Asked, before: list[Report] | None = None, behind: list[Report] | None = None
    ) -> list[Report]:
        if made.refused:
            return self._refuse(request, made.refused, "malformed-request", made.refused)
        if made.body is not None:
            self._answer(request, made.body)
            return self._context.lints.note(made.lint) if made.lint else []
        assert made.ask is not None
        assert made.open is not None
        key, state = key_of(request), self._context.state
        self._open[key] = made.open
        outlives = (state.own is None and not state.foreign) or state.children.is_background(made.ask.agent)
        opened = AskOpened(key=key, ask=made.ask, of_turn=not outlives)
        return [*(before or []), opened, *(behind or [])]

    # ---- to the agent

    def answer(self, key: str, value: AnswerValue | None) -> None:
        """A person's word, or a rule's. None is cancelled."""
        context = self._context
        open_ = self._open.pop(key, None)
        live = context.live
        if open_ is None or live is None or not live.is_open(open_.id):
            return
        written = answers.answer(open_, value, context.profile, context.declaration.accept_mode)
        sent = live.answer(open_.id, written.body)
        if sent and written.allows and open_.tool:
            context.report(sent.at, *context.state.calls.allowed(open_.tool, written.changed))
        if written.interrupt:
            self._interrupt()
        if written.mode:
            self._set_mode(written.mode)

    def dialog_over(self, key: str) -> None:
        """A dialog that nobody can show has waited long enough; its id may be that of another request by now."""
        if key in self._unshown:
            self._unshown.remove(key)
            self._answer(key.encode(), answers.NO_DIALOG)

    def _answer(self, request: bytes, body: msgspec.Struct | Raw) -> None:
        if live := self._context.live:
            live.answer(request, body)

    def _refuse(self, request: bytes, text: str, lint: str, example: str = "") -> list[Report]:
        if live := self._context.live:
            live.refuse(request, text)
        return self._context.lints.note(lint, example or text)


_REQUIRED: Final[dict[str, dict[str, type]]] = {
    "can_use_tool": {"tool_name": str, "input": dict},
    "hook_callback": {"callback_id": str},
    "mcp_message": {"server_name": str, "message": dict},
}
_NAMES: Final = {str: "a string", dict: "an object"}


def _wrong(subtype: str, given: dict[str, object]) -> list[tuple[str, str]]:
    """Required fields that are not there, or of another type."""
    required = _REQUIRED.get(subtype, {})
    missing = [(name, "is missing") for name in required if name not in given]
    return missing or [
        (name, f"is not {_NAMES[kind]}") for name, kind in required.items() if not isinstance(given[name], kind)
    ]
