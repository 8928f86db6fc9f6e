"""The section `slash`: the builtin rows, then what agent and plugins offer. Made anew whenever its inputs change.

    slash(state, info, hints={}, *, journaled, login) -> Slash
        hints: argument hints of the agent's commands by name (from the fact `details`, key `commands`);
        journaled: the session has a journal; login: the fact `login` names a method
    mode_kind(mode_id, name="") -> "plan" | "implement" | "read-only" | ""

A row whose condition does not hold is left out. Pure. What a row does is the front end's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from craze.codec import (
    CommandInfo,
    ConfigOption,
    PluginCommand,
    SelectValue,
    Slash,
    SlashItem,
    SlashRun,
    SlashSetting,
    State,
    is_slash_name,
)
from craze.engine.facts import Info

ModeKind: TypeAlias = Literal["plan", "implement", "read-only", ""]

_KINDS: Final[dict[str, ModeKind]] = {
    **dict.fromkeys(("plan", "planning", "architect"), "plan"),
    **dict.fromkeys(("agent", "code", "build", "implement", "default", "acceptedits", "edit"), "implement"),
    **dict.fromkeys(("ask", "readonly", "chat"), "read-only"),
}


def mode_kind(mode_id: str, name: str = "") -> ModeKind:
    """What a mode is for, read from its id and else its name. It colours marks and finds modes, nothing else."""
    last = re.split(r"[#/:]", mode_id)[-1]
    return _KINDS.get(_plain(last)) or _KINDS.get(_plain(name), "")


def slash(state: State, info: Info, hints: Mapping[str, str] | None = None, *, journaled: bool, login: bool) -> Slash:
    """Every row, in the order of a menu: builtin, agent, plugins, skills."""
    now = _Now(state, info, journaled, login)
    commands = state.commands.commands if state.commands else ()
    plugins = [_plugin(found) for found in (state.plugins.plugins if state.plugins else ())]
    rows = (
        *(row for builtin in BUILTINS if (row := builtin.row(now))),
        *_agent_rows(commands, hints or {}),
        *(row for row in plugins if row.source == "plugin"),
        *(row for row in plugins if row.source == "skill"),
    )
    return Slash(items=tuple(row for row in rows if is_slash_name(row.name)))


class _Now(Struct, frozen=True):
    """What the conditions of builtin rows read."""

    state: State
    info: Info
    journaled: bool
    login: bool

    def options(self, category: str) -> tuple[SelectValue, ...]:
        """Values of the options of a category."""
        options: tuple[ConfigOption, ...] = self.state.config.options if self.state.config else ()
        return next((option.select_values for option in options if option.category == category), ())

    @property
    def models(self) -> int:
        listed = len(self.state.catalog.models) if self.state.catalog else 0
        return max(listed, len(self.options("model")))

    def mode(self, kind: ModeKind) -> str | None:
        """The first mode of a kind."""
        return next((mode.value for mode in self.options("mode") if mode_kind(mode.value, mode.name) == kind), None)


def _always(_: _Now) -> bool:
    return True


class Builtin(Struct, frozen=True):
    """A row of craze itself; `mode` is the kind of mode that it sets."""

    name: str
    description: str
    run: SlashRun
    while_working: bool = False
    condition: Callable[[_Now], bool] = _always
    requires: str = ""
    mode: ModeKind = ""

    def row(self, now: _Now) -> SlashItem | None:
        run = _to_mode(now.mode(self.mode)) if self.mode else self.run
        if run is None or not self.condition(now):
            return None
        return SlashItem(
            name=self.name,
            description=self.description,
            source="builtin",
            requires=self.requires,
            while_working=self.while_working,
            run=run,
        )


def _to_mode(mode: str | None) -> SlashRun | None:
    setting = SlashSetting(kind="mode", value=mode) if mode is not None else None
    return SlashRun(kind="method", method="session.set", setting=setting) if setting else None


def _local(
    name: str,
    description: str,
    arg: str = "",
    hint: str = "",
    *,
    busy: bool = True,
    condition: Callable[[_Now], bool] = _always,
) -> Builtin:
    return Builtin(name, description, SlashRun(kind="local", local=name, arg=arg, arg_hint=hint), busy, condition)


def _picker(name: str, description: str, condition: Callable[[_Now], bool]) -> Builtin:
    run = SlashRun(kind="picker", picker=name, arg="optional", arg_hint="name")
    return Builtin(name, description, run, condition=condition)


def _mode(name: str, description: str, kind: ModeKind) -> Builtin:
    return Builtin(name, description, SlashRun(kind="method"), mode=kind)


BUILTINS: Final[tuple[Builtin, ...]] = (
    _local("help", "Keys, commands and where craze keeps its files"),
    _local("keys", "Every key and what it does"),
    _local("clear", "Clear the screen; the conversation goes on"),
    _local("tasks", "Show or hide the todo list"),
    _local("log", "The event log of this session"),
    _local("mouse", "Give the mouse back to the terminal, or take it"),
    _local("quit", "Leave craze"),
    _local("sessions", "Stored sessions: open, rename, delete"),
    _local("search", "Search the transcript", "optional", "text"),
    _local("copy", "Copy the last answer or a code block", "optional", "number"),
    _local("theme", "Choose the colours", "optional", "name"),
    _local("answers", "What answers questions of the agent by itself"),
    _local("export", "Write the transcript to a file", "optional", "file", condition=lambda now: now.journaled),
    _local("editor", "Write the prompt in your editor"),
    _local("image", "Attach an image", "required", "file"),
    _local("new", "Start a new session", busy=False),
    _local("agents", "Choose an agent", busy=False),
    _local("restart", "Start the agent again", condition=lambda now: "reopen" in now.info.can),
    _local("connect", "Sign in to the agent", busy=False, condition=lambda now: now.login),
    _picker("model", "Choose the model", lambda now: now.models > 1),
    _picker("mode", "Choose the mode", lambda now: len(now.options("mode")) > 1),
    _mode("plan", "Plan first: switch to a planning mode", "plan"),
    _mode("ask", "Only ask: switch to a mode that changes nothing", "read-only"),
    _mode("agent", "Do the work: switch to an implementing mode", "implement"),
    Builtin(
        "rename",
        "Give the session a title",
        SlashRun(kind="method", method="session.setTitle", param="title", arg="required", arg_hint="title"),
        while_working=True,
    ),
    Builtin(
        "btw",
        "Ask a side question without disturbing the turn",
        SlashRun(kind="aside", param="question", arg="required", arg_hint="question"),
        while_working=True,
        requires="aside",
    ),
)


def _agent_rows(commands: tuple[CommandInfo, ...], hints: Mapping[str, str]) -> Iterator[SlashItem]:
    """One row for each name; a command of several words stands under its first, with the others as hint."""
    names = {command.name for command in commands}
    rests: dict[str, list[str]] = {}
    for command in commands:
        first, _, rest = command.name.partition(" ")
        if rest and first not in names:
            rests.setdefault(first, []).append(rest.strip())
    for command in commands:
        first, _, rest = command.name.partition(" ")
        if not rest:
            yield _agent_row(command.name, command.description, hints.get(command.name, ""))
        elif first in rests:
            yield _agent_row(first, command.description, " | ".join(rests.pop(first)))


def _agent_row(name: str, description: str, hint: str) -> SlashItem:
    run = SlashRun(kind="prompt", arg="optional" if hint else "", arg_hint=_line(hint))
    return SlashItem(name=name, description=_line(description) or "Command of the agent", source="agent", run=run)


def _plugin(found: PluginCommand) -> SlashItem:
    name = found.display or found.bare or found.qualified
    return SlashItem(
        name=name,
        description=_line(found.description) or f"From the plugin {found.plugin}",
        source="skill" if found.kind == "skill" else "plugin",
        plugin=found.plugin,
        qualified=found.qualified if found.qualified != name else "",
        run=SlashRun(kind="prompt", arg="optional"),
    )


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]", "", text).casefold()


def _line(text: str) -> str:
    """The first line that says something, on one line."""
    return next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
