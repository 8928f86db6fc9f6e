"""What a run has seen so far, and what that means for its exit code. Pure: items in, lines for stderr out."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from craze.codec import Ask, Event, Permission, Record, Tool
from craze.engine.facts import Fact, Lint, Login, Notice
from craze.errors import ExitName

GOOD = "end_turn"
_REJECTS = frozenset({"reject_once", "reject_always"})
_READING = frozenset({"read", "search"})
_REFUSED = frozenset({"prompt_in_flight", "foreign_turn"})
_DONE = frozenset({"completed", "failed", "cancelled"})
_WORDS = frozenset({"text", "thought"})
_SILENT = frozenset({"turn", "queue", "meta", "error"})
"""What is said in a turn of which the agent has said nothing yet."""
_ORDER: tuple[ExitName, ...] = ("interrupted", "timeout", "sign_in", "failed", "usage", "denied", "short")


class Progress:
    """Counts and findings of a run.

    Attributes:
        seq: The last event taken.
        turns: Turns of ours that ended.
        stop_reason: How the last one ended: the agent's word, or the class of its failure.
        denied, granted: Permissions that a preset denied; that were granted, by whomever.
        login: The newest fact of a sign-in.
        unanswered_cancel: A cancel has had no ending for so long that the session is to be closed.
        lost: The follow-up that met an agent which had ended by itself after the turn before; "" for none. That turn
            is not counted; it happens once.
    """

    def __init__(self, guarded: Collection[str] = ()) -> None:
        self._guarded = guarded
        self.seq = self.turns = self.denied = self.granted = 0
        self.stop_reason = self.lost = ""
        self.login = Login()
        self.unanswered_cancel = False
        self.found: set[ExitName] = set()
        self._tools: dict[str, Tool] = {}
        self._asked: dict[str, Permission] = {}
        self._said: set[str] = set()
        self._replaying = self._unstored = False
        self._untaken = ""

    def record(self, record: Record) -> list[str]:
        """What is to be said about an event."""
        self.seq = record.seq
        if record.omitted:
            return [f"event {record.seq} ({record.omitted.type}) was left out: {record.omitted.reason}"]
        return self.event(record.event)

    def event(self, event: Event) -> list[str]:
        if event.type in _WORDS and not self._replaying:  # nearly all are
            self._untaken = ""
            return []
        if event.type == "replay" and event.replay:
            self._replaying = event.replay.phase == "start"
        if self._replaying:
            return []
        if event.type not in _SILENT:
            self._untaken = ""
        if event.tool:
            self._tool(event.tool)
        elif event.permission:
            self._asked[event.permission.id] = event.permission
        elif event.type == "ask" and event.ask:
            return self._ask(event.ask)
        elif event.type == "error" and event.err and not event.agent:
            return [event.err.message]
        elif event.type == "turn":
            self._turn(event)
        elif event.state and event.state.index_err and not self._unstored:
            self._unstored = True
            return [f"the session goes on, but not all of it is stored: {event.state.index_err}"]
        elif event.state and (event.state.reason, event.state.detail) == ("queue_paused", "agent_busy"):
            self.found.add("failed")
            return ["the agent is busy and refused the prompt twice"]
        return []

    def fact(self, fact: Fact) -> list[str]:
        if fact.kind == "notice":
            notice = msgspec.json.decode(fact.data, type=Notice)
            if notice.code == "run_ended_by_ask":
                self.found.add("denied")
            return [notice.text]
        if fact.kind == "login":
            self.login = msgspec.json.decode(fact.data, type=Login)
        elif fact.kind == "lint" and msgspec.json.decode(fact.data, type=Lint).name == "unanswered-cancel":
            self.unanswered_cancel = True
        return []

    def exit(self) -> ExitName:
        """The first that applies, in the order of the exit codes' table."""
        found = set(self.found)
        if self.denied and not self.granted:
            found.add("denied")
        if self.turns and self.stop_reason != GOOD:
            found.add("short")
        for name in _ORDER:
            if name in found:
                return name
        return "done"

    def _turn(self, event: Event) -> None:
        turn = event.turn
        if not turn:
            return
        if turn.phase == "started":
            self._untaken = turn.text if turn.origin == "drain" else ""
        if turn.phase != "ended" or turn.err_class in _REFUSED:
            return  # a refused one never ran: the engine tries it again
        if turn.err_class == "agent_exited" and self._untaken and not self.lost:
            self.lost = self._untaken
            return
        self.turns += 1
        self.stop_reason = turn.stop_reason or turn.err_class
        if turn.err_class and turn.err_class != "prompt_cancelled":
            self.found.add("sign_in" if turn.err_class == "auth" else "failed")

    def _tool(self, tool: Tool) -> None:
        if tool.status in _DONE:
            self._tools.pop(tool.id, None)
        else:
            self._tools[tool.id] = tool

    def _ask(self, ask: Ask) -> list[str]:
        body = ask.body.permission if ask.body else self._asked.pop(ask.id, None)
        if ask.kind != "permission" or not body:
            return []
        kind = next((option.kind for option in body.options if option.option_id == ask.option_id), "")
        if kind and kind not in _REJECTS:
            self.granted += 1
            return []
        if ask.outcome != "automatic" or ask.by == "provider":
            return []
        self.denied += 1
        return self._denial(body.tool)

    def _denial(self, id_: str) -> list[str]:
        """What would have allowed it, once for each tool. `id_` is the call's, or a title when there is no call."""
        tool = self._tools.get(id_)
        name = (tool.tool_name or tool.name or tool.title or tool.kind) if tool else id_
        if name in self._said:
            return []
        self._said.add(name)
        if id_ in self._guarded:
            return [f"denied: {name}; it asks for a person, so only a rule with person_only = true answers it"]
        preset = "reads" if tool and tool.kind in _READING else "all"
        return [f"denied: {name or 'a tool'}; --answers {preset} would have allowed it"]
