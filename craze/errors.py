"""Every error a person can act on, on one screen.

A `CrazeError` becomes one line on stderr (`craze: what happened`) and, where there is one, a second
(`hint: what to do`). `exit` names the exit code; the numbers stand in `craze/cli/exit_codes.py`.
Bugs are no `CrazeError`: they stay what they are.
"""

from __future__ import annotations

from typing import ClassVar, Literal

ExitName = Literal["done", "failed", "usage", "timeout", "no_session", "denied", "short", "sign_in", "interrupted"]


class CrazeError(Exception):
    """What happened, in one line; `hint` says what to do about it."""

    exit: ClassVar[ExitName] = "failed"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(CrazeError):
    """The command line or an environment variable asks for what cannot be."""

    exit = "usage"


class ConfigError(UsageError):
    """A file the person wrote (configuration, agents, answers) cannot be used as it is."""


class SessionNotFound(CrazeError):
    """No stored session has this id, or several do."""

    exit = "no_session"


class SessionBusy(CrazeError):
    """Another process runs the session."""

    exit = "no_session"

    def __init__(self, session: str, pid: int) -> None:
        super().__init__(f"session {session} is open in process {pid}", hint="close it there first")
        self.pid = pid


class StoreError(CrazeError):
    """A stored file is missing, newer than this craze, or damaged beyond reading."""


class CodecError(CrazeError):
    """Something is not an event, or not one that can be written."""


class DecodeError(CodecError):
    """A refused input.

    Attributes:
        reason: `not_json`, `not_object`, `no_type`, `kind`, `range`, `time` or `depth`.
        path: Where, such as `$.tool.at`; `$` when not known.
        offset: Byte of the input, or None.
        excerpt: At most 80 printable characters around it.
    """

    def __init__(
        self, message: str, reason: str, path: str = "$", offset: int | None = None, excerpt: str = ""
    ) -> None:
        super().__init__(message)
        self.reason, self.path, self.offset, self.excerpt = reason, path, offset, excerpt


class EncodeError(CodecError):
    """A refused struct; `reason` is `no_type` or `kind`."""

    def __init__(self, message: str, reason: str, path: str = "$") -> None:
        super().__init__(message)
        self.reason, self.path = reason, path


class BadTime(CodecError):
    """`text` is no time of the accepted form."""

    def __init__(self, text: str) -> None:
        super().__init__(f"not a time: {text[:80]!r}")
        self.text = text


class ProviderError(CrazeError):
    """An agent failed; the same three values that an event's `err` has."""

    def __init__(self, message: str, error_class: str = "other", code: int = 0, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.message, self.error_class, self.code = message, error_class, code


class AuthRequired(ProviderError):
    """The agent wants a sign-in first (class `auth`)."""

    exit = "sign_in"


class AgentClosed(ProviderError):
    """The agent's output ended (class `closed`)."""


class AgentExited(ProviderError):
    """The agent's process ended (class `agent_exited` or `agent_exit_status`)."""


class AgentNotFound(ProviderError):
    """The agent's command could not be started (class `other`)."""
