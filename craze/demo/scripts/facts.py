"""Scripts about what stands beside the conversation: settings, usage, notices, compaction, title, commands."""

from __future__ import annotations

from craze.demo.settings import MODELS, MODES
from craze.demo.turn import Turn


def models(turn: Turn) -> None:
    """The agent changes the model by itself."""
    _next(turn, "model", list(MODELS))
    _tell_options(turn)
    turn.stream(f"The model is {turn.session.settings.chosen['model']} now.")


def mode(turn: Turn) -> None:
    _next(turn, "mode", list(MODES))
    turn.update("current_mode_update", currentModeId=turn.session.settings.chosen["mode"])
    turn.stream(f"The mode is {turn.session.settings.chosen['mode']} now.")


def options(turn: Turn) -> None:
    """The model's values in groups, or flat again."""
    turn.session.settings.grouped = not turn.session.settings.grouped
    _tell_options(turn)
    turn.stream("The models are in groups now." if turn.session.settings.grouped else "The models are flat again.")


def usage(turn: Turn) -> None:
    for used in (12_000, 34_000, 68_000):
        cost = {"amount": used / 1_000_000, "currency": "USD"}
        turn.update("usage_update", used=used, size=200_000, cost=cost)
        turn.pause(0.1)
    turn.stream("A third of the context is used.")


def notice(turn: Turn) -> None:
    if not turn.client.notices:
        turn.stream("Your client shows no notices.")
        return
    for severity in ("info", "warning", "error"):
        turn.update("notice", severity=severity, title=f"This is {severity}", description="Nothing has happened.")
    turn.stream("Three notices.")


def compact(turn: Turn) -> None:
    if not turn.client.compaction:
        turn.stream("I have compacted the conversation.")
        return
    name = turn.desk.new_id("compaction")
    turn.update("compaction_update", compactionId=name, status="in_progress")
    turn.pause(0.3)
    summary = [{"type": "text", "text": "We talked."}]
    turn.update("compaction_update", compactionId=name, status="completed", summary=summary)
    turn.update("compaction_update", compactionId=turn.desk.new_id("compaction"), status="completed")
    turn.update("usage_update", used=9_000, size=200_000)
    turn.stream("The conversation is short again.")


def title(turn: Turn) -> None:
    """Sets the session's title, or clears it."""
    name = turn.words or (None if turn.session.title == "A title from the agent" else "A title from the agent")
    turn.session.title = name or ""
    turn.session.keep_head()
    turn.update("session_info_update", title=name)
    turn.stream(f"The title is {name!r} now." if name else "The title is cleared.")


def _next(turn: Turn, option: str, values: list[str]) -> None:
    """The value that was asked for, else the one after the current one."""
    chosen = turn.session.settings.chosen
    at = values.index(str(chosen[option]))
    turn.session.settings.choose(option, turn.words or values[(at + 1) % len(values)])
    turn.session.keep_head()


def _tell_options(turn: Turn) -> None:
    rows = turn.session.settings.options(booleans=turn.client.booleans)
    turn.update("config_option_update", configOptions=rows)
