"""Lines of an agent that are worth a word to the person and nothing more. Pure."""

from __future__ import annotations

from typing import Final

from craze.engine.facts import Notice, Severity, fact
from craze.engine.ports import Report
from craze.providers.control.types import Block, RateLimit, System

_LEVELS: Final[dict[str, Severity]] = {"warning": "warning", "warn": "warning", "error": "error"}
_TAGS: Final = ("local-command-stdout", "local-command-stderr")


def notice(severity: Severity, text: str) -> Report:
    return fact(Notice(severity=severity, text=text))


def informs(line: System) -> list[Report]:
    """A line that is there to be read."""
    text = line.content or line.message or line.text
    return [notice(_LEVELS.get(line.level, "info"), text)] if text else []


def synthetic(blocks: tuple[Block, ...]) -> list[Report]:
    """What the agent says in the model's place."""
    return [notice("info", block.text) for block in blocks if block.type == "text" and block.text.strip()]


def retry(line: System) -> list[Report]:
    why = line.error_status if line.error_status is not None else line.error or "no answer"
    of = f" of {line.max_retries}" if line.max_retries else ""
    seconds = f"{line.retry_delay_ms / 1000:.1f}"
    return [notice("warning", f"model call failed ({why}), retry {line.attempt}{of} in {seconds} s")]


def rate_limit(limit: RateLimit) -> list[Report]:
    if limit.status in ("allowed", ""):
        return []
    words = ("rate limit", limit.kind.replace("_", " "))
    return [notice("warning", f"{' '.join(filter(None, words))}: {limit.status.replace('_', ' ')}")]


def local_output(text: str) -> str:
    """What a command of the agent's own printed, without its tag; "" for any other text."""
    for tag in _TAGS:
        if text.startswith(f"<{tag}>"):
            return text.removeprefix(f"<{tag}>").removesuffix(f"</{tag}>").strip()
    return ""
