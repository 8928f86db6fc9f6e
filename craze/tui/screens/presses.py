"""What Esc, Ctrl+C and Ctrl+D mean on the chat screen now, and doing it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from craze.tui.screens import escape
from craze.tui.screens.commands import Commands
from craze.tui.screens.parts import Parts
from craze.tui.screens.shell import Shell


class Presses:
    """Remembers the last of these keys: a second one soon after it means more.

    Args:
        deeds: What they close, stop or open; what they do to draft and turn is done here.
        leave: Quits, and asks first when something runs.
    """

    def __init__(
        self,
        parts: Parts,
        commands: Commands,
        shell: Shell,
        deeds: Mapping[escape.Deed, Callable[[], None]],
        leave: Callable[[], None],
    ) -> None:
        self._parts, self._commands, self._shell, self._leave = parts, commands, shell, leave
        self._pressed: tuple[str, float] = ("", 0.0)
        composer, transcript = parts.widgets.composer, parts.widgets.transcript
        self._deeds: dict[escape.Deed, Callable[[], object]] = {
            "unselect": transcript.clear_selection,
            "leave_shell": composer.escape,
            "clear": lambda: composer.drafts.clear(keep=True),
            "clear_soon": lambda: self._offer("esc again clears the draft"),
            "quit_soon": lambda: self._offer("ctrl+c again to quit"),
            **deeds,
        }
        self._awaited: dict[escape.Deed, Callable[[], Awaitable[None]]] = {
            "ask": self._leave_ask,
            "disarm": parts.sender.disarm,
            "cancel": self._cancel,
            "hold_and_cancel": lambda: self._cancel(hold=True),
        }

    async def escape(self) -> None:
        parts, composer = self._parts, self._parts.widgets.composer
        if self._commands.stop_waiting() or (composer.mode != "shell" and composer.escape()):
            return
        if parts.view.queue and parts.view.status in ("starting", "stopped") and composer.blank:
            await parts.sender.take_back(parts.view.queue[-1])
            return
        await self._do("escape", escape.escape(self._situation("escape")))

    async def cancel(self) -> None:
        await self._do("cancel", escape.cancel(self._situation("cancel")))

    def _offer(self, text: str) -> None:
        """What a second press does, as long as it does."""
        self._parts.say(text, lasts=self._parts.config.tui.double_press_s)

    def eof(self) -> None:
        """Ctrl+D deletes in a draft, and leaves from everywhere else."""
        composer = self._parts.widgets.composer
        if composer.blank or not self._parts.in_composer:
            self._leave()
        else:
            composer.editor.action_delete_right()

    def _situation(self, key: str) -> escape.Now:
        parts, widgets, view = self._parts, self._parts.widgets, self._parts.view
        name, at = self._pressed
        running = bool(view.turn) or bool(view.foreign and "cancel_foreign" in view.info.can)
        return escape.Now(
            selection=bool(widgets.transcript.selected_text()),
            open=widgets.card.display,
            ask=bool(widgets.asks.panel and widgets.asks.panel.has_focus),
            child=bool(parts.child),
            elsewhere=not parts.in_composer,
            command=self._shell.running,
            shell=widgets.composer.mode == "shell",
            armed=view.send_now is not None,
            running=running and not view.cancelling,
            stopping=view.cancelling,
            starting=view.status == "starting",
            rows=bool(view.queue),
            text=not widgets.composer.blank,
            soon=name == key and parts.now() - at < parts.config.tui.double_press_s,
        )

    async def _do(self, key: str, deed: escape.Deed) -> None:
        self._pressed = (key, self._parts.now() if deed != "copy" else 0.0)
        if awaited := self._awaited.get(deed):
            await awaited()
        elif done := self._deeds.get(deed):
            done()

    async def _cancel(self, *, hold: bool = False) -> None:
        """Cancel what runs; the text of a turn that has brought nothing yet comes back."""
        parts, composer = self._parts, self._parts.widgets.composer
        turn, text = parts.sender.last_sent
        fresh = bool(turn) and turn == parts.view.turn and not parts.moment.answered and composer.blank
        await parts.sender.cancel(hold=hold)
        if fresh:
            composer.drafts.fill(text)

    async def _leave_ask(self) -> None:
        """A question is skipped, anything else stops the turn."""
        if (panel := self._parts.widgets.asks.panel) is not None:
            await panel.run_action("stop")
