"""Pieces of messages: where one message ends and the next begins, and which are only an echo of our prompt.

Pure. One `Chunks` a session; streams are kept by agent, so a child's words never touch the main transcript.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from craze.codec import Event, Stamp
from craze.engine.ports import Report
from craze.providers.acp.blocks import texts
from craze.providers.acp.types import AgentChunk, Chunk

# Characters. A record of so many fits into a journal however they are escaped; of more than the second figure no
# journal takes all parts at once.
_PART, _KEPT = 1 << 20, 12 << 20
Kind: TypeAlias = Literal["text", "thought", "user"]


class _Stream(Struct):
    """The message that an agent is in the middle of; `kind` is empty after anything else that a transcript shows."""

    kind: str = ""
    message: str = ""
    open_line: bool = False


class _User(Struct):
    """A user message of a replay whose pieces are still coming."""

    message: str | None
    pieces: list[str]
    at: Stamp


class Chunks:
    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}
        self._users: dict[str, _User] = {}
        self._prompt: str | None = None
        self._echoed = ""

    def prompt(self, said: str | None) -> None:
        """A prompt was written, or (None) answered."""
        self._prompt, self._echoed = said, ""
        self._streams.clear()

    def boundary(self, agent: str) -> None:
        """Something else that the transcript of this agent shows stands here."""
        self._streams.pop(agent, None)

    def piece(self, chunk: Chunk, agent: str, at: Stamp) -> list[Report]:
        """The events of an agent's text or thought chunk."""
        kind: Kind = "text" if type(chunk) is AgentChunk else "thought"
        message = chunk.message_id or ""
        events: list[Report] = []
        for said in texts(chunk.content):
            stream = self._streams.get(agent)
            if stream is None:
                stream = self._streams[agent] = _Stream()
            elif stream.kind == kind and stream.open_line and message and message != stream.message != "":
                events.append(Event(kind, text="\n\n", agent=agent, at=at))
            stream.kind, stream.message, stream.open_line = kind, message, said[-1] != "\n"
            events += [Event(kind, text=part, agent=agent, at=at) for part in _parts(said)]
        return events

    def user(self, chunk: Chunk, agent: str, at: Stamp) -> tuple[list[Event], bool]:
        """The events of a user chunk while live, and whether it was an echo of the open prompt."""
        events: list[Event] = []
        echo = False
        for said in texts(chunk.content):
            left = said if agent else self._without_echo(said)
            echo |= left == ""
            if left:
                self.boundary(agent)
                events.append(Event("user", text=left, agent=agent, at=at))
        return events, echo

    def replayed_user(self, chunk: Chunk, agent: str, at: Stamp) -> list[Event]:
        """In a replay the pieces of one message wait for the whole of it; gives the message before, if this is another."""
        message = chunk.message_id
        held = self._users.get(agent)
        before = self.flush(agent) if held and held.message != message else []
        self._users.setdefault(agent, _User(message, [], at)).pieces.extend(texts(chunk.content))
        return before

    def flush(self, agent: str | None = None) -> list[Event]:
        """User messages of a replay that are whole now: of one agent, or of all."""
        agents = list(self._users) if agent is None else [agent]
        events: list[Event] = []
        for name in agents:
            if (held := self._users.pop(name, None)) and (said := "".join(held.pieces)):
                self.boundary(name)
                events.append(Event("user", text=said, agent=name, at=held.at))
        return events

    def _without_echo(self, said: str) -> str:
        """What of a user chunk is not the prompt repeated; pieces that turn out to be none come back whole."""
        if self._prompt is None:
            return said
        so_far = self._echoed + said
        if self._prompt.startswith(so_far):
            self._echoed = so_far
            return ""
        whole = said if self._echoed == self._prompt else so_far
        self._echoed = ""
        return whole


def _parts(said: str) -> list[str]:
    """The text as it is, but for one that is too long for one record: that in parts, which every reader joins."""
    if not _PART < len(said) <= _KEPT:
        return [said]
    return [said[at : at + _PART] for at in range(0, len(said), _PART)]
