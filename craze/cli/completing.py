"""What the shell offers while a person types: names of agents, ids of sessions. Starts nothing, fails silently."""

from __future__ import annotations

from craze.cli.context import Context
from craze.errors import CrazeError


def agent_names(incomplete: str) -> list[str]:
    try:
        return [name for name in Context().roster.agents if name.startswith(incomplete)]
    except CrazeError:
        return []


def session_ids(incomplete: str) -> list[tuple[str, str]]:
    """Short ids, the newest first, with the title beside each."""
    from craze.cli.find import newest_first, short_ids

    context = Context()
    short = short_ids(context)
    rows = [(short[folder.id], stored.title) for folder, stored in newest_first(context, here_only=False)]
    return [row for row in rows if row[0].startswith(incomplete)]
