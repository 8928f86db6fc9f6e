"""What the objects of one chat screen share: what it was made from, its widgets, what is shown now, and how to speak.

What is shown changes in one place each: `view` and `moment` with each frame (`frames`), `child` in `children`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.screen import Screen

from craze.engine.facts import Severity
from craze.engine.view import View
from craze.errors import CrazeError
from craze.tui.moment import Moment
from craze.tui.panels.notices import SHOWN
from craze.tui.screens.opening import Given
from craze.tui.screens.stage import Hears, confirm
from craze.tui.screens.widgets import Widgets
from craze.tui.screens.wishes import Wishes
from craze.tui.scrub import line

if TYPE_CHECKING:
    from craze.tui.dialogs.confirm import Confirm


class Parts:
    """Shared by all that a chat screen does.

    Args:
        screen: The node of the widgets: what has the keyboard, what is drawn next, and where dialogs open.
        changed: Every panel is to show what is there now.
        fit_soon: The rows are to be given out again.
    """

    def __init__(
        self, given: Given, screen: Screen[None], *, changed: Callable[[], None], fit_soon: Callable[[], None]
    ) -> None:
        self.screen, self.changed, self.fit_soon = screen, changed, fit_soon
        self.session, self.desk, self.config, self.opening, self.stage, self.around, self.now = given
        self.view: View = self.session.view
        self.moment = Moment(opened=self.now())
        self.reader = self.config.tui.screen_reader
        """Nothing floats, and what changes is told by lines of the transcript."""
        self.child = ""
        """The sub-agent whose transcript is shown."""
        self.ready = False
        """The agent has been ready once."""
        self.touched = 0.0
        """When the composer last had a key."""
        self.widgets = Widgets(given, self._idle)
        follow = self.widgets.transcript.follow
        self.sender = Wishes(self.session, self.desk.library, self.widgets.composer.drafts, self.say, changed, follow)

    def _idle(self) -> float | None:
        """Seconds since the composer's last key; None while the keyboard is elsewhere."""
        return self.now() - self.touched if self.in_composer else None

    @property
    def in_composer(self) -> bool:
        """Whether the keyboard is there."""
        return self.screen.focused is self.widgets.composer.editor

    @property
    def busy(self) -> bool:
        return bool(self.view.turn or self.view.foreign or self.view.status in ("starting", "replaying"))

    @property
    def usable(self) -> list[str]:
        """The ids of the keys that can act where the keyboard is."""
        return [active.binding.id or "" for active in self.screen.active_bindings.values() if active.enabled]

    def focus_composer(self) -> None:
        editor = self.widgets.composer.editor
        if editor.focusable:
            self.screen.set_focus(editor)
        else:  # it is shown again only with the next layout
            editor.focus()

    def say(self, text: str, severity: Severity = "info", lasts: float = SHOWN) -> None:
        self.widgets.notices.say(text, severity, lasts)
        if self.reader:
            self.widgets.notices.display = False
            self.widgets.transcript.note(line(text))
        if isinstance(top := self.screen.app.screen, Hears):  # pyright: ignore[reportUnknownMemberType]
            top.hear(text)
        self.fit_soon()

    def confirm(self, question: str, answers: dict[str, str], done: Callable[[str], object]) -> Confirm:
        """Ask with one key; `done` gets the key, never that of staying."""
        return confirm(self.screen, question, answers, done)

    def keep(self, name: str, value: str | bool) -> None:
        """Keep a choice for later starts."""
        self.sender.later(self._keep(name, value))

    async def _keep(self, name: str, value: str | bool) -> None:
        try:
            await self.desk.library.choose(name, value)
        except CrazeError as error:
            self.say(f"not kept: {error}", "warning")
