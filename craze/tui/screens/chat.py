"""The chat screen: the node that holds the panels, hears them and the keys, and hands over to who knows what to do.

What it does is in plain objects beside it, one for each concern; `concerns` tells which.
"""

from __future__ import annotations

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult

from craze.tui.bridge import Frame
from craze.tui.dialogs.ask_panel import AskPanel
from craze.tui.dialogs.ask_slot import AskSlot
from craze.tui.dialogs.search import SearchLine
from craze.tui.keys import bindings
from craze.tui.panels.aside_card import AsideCard
from craze.tui.panels.bar import Bar
from craze.tui.panels.child_banner import ChildKeys
from craze.tui.panels.queue_view import QueueView
from craze.tui.panels.roster_view import RosterView
from craze.tui.panels.status_bar import StatusBar, option
from craze.tui.panels.todo_view import TodoView
from craze.tui.prompt.composer import Composer
from craze.tui.screens.concerns import Concerns
from craze.tui.screens.opening import Given
from craze.tui.screens.under import UnderDialogs
from craze.tui.transcript.view import TranscriptView
from craze.tui.words import count


class ChatScreen(UnderDialogs, inherit_bindings=False):
    """One session."""

    BINDINGS = bindings(
        "app.escape",
        "mode.next",
        "model.pick",
        "todos.cycle",
        "focus.next",
        "focus.previous",
        "queue.hold",
        "transcript.detail",
        "transcript.search",
        "transcript.copy_reply",
        "transcript.page_up",
        "transcript.page_down",
        "transcript.top",
        "transcript.bottom",
        "transcript.focus",
    )
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    ChatScreen { layers: base float; layout: vertical; overflow: hidden; background: $background; }
    """

    def __init__(self, given: Given) -> None:
        super().__init__()
        self.does = Concerns(given, self)
        self.parts = self.does.parts
        self.sender, self.say = self.parts.sender, self.parts.say
        self.transcript, self.queue = self.parts.widgets.transcript, self.parts.widgets.queue
        self.asks, self.composer = self.parts.widgets.asks, self.parts.widgets.composer

    def compose(self) -> ComposeResult:
        yield from self.parts.widgets.first

    # ---- life

    async def on_mount(self) -> None:
        self.does.picture.begin()
        self.parts.focus_composer()
        if draft := self.parts.view.draft:
            self.composer.drafts.fill(draft)
        self.does.picture.show()
        self.does.frames.begin()
        self.does.draft.begin()
        self.call_after_refresh(self._go_on)

    async def _go_on(self) -> None:
        """What the first picture can do without: the other panels, and what lies around."""
        nodes = self.parts.widgets.all
        place = {node: at for at, node in enumerate(nodes, 1)}
        with self.app.batch_update():  # pyright: ignore[reportUnknownMemberType] - the app's own result type
            await self.mount(*(node for node in nodes if not node.is_attached))
            self.sort_children(key=lambda node: place.get(node, 0))  # Textual has some of its own
        self.does.picture.read_branch()
        self.does.draft.read_history()

    def stop(self) -> None:
        """Read no more of the session."""
        self.does.frames.stop()
        self.sender.stop()
        self.does.shell.kill()

    def on_frame(self, frame: Frame) -> None:
        self.does.frames.take(frame)

    @on(AskPanel.Resized)
    @on(Composer.Resized)
    @on(events.Resize)
    def _resized(self) -> None:
        self.does.layout.fit_soon()

    def on_descendant_focus(self) -> None:
        self.does.picture.show_hints()

    def on_app_focus(self, event: events.AppFocus) -> None:
        self.parts.around.focused = True

    def on_app_blur(self, event: events.AppBlur) -> None:
        self.parts.around.focused = False

    # ---- the asks

    @on(AskPanel.Answered)
    async def _ask_answered(self, message: AskPanel.Answered) -> None:
        await self.does.answering.answer(message)

    @on(AskPanel.StopTurn)
    async def _ask_stop(self) -> None:
        await self.sender.cancel()

    @on(AskPanel.NextAsk)
    def _ask_next(self) -> None:
        self.asks.next()

    @on(AskPanel.ViewFull)
    def _ask_full(self, message: AskPanel.ViewFull) -> None:
        self.does.reading.read(message.title, message.text)

    @on(AskPanel.Edit)
    async def _ask_edit(self, message: AskPanel.Edit) -> None:
        await self.does.answering.edit(message)

    @on(AskPanel.OpenLink)
    async def _ask_link(self, message: AskPanel.OpenLink) -> None:
        await self.does.reading.open(message.target)

    # ---- the composer

    @on(Composer.Sent)
    async def _sent(self, message: Composer.Sent) -> None:
        await self.does.draft.send(message)

    @on(Composer.Commanded)
    async def _commanded(self, message: Composer.Commanded) -> None:
        await self.does.commands.take(message.meant)

    @on(Composer.Ran)
    def _ran(self, message: Composer.Ran) -> None:
        self.does.draft.run(message.line)

    @on(Composer.Saved)
    async def _saved(self, message: Composer.Saved) -> None:
        await self.sender.edit(message.row, message.text)

    @on(Composer.Drafted)
    def _drafted(self, message: Composer.Drafted) -> None:
        self.does.draft.keep(message.text)

    @on(Composer.Remembered)
    def _remembered(self, message: Composer.Remembered) -> None:
        self.parts.desk.library.add_prompt(message.text)

    @on(Composer.Entered)
    async def _entered(self) -> None:
        await self.does.draft.enter()

    @on(Composer.Upward)
    def _upward(self) -> None:
        self.queue.enter()

    @on(Composer.Tabbed)
    def _tabbed(self) -> None:
        if self.parts.view.asks:
            self.asks.take()

    @on(Composer.Said)
    def _said(self, message: Composer.Said) -> None:
        self.say(message.text, message.severity)

    @on(Composer.Touched)
    def _touched(self) -> None:
        self.does.draft.touched()
        self.does.picture.show_hints()

    @on(Composer.Dropped)
    def _dropped(self, message: Composer.Dropped) -> None:
        self.does.draft.drop(message.text)

    @on(Composer.Asked)
    def _asked(self, message: Composer.Asked) -> None:
        draft = self.does.draft
        deeds: dict[str, Callable[[], None]] = {
            "help": self.open_help,
            "editor": draft.edit,
            "paste": draft.paste,
            "paths": draft.read_paths,
        }
        deeds[message.what]()

    # ---- the queue and the todos

    @on(QueueView.Edit)
    def _queue_edit(self, message: QueueView.Edit) -> None:
        self.composer.edit_row(message.row)

    @on(QueueView.Remove)
    async def _queue_remove(self, message: QueueView.Remove) -> None:
        await self.sender.remove(message.row)

    @on(QueueView.RemoveAll)
    def _queue_remove_all(self) -> None:
        rows, sender = self.parts.view.queue, self.sender
        said = f"remove {count(len(rows), 'prompt')}?"
        self.parts.confirm(said, {"enter": "remove"}, lambda _: sender.later(sender.remove(*rows)))

    @on(QueueView.Move)
    async def _queue_move(self, message: QueueView.Move) -> None:
        await self.sender.move(message.row, message.position)

    @on(QueueView.Now)
    async def _queue_now(self, message: QueueView.Now) -> None:
        await self.sender.now(message.row)

    @on(QueueView.Hold)
    async def _queue_hold(self) -> None:
        await self.sender.hold()

    @on(TodoView.Toggled)
    def _todos_toggled(self) -> None:
        self.does.todos.toggle()

    @on(QueueView.Left)
    @on(TodoView.Left)
    @on(RosterView.Left)
    @on(AskSlot.Emptied)
    def _left(self) -> None:
        self.parts.focus_composer()

    # ---- the transcript, and searching it

    @on(TranscriptView.Copy)
    def _transcript_copy(self, message: TranscriptView.Copy) -> None:
        self.does.reading.copy(message.text)

    @on(TranscriptView.OpenViewer)
    def _transcript_viewer(self, message: TranscriptView.OpenViewer) -> None:
        self.does.reading.read_block(message)

    @on(TranscriptView.OpenLink)
    def _transcript_link(self, message: TranscriptView.OpenLink) -> None:
        self.does.reading.ask_to_open(message.target)

    @on(TranscriptView.Marked)
    def _transcript_marked(self) -> None:
        self.does.picture.show_hints()

    @on(TranscriptView.Leave)
    def _transcript_leave(self) -> None:
        self.does.searching.leave()

    @on(TranscriptView.Found)
    def _transcript_found(self, message: TranscriptView.Found) -> None:
        self.does.searching.found(message)

    @on(SearchLine.Changed)
    def _search_changed(self, message: SearchLine.Changed) -> None:
        self.transcript.search(message.query, message.regex)

    @on(SearchLine.Moved)
    def _search_moved(self, message: SearchLine.Moved) -> None:
        self.transcript.move_hit(message.step)

    @on(SearchLine.Closed)
    def _search_closed(self, message: SearchLine.Closed) -> None:
        self.does.searching.close(message)

    # ---- sub-agents

    @on(TranscriptView.OpenChild)
    def _open_child_of_tool(self, message: TranscriptView.OpenChild) -> None:
        self.does.children.show(message.agent)

    @on(RosterView.Opened)
    def _open_child(self, message: RosterView.Opened) -> None:
        self.does.children.show(message.agent.id)

    @on(RosterView.Stopped)
    def _stop_child(self, message: RosterView.Stopped) -> None:
        self.does.children.stop(message.agent)

    @on(ChildKeys.Wanted)
    def _child_wanted(self, message: ChildKeys.Wanted) -> None:
        self.does.children.do(message)

    # ---- card, status and bar

    @on(AsideCard.Wanted)
    def _card_wanted(self, message: AsideCard.Wanted) -> None:
        self.does.asides.do(message)

    @on(StatusBar.Clicked)
    def _status_clicked(self, message: StatusBar.Clicked) -> None:
        deeds: dict[str, Callable[[], None]] = {
            "model": self.does.pickers.model,
            "mode": self.does.pickers.mode,
            "queue": self.queue.enter,
            "ctx": self.does.papers.tell_usage,
            "cost": self.does.papers.tell_usage,
            "answers": self.does.commands.tell_answers,
            "disk": lambda: self.say(self.parts.view.state.index_err or "", "error"),
        }
        if deed := deeds.get(message.name):
            deed()

    @on(Bar.Wanted)
    def _bar_wanted(self, message: Bar.Wanted) -> None:
        deeds: dict[str, Callable[[], None]] = {
            "restart": self.does.leaving.restart,
            "new": self.does.leaving.new_session,
            "log": self.does.papers.read_log,
            "dismiss": self.does.picture.dismiss_bar,
        }
        deeds[message.what]()

    # ---- keys of the whole screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next_mode":
            found = option(self.parts.view.state, "mode")
            return found is not None and len(found.select_values) > 1
        if action == "hold_queue":
            return bool(self.parts.view.queue)
        return True

    async def action_escape(self) -> None:
        await self.does.presses.escape()

    async def action_hold_queue(self) -> None:
        if self.parts.view.queue:
            await self.sender.hold()

    def action_next_mode(self) -> None:
        self.sender.next_mode()

    def action_pick_model(self) -> None:
        self.does.pickers.model()

    def action_cycle_todos(self) -> None:
        self.does.todos.cycle()

    def action_next_part(self) -> None:
        self.does.layout.next_part(1)

    def action_previous_part(self) -> None:
        self.does.layout.next_part(-1)

    @on(TranscriptView.Find)
    def action_find(self) -> None:
        self.does.searching.begin()

    def action_detail(self) -> None:
        self.parts.keep("tui.detail", "full" if self.transcript.toggle_all() else "compact")

    def action_copy_reply(self) -> None:
        self.does.reading.copy_reply()

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

    # ---- what the app asks for: its own keys reach every screen

    async def action_cancel(self) -> None:
        await self.does.presses.cancel()

    def action_eof(self) -> None:
        self.does.presses.eof()

    def leave(self) -> None:
        self.does.leaving.leave()

    def open_help(self) -> None:
        self.does.pickers.help()

    def open_palette(self) -> None:
        self.does.palette.open()
