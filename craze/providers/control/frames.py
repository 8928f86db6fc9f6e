"""The lines that craze writes, each from a struct; which of them the profile allows.

A peer that is only known to speak the protocol's document gets nothing beyond it: asking for more is a bug.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from craze.providers.control import seed
from craze.providers.control.seed import Anything, Opt
from craze.providers.control.types import Profile

Body = Struct | Raw


class Extended(seed.Wire, frozen=True, kw_only=True):
    """What only the extended profile knows."""


class AllowWithRules(Extended, frozen=True, kw_only=True):
    """An allow that also changes the permission rules."""

    behavior: Literal["allow"] = "allow"
    updated_input: dict[str, Any] = field(name="updatedInput")
    updated_permissions: tuple[Raw, ...] = field(name="updatedPermissions")


class DenyAndStop(Extended, frozen=True, kw_only=True):
    """A deny that ends the turn."""

    behavior: Literal["deny"] = "deny"
    message: str
    interrupt: Literal[True] = True


class DialogCompleted(Extended, frozen=True, kw_only=True):
    behavior: Literal["completed"] = "completed"
    result: Anything = UNSET


class InitializeExtended(seed.Initialize, frozen=True, kw_only=True):
    """`initialize` with the keys that real agents take besides."""

    append_system_prompt: str | Opt = field(default=UNSET, name="appendSystemPrompt")
    supported_dialog_kinds: tuple[str, ...] | Opt = field(default=UNSET, name="supportedDialogKinds")
    forward_subagent_text: bool | Opt = field(default=UNSET, name="forwardSubagentText")
    agent_progress_summaries: bool | Opt = field(default=UNSET, name="agentProgressSummaries")


class Interrupt(Struct, frozen=True):
    subtype: Literal["interrupt"] = "interrupt"


class InterruptAll(Extended, frozen=True, kw_only=True):
    """An interrupt that takes back what is queued too."""

    subtype: Literal["interrupt"] = "interrupt"
    cancel_queued: Literal[True] = True


class UserMessage(Struct, frozen=True, kw_only=True):
    role: Literal["user"] = "user"
    content: str | tuple[dict[str, Any], ...]


class UserFrame(Struct, frozen=True, kw_only=True):
    """A prompt."""

    type: Literal["user"] = "user"
    message: UserMessage
    uuid: str
    parent_tool_use_id: None = None
    session_id: str


class SteerFrame(Extended, frozen=True, kw_only=True):
    """A prompt for the running turn."""

    type: Literal["user"] = "user"
    message: UserMessage
    uuid: str
    parent_tool_use_id: None = None
    session_id: str
    priority: Literal["next"] = "next"


EXTENDED: Final = (AllowWithRules, DenyAndStop, DialogCompleted, InitializeExtended, InterruptAll, SteerFrame)


class _Request(Struct):
    type: str
    request_id: str
    request: Struct | dict[str, Any]


class _Inner(Struct, omit_defaults=True):
    subtype: str
    request_id: Raw
    response: Body | UnsetType = UNSET
    error: str | UnsetType = UNSET


class _Response(Struct):
    type: str
    response: _Inner


class _Cancel(Struct):
    type: str
    request_id: str


_encode = msgspec.json.Encoder().encode


def request(number: int, body: Struct | dict[str, Any], profile: Profile) -> bytes:
    """
    Raises:
        TypeError: The body is beyond the profile.
    """
    return _encode(_Request("control_request", f"c-{number}", _within(body, profile)))


def success(request_id: bytes, body: Body, profile: Profile) -> bytes:
    """The answer to a request of the agent, whose id goes back as it came.

    Raises:
        TypeError: The body is beyond the profile.
    """
    return _encode(_Response("control_response", _Inner("success", Raw(request_id), response=_within(body, profile))))


def error(request_id: bytes, text: str) -> bytes:
    return _encode(_Response("control_response", _Inner("error", Raw(request_id), error=text)))


def cancel(number: int) -> bytes:
    return _encode(_Cancel("control_cancel_request", f"c-{number}"))


def user(frame: UserFrame | SteerFrame, profile: Profile) -> bytes:
    """
    Raises:
        TypeError: The frame is beyond the profile.
    """
    return _encode(_within(frame, profile))


def _within(body: Any, profile: Profile) -> Any:
    if profile == "seed" and isinstance(body, EXTENDED):
        raise TypeError(f"{type(body).__name__} is beyond the protocol's document")
    return body
