"""Tool calls of the wire as patches for the engine, which alone merges and closes them.

Pure. Kept here is only what a field of a later patch is computed from: which ids are known, how a call got its name,
whether it shows text, which terminals; never the call itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from craze.codec import Diff, Task, ToolOutput
from craze.engine.facts import Fact
from craze.engine.ports import Report, ToolPatch
from craze.providers.acp.blocks import shown
from craze.providers.acp.decode import read, value_of
from craze.providers.acp.lints import Lints
from craze.providers.acp.outputs import NOTHING, Display, responded, returned, terminal_pieces
from craze.providers.acp.quirks import Quirks
from craze.providers.acp.types import (
    NO_META,
    AnyBlock,
    AskedTool,
    DiffContent,
    Meta,
    TerminalContent,
    Text,
    ToolCall,
    ToolFields,
    ToolItem,
    ToolUpdate,
    Unknown,
    Wire,
    WrappedContent,
    text,
)

FINAL: Final = frozenset({"completed", "failed", "cancelled"})
_TASK_TOOLS: Final = frozenset({"Agent", "Task", "task"})
_CUMULATIVE = 1 << 20


class Call(Struct):
    """What later patches of a call depend on. `closed`: by the end of its turn, not by the agent."""

    id: str
    agent: str
    kind: str = ""
    tool_name: str = ""
    name: str = ""
    final: bool = False
    closed: bool = False
    background: bool = False
    asked_only: bool = True
    has_text: bool = False
    has_input: bool = False
    hint: Task | None = None
    printed: bool = False
    terminals: tuple[str, ...] = ()
    taken: dict[str, int] = {}
    task: Task | None = None
    said: int = 0


def meta_of(fields: Struct) -> Meta:
    """The `_meta` of an update; one library nests it once more."""
    meta: object = getattr(fields, "meta", None)
    return (meta.nested or meta) if isinstance(meta, Meta) else NO_META


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
        lint = self._lints.note("repeated-tool-call", fields.tool_call_id) if known and not known.asked_only else None
        return [*_facts(lint), *self._patch(fields, agent)]

    def update(self, fields: ToolUpdate, agent: str) -> list[Report]:
        key = (agent, fields.tool_call_id)
        if key in self._calls:
            return self._patch(fields, agent)
        if waiting := self._waiting.pop(key, None):
            fields = _over(waiting, fields)
        if not _creates(fields):
            self._feed(meta_of(fields), fields.tool_call_id)
            self._waiting[key] = replace(fields, meta=None)
            return []
        return [*_facts(self._lints.note("update-before-call", fields.tool_call_id)), *self._patch(fields, agent)]

    def asked(self, fields: AskedTool, agent: str, title: str) -> ToolPatch:
        """The patch of a permission request, which creates its call even with nothing but the id."""
        call = self.get(agent, fields.tool_call_id)
        if call is None:
            fields = replace(fields, title=text(fields.title) or title or text(fields.name))
        if fields.locations == ():
            fields = replace(fields, locations=UNSET)
        if self.quirks.own_input and call and call.has_input:
            fields = replace(fields, raw_input=UNSET)
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
        late = self._lints.once("update-after-stop", fields.tool_call_id) if known and known.closed else None
        patch = self._one(fields, agent, from_ask=False)
        call = self._calls[agent, fields.tool_call_id]
        others = self._feed_others(call, meta_of(fields))
        return [*_facts(late), *self._notes(call, fields, patch), patch, *others]

    def _one(self, fields: ToolFields, agent: str, *, from_ask: bool) -> ToolPatch:
        call = self._calls.get((agent, fields.tool_call_id))
        if call is None:
            call = self._calls[agent, fields.tool_call_id] = Call(fields.tool_call_id, agent)
            self._owners[call.id] = agent
        call.asked_only &= from_ask
        meta = meta_of(fields)
        fed = self._feed(meta, call.id)
        said, diffs = self._content(fields, call)
        name = _named(fields, meta, call)
        if isinstance(fields.kind, str):
            call.kind = fields.kind
        if isinstance(fields.status, str):
            call.final = fields.status in FINAL
        added = "".join(self._take(call, terminal) for terminal in dict.fromkeys((*call.terminals, *fed)))
        task = _task(fields, meta, call)
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
            raw_input=_input(fields, call),
            content_text=said,
            diffs=diffs,
            locations=_locations(fields),
            output=self._output(fields, meta, call),
            stdout_add=added,
            task=task,
        )

    def _content(
        self, fields: ToolFields, call: Call
    ) -> tuple[str | UnsetType | None, tuple[Diff, ...] | UnsetType | None]:
        if fields.content is UNSET or (self.quirks.typed_arguments and _is_typing(fields, call)):
            return UNSET, UNSET
        items = fields.content or ()
        said = "\n".join(filter(None, map(_text_of, items)))
        diffs = tuple(_diff(item) for item in items if isinstance(item, DiffContent))
        call.has_text = bool(said)
        call.terminals = tuple(dict.fromkeys(item.terminal_id for item in items if isinstance(item, TerminalContent)))
        for terminal in call.terminals:
            self._shown_by.setdefault(terminal, {})[call.agent, call.id] = call
        return said or None, diffs or None

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
        items = fields.content or () if fields.content is not UNSET else ()
        if any(isinstance(item, AnyBlock) for item in items):
            yield from _facts(self._lints.note("bare-block", call.id))
        for name in call.terminals:
            if name not in self._displays and name not in self._ours:
                yield from _facts(self._lints.once("unknown-terminal", name))
        call.said += len(patch.content_text) if isinstance(patch.content_text, str) else 0
        if call.said > _CUMULATIVE:
            yield from _facts(self._lints.once("cumulative-output", call.id))

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


def _creates(fields: ToolUpdate) -> bool:
    """An update that says enough to make a call that was not announced."""
    return not all(
        value is UNSET or value is None for value in (fields.title, fields.kind, fields.content, fields.raw_input)
    )


def _over(held: ToolUpdate, newer: ToolUpdate) -> ToolUpdate:
    """The waiting update with what a newer one says."""
    said = {name: value for name in held.__struct_fields__ if (value := getattr(newer, name)) is not UNSET}
    return replace(held, **said)


def _named(fields: ToolFields, meta: Meta, call: Call) -> str | UnsetType:
    """The name, where this line changes it: a tool's own name, else the first title that was not empty."""
    claude = meta.claude_code.tool_name if meta.claude_code else None
    places = (fields.name, claude, meta.tool_name, meta.plain_tool_name)
    tool_name = next((place for place in places if isinstance(place, str) and place), call.tool_name)
    name = tool_name or call.name or text(fields.title)
    if (name, tool_name) == (call.name, call.tool_name):
        return UNSET
    call.name, call.tool_name = name, tool_name
    return name


def _input(fields: ToolFields, call: Call) -> str | UnsetType | None:
    if not isinstance(fields.raw_input, Raw):
        return UNSET
    call.has_input = True
    raw = bytes(fields.raw_input)
    return None if raw == b"null" else raw.decode("utf-8", "replace")


def _locations(fields: ToolFields) -> tuple[str, ...] | UnsetType | None:
    if not fields.locations:
        return UNSET if fields.locations is UNSET else None
    return tuple(dict.fromkeys(location.path for location in fields.locations))


def _is_typing(fields: ToolFields, call: Call) -> bool:
    """Text that is the arguments so far: before there is an input, or the same as the input that comes with it."""
    items = (fields.content or ()) if fields.content is not UNSET else ()
    ends = isinstance(fields.status, str) and fields.status in FINAL
    if call.has_input or call.final or ends or any(isinstance(item, DiffContent | TerminalContent) for item in items):
        return False
    if not isinstance(fields.raw_input, Raw):
        return True
    said = "".join(map(_text_of, items)).encode("utf-8", "replace")
    return value_of(said) == value_of(fields.raw_input)


def _text_of(item: ToolItem | Unknown) -> str:
    if isinstance(item, DiffContent | TerminalContent):
        return ""
    return shown(item.content if isinstance(item, WrappedContent) else item)


def _diff(item: DiffContent) -> Diff:
    return Diff(path=item.path, old_text=text(item.old_text), new_text=item.new_text)


def _task(fields: ToolFields, meta: Meta, call: Call) -> Task | UnsetType:
    """What makes the call a task, where this line changes it."""
    given = _child_input(fields.raw_input)
    if given:
        call.hint = _hinted(given, call.hint or Task())
    if call.task is None and call.tool_name not in _TASK_TOOLS and "subagent_type" not in given:
        return UNSET
    response = _child_response(meta)
    old = call.task or Task()
    task = replace(
        call.hint or old,
        agent_id=text(response.agent_id) or old.agent_id,
        background=response.is_async is True or old.background,
    )
    call.background |= task.background
    if task == call.task:
        return UNSET
    call.task = task
    return task


def _hinted(given: dict[str, str], old: Task) -> Task:
    """What the input of a call says about the child that it starts."""
    return Task(
        description=given.get("description") or old.description,
        prompt=given.get("prompt") or old.prompt,
        model=given.get("model") or old.model,
        subagent_type=given.get("subagent_type") or given.get("agent_type") or old.subagent_type,
    )


def _child_input(raw: Raw | UnsetType) -> dict[str, str]:
    """The texts of a raw input that starts a child, else nothing; large inputs of other tools are not parsed."""
    data = bytes(raw) if isinstance(raw, Raw) else b""
    if not any(key in data for key in (b'"subagent_type"', b'"agent_type"', b'"prompt"')):
        return {}
    value = value_of(data)
    table = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return {key: held for key, held in table.items() if isinstance(held, str)}


class _ChildResponse(Wire, frozen=True):
    agent_id: Text = None
    is_async: bool | None = None


def _child_response(meta: Meta) -> _ChildResponse:
    raw = meta.claude_code.tool_response if meta.claude_code else UNSET
    found = read(_ChildResponse, raw).value if isinstance(raw, Raw) else None
    return found or _ChildResponse()


def _facts(fact: Fact | None) -> tuple[Fact, ...]:
    return () if fact is None else (fact,)
