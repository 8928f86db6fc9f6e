"""What went wrong, as failures: an error of the agent, the end of its process."""

from __future__ import annotations

from msgspec import Raw

from craze.codec import Failure
from craze.providers.acp.decode import read, value_of
from craze.providers.acp.results import ErrorData
from craze.transport import Exit, RpcError
from craze.transport.jsonrpc import AUTH_REQUIRED


def failure_of(error: RpcError) -> Failure:
    """An error of the agent, with what its data adds to the text."""
    said = error.message or f"the agent answered with error {error.code} and no words"
    for more in _more(error.data):
        if more and more not in said:
            said = f"{said}: {more}"
    kind = "auth" if error.code == AUTH_REQUIRED else "rpc"
    return Failure(message=said, error_class=kind, code=error.code)


def _more(data: Raw | None) -> tuple[str | None, ...]:
    """The texts of an error's data, which is an object or, with some libraries, a text alone."""
    if data is None:
        return ()
    value = value_of(data)
    if isinstance(value, str):
        return (value,)
    held = read(ErrorData, data).value or ErrorData()
    return (held.message, held.details, held.error_kind, held.startup_failure_reason)


def other(message: str) -> Failure:
    """A failure of no known class."""
    return Failure(message=message, error_class="other", code=0)


def exit_failure(end: Exit) -> Failure:
    """Why the agent is gone, by how its process ended."""
    if end.error:
        return Failure(message=end.error, error_class="other", code=0)
    if end.closed:
        return Failure(message=f"the agent closed its {end.closed}", error_class="closed", code=0)
    if end.signal:
        return Failure(message=f"the agent was killed by {end.signal}", error_class="agent_exit_status", code=-1)
    if end.code:
        return Failure(
            message=f"the agent exited with status {end.code}", error_class="agent_exit_status", code=end.code
        )
    return Failure(message="the agent exited", error_class="agent_exited", code=0)
