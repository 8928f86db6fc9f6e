"""What the app does for a screen: start and switch sessions, colours, mouse, leaving."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from textual.screen import ModalScreen, Screen

from craze.errors import ExitName
from craze.tui.keys import Remapped
from craze.tui.theme import Palette, Themes

if TYPE_CHECKING:
    from craze.tui.dialogs.confirm import Confirm

T = TypeVar("T")


def push(screen: Screen[Any], dialog: ModalScreen[T], done: Callable[[T | None], None] | None = None) -> None:
    """Open a dialog over a screen; `done` gets its result, None when it was closed without one."""
    screen.app.push_screen(dialog, done)  # pyright: ignore[reportUnknownMemberType] - the app's own result type


def confirm(screen: Screen[Any], question: str, answers: dict[str, str], done: Callable[[str], object]) -> Confirm:
    """Ask with one key; `done` gets the key, never that of staying. Before a `: ` of the question stands its title."""
    from craze.tui.dialogs.confirm import Choice, Confirm

    def closed(answer: str | None) -> None:
        if answer is not None:
            done(answer)

    choices = [Choice(key, word, key) for key, word in answers.items()]
    title, _, text = question.partition(": ")
    dialog = Confirm(title, text or question, *choices)
    push(screen, dialog, closed)
    return dialog


@runtime_checkable
class Hears(Protocol):
    """A dialog that covers the notices and says them itself."""

    def hear(self, text: str) -> None: ...


class Stage(Protocol):
    """The app, as its screens know it."""

    @property
    def themes(self) -> Themes: ...
    @property
    def palette(self) -> Palette: ...
    @property
    def remapped(self) -> Remapped: ...

    async def leave(self, exit_name: ExitName = "done") -> None:
        """Close the session and end."""
        ...

    async def start_agent(self, name: str) -> None:
        """A fresh session with this agent in place of the one that is open."""
        ...

    async def open_session(self, id_: str) -> None:
        """A stored session in place of the one that is open."""
        ...

    def pick_agent(self, otherwise: Callable[[], None] | None = None) -> None:
        """Choose an agent for a fresh session. `otherwise`: what comes when none is chosen."""
        ...

    def pick_session(self, filter_: str = "") -> None:
        """Choose a stored session."""
        ...

    def use_theme(self, name: str) -> str:
        """Show the theme; says what is wrong with it, or ""."""
        ...

    def use_mouse(self, on: bool) -> None:
        """Take the mouse, or give it back to the terminal."""
        ...

    @property
    def clipboard(self) -> str:
        """What was copied in this terminal."""
        ...

    def write(self, escape: str) -> None:
        """Write to the terminal itself."""
        ...
