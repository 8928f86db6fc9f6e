"""What a session tells beside its transcript: its log, and what it has used. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from craze.engine.facts import Lint, Severity
from craze.engine.view import View
from craze.tui.told import plugins, read, stderr, usage
from craze.tui.words import tokens


def text(notices: Iterable[tuple[float, Severity, str]], view: View) -> str:
    """Notices, what the agent did that it should not, what plugins reported, and the agent's error output."""
    said = [f"{_time(at)}  {severity:<7}  {text}" for at, severity, text in notices]
    lints = [read(fact, Lint) for (kind, _), fact in view.facts.items() if kind == "lint"]
    told = [f"{lint.name}  x{lint.count}  {lint.example}" for lint in lints]
    parts = {"notices": said, "lints": told, "plugins": plugins(view), "error output of the agent": stderr(view)}
    return "\n\n".join(f"{title}\n" + "\n".join(f"  {row}" for row in rows) for title, rows in parts.items() if rows)


def used(view: View) -> str:
    """Tokens in the context and so far, "" while nothing is known."""
    found = usage(view)
    if found is None:
        return ""
    part = found.session or found.turn
    said = [f"context {tokens(found.context_tokens)}" if found.context_tokens is not None else ""]
    said += [f"of {tokens(found.context_window)}" if found.context_window else ""]
    if part:
        names = {"in": part.input, "out": part.output, "reasoning": part.reasoning, "cached": part.cache_read}
        said += [f"· {name} {tokens(value)}" for name, value in names.items() if value]
    return " ".join(filter(None, said))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%H:%M:%S")
