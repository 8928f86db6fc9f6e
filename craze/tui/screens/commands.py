"""Runs slash commands: a row's `run` says what kind of thing it is, a table says what each local name does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from craze.codec import SlashItem
from craze.engine.facts import Policies, Severity
from craze.engine.intents import Refused, Result, Set
from craze.engine.view import View
from craze.tui.prompt import slash
from craze.tui.prompt.composer import Composer
from craze.tui.prompt.slash import Meant
from craze.tui.screens.refusals import words
from craze.tui.screens.wishes import Wishes
from craze.tui.told import told

PATIENCE: Final = 5.0
"""Seconds that an unknown command waits for the agent's own list."""


class Deeds(Protocol):
    """What local commands and pickers do; each is a method of the screen."""

    @property
    def shown(self) -> View: ...
    @property
    def composer(self) -> Composer: ...
    @property
    def sender(self) -> Wishes: ...
    def say(self, text: str, severity: Severity = "info") -> None: ...
    def show_aside(self, question: str, answer: str) -> None: ...
    def open_help(self, arg: str) -> None: ...
    def open_sessions(self, arg: str) -> None: ...
    def open_agents(self, arg: str) -> None: ...
    def open_models(self, arg: str) -> None: ...
    def open_modes(self, arg: str) -> None: ...
    def open_theme(self, arg: str) -> None: ...
    def open_search(self, arg: str) -> None: ...
    def open_log(self, arg: str) -> None: ...
    def open_sign_in(self, arg: str) -> None: ...
    def new_session(self, arg: str) -> None: ...
    def clear_view(self, arg: str) -> None: ...
    def cycle_todos(self, arg: str = "") -> None: ...
    def export(self, arg: str) -> None: ...
    def copy_reply(self, arg: str) -> None: ...
    def edit_draft(self, arg: str) -> None: ...
    def attach_image(self, arg: str) -> None: ...
    def toggle_mouse(self, arg: str) -> None: ...
    def restart(self, arg: str) -> None: ...
    def leave(self, arg: str) -> None: ...


class Commands:
    """The commands of one screen."""

    def __init__(self, deeds: Deeds) -> None:
        self._deeds = deeds
        self._waiting: asyncio.Task[None] | None = None
        self._asked = ""
        self.local: Final[Mapping[str, Callable[[str], None]]] = {
            "help": deeds.open_help,
            "keys": deeds.open_help,
            "new": deeds.new_session,
            "sessions": deeds.open_sessions,
            "agents": deeds.open_agents,
            "clear": deeds.clear_view,
            "tasks": deeds.cycle_todos,
            "export": deeds.export,
            "theme": deeds.open_theme,
            "copy": deeds.copy_reply,
            "search": deeds.open_search,
            "editor": deeds.edit_draft,
            "image": deeds.attach_image,
            "log": deeds.open_log,
            "restart": deeds.restart,
            "connect": deeds.open_sign_in,
            "quit": deeds.leave,
            "mouse": deeds.toggle_mouse,
            "answers": self._answers,
        }
        self.pickers: Final[Mapping[str, Callable[[str], None]]] = {
            "model": deeds.open_models,
            "mode": deeds.open_modes,
        }

    @property
    def waiting(self) -> bool:
        """Whether a command waits for the agent's list."""
        return self._waiting is not None and not self._waiting.done()

    async def take(self, meant: Meant) -> None:
        """Do what a draft that begins with `/` means, or say why not."""
        deeds = self._deeds
        row = meant.row
        if meant.trouble == "takes none" and row:
            deeds.say(f"/{row.name} takes no argument", "warning")
        elif meant.trouble == "busy" and row:
            deeds.say(f"/{row.name} runs after this turn", "warning")
        elif meant.trouble == "needs" and row and row.run:
            deeds.say(f"/{row.name} needs {row.run.arg_hint or 'an argument'}", "warning")
        elif meant.trouble == "near":
            await self._near_miss(meant)
        elif meant.trouble == "waiting":
            self._wait(meant)
        elif row is None:
            await deeds.sender.prompt(meant.text)
        else:
            await self.run(row, meant.arg, meant.text)

    async def _near_miss(self, meant: Meant) -> None:
        """Ask first; Enter again takes what was probably meant."""
        word = meant.text.split()[0]
        if self._asked != meant.text:
            self._asked = meant.text
            self._deeds.say(f"{word}: did you mean /{meant.near}? enter yes · ctrl+s send as it is", "warning")
            return
        self._asked = ""
        corrected = f"/{meant.near}{meant.text[len(word) :]}"
        deeds = self._deeds
        busy = bool(deeds.shown.turn or deeds.shown.foreign)
        if again := slash.meant(corrected, deeds.composer.slash_rows, working=busy, known=True):
            await self.take(again)

    async def run(self, row: SlashItem, arg: str, text: str = "") -> None:
        """Run a row as its kind says."""
        assert row.run is not None
        kinds: dict[str, Callable[[SlashItem, str, str], Awaitable[None]]] = {
            "prompt": self._prompt,
            "method": self._method,
            "picker": self._picker,
            "aside": self._aside,
            "local": self._local,
            "unavailable": self._unavailable,
        }
        await kinds[row.run.kind](row, arg, text or f"/{row.name} {arg}".strip())

    async def _prompt(self, row: SlashItem, arg: str, text: str) -> None:
        await self._deeds.sender.prompt(f"/{row.name} {arg}".strip() if text.startswith("/") else text)

    async def _method(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        setting = row.run.setting
        if row.run.method == "session.setTitle":
            self._deeds.sender.set(Set(kind="title", value=arg))
        elif setting is not None and setting.kind == "mode":
            self._deeds.sender.to_mode(setting.value)
        elif setting is not None:
            self._deeds.sender.set(_set(setting.kind, setting.value))
        self._deeds.composer.accepted(text)

    async def _picker(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        self._deeds.composer.accepted(text)
        self.pickers[row.run.picker](arg)

    async def _aside(self, row: SlashItem, arg: str, text: str) -> None:
        self._deeds.composer.accepted(text)
        self._deeds.show_aside(arg, "")

        def done(result: Result) -> None:
            said = words(result) if isinstance(result, Refused) else result.text
            self._deeds.show_aside(arg, said)

        self._deeds.sender.aside(arg, done)

    async def _local(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        self._deeds.composer.accepted(text)
        self.local[row.run.local](arg)

    async def _unavailable(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        self._deeds.say(row.run.reason or f"/{row.name} cannot run here", "warning")

    # ---- a command the agent may list in a moment

    def _wait(self, meant: Meant) -> None:
        self.stop_waiting()
        self._deeds.say("waiting for the agent's commands · esc")
        self._waiting = asyncio.get_running_loop().create_task(self._send_when_known(meant))

    def stop_waiting(self) -> bool:
        """Let the text stand in the draft; False when nothing waits."""
        waits = self.waiting
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        return waits

    async def _send_when_known(self, meant: Meant) -> None:
        for _ in range(int(PATIENCE / 0.1)):
            if self._deeds.shown.state.commands is not None:
                break
            await asyncio.sleep(0.1)
        self._waiting = None
        await self._deeds.sender.prompt(meant.text)

    # ---- who answers

    def _answers(self, arg: str) -> None:
        policies = told(self._deeds.shown, "policies", Policies)
        front = " · your rules come first" if policies.rules else ""
        kinds = f"permissions: {policies.permission} · questions: {policies.question} · plans: {policies.plan}"
        self._deeds.say(kinds + front)


def _set(kind: str, value: str) -> Set:
    """A setting of a row as an intent; what is no title, model or mode is an option of the agent by its id."""
    if kind == "title":
        return Set(kind="title", value=value)
    if kind == "model":
        return Set(kind="model", value=value)
    return Set(kind="config", id=kind, value=value)
