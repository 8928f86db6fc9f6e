"""Failures of a provider: an exception on this side, three values in an event on the other."""

from __future__ import annotations

from collections.abc import Iterator

from craze.codec.turns import Failure
from craze.errors import AgentClosed, AgentExited, AuthRequired, ProviderError

_SUBCLASSES: dict[str, type[ProviderError]] = {
    "auth": AuthRequired,
    "closed": AgentClosed,
    "agent_exited": AgentExited,
    "agent_exit_status": AgentExited,
}


def failure(error: BaseException) -> Failure:
    """What an event says about an error: class and code of the first `ProviderError` in its chain, its own message."""
    chain = list(_chain(error))
    known = next((link for link in chain if isinstance(link, ProviderError)), None)
    if known is not None:
        error_class, code = known.error_class, known.code
    else:
        timed_out = any(isinstance(link, TimeoutError) for link in chain)
        error_class, code = ("deadline_exceeded" if timed_out else "other"), 0
    message = error.message if isinstance(error, ProviderError) else str(error) or type(error).__name__
    return Failure(message=message, error_class=error_class, code=code)


def exception(failure: Failure) -> ProviderError:
    """The error that `failure` turns into the same three values again."""
    kind = _SUBCLASSES.get(failure.error_class, ProviderError)
    return kind(failure.message, failure.error_class, failure.code)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, each object once."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
