"""The status row: what agent, model, mode, context, cost, branch and queue are. What is not known takes no room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from craze.codec import ConfigOption, State
from craze.engine.facts import Policies
from craze.engine.slash import ModeKind, mode_kind
from craze.engine.view import View
from craze.tui.lines import DIM, Part
from craze.tui.moment import Moment
from craze.tui.panels.panel import drawn
from craze.tui.scrub import line
from craze.tui.told import told, usage
from craze.tui.words import clock, money, spend, tokens

SEPARATOR: Final = " · "
FULL: Final = 0.8
"""The part of the context window from which on it is a warning."""

MODE_STYLES: Final[dict[ModeKind, str]] = {
    "implement": "$mode-implement",
    "plan": "$mode-plan",
    "read-only": "$mode-readonly",
    "": "$mode-unknown",
}
_GIVES_WAY: Final = ("elapsed", "branch", "cost", "agent", "ctx")
"""Parts in the order in which they are dropped; then the model is cut."""


class Piece(Struct, frozen=True):
    """A part of the row: its name is what a click opens."""

    name: str
    parts: tuple[Part, ...]


class Shown(Struct, frozen=True):
    """What the row needs beside the view."""

    agent: str = ""
    branch: str = ""
    now: float = 0.0
    wished_mode: str = ""
    hidden_agents: int = 0
    activity: tuple[Part, ...] = ()


def option(state: State, category: str) -> ConfigOption | None:
    """The option of a category; a mode is also known by its id."""
    options = state.config.options if state.config else ()
    return next((each for each in options if category in (each.category, each.id)), None)


def named(option: ConfigOption | None, value: str) -> str:
    """A value as the agent names it."""
    values = option.select_values if option else ()
    return next((each.name or each.value for each in values if each.value == value), value)


def mode_of(state: State) -> tuple[str, str]:
    """Id and name of the current mode."""
    found = option(state, "mode")
    id_ = state.mode if state.mode is not None else found.current if found else ""
    return id_, named(found, id_)


def model_of(state: State) -> str:
    """The model as it is named, with the values of the other options that are levels of it."""
    found = option(state, "model")
    id_ = state.model if state.model is not None else found.current if found else ""
    names = {each.id: each.name for each in (state.catalog.models if state.catalog else ())}
    name = names.get(id_) or named(found, id_)
    effort = option(state, "thought_level")
    values = [named(effort, effort.current)] if effort and effort.current else []
    return line(name) + (f" ({', '.join(map(line, values))})" if name and values else "")


def pieces(view: View, moment: Moment, shown: Shown) -> list[Piece]:
    """Everything that is known, in its order."""
    found = [
        Piece("activity", shown.activity),
        Piece("agent", (line(shown.agent),)),
        Piece("model", (model_of(view.state),)),
        Piece("mode", _mode(view.state, shown.wished_mode)),
        Piece("answers", _answers(told(view, "policies", Policies))),
        Piece("ctx", _context(view)),
        Piece("cost", (_cost(view),)),
        Piece("agents", (f"⤷ {shown.hidden_agents}" if shown.hidden_agents else "",)),
        Piece("branch", (line(shown.branch),)),
        Piece("elapsed", (_elapsed(moment, shown.now),)),
        Piece("disk", (("!disk", "$error"),) if view.state.index_err else ()),
        Piece("queue", (f"⧗ {len(view.queue)}" if view.queue else "",)),
    ]
    return [piece for piece in found if _width(piece)]


def fitting(found: Sequence[Piece], width: int) -> list[Piece]:
    """The pieces that there is room for; mode, its mark and queue stay."""
    kept = list(found)
    for name in _GIVES_WAY:
        if _total(kept) > width:
            kept = [piece for piece in kept if piece.name != name]
    if (over := _total(kept) - width) > 0:
        kept = [_cut(piece, over) if piece.name == "model" else piece for piece in kept]
    for name in ("model", "agents", "activity", "disk", "answers"):
        if _total(kept) > width:
            kept = [piece for piece in kept if piece.name != name]
    return kept


def _mode(state: State, wished: str) -> tuple[Part, ...]:
    id_, name = mode_of(state)
    if not name:
        return ()
    style = MODE_STYLES[mode_kind(id_, name)]
    coming = f" → {line(named(option(state, 'mode'), wished))}…" if wished else ""
    return (("◆ ", style), (line(name), style), (coming, DIM))


def _answers(policies: Policies) -> tuple[Part, ...]:
    """A mark when not everything is asked."""
    if policies.permission == "all":
        return (("!allows all", "$warning"),)
    presets = {policies.permission, policies.question, policies.plan}
    for preset, word in (("reads", "reads"), ("deny", "denies"), ("fail", "denies")):
        if policies.permission == preset:
            return ((word, DIM),)
    return (("rules", DIM),) if policies.rules or presets != {"ask"} else ()


def _context(view: View) -> tuple[Part, ...]:
    found = usage(view)
    if found is None or found.context_tokens is None:
        return ()
    if not found.context_window:
        return (f"{tokens(found.context_tokens)} tok",)
    share = found.context_tokens / found.context_window
    full = share >= FULL
    return ((f"ctx {share:.0%}{'!' if full else ''}", "$warning" if full else ""),)


def _cost(view: View) -> str:
    found = usage(view)
    if found is None:
        return ""
    turn = spend(found.turn) if found.turn else ""
    session = money(found.cost) if found.cost else spend(found.session) if found.session else ""
    if turn or session:
        return " / ".join(filter(None, (turn, session)))
    part = found.session or found.turn
    counts = [part.input, part.output] if part else []
    total = sum(each for each in counts if each)
    return f"{tokens(total)} tok" if total and found.context_tokens is None else ""


def _elapsed(moment: Moment, now: float) -> str:
    if moment.turn_began:
        return clock(now - moment.turn_began)
    return clock(moment.turn_took) if moment.turn_took >= 1 else ""


def _width(piece: Piece) -> int:
    return Content.assemble(*piece.parts).cell_length


def _total(found: Sequence[Piece]) -> int:
    return 1 + sum(map(_width, found)) + len(SEPARATOR) * (len(found) - 1)


def _cut(piece: Piece, by: int) -> Piece:
    text = Content.assemble(*piece.parts)
    return Piece(piece.name, (text.truncate(max(3, text.cell_length - by), ellipsis=True).plain,))


class StatusBar(Widget):
    """The row; a click says which part was meant."""

    DEFAULT_CSS = "StatusBar { height: 1; color: $foreground; }"

    pieces: reactive[tuple[Piece, ...]] = reactive(())

    class Clicked(Message):
        """A part of the row was clicked: `model`, `mode`, `queue`, …"""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    @drawn
    def render(self) -> Content:
        shown = fitting(self.pieces, self.size.width)
        said = Content(" · ").join(Content.assemble(*piece.parts) for piece in shown)
        return (Content(" ") + said).truncate(self.size.width, ellipsis=True)

    def on_click(self, event: events.Click) -> None:
        x = 1
        for piece in fitting(self.pieces, self.size.width):
            if x <= event.x < x + _width(piece):
                self.post_message(self.Clicked(piece.name))
                return
            x += _width(piece) + len(SEPARATOR)
