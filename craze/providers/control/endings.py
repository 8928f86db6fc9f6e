"""How a turn ended, from its `result`; why an agent is gone, from the end of its process. Pure."""

from __future__ import annotations

from typing import Final

from craze.codec import Failure
from craze.engine.ports import TurnEnded, TurnFailed
from craze.providers.control.types import Result
from craze.transport import Exit

_ABORTED: Final = frozenset({"aborted_streaming", "aborted_tools"})
_HOOKS: Final = frozenset({"hook_stopped", "stop_hook_prevented"})
_TURNS: Final = frozenset({"error_max_turns", "max_turns"})
_TOO_LONG: Final = frozenset({"prompt_too_long", "blocking_limit"})
_FAILED: Final = frozenset({"error_max_budget_usd", "error_max_structured_output_retries"})
_STATUS: Final = {401: "auth", 403: "auth", 404: "model_not_found", 413: "context_too_large"}


def stopped_by_hook(line: Result) -> bool:
    return line.terminal_reason in _HOOKS


def ending(line: Result) -> TurnEnded | TurnFailed:
    """The signal; the first that applies."""
    if line.terminal_reason in _ABORTED:
        return TurnEnded(stop_reason="cancelled")
    if line.stop_reason == "refusal":
        return TurnEnded(stop_reason="refusal")
    if line.subtype in _TURNS or line.terminal_reason in _TURNS:
        return TurnEnded(stop_reason="max_turn_requests")
    if stopped_by_hook(line):
        return TurnEnded(stop_reason="cancelled")
    if line.is_error or line.subtype in _FAILED:
        return TurnFailed(failure=_failure(line))
    return TurnEnded(stop_reason="max_tokens" if line.stop_reason == "max_tokens" else "end_turn")


def _failure(line: Result) -> Failure:
    said = [text for text in line.errors if text and not text.startswith("[")]
    message = line.result or "\n".join(said) or line.subtype or "the agent failed"
    status = line.api_error_status or 0
    too_long = line.terminal_reason in _TOO_LONG or line.subtype in _TOO_LONG or "prompt is too long" in message.lower()
    error_class = _STATUS.get(status) or ("context_too_large" if too_long else "provider")
    return Failure(message=message, error_class=error_class, code=status)


def exit_failure(end: Exit, last_line: str) -> Failure:
    """Why the agent is gone, with the last line of its stderr."""
    if end.error:
        return Failure(message=end.error, error_class="other", code=0)
    if end.closed:
        message, error_class, code = f"the agent closed its {end.closed}", "agent_exited", 0
    elif end.signal:
        message, error_class, code = f"the agent was killed by {end.signal}", "agent_exit_status", -1
    elif end.code:
        message, error_class, code = f"the agent exited with status {end.code}", "agent_exit_status", end.code
    else:
        message, error_class, code = "the agent exited", "agent_exited", 0
    return Failure(message=f"{message}\n{last_line}" if last_line else message, error_class=error_class, code=code)
