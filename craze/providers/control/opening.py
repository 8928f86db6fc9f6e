"""How an agent is started and greeted: its command line, `initialize`, the start settings, ready.

Each step is the handler of a reply and writes the next; nothing waits. An agent that does not answer `initialize`, or
refuses it, works all the same, without catalogs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Raw
from msgspec.structs import replace

from craze.codec import Failure, Stamp
from craze.engine.facts import Notice, fact
from craze.engine.intents import Set, Setting
from craze.engine.ports import Opened, Report, Returned
from craze.providers.control import seed
from craze.providers.control.channel import Reply
from craze.providers.control.context import Context, other
from craze.providers.control.declaration import Declaration
from craze.providers.control.decode import read
from craze.providers.control.frames import InitializeExtended
from craze.providers.control.settings import BYPASS
from craze.providers.control.tools import object_of
from craze.providers.control.types import Catalogs, Part, Profile
from craze.transport import Command

Phase: TypeAlias = Literal["opening", "open", "over"]
_LINE: Final = (
    *("-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"),
    *("--permission-prompt-tool", "stdio", "--include-partial-messages", "--replay-user-messages"),
)
_BYPASS: Final = ("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions")
_ENV: Final = {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1"}
NESTED: Final = "CLAUDECODE"  # an agent that finds it thinks it runs inside of itself


class _Pending(Part, frozen=True):
    """A request that was open before we came."""

    request_id: Raw = Raw()
    request: Raw = Raw(b"{}")


class Opening:
    """Args:
    give_up: The opening failed: end the process.
    """

    def __init__(self, context: Context, give_up: Callable[[], None]) -> None:
        self.phase: Phase = "over"
        self.chosen: dict[tuple[Setting, str], str] = {}
        self._context, self._give_up = context, give_up
        self._left: list[Set] = []
        self._told_session = ""

    def wanted(self) -> dict[tuple[Setting, str], str]:
        """What was chosen since wins over what the session was started with."""
        asked: dict[tuple[Setting, str], str] = {
            (each.kind, each.id): each.value for each in self._context.start.settings
        }
        return asked | self.chosen

    def problem(self) -> str:
        """Why the agent cannot be started as it is wanted; "" when it can."""
        as_is = self._context.declaration.line == "as_is"
        return "this agent takes no further folders (--add-dir): its line is as it is" if as_is and self._dirs() else ""

    def command(self) -> Command:
        context, declaration = self._context, self._context.declaration
        argv = declaration.argv
        if declaration.line == "append":
            words = _program(argv)
            argv = (*argv[:words], *_LINE, *self._options(), *argv[words:])
        env = {**declaration.env, **_ENV}
        env.pop(NESTED, None)
        return Command(argv, context.start.workspace, env, declaration.install_hint, unset=(NESTED,))

    def begin(self) -> list[Report]:
        """The process runs: greet it."""
        self.phase = "opening"
        context = self._context
        live = context.live
        if live is None:
            return []
        if context.fixed is not None:
            live.profile = context.fixed
        seconds = context.declaration.timeouts.initialize
        # The arguments of an appended line are the CLI's own: it takes its keys in the greeting, and only there.
        known = context.declaration.line == "append" and context.fixed is None
        profile: Profile = "extended" if known else live.profile
        hello = greeting(context.declaration, profile)
        live.request(hello, self._greeted, limit="initialize", seconds=seconds, profile=profile)
        return []

    def _greeted(self, reply: Reply, at: Stamp) -> list[Report]:
        context = self._context
        live = context.live
        reports: list[Report] = []
        if reply.failure is not None:
            reports.append(_notice(f"the agent did not take the greeting: {reply.failure.message}"))
        told = read(Catalogs, reply.body) or Catalogs()
        if live is not None and context.fixed is None and (told.version or (told.commands and told.models)):
            live.profile = "extended"
        context.state.version = told.version or context.state.version
        context.state.capabilities |= frozenset(told.capabilities)
        if reply.failure is None:
            reports += context.state.settings.catalogs(told, at)
        if self._lacks_prompt_tool():
            reports.append(
                _notice("the agent's line lacks --permission-prompt-tool stdio: it refuses whatever it asks")
            )
        self._left = [] if context.start.greets_only else self._start_settings()
        reports += self._next_setting(at)
        return [*reports, *self._pending(reply, at)]

    def _pending(self, reply: Reply, at: Stamp) -> list[Report]:
        """Asks that were open before craze came are opened like fresh ones."""
        live = self._context.live
        found = (read(_Pending, raw) for raw in reply.pending)
        asks = [ask for ask in found if ask is not None and bytes(ask.request_id) not in (b"", b"null")]
        return [report for ask in asks if live for report in live.ask(bytes(ask.request_id), ask.request, at)]

    # ---- start settings

    def _start_settings(self) -> list[Set]:
        """Those that the line did not say: model, then mode, then other options."""
        said = () if self._context.declaration.line == "as_is" else ("model", "mode")
        wanted = [Set(kind=kind, id=name, value=value) for (kind, name), value in self.wanted().items()]
        order = {"model": 0, "mode": 1, "config": 2}
        return sorted(
            (each for each in wanted if each.kind in order and each.kind not in said), key=lambda s: order[s.kind]
        )

    def _next_setting(self, at: Stamp) -> list[Report]:
        context = self._context
        live = context.live
        reports: list[Report] = []
        while self._left and live is not None:
            setting = self._left.pop(0)
            wish = context.state.settings.wish(setting)
            if wish.request is not None:
                seconds = context.declaration.timeouts.set
                live.request(wish.request, partial(self._set, setting), limit="set", seconds=seconds)
                return reports
            reports.append(_notice(wish.reason or f"{setting.id} can only be set once the agent is up"))
        self.phase = "open"
        return [*reports, *self.opened()]

    def _set(self, setting: Set, reply: Reply, at: Stamp) -> list[Report]:
        name = f"{setting.id or setting.kind} {setting.value}"
        if reply.silent:
            return self.failed(other(f"no answer to setting {name}"))
        if reply.failure is not None:
            told = _notice(f"{name} was refused: {reply.failure.message}")
            return [told, *self._next_setting(at)]
        state = self._context.state.settings
        return [*state.accepted("", setting, object_of(reply.body), at), *self._next_setting(at)]

    # ---- ready

    def opened(self) -> list[Report]:
        """The agent is ready, or what it is called has changed."""
        self._told_session = self._context.session
        return [Opened(info=self._context.info())]

    def named(self) -> list[Report]:
        """After a line that may name the session."""
        context = self._context
        context.session = context.state.session or context.session
        return self.opened() if self.phase == "open" and context.session != self._told_session else []

    def failed(self, failure: Failure) -> list[Report]:
        """The opening is over; the agent, if it runs, goes."""
        self.phase = "over"
        channel = self._context.channel
        tail = channel.stderr.tail() if channel else ""
        self._give_up()
        if tail and tail not in failure.message:
            failure = replace(failure, message=f"{failure.message}\n{tail}")
        return [Returned(call="open", failure=failure)]

    # ---- the line

    def _options(self) -> tuple[str, ...]:
        context, declaration, wanted = self._context, self._context.declaration, self.wanted()
        reopen = context.session or context.start.reopen
        pairs = {
            "--permission-mode": wanted.get(("mode", ""), ""),
            "--model": wanted.get(("model", ""), ""),
            "--max-turns": str(declaration.max_turns or ""),
            "--resume": reopen,
        }
        words = [word for option, value in pairs.items() if value for word in (option, value)]
        words += [word for folder in self._dirs() for word in ("--add-dir", folder)]
        if declaration.mcp_servers:
            servers = msgspec.json.encode({"mcpServers": declaration.mcp_servers})
            words += ["--mcp-config", context.outside.private("mcp.json", servers)]
        return tuple(words)

    def _dirs(self) -> tuple[str, ...]:
        start = self._context.start
        return tuple(folder for folder in start.dirs if folder != start.workspace)

    def bypasses(self) -> bool:
        """Whether the agent was launched so that it may skip permissions."""
        mode = self.wanted().get(("mode", ""), "")
        return mode == BYPASS or any(word in _BYPASS for word in self._context.declaration.argv)

    def _lacks_prompt_tool(self) -> bool:
        declaration = self._context.declaration
        return (
            declaration.line == "as_is"
            and bool(declaration.argv)
            and "--permission-prompt-tool" not in declaration.argv
        )


def greeting(declaration: Declaration, profile: Profile) -> seed.Initialize:
    """`initialize`: every key only when it has a value, beyond the document only where that is known to be taken."""
    base: dict[str, Any] = {
        "append_subagent_system_prompt": declaration.append_subagent_system_prompt or UNSET,
        "sdk_mcp_servers": declaration.served or UNSET,
        "tool_aliases": dict(declaration.tool_aliases) or UNSET,
    }
    if profile == "seed":
        return seed.Initialize(**base)
    return InitializeExtended(
        **base,
        append_system_prompt=declaration.append_system_prompt or UNSET,
        supported_dialog_kinds=declaration.dialog_kinds or UNSET,
        forward_subagent_text=True,
        agent_progress_summaries=True,
    )


def _program(argv: tuple[str, ...]) -> int:
    """How many words start the program itself: an interpreter's script or module belongs to it."""
    words = 3 if argv[1:2] == ("-m",) else 1
    while words < len(argv) and not argv[words].startswith("-"):
        words += 1
    return words


def _notice(text: str) -> Report:
    return fact(Notice(severity="warning", text=text))
