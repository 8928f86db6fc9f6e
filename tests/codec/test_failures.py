"""Failures of a provider, to and from an event."""

from __future__ import annotations

import pytest

from craze.codec import (
    AgentClosed,
    AgentExited,
    AgentNotFound,
    AuthRequired,
    Event,
    Failure,
    ProviderError,
    decode,
    encode,
    exception,
    failure,
)
from craze.errors import CrazeError


def wrapped(inner: BaseException, *, by: str) -> ValueError:
    """An error raised from, or while handling, another one."""
    outer = ValueError("outer")
    setattr(outer, by, inner)  # which suppresses the context where it is the cause
    return outer


@pytest.mark.rule("CODEC-70")
@pytest.mark.parametrize("error_class", ["rpc", "model_not_found", "quantum", ""])
def test_any_class_is_kept_and_written_back(error_class: str) -> None:
    event = Event("error", err=Failure(message="m", error_class=error_class, code=-32603))

    assert decode(encode(event)) == event
    assert failure(exception(event.err)) == event.err  # type: ignore[arg-type]


@pytest.mark.rule("CODEC-71", "CODEC-72")
@pytest.mark.parametrize(
    ("error_class", "kind"),
    [
        ("auth", AuthRequired),
        ("closed", AgentClosed),
        ("agent_exited", AgentExited),
        ("agent_exit_status", AgentExited),
        ("provider", ProviderError),
        ("quantum", ProviderError),
    ],
)
def test_a_class_that_somebody_catches_has_its_exception(error_class: str, kind: type[ProviderError]) -> None:
    error = exception(Failure(message="", error_class=error_class, code=7))

    assert type(error) is kind
    assert (error.message, error.error_class, error.code) == ("", error_class, 7)
    assert isinstance(error, CrazeError)
    assert issubclass(AgentNotFound, ProviderError)


@pytest.mark.rule("CODEC-71")
def test_the_first_provider_error_of_the_chain_gives_class_and_code() -> None:
    inner = ProviderError("inner", "auth", 401)

    by_cause = failure(wrapped(inner, by="__cause__"))
    by_context = failure(wrapped(inner, by="__context__"))

    assert by_cause == by_context == Failure(message="outer", error_class="auth", code=401)


@pytest.mark.rule("CODEC-71")
def test_a_suppressed_context_does_not_count_and_a_circle_ends() -> None:
    hidden = ValueError("outer")
    hidden.__context__, hidden.__suppress_context__ = ProviderError("inner", "auth", 401), True
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first

    assert failure(hidden).error_class == "other"
    assert failure(first) == Failure(message="first", error_class="other", code=0)


@pytest.mark.rule("CODEC-71")
def test_other_errors_are_timeouts_or_other_and_always_say_something() -> None:
    assert failure(TimeoutError("slow")) == Failure(message="slow", error_class="deadline_exceeded", code=0)
    assert failure(KeyError()) == Failure(message="KeyError", error_class="other", code=0)
    assert failure(ProviderError("", "rpc", 1)) == Failure(message="", error_class="rpc", code=1)
    assert failure(wrapped(TimeoutError(), by="__cause__")).error_class == "deadline_exceeded"
