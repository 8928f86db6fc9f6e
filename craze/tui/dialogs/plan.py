"""The panel of a plan: read it, accept it, or send it back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec import UNSET, Raw
from textual.content import Content

from craze.codec import Plan
from craze.engine.answers import Judge, OpenAsk
from craze.tui.dialogs.ask_panel import AskPanel, Said
from craze.tui.dialogs.call import prose_rows
from craze.tui.dialogs.context import Context
from craze.tui.dialogs.rows import Hint, Row, Rows, indented, text_row, wrapped
from craze.tui.dialogs.typed import Typed
from craze.tui.keys import bindings
from craze.tui.lines import DIM
from craze.tui.scrub import line, prose
from craze.tui.transcript.paint.brush import Brush

_SIGNS: Final = {"pending": "○", "in_progress": "◐", "completed": "✓", "cancelled": "–"}


class PlanPanel(AskPanel):
    """Posts a `Judge`. A plan that was changed goes with the answer: as input where the agent takes it, else as
    feedback of a no."""

    BINDINGS = bindings("ask.yes", "ask.always", "ask.no", "ask.reject", "ask.feedback", "ask.edit", "ask.newline")

    def __init__(self, ask: OpenAsk, context: Context, brush: Brush, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(ask, context, brush, self._shows, now)
        assert isinstance(ask.body, Plan)
        self.plan = ask.body
        self.changed = ""

    @property
    def text(self) -> str:
        return self.changed or self.plan.plan

    # ---- drawing

    def _shows(self, width: int) -> Said:
        return Said(
            does="proposes a plan",
            about=line(self.plan.name),
            body=lambda: self._body_rows(width),
            key=(self.changed,),
            full=self._full,
            choices=self._todos(width),
            hints=self._hints(),
            extra=self._field_rows(width),
        )

    def _body_rows(self, width: int) -> Rows:
        rows = [text_row((" edited", "$warning"))] if self.changed else []
        if self.plan.overview:
            rows += [*wrapped(Content.styled(f" {prose(self.plan.overview)}", DIM), width), Row()]
        return rows + prose_rows(self.text, width, self.brush)

    def _todos(self, width: int) -> Rows:
        if not self.plan.todos:
            return []
        said = "  ".join(
            f"{_SIGNS.get(todo.status, line(todo.status))} {line(todo.content)}" for todo in self.plan.todos
        )
        first, *rest = wrapped(Content(said), width - 8)[:3]
        assert isinstance(first.text, Content)
        return [Row(Content.assemble((" todos  ", DIM), first.text)), *indented(rest, 8)]

    def _full(self) -> str:
        todos = "\n".join(f"- {line(todo.content)}" for todo in self.plan.todos)
        return "\n\n".join(part for part in (prose(self.plan.overview), prose(self.text), todos) if part)

    def _field_rows(self, width: int) -> Rows:
        rows = self.field_rows(width, "feedback:")
        if self.field is not None and "feedback" not in self.context.can:
            said = " this agent takes no feedback: it becomes your next prompt"
            rows += wrapped(Content.styled(said, DIM), width)
        return rows

    def _hints(self) -> list[Hint]:
        if self.field is not None:
            back = "clear" if self.field.text else "back"
            return [
                Hint("enter", "reject and send", "choose"),
                Hint("alt+enter", "new line", "newline"),
                Hint("esc", back, "stop"),
            ]
        accept = [] if self.changed and not self._edits else [Hint("a", "accept", "yes")]
        reject = "reject with your text" if self.changed and not self._edits else "reject"
        hints = [Hint("n", reject, "no"), Hint("f", "feedback", "feedback")]
        return [*accept, *hints, Hint("e", "edit", "edit"), Hint("v", "full", "view"), Hint("esc", "stop", "stop")]

    @property
    def _edits(self) -> bool:
        return "edit_input" in self.context.can and bool(self.ask.tool)

    # ---- actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.sending:
            return action in ("view", "scroll_up", "scroll_down", "next")
        if action in ("pick", "up", "down"):
            return False
        return {"newline": self.field is not None, "choose": self.field is not None}.get(action, True)

    def action_yes(self) -> None:
        if self.changed and not self._edits:
            self.trouble = "this agent takes no changed plan · n sends yours back with a no"
            return
        given = Raw(msgspec.json.encode({"plan": self.changed})) if self.changed else UNSET
        self.send(Judge(accepted=True, input=given))

    def action_always(self) -> None:
        self.action_yes()

    def action_no(self) -> None:
        self.send(Judge(accepted=False, feedback="" if self._edits else self.changed))

    def action_reject(self) -> None:
        self.action_no()

    def action_feedback(self) -> None:
        self.field = Typed()

    def action_choose(self) -> None:
        if self.field is not None:
            self.send(Judge(accepted=False, feedback=self.field.text.strip()))

    def action_newline(self) -> None:
        if self.field is not None:
            self.field = self.field.put("\n", newlines=True)

    def action_stop(self) -> None:
        if self.field is None:
            self.post_message(self.StopTurn())
        else:
            self.field = Typed() if self.field.text else None

    def action_edit(self) -> None:
        self.post_message(self.Edit(self, self.text, ".md"))

    def edited(self, text: str | None) -> None:
        if text is not None and text.strip():
            self.changed = "" if text.strip() == self.plan.plan.strip() else text
            self.refresh()
