"""What is shown when an agent did not start: what failed, its last words, and what can be done."""

from __future__ import annotations

from typing import Final

from textual import events
from textual.content import Content
from textual.screen import ModalScreen

from craze.codec import Failure
from craze.tui.keys import Remapped, bindings
from craze.tui.lines import DIM, row, stack
from craze.tui.panels.hint_bar import line as hint_line
from craze.tui.panels.hint_bar import press_hint
from craze.tui.screens.hints import of_ids
from craze.tui.scrub import line

STDERR: Final = 20
KEYS: Final = ("start.retry", "start.other", "start.sign_in", "start.quit")


class StartFailedScreen(ModalScreen[str], inherit_bindings=False):
    """Returns `retry`, `other`, `sign_in` or `quit`.

    Args:
        signs_in: The agent named a way to sign in.
    """

    BINDINGS = bindings(*KEYS)
    DEFAULT_CSS = "StartFailedScreen { background: $background; }"

    def __init__(
        self, agent: str, failure: Failure | None, stderr: tuple[str, ...], keys: Remapped, *, signs_in: bool
    ) -> None:
        super().__init__()
        self.agent, self.failure, self.stderr = agent, failure, stderr
        self.keys, self.signs_in = keys, signs_in

    def render(self) -> Content:
        width, height = self.size
        message, *more = self.failure.message.split("\n") if self.failure else ["it gave no reason"]
        head = [Content(""), row(width, " ", (f"{line(self.agent)} did not start", "bold $error")), Content("")]
        body = Content(" " + line(message)).wrap(max(1, width - 1))
        if self.failure and self.failure.code:
            body.append(row(width, (f" {self.failure.error_class} · {self.failure.code}", DIM)))
        foot = [Content(""), hint_line(of_ids(self._ids(), self.keys), width)]
        room = height - len(head) - len(body) - len(foot) - 1
        words = (*more, *self.stderr)[-STDERR:]
        said = [row(width, (f"   {line(each)}", DIM)) for each in words[-room:]] if room > 0 else []
        return stack([*head, *body, *([Content("")] if said else []), *said, *foot][:height])

    def on_click(self, event: events.Click) -> None:
        press_hint(self, event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.signs_in if action == "sign_in" else True

    def _ids(self) -> list[str]:
        return [id_ for id_ in KEYS if id_ != "start.sign_in" or self.signs_in]

    def action_retry(self) -> None:
        self.dismiss("retry")

    def action_other(self) -> None:
        self.dismiss("other")

    def action_sign_in(self) -> None:
        self.dismiss("sign_in")

    def action_give_up(self) -> None:
        self.dismiss("quit")
