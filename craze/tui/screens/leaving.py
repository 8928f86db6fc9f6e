"""The ways out of a session: another one, another agent, its agent again, or the end. Asks first when something runs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from craze.engine.facts import Login
from craze.engine.intents import Refused
from craze.errors import ExitName
from craze.tui.screens.parts import Parts
from craze.tui.screens.refusals import words
from craze.tui.told import told
from craze.tui.words import count

if TYPE_CHECKING:
    from craze.tui.dialogs.confirm import Confirm


class Leaving:
    """What stands at the end of one session. `sign_in` opens the form for it."""

    def __init__(self, parts: Parts, sign_in: Callable[[], None]) -> None:
        self._parts, self._sign_in = parts, sign_in
        self._asked: Confirm | None = None
        self._what = ""
        """What is asked about while a turn runs."""

    @property
    def _runs(self) -> bool:
        return bool(self._parts.view.turn or self._parts.view.asks)

    def _ask(self, what: str, go: Callable[[], object]) -> None:
        """Go at once, or ask first when something runs."""
        if self._runs:
            self._what = what
            self._asked = self._parts.confirm(f"a turn is running: stop it and {what}?", {"y": "yes"}, lambda _: go())
        else:
            go()

    def _replace(self, go: Callable[[str], Coroutine[object, object, None]], what: str) -> None:
        """Another session comes: the app's doing, since this screen ends with all that it does."""
        self._parts.screen.app.call_later(go, what)  # pyright: ignore[reportUnknownMemberType]

    # ---- to something else

    def new_session(self, arg: str = "") -> None:
        agent, stage = self._parts.opening.agent, self._parts.stage
        self._ask("start a new session", lambda: self._replace(stage.start_agent, agent))

    def open_session(self, session: str) -> None:
        self._ask("open another session", lambda: self._replace(self._parts.stage.open_session, session))

    def pick_session(self, arg: str = "") -> None:
        self._ask("open another session", lambda: self._parts.stage.pick_session(arg))

    def pick_agent(self, arg: str = "") -> None:
        self._ask("choose another agent", lambda: self._parts.stage.pick_agent())

    # ---- its agent again

    def restart(self, arg: str = "") -> None:
        self._parts.sender.reconnect(refused=self._not_restarted)

    def _not_restarted(self, refused: Refused) -> None:
        more = " · /new starts a session here" if refused.code == "unsupported" else ""
        self._parts.say(words(refused) + more, "error")

    def give_up(self) -> None:
        """Wait no more for an agent that starts."""
        choices = {"r": "retry", "p": "pick another", "q": "quit"}
        deeds: dict[str, Callable[[], None]] = {"r": self.restart, "p": self._parts.stage.pick_agent, "q": self.quit}
        if told(self._parts.view, "login", Login).required:
            choices, deeds = {"s": "sign in", **choices}, {"s": self._sign_in, **deeds}
        self._parts.confirm("starting: Stop waiting?", choices, lambda key: deeds[key]())

    # ---- the end

    def leave(self, arg: str = "") -> None:
        """Quit; asks once when something runs. Who wants it again while a question stands there means it."""
        from craze.tui.dialogs.confirm import Confirm

        asked = isinstance(self._parts.screen.app.screen, Confirm)  # pyright: ignore[reportUnknownMemberType]
        if self._runs and not asked:
            queue = self._parts.view.queue
            kept = (
                f"The queue ({count(len(queue), 'prompt')}) and the draft are kept." if queue else "The draft is kept."
            )
            text = f"a turn is running: Stop it and quit? {kept}"
            self._what = "quit"
            self._asked = self._parts.confirm(text, {"q": "quit and stop it"}, lambda _: self.quit())
        else:
            self.quit()

    def turn_ended(self) -> None:
        """A question that stands there asks for less now; it does not go, since its key may be on its way."""
        if self._asked is not None and self._asked.is_current:
            self._asked.restate("the turn has ended", f"{self._what[0].upper()}{self._what[1:]}?", "yes")

    def quit(self, exit_name: ExitName = "done") -> None:
        self._parts.screen.call_later(self._parts.stage.leave, exit_name)
