"""The half of the chat screen that decides what keys of the whole screen mean."""

from __future__ import annotations

from collections.abc import Callable

from textual.widget import Widget

from craze.engine.facts import Login
from craze.tui.panels.status_bar import option
from craze.tui.screens import escape
from craze.tui.screens.arranging import ArrangingScreen
from craze.tui.screens.talking import Given
from craze.tui.told import told


class PressingScreen(ArrangingScreen, inherit_bindings=False):
    """Esc, Ctrl+C, Ctrl+D, the ring of F6, and the keys that reach the transcript from everywhere."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._pressed: tuple[str, float] = ("", 0.0)

    # ---- keys of the whole screen

    def _situation(self, key: str) -> escape.Now:
        view = self.shown
        name, at = self._pressed
        running = bool(view.turn) or bool(view.foreign and "cancel_foreign" in view.info.can)
        return escape.Now(
            selection=bool(self.transcript.selected_text()),
            open=self.card.display,
            ask=bool(self.asks.panel and self.asks.panel.has_focus),
            child=bool(self.child),
            elsewhere=self.focused is not self.composer.editor,
            command=self.shell.running,
            shell=self.composer.mode == "shell",
            armed=view.send_now is not None,
            running=running and not view.cancelling,
            stopping=view.cancelling,
            starting=view.status == "starting",
            rows=bool(view.queue),
            text=not self.composer.blank,
            soon=name == key and self.now() - at < self.config.tui.double_press_s,
        )

    async def action_escape(self) -> None:
        if self.commands.stop_waiting() or (self.composer.mode != "shell" and self.composer.escape()):
            return
        if self.shown.queue and self.shown.status in ("starting", "stopped") and self.composer.blank:
            await self.sender.take_back(self.shown.queue[-1])
            return
        await self._do("escape", escape.escape(self._situation("escape")))

    async def action_cancel(self) -> None:
        await self._do("cancel", escape.cancel(self._situation("cancel")))

    async def _do(self, key: str, deed: escape.Deed) -> None:
        self._pressed = (key, self.now() if deed != "copy" else 0.0)
        match deed:
            case "copy":
                self.copy(self.transcript.selected_text())
            case "unselect":
                self.transcript.clear_selection()
            case "close":
                self.close_card()
            case "ask":
                await self._leave_ask()
            case "leave_child":
                self.show_child("")
            case "focus":
                self.transcript.forget_search()
                self.focus_composer()
            case "kill":
                self.shell.kill()
            case "leave_shell":
                self.composer.escape()
            case "disarm":
                await self.sender.disarm()
            case "cancel" | "hold_and_cancel":
                await self._cancel(hold=deed == "hold_and_cancel")
            case "give_up":
                self.give_up()
            case "clear":
                self.composer.clear(keep=True)
            case "clear_soon":
                self.say("esc again clears the draft")
            case "prompts":
                self.open_prompts()
            case "quit":
                self.quit()
            case "quit_soon":
                self.say("ctrl+c again to quit")
            case _:
                pass

    async def _cancel(self, *, hold: bool) -> None:
        """Cancel what runs; the text of a turn that has brought nothing yet comes back."""
        turn, text = self.sender.last_sent
        fresh = bool(turn) and turn == self.shown.turn and not self.moment.answered and self.composer.blank
        await self.sender.cancel(hold=hold)
        if fresh:
            self.composer.fill(text)

    async def _leave_ask(self) -> None:
        """A question is skipped, anything else stops the turn."""
        if (panel := self.asks.panel) is not None:
            await panel.run_action("stop")

    def action_eof(self) -> None:
        if self.composer.blank or self.focused is not self.composer.editor:
            self.leave()
        else:
            self.composer.editor.action_delete_right()

    def give_up(self) -> None:
        choices = {"r": "retry", "p": "pick another", "q": "quit"}
        deeds: dict[str, Callable[[], None]] = {"r": self.restart, "p": self.stage.pick_agent, "q": self.quit}
        if told(self.shown, "login", Login).required:
            choices, deeds = {"s": "sign in", **choices}, {"s": self.open_sign_in, **deeds}
        self.confirm("starting: Stop waiting?", choices, lambda key: deeds[key]())

    def action_next_mode(self) -> None:
        self.sender.next_mode()

    def action_cycle_todos(self) -> None:
        self.cycle_todos()

    def action_pick_model(self) -> None:
        self.open_models("")

    def action_find(self) -> None:
        self.open_search("")

    def action_detail(self) -> None:
        self.keep("tui.detail", "full" if self.transcript.toggle_all() else "compact")

    def action_copy_reply(self) -> None:
        self.copy_reply()

    def action_page_up(self) -> None:
        self.transcript.page(-1)

    def action_page_down(self) -> None:
        self.transcript.page(1)

    def action_top(self) -> None:
        self.transcript.to_top()

    def action_bottom(self) -> None:
        self.transcript.follow()

    def action_to_transcript(self) -> None:
        self.set_focus(self.transcript)

    def action_next_part(self) -> None:
        self._to_part(1)

    def action_previous_part(self) -> None:
        self._to_part(-1)

    def _to_part(self, by: int) -> None:
        home = self.child_keys if self.child else self.composer.editor
        ring: list[Widget] = [self.transcript, self.card, self.todos, self.roster, self.queue, self.bar, home]
        shown = [widget for widget in ring if widget.display and widget.size.height]
        panel = self.asks.panel
        if panel is not None:
            shown.insert(-1, panel)
        at = next((at for at, widget in enumerate(shown) if widget is self.focused), len(shown) - 1)
        # At once: the next key may be here already.
        self.set_focus(shown[(at + by) % len(shown)])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next_mode":
            found = option(self.shown.state, "mode")
            return found is not None and len(found.select_values) > 1
        if action == "hold_queue":
            return bool(self.shown.queue)
        return True
