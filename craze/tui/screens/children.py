"""Shows a sub-agent's transcript in place of the conversation, and stops one that runs."""

from __future__ import annotations

from craze.codec import Subagent
from craze.tui.panels import roster_view
from craze.tui.panels.child_banner import ChildKeys
from craze.tui.screens.parts import Parts
from craze.tui.screens.picture import Picture


class Children:
    """The sub-agents of one session."""

    def __init__(self, parts: Parts, picture: Picture) -> None:
        self._parts, self._picture = parts, picture

    def show(self, agent: str) -> None:
        """Show the transcript of a sub-agent, or with "" the conversation."""
        self._parts.child = agent
        self._parts.widgets.transcript.show(agent or None)
        self._picture.show_agents()
        self._parts.fit_soon()
        keyboard = self._parts.widgets.child_keys.focus if agent else self._parts.focus_composer
        self._parts.screen.call_after_refresh(keyboard)

    def stop(self, agent: Subagent) -> None:
        said = f"stop {roster_view.name(agent)}?"
        self._parts.confirm(said, {"y": "stop it"}, lambda _: self._parts.sender.stop_child(agent.id))

    def do(self, message: ChildKeys.Wanted) -> None:
        roster, shown = self._parts.view.roster, self._parts.child
        # Of one that runs, its next news tells that it has a transcript; the words may be there before.
        ids = [row.id for row in roster if row.transcript or row.status == "running" or row.id == shown]
        if message.what == "leave":
            self.show("")
        elif message.what == "stop":
            if row := next((row for row in roster if row.id == shown), None):
                self.stop(row)
        elif ids:
            at = ids.index(shown) if shown in ids else 0
            self.show(ids[(at + (1 if message.what == "next" else -1)) % len(ids)])
