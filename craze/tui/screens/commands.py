"""Runs slash commands: a row's `run` says what kind of thing it is, a table says what each local name does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from craze.codec import SlashItem
from craze.engine.facts import Policies
from craze.engine.intents import Refused, Result, Set
from craze.tui.prompt import slash
from craze.tui.prompt.slash import Meant
from craze.tui.screens.parts import Parts
from craze.tui.screens.refusals import words
from craze.tui.told import told

PATIENCE: Final = 5.0
"""Seconds that an unknown command waits for the agent's own list."""


class Commands:
    """The commands of one screen.

    Args:
        local: What each local command does with its argument, by its name.
        pickers: What each picker does with it.
        aside: Shows a side question and its answer, "" while it is on its way.
    """

    def __init__(
        self,
        parts: Parts,
        local: Mapping[str, Callable[[str], None]],
        pickers: Mapping[str, Callable[[str], None]],
        aside: Callable[[str, str], None],
    ) -> None:
        self._parts, self._composer, self._sender = parts, parts.widgets.composer, parts.sender
        self.local: Final = {**local, "answers": self.tell_answers}
        self._pickers, self._show_aside = pickers, aside
        self._waiting: asyncio.Task[None] | None = None
        self._asked = ""

    @property
    def waiting(self) -> bool:
        """Whether a command waits for the agent's list."""
        return self._waiting is not None and not self._waiting.done()

    async def take(self, meant: Meant) -> None:
        """Do what a draft that begins with `/` means, or say why not."""
        row, say = meant.row, self._parts.say
        if meant.trouble == "takes none" and row:
            say(f"/{row.name} takes no argument", "warning")
        elif meant.trouble == "busy" and row:
            say(f"/{row.name} runs after this turn", "warning")
        elif meant.trouble == "needs" and row and row.run:
            say(f"/{row.name} needs {row.run.arg_hint or 'an argument'}", "warning")
        elif meant.trouble == "near":
            await self._near_miss(meant)
        elif meant.trouble == "waiting":
            self._wait(meant)
        elif row is None:
            await self._sender.prompt(meant.text)
        else:
            await self.run(row, meant.arg, meant.text)

    async def _near_miss(self, meant: Meant) -> None:
        """Ask first; Enter again takes what was probably meant."""
        word = meant.text.split()[0]
        if self._asked != meant.text:
            self._asked = meant.text
            self._parts.say(f"{word}: did you mean /{meant.near}? enter yes · ctrl+s send as it is", "warning")
            return
        self._asked = ""
        corrected = f"/{meant.near}{meant.text[len(word) :]}"
        busy = bool(self._parts.view.turn or self._parts.view.foreign)
        if again := slash.meant(corrected, self._composer.completer.rows, working=busy, known=True):
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
        await self._sender.prompt(f"/{row.name} {arg}".strip() if text.startswith("/") else text)

    async def _method(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        setting = row.run.setting
        if row.run.method == "session.setTitle":
            self._sender.set(Set(kind="title", value=arg))
        elif setting is not None and setting.kind == "mode":
            self._sender.to_mode(setting.value)
        elif setting is not None:
            self._sender.set(_set(setting.kind, setting.value))
        self._composer.drafts.accepted(text)

    async def _picker(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        self._composer.drafts.accepted(text)
        self._pickers[row.run.picker](arg)

    async def _aside(self, row: SlashItem, arg: str, text: str) -> None:
        self._composer.drafts.accepted(text)
        self._show_aside(arg, "")

        def done(result: Result) -> None:
            said = words(result) if isinstance(result, Refused) else result.text
            self._show_aside(arg, said)

        self._sender.aside(arg, done)

    async def _local(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        self._composer.drafts.accepted(text)
        self.local[row.run.local](arg)

    async def _unavailable(self, row: SlashItem, arg: str, text: str) -> None:
        assert row.run is not None
        self._parts.say(row.run.reason or f"/{row.name} cannot run here", "warning")

    # ---- a command the agent may list in a moment

    def _wait(self, meant: Meant) -> None:
        self.stop_waiting()
        self._parts.say("waiting for the agent's commands · esc")
        self._waiting = asyncio.get_running_loop().create_task(self._take_when_known(meant.text))

    def stop_waiting(self) -> bool:
        """Let the text stand in the draft; False when nothing waits."""
        waits = self.waiting
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        return waits

    async def _take_when_known(self, text: str) -> None:
        """Do what the text means once its command, or the agent's whole list, is there; else it is a prompt."""
        for _ in range(int(PATIENCE / 0.1)):
            meant = self._composer.completer.meant(text)
            if meant is None or meant.trouble != "waiting":
                break
            await asyncio.sleep(0.1)
        else:
            meant = None
        self._waiting = None
        if meant is not None:
            await self.take(meant)
        else:
            await self._sender.prompt(text)

    # ---- who answers

    def tell_answers(self, arg: str = "") -> None:
        policies = told(self._parts.view, "policies", Policies)
        front = " · your rules come first" if policies.rules else ""
        kinds = f"permissions: {policies.permission} · questions: {policies.question} · plans: {policies.plan}"
        self._parts.say(kinds + front)


def _set(kind: str, value: str) -> Set:
    """A setting of a row as an intent; what is no title, model or mode is an option of the agent by its id."""
    if kind == "title":
        return Set(kind="title", value=value)
    if kind == "model":
        return Set(kind="model", value=value)
    return Set(kind="config", id=kind, value=value)
