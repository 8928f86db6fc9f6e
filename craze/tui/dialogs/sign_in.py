"""The sign-in dialog: the agent's methods verbatim. It keeps, shows and logs no secret."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from craze.engine.facts import Login, LoginMethod
from craze.engine.intents import Refused, Result
from craze.errors import CrazeError
from craze.tui.dialogs.frame import Dialog
from craze.tui.dialogs.items import Item
from craze.tui.dialogs.pick_list import PickList
from craze.tui.dialogs.rows import Hint
from craze.tui.scrub import line

OUT: Final = "\x00out"
"""The id of the row that signs out; no method has it."""

Authenticate = Callable[[str | None], Awaitable[Result]]
RunProgram = Callable[[LoginMethod], Awaitable[int]]


class SignIn(Dialog[bool | None]):
    """Returns True when a sign-in, or out, was done.

    Args:
        authenticate: Asks the agent; None signs out.
        run: Gives the terminal to a method's program; its exit status.
        can_leave: Whether the agent can sign out.
    """

    def __init__(
        self, agent: str, login: Login, authenticate: Authenticate, run: RunProgram, *, can_leave: bool = False
    ) -> None:
        hints = (Hint("enter", "sign in", "choose"), Hint("esc", "close", "close"))
        who = f"signed in as {line(login.label)}" if login.label else ""
        self.methods = {method.id: method for method in login.methods}
        self.list = PickList(
            f"sign in to {line(agent)}",
            items(login, can_leave=can_leave),
            hints=hints,
            right=who,
            empty="this agent names no way to sign in",
        )
        super().__init__(self.list)
        self._authenticate, self._run = authenticate, run
        self._busy = False

    def on_pick_list_chosen(self, message: PickList.Chosen) -> None:
        if not self._busy:
            self._busy = True
            self.run_worker(self._go(message.id), exit_on_error=True)

    async def _go(self, id_: str) -> None:
        method = self.methods.get(id_)
        try:
            if method and method.kind == "terminal" and (status := await self._run(method)):
                self._say(f"the program ended with status {status}")
                return
            self._say("signing out…" if method is None else "waiting for the agent… esc leaves it running")
            result = await self._authenticate(method.id if method else None)
        except CrazeError as error:
            self._say(line(str(error)))
            return
        if isinstance(result, Refused):
            self._say(" · ".join(map(line, result.detail.values())) or "the agent refused")
        else:
            self.dismiss(True)

    def _say(self, text: str) -> None:
        self._busy = text.endswith(("…", "running"))
        self.list.note = text


def items(login: Login, *, can_leave: bool) -> list[Item]:
    rows = [
        Item(method.id, line(method.name) or line(method.id), (_about(method),), enabled=_runs(method))
        for method in login.methods
    ]
    return [*rows, Item(OUT, "Sign out")] if can_leave else rows


def _runs(method: LoginMethod) -> bool:
    return method.kind in ("agent", "terminal") and (method.kind != "terminal" or bool(method.command))


def _about(method: LoginMethod) -> str:
    """What a method does, or what it needs from outside of craze."""
    if method.env and not _runs(method):
        return f"set {', '.join(map(line, method.env))} and restart"
    if method.kind == "terminal":
        return line(method.description) or f"runs {line(' '.join(method.command))}"
    return line(method.description) or ("" if _runs(method) else f"{line(method.kind)}: not possible from here")
