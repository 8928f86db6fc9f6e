"""Tool calls of the wire as patches for the engine, which alone merges and closes them.

Pure. Kept here is only what a field of a later patch is computed from: which ids are known, what terminals printed;
never the call itself. What a line says of one call is `calls`.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from craze.codec import Diff, Task, ToolOutput
from craze.engine.ports import Report, ToolPatch
from craze.providers.acp.calls import (
    FINAL,
    Call,
    creates,
    diff_of,
    input_of,
    is_typing,
    locations_of,
    meta_of,
    name_of,
    over,
    task_of,
    text_of,
    typed_input,
)
from craze.providers.acp.outputs import NOTHING, Display, responded, returned, terminal_pieces
from craze.providers.acp.quirks import Quirks
from craze.providers.acp.requests import AskedTool
from craze.providers.acp.types import (
    AnyBlock,
    DiffContent,
    Meta,
    TerminalContent,
    ToolCall,
    ToolFields,
    ToolUpdate,
    text,
)
from craze.providers.lints import Lints

_CUMULATIVE = 1 << 20


class Tools:
    """The known calls of a session, by (agent, id)."""

    def __init__(self, lints: Lints, quirks: Quirks) -> None:
        self.quirks = quirks
        self._lints = lints
        self._calls: dict[tuple[str, str], Call] = {}
        self._owners: dict[str, str] = {}
        self._waiting: dict[tuple[str, str], ToolUpdate] = {}
        self._displays: dict[str, Display] = {}
        self._shown_by: dict[str, dict[tuple[str, str], Call]] = {}
        self._answers: dict[str, ToolOutput] = {}
        self._ours: dict[str, bool] = {}

    # ---- what is known

    def get(self, agent: str, call: str) -> Call | None:
        return self._calls.get((agent, call))

    def owner(self, call: str) -> str | None:
        """The agent whose call has this id."""
        return self._owners.get(call)

    def open_calls(self) -> Iterator[Call]:
        """Calls that nobody has ended, the youngest first."""
        return (call for call in reversed(self._calls.values()) if not (call.final or call.closed))

    # ---- what a line says

    def call(self, fields: ToolCall, agent: str) -> list[Report]:
        known = self.get(agent, fields.tool_call_id)
        lint = self._lints.note("repeated-tool-call", fields.tool_call_id) if known and not known.asked_only else []
        return [*lint, *self._patch(fields, agent)]

    def update(self, fields: ToolUpdate, agent: str) -> list[Report]:
        key = (agent, fields.tool_call_id)
        if key in self._calls:
            return self._patch(fields, agent)
        if waiting := self._waiting.pop(key, None):
            fields = over(waiting, fields)
        if not creates(fields):
            self._feed(meta_of(fields), fields.tool_call_id)
            self._waiting[key] = replace(fields, meta=None)
            return []
        return [*self._lints.note("update-before-call", fields.tool_call_id), *self._patch(fields, agent)]

    def asked(self, fields: AskedTool, agent: str, title: str) -> ToolPatch:
        """The patch of a permission request, which creates its call even with nothing but the id."""
        call = self.get(agent, fields.tool_call_id)
        if call is None:
            fields = replace(fields, title=text(fields.title) or title or text(fields.name))
        if fields.locations == ():
            fields = replace(fields, locations=UNSET)
        if self.quirks.own_input and call and call.has_input:
            fields = replace(fields, raw_input=UNSET)
        if self.quirks.typed_arguments and call and fields.raw_input is UNSET:
            fields = replace(fields, raw_input=typed_input(call))
        return self._one(fields, agent, from_ask=True)

    def answered(self, terminal: str, output: ToolOutput) -> list[Report]:
        """craze told the agent what a terminal of ours printed: each call that shows it says the same."""
        held = self._answers.get(terminal)
        if held is not None and not output.stdout:
            output = replace(held, exit_code=output.exit_code if output.exit_code is not None else held.exit_code)
        self._answers[terminal] = output
        return [
            ToolPatch(id=call.id, agent=call.agent, output=output)
            for call in self._shown_by.get(terminal, {}).values()
            if terminal in call.terminals
        ]

    def ours(self, terminal: str, *, live: bool) -> None:
        """A terminal of ours began or ended."""
        self._ours[terminal] = live

    def name_parent(self, call: Call, described: str) -> ToolPatch | None:
        """A child names this call as its parent: it is a task."""
        if call.task is not None:
            return None
        call.task = call.hint or Task(description=described)
        return ToolPatch(id=call.id, agent=call.agent, task=call.task)

    def end_turn(self, *, spare: frozenset[str]) -> list[Report]:
        """What the end of a turn does to its calls: those that go on are marked, the rest counts as closed."""
        self._waiting.clear()
        marks: list[Report] = []
        for call in list(self.open_calls()):
            live = any(self._ours.get(terminal) for terminal in call.terminals)
            if call.background or call.agent in spare:
                continue
            if live or call.id in spare:
                call.background = True
                marks.append(ToolPatch(id=call.id, agent=call.agent, background=True))
            else:
                call.closed = True
        self.forget_outputs()
        return marks

    def forget_outputs(self) -> None:
        """What terminals printed is with the engine; here it is kept only for calls that may still show it."""
        shown = {terminal for call in self.open_calls() for terminal in call.terminals}
        for name, display in self._displays.items():
            if name not in shown:
                display.forget()
        for name, output in self._answers.items():
            if name not in shown:
                self._answers[name] = replace(output, stdout="")

    def renew(self) -> None:
        """Another agent process: its ids begin anew."""
        for held in (
            self._calls,
            self._owners,
            self._waiting,
            self._displays,
            self._shown_by,
            self._answers,
            self._ours,
        ):
            held.clear()

    # ---- one patch

    def _patch(self, fields: ToolFields, agent: str) -> list[Report]:
        known = self.get(agent, fields.tool_call_id)
        late = self._lints.note("update-after-stop", fields.tool_call_id) if known and known.closed else []
        patch = self._one(fields, agent, from_ask=False)
        call = self._calls[agent, fields.tool_call_id]
        others = self._feed_others(call, meta_of(fields))
        return [*late, *self._notes(call, fields, patch), patch, *others]

    def _one(self, fields: ToolFields, agent: str, *, from_ask: bool) -> ToolPatch:
        call = self._calls.get((agent, fields.tool_call_id))
        if call is None:
            call = self._calls[agent, fields.tool_call_id] = Call(fields.tool_call_id, agent)
            self._owners[call.id] = agent
        call.asked_only &= from_ask
        meta = meta_of(fields)
        fed = self._feed(meta, call.id)
        typing = self.quirks.typed_arguments and not from_ask and is_typing(fields, call)
        said, diffs = (UNSET, UNSET) if typing else self._content(fields, call)
        name = name_of(fields, meta, call)
        if isinstance(fields.kind, str):
            call.kind = fields.kind
        if isinstance(fields.status, str):
            call.final = fields.status in FINAL
        added = "".join(self._take(call, terminal) for terminal in dict.fromkeys((*call.terminals, *fed)))
        task = task_of(fields, meta, call)
        return ToolPatch(
            id=call.id,
            agent=agent,
            from_ask=from_ask,
            background=call.background,
            name=name,
            tool_name=UNSET if name is UNSET or not call.tool_name else call.tool_name,
            status=fields.status if isinstance(fields.status, str) else UNSET,
            kind=fields.kind if isinstance(fields.kind, str) else UNSET,
            title=fields.title if isinstance(fields.title, str) else UNSET,
            raw_input=input_of(fields, call),
            content_text=said,
            diffs=diffs,
            locations=locations_of(fields),
            output=self._output(fields, meta, call),
            stdout_add=added,
            task=task,
        )

    def _content(
        self, fields: ToolFields, call: Call
    ) -> tuple[str | UnsetType | None, tuple[Diff, ...] | UnsetType | None]:
        if fields.content is UNSET:
            return UNSET, UNSET
        items = fields.content or ()
        said = "\n".join(filter(None, map(text_of, items)))
        diffs = tuple(diff_of(item) for item in items if isinstance(item, DiffContent))
        call.has_text = bool(said)
        call.terminals = tuple(dict.fromkeys(item.terminal_id for item in items if isinstance(item, TerminalContent)))
        for terminal in call.terminals:
            self._shown_by.setdefault(terminal, {})[call.agent, call.id] = call
        # What replaces a diff by the words of a result takes nothing back: the change that was shown stays.
        return said or None, diffs or (UNSET if items else None)

    def _output(self, fields: ToolFields, meta: Meta, call: Call) -> ToolOutput | UnsetType:
        """As far as this line changes it; what a display terminal printed is put behind `stdout` instead."""
        if fields.content is not UNSET:
            for terminal in call.terminals:
                if terminal in self._answers:
                    call.printed = True
                    return self._answers[terminal]
        call.printed |= any(terminal in self._ours for terminal in call.terminals)
        output = returned(fields.raw_output, texts=not (call.has_text or call.printed))
        if not (call.has_text or call.printed or call.terminals) and meta.claude_code:
            output = responded(meta.claude_code.tool_response) if output == NOTHING else output
        if meta.terminal_exit and meta.terminal_exit.exit_code is not None:
            output = replace(output, exit_code=meta.terminal_exit.exit_code)
        return UNSET if output == NOTHING else output

    def _notes(self, call: Call, fields: ToolFields, patch: ToolPatch) -> Iterator[Report]:
        """What is off in the content of this line."""
        items = fields.content or () if fields.content is not UNSET else ()
        if any(isinstance(item, AnyBlock) for item in items):
            yield from self._lints.note("bare-block", call.id)
        for name in call.terminals if items else ():
            if name not in self._displays and name not in self._ours:
                yield from self._lints.note("unknown-terminal", name)
        before = call.said
        call.said += len(patch.content_text) if isinstance(patch.content_text, str) else 0
        if before <= _CUMULATIVE < call.said:
            yield from self._lints.note("cumulative-output", call.id)

    # ---- display terminals

    def _feed(self, meta: Meta, call: str) -> list[str]:
        """Give display terminals what this line has for them; their ids."""
        fed: list[str] = []
        for piece in terminal_pieces(meta):
            name = text(piece.terminal_id) or call
            display = self._displays.setdefault(name, Display())
            if piece.data:
                display.add(piece.data)
                fed.append(name)
        return fed

    def _take(self, call: Call, terminal: str) -> str:
        """What a display terminal printed that this call does not have yet."""
        display = self._displays.get(terminal)
        if display is None:
            return ""
        new = display.since(call.taken.get(terminal, 0))
        if new:
            call.taken = {**call.taken, terminal: display.size}
            call.printed = True
        return new

    def _feed_others(self, call: Call, meta: Meta) -> list[Report]:
        """Every other call that shows a terminal which this line fed."""
        names = {text(piece.terminal_id) for piece in terminal_pieces(meta) if piece.data}
        others = [other for name in names for other in self._shown_by.get(name, {}).values() if other is not call]
        added = [(other, "".join(self._take(other, name) for name in other.terminals)) for other in others]
        return [ToolPatch(id=other.id, agent=other.agent, stdout_add=text) for other, text in added if text]
