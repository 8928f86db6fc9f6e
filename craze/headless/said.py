"""What a run says on stderr of itself, as words of a view. Pure."""

from __future__ import annotations

import msgspec

from craze.config.duration import spell
from craze.engine.facts import Login, UsageFact
from craze.engine.view import View


def what_runs(view: View) -> str:
    running = [tool.title or tool.name for tool in view.tools_open]
    children = [row.description or row.id for row in view.roster if row.status == "running"]
    what = [f"turn {view.turn}"] if view.turn else []
    what += ["a turn that the agent began by itself"] if view.foreign else []
    return f"({', '.join([*what, *running, *children]) or view.status})"


def how_to_sign_in(login: Login, declared: str) -> str:
    ways = [declared] if declared else []
    for method in login.methods:
        command = " ".join((*(f"{name}={value}" for name, value in method.env.items()), *method.command))
        ways.append(command or " - ".join(filter(None, (method.name or method.id, method.description))))
    return "sign in with: " + "; or: ".join(ways) if ways else "sign in with the agent's own program"


def usage_line(view: View, length: float) -> str:
    usage = msgspec.json.decode(view.usage, type=UsageFact) if view.usage else None
    spent = (usage.session or usage.turn) if usage else None
    parts = [f"{count} {word}" for word in ("input", "output") if (count := spent and getattr(spent, word)) is not None]
    tokens = f"tokens: {', '.join(parts)}" if parts else "tokens: not reported"
    cost = f", cost {usage.cost.amount} {usage.cost.currency}" if usage and usage.cost else ""
    return f"{tokens}{cost}, {spell(round(length, 1))}"
