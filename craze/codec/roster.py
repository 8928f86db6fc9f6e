"""Sub-agents: one row of the roster, whole."""

from __future__ import annotations

from typing import Annotated

from craze.codec.kinds import NO_TIME, Int, Shape, Time, says


class Subagent(Shape, frozen=True, kw_only=True):
    """One sub-agent; `status` is `running`, `completed`, `failed` or `cancelled`."""

    id: str = ""
    attempt_id: str = ""
    parent_id: str = ""
    tool_call_id: str = ""
    description: str = ""
    subagent_type: str = ""
    model: str = ""
    status: str = ""
    error: str = ""
    prompt: str = ""
    output: str = ""
    activity: Annotated[str, says("What it does now, in a few words.")] = ""
    started_at: Time = NO_TIME
    ended_at: Time = NO_TIME
    duration_ms: Int = 0
    tool_calls: Int = 0
    turns: Int = 0
    tokens_used: Int = 0
    tools_used: tuple[str, ...] = ()
    transcript: Annotated[bool, says("Its own events are part of the stream, marked with its id as `agent`.")] = False
    background: bool = False
