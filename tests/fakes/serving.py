"""A program that embeds craze and serves its agent a tool of its own: `python serving.py screen|run AGENT PROMPT`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any

from craze.cli import exit_codes, ids
from craze.cli.answering import of_run, of_screen
from craze.cli.context import Context
from craze.cli.join import Wanted as Joining
from craze.cli.live import Flags, start
from craze.cli.plan import Wanted
from craze.cli.running import go
from craze.headless.run import Plan
from craze.headless.text import Words
from craze.providers.control.toolserver import ServedTool, ToolResult
from craze.store.folder import Folder


class Desk:
    """A server with one tool."""

    name = "desk"

    def tools(self) -> list[ServedTool]:
        schema = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}
        return [ServedTool("add", "add two numbers", schema)]

    async def call(self, name: str, arguments: Mapping[str, Any], cancel: asyncio.Event) -> ToolResult:
        return ToolResult(({"type": "text", "text": str(arguments["a"] + arguments["b"])},))


async def screen(context: Context, agent: str, prompt: str) -> str:
    from craze.cli.showing import show
    from craze.tui.dialogs import ask_panel, ask_slot

    # Without the waits that keep a person from answering by mistake.
    ask_panel.GRACE = ask_slot.QUIET = 0  # type: ignore[misc]
    flags = Flags(answering=of_screen("", context.settings, context.folder))
    declared = context.roster.get(agent)
    wanted = Wanted(context=context, flags=flags, agent=declared, prompt=prompt)
    return await show(wanted, start(context, declared, flags))


async def run(context: Context, agent: str, prompt: str) -> str:
    wanted = Joining(
        folder=Folder(context.sessions, ids.uuid7()),
        workspace=str(context.folder),
        origin="run",
        answering=of_run("all", context.settings, (), context.folder),
        after_short="pause",
        after_cancel="pause",
    )
    plan = Plan(prompts=(prompt,))
    return await go(context, context.roster.get(agent), wanted, plan, Words(terminal=False), ())


async def main(how: str, agent: str, prompt: str) -> int:
    context = Context(served=[Desk()])
    return exit_codes.NUMBERS[await (screen if how == "screen" else run)(context, agent, prompt)]  # type: ignore[index]


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
