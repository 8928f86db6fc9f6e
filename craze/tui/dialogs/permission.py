"""The panel of a permission: the call, and every option verbatim in the offered order."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Raw, UnsetType
from textual.content import Content
from textual.reactive import reactive

from craze.codec import Permission, PermissionOption, Tool
from craze.engine.answers import OpenAsk, Pick
from craze.engine.checks import focus, rejects
from craze.tui.dialogs.ask_panel import AskPanel, Said
from craze.tui.dialogs.call import call_rows, call_text, exact_rows, prose_rows
from craze.tui.dialogs.context import Context, does, is_review
from craze.tui.dialogs.rows import Hint, Hit, Row, Rows, text_row, wrapped
from craze.tui.dialogs.typed import Typed
from craze.tui.keys import bindings
from craze.tui.lines import DIM
from craze.tui.scrub import cut, exact, line
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.diff import SIDE_FROM
from craze.tui.transcript.paint.parts import indented, pretty_input, raw_input

SIGNS: Final[Mapping[str, str]] = {
    "allow_once": "✓",
    "allow_always": "✓✓",
    "reject_once": "✗",
    "reject_always": "✗✗",
}
_STYLES: Final[Mapping[str, str]] = {
    "allow_once": "$success",
    "allow_always": "$success",
    "reject_once": "$error",
    "reject_always": "$error",
}
_DIGITS: Final = 9


class PermissionPanel(AskPanel):
    """Posts a `Pick` of exactly the option that was chosen."""

    BINDINGS = bindings(
        "ask.yes", "ask.always", "ask.no", "ask.never", "ask.tell", "ask.edit", "ask.side", "ask.filter", "ask.newline"
    )

    filtering: reactive[bool] = reactive(False, init=False)
    """The field narrows the options, instead of telling why not."""
    side: reactive[bool | None] = reactive(None, init=False)
    """Diffs side by side or not, as the person wants them; None: as the width says."""

    def __init__(self, ask: OpenAsk, context: Context, brush: Brush, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(ask, context, brush, self._shows, now)
        assert isinstance(ask.body, Permission)
        self.options: Sequence[PermissionOption] = ask.body.options
        self.input: Raw | UnsetType = UNSET
        """The call's input as the person changed it."""
        self._rejected = ""
        self.set_reactive(PermissionPanel.cursor, focus(self.options) if self.options else 0)

    # ---- drawing

    def _shows(self, width: int) -> Said:
        tool, shown = self.context.tool, self._shown()
        review = is_review(self.ask, tool)
        return Said(
            does="proposes a plan" if review else "asks",
            about="" if review else does(tool),
            body=lambda: self._body_rows(width),
            key=(tool, self.input, self.side),
            full=self._full,
            choices=[self._option(at, width) for at in shown],
            hints=self._hints(),
            at=shown.index(self.cursor) if self.cursor in shown else 0,
            extra=self._field_rows(width),
        )

    def _body_rows(self, width: int) -> Rows:
        tool = self.context.tool
        if tool is None:
            return exact_rows(line(self._text()), width)
        if is_review(self.ask, tool):
            return prose_rows(tool.content_text or pretty_input(tool), width, self.brush)
        if self.input is not UNSET:
            tool = msgspec.structs.replace(tool, raw_input=bytes(self.input).decode(), diffs=())
            return [text_row((" edited", "$warning")), *self._call(tool, width)]
        return self._call(tool, width)

    def _call(self, tool: Tool, width: int) -> Rows:
        return call_rows(tool, self.context.folder, width, self.brush, side=self._beside(width))

    def _full(self) -> str:
        tool = self.context.tool
        if tool is None:
            return line(self._text())
        return exact(tool.content_text) if is_review(self.ask, tool) else call_text(tool, self.context.folder)

    def _option(self, at: int, width: int) -> Row:
        option = self.options[at]
        mark = "▸" if at == self.cursor else " "
        number = str(at + 1) if at < _DIGITS else " "
        covers = self.context.covers.get(option.option_id, "")
        note = "remembered by the agent" if option.kind == "allow_always" else ""
        note = " · ".join(part for part in (note, covers) if part)
        name = line(option.name) or f"({line(option.option_id)})"
        said = Content.assemble(
            f" {mark} {number} ",
            (SIGNS.get(option.kind, "·").ljust(3), _STYLES.get(option.kind, "")),
            (name, "bold" if at == self.cursor else ""),
        )
        if note and said.cell_length + 12 < width:
            said = Content.assemble(said, (f"   {cut(note, width - said.cell_length - 3)}", DIM))
        return Row(said.truncate(width, ellipsis=True), (Hit(0, width, f"take({at})"),))

    def _field_rows(self, width: int) -> Rows:
        if self.field is None:
            return []
        if self.filtering:
            return self.field_rows(width, "filter:")
        rows = self.field_rows(width, "tell:")
        if "feedback" not in self.context.can:
            said = " this agent takes no reason: it becomes your next prompt"
            rows += wrapped(Content.styled(said, DIM), width)
        return rows

    def _hints(self) -> list[Hint]:
        if self.field is not None:
            return [
                Hint("enter", "choose" if self.filtering else "reject and tell", "choose"),
                Hint("esc", "clear" if self.field.text else "back", "stop"),
            ]
        if not self.options:
            return [Hint("esc", "stop turn", "stop")]
        last = min(len(self.options), _DIGITS)
        hints = [Hint(f"1-{last} or enter" if last > 1 else "1 or enter", "", "choose")]
        letters = (("y", "once", "yes"), ("a", "always", "always"), ("n", "no", "no"), ("N", "never", "never"))
        hints += [Hint(key, word, action) for key, word, action in letters if len(self._of(_KEYS[action])) == 1]
        offers = (
            ("t", "tell", "tell"),
            ("e", "edit", "edit"),
            ("v", "full", "view"),
            ("s", "unified" if self._beside(self.size.width) else "side by side", "side"),
            ("/", "filter", "filter"),
        )
        hints += [Hint(key, word, action) for key, word, action in offers if self.check_action(action, ())]
        return [*hints, Hint("esc", "stop", "stop")]

    def _text(self) -> str:
        assert isinstance(self.ask.body, Permission)
        return self.ask.body.tool

    def _shown(self) -> list[int]:
        """The options that the filter leaves; the numbers stay those of the whole list."""
        wanted = self.field.text.casefold() if self.field and self.filtering else ""
        return [at for at, option in enumerate(self.options) if wanted in line(option.name).casefold()]

    def _of(self, kind: str) -> list[int]:
        return [at for at, option in enumerate(self.options) if option.kind == kind]

    # ---- actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        tool = self.context.tool
        if self.sending:
            return action in ("view", "scroll_up", "scroll_down", "next")
        checks: Mapping[str, bool] = {
            "tell": any(rejects(option) for option in self.options),
            "edit": "edit_input" in self.context.can and tool is not None and bool(self.ask.tool),
            "side": tool is not None and bool(tool.diffs),
            "filter": len(self.options) > _DIGITS,
            "newline": self.field is not None and not self.filtering,
            "view": True,
        }
        return checks.get(action, True)

    def takes_newlines(self) -> bool:
        return not self.filtering

    def action_pick(self, number: int) -> None:
        if number <= len(self.options):
            self._pick(number - 1)

    def action_take(self, at: int) -> None:
        """A click: it moves the cursor, and chooses where the cursor is already."""
        if self.field is None and at == self.cursor:
            self._pick(at)
        self.cursor = at

    def action_up(self) -> None:
        self._move(-1)

    def action_down(self) -> None:
        self._move(1)

    def action_choose(self) -> None:
        if self.field is not None and self.filtering:
            shown = self._shown()
            if shown:
                self._pick(self.cursor if self.cursor in shown else shown[0])
        elif self.options:
            self._pick(self.cursor)

    def action_yes(self) -> None:
        self._by_kind("allow_once")

    def action_always(self) -> None:
        self._by_kind("allow_always")

    def action_no(self) -> None:
        self._by_kind("reject_once")

    def action_never(self) -> None:
        self._by_kind("reject_always")

    def action_tell(self) -> None:
        """Say why not: with the reject option under the cursor, else the first one."""
        if not rejects(self.options[self.cursor]):
            self.cursor = next(at for at, option in enumerate(self.options) if rejects(option))
        self.filtering, self.field = False, Typed()

    def action_side(self) -> None:
        self.side = not self._beside(self.size.width)

    def _beside(self, width: int) -> bool:
        """Whether diffs are drawn side by side."""
        return self.side if self.side is not None else width >= SIDE_FROM and self.brush.diff != "inline"

    def action_filter(self) -> None:
        self.filtering, self.field = True, Typed()

    def action_newline(self) -> None:
        if self.field is not None:
            self.field = self.field.put("\n", newlines=True)

    def action_stop(self) -> None:
        if self.field is None:
            self.post_message(self.StopTurn())
        elif self.field.text:
            self.field = Typed()
        else:
            self.field = None

    def action_edit(self) -> None:
        assert self.context.tool is not None
        tool, changed = self.context.tool, self.input
        if changed is not UNSET:
            tool = msgspec.structs.replace(tool, raw_input=bytes(changed).decode())
        command = _lone_command(raw_input(tool))
        text, suffix = (command, ".sh") if command is not None else (self._rejected or indented(tool), ".json")
        self.post_message(self.Edit(self, text, suffix))

    def edited(self, text: str | None) -> None:
        tool = self.context.tool
        if text is None or tool is None:
            return
        given = raw_input(tool)
        if _lone_command(given) is not None:
            self._change(msgspec.json.encode({**given, "command": text.removesuffix("\n")}))
        else:
            self._change(text.encode())

    def _change(self, content: bytes) -> None:
        try:
            given = msgspec.json.decode(content)
        except (msgspec.DecodeError, RecursionError):
            given = None
        if isinstance(given, dict):
            as_asked = self.context.tool is not None and given == raw_input(self.context.tool)
            self.input, self.trouble = UNSET if as_asked else Raw(content), ""
        else:
            self.trouble = "the input must be a JSON object · e opens it again"
        self._rejected = "" if isinstance(given, dict) else content.decode()
        self.refresh()

    def _move(self, by: int) -> None:
        shown = self._shown()
        if shown:
            at = shown.index(self.cursor) if self.cursor in shown else 0
            self.cursor = shown[max(0, min(at + by, len(shown) - 1))]

    def _by_kind(self, kind: str) -> None:
        """Choose the only option of a kind; of several move through them, so that Enter decides."""
        found = self._of(kind)
        if len(found) == 1:
            self._pick(found[0])
        elif found:
            self.cursor = next((at for at in found if at > self.cursor), found[0])

    def _pick(self, at: int) -> None:
        option = self.options[at]
        self.cursor = at
        no = rejects(option)
        told = self.field.text.strip() if self.field and not self.filtering and no else ""
        self.send(Pick(option=option.option_id, input=UNSET if no else self.input, feedback=told))


_KEYS: Final = {"yes": "allow_once", "always": "allow_always", "no": "reject_once", "never": "reject_always"}


def _lone_command(given: Mapping[str, object]) -> str | None:
    """The command of an input that is nothing else, but for words about it."""
    command = given.get("command")
    return command if isinstance(command, str) and given.keys() <= {"command", "description"} else None
