"""What a panel shows around an ask: who asks, which of how many, the call it is about, what else is told. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, cast

from msgspec import Struct

from craze.codec import Permission, Plan, Question, Tool
from craze.engine.answers import OpenAsk
from craze.engine.view import View
from craze.tui.scrub import line
from craze.tui.told import details

MOST_ROWS: Final = 400
"""Rows of one diff that are drawn beside an ask; the full screen has all of them."""

_DOES: Final = {
    "execute": "run a command",
    "edit": "edit a file",
    "delete": "delete a file",
    "move": "move a file",
    "read": "read a file",
    "search": "search",
    "fetch": "fetch from the network",
    "think": "think",
    "switch_mode": "leave plan mode",
}
_TOLD_FIRST: Final = ("title", "description", "decision_reason", "blocked_path", "mcp_server")


class Context(Struct, frozen=True, kw_only=True):
    """`told`: what the agent says beside the call, a line each; `covers`: of an option, what it would cover."""

    asker: str = ""
    number: int = 1
    of: int = 1
    next: str = ""
    tool: Tool | None = None
    told: tuple[str, ...] = ()
    covers: Mapping[str, str] = {}
    can: Collection[str] = frozenset()
    folder: str = ""


def context(view: View, ask: OpenAsk, tool: Tool | None = None, agent: str = "") -> Context:
    """The context of one of the view's asks; `tool`: the call as last seen, should the view no longer have it;
    `agent`: what the person calls the agent."""
    number = next((at for at, held in enumerate(view.asks) if held.id == ask.id), 0)
    others = [held for held in (*view.asks[number + 1 :], *view.asks[:number]) if held.id != ask.id]
    facts = details(view, ask.id)
    return Context(
        asker=asker(view, ask, agent),
        number=number + 1,
        of=max(1, len(view.asks)),
        next=f"{kind(others[0])} from {asker(view, others[0], agent)}" if others else "",
        tool=tool_of(view, ask) or tool,
        told=_told(facts),
        covers=_texts(facts.get("options")),
        can=view.info.can,
        folder=view.info.workspace,
    )


def tool_of(view: View, ask: OpenAsk) -> Tool | None:
    """The open call that an ask is about."""
    named = ask.tool or (ask.body.tool if isinstance(ask.body, Permission) else "")
    return next((tool for tool in view.tools_open if named and tool.id == named), None)


def asker(view: View, ask: OpenAsk, agent: str = "") -> str:
    """The agent's name, or of a sub-agent its kind or what it is for."""
    if not ask.agent:
        return agent or line(view.info.agent) or "the agent"
    child = next((row for row in view.roster if row.id == ask.agent), None)
    named = (child.subagent_type or child.description) if child else ""
    return line(named) or "a sub-agent"


def kind(ask: OpenAsk) -> str:
    return "plan" if isinstance(ask.body, Plan) else "question" if isinstance(ask.body, Question) else "permission"


def is_review(ask: OpenAsk, tool: Tool | None) -> bool:
    """Whether a permission is about leaving plan mode, and so about the text of a plan."""
    return isinstance(ask.body, Permission) and tool is not None and tool.kind == "switch_mode"


def does(tool: Tool | None) -> str:
    """What a call would do, in a few words."""
    return (_DOES.get(tool.kind, "") if tool else "") or "use a tool"


def _told(facts: Mapping[str, object]) -> tuple[str, ...]:
    names: Sequence[str] = [*_TOLD_FIRST, *(name for name in facts if name not in _TOLD_FIRST and name != "options")]
    return tuple(line(said) for name in names if isinstance(said := facts.get(name), str) and said.strip())


def _texts(value: object) -> Mapping[str, str]:
    rows = cast("dict[object, object]", value).items() if isinstance(value, dict) else ()
    return {str(name): line(said) for name, said in rows if isinstance(said, str)}
