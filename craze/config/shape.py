"""Every setting with its type and default: the one list that layering, `config show` and `schema/config.json` read.

A table whose keys are free (`keys`, `agents`, `mcp`, and what a later provider reads) is a `dict`. Lengths of time are
texts (`duration`).
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from craze.config.duration import FORM

Preset: TypeAlias = Literal["ask", "deny", "reads", "all", "fail"]
Chain: TypeAlias = Literal["continue", "pause"]
Length: TypeAlias = Annotated[str, Meta(pattern=FORM, description="90s, 10m, 1h")]
Natural: TypeAlias = Annotated[int, Meta(ge=0)]


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A table of settings with fixed keys."""


class Tui(Section, frozen=True):
    theme: str = "craze-dark"
    mouse: bool = True
    notify: Literal["auto", "bell", "osc9", "osc777", "off"] = "auto"
    title: bool = True
    animations: bool = True
    glyphs: Literal["unicode", "ascii"] = "unicode"
    screen_reader: bool = False
    diff: Literal["auto", "inline", "side"] = "auto"
    thoughts: Literal["auto", "open", "hidden"] = "auto"
    times: Literal["prompts", "all", "off"] = "prompts"
    copy_on_select: bool = False
    fps: Annotated[int, Meta(ge=5, le=60)] = 30
    double_press_s: Annotated[float, Meta(ge=0.3, le=5)] = 1.0
    todos: Literal["compact", "full", "hidden"] = "compact"
    detail: Literal["compact", "full"] = "compact"


class Asks(Section, frozen=True):
    """Who answers asks on the screen; a run has `run.answers`."""

    permission: Preset = "ask"
    question: Preset = "ask"
    plan: Preset = "ask"
    rules: str | None = None


class Queue(Section, frozen=True):
    after_cancel: Chain = "continue"
    after_short: Chain | None = None
    """None: `continue` on the screen, `pause` in a run."""


class Turn(Section, frozen=True):
    timeout: Length | None = None
    quiet_after: Length = "120s"


class Run(Section, frozen=True):
    answers: str = "deny"
    timeout: Length | None = None
    drain: Length = "10m"


class Journal(Section, frozen=True):
    enabled: bool = True


class Wire(Section, frozen=True):
    enabled: bool = True
    max_bytes: Natural = 256 << 20


class Retention(Section, frozen=True):
    """0 = no limit."""

    keep_days: Natural = 0
    wire_keep_days: Natural = 30
    max_bytes: Natural = 0


class Transport(Section, frozen=True):
    max_line: Annotated[int, Meta(ge=4096)] = 64 << 20


class Config(Section, frozen=True):
    """`config.toml`."""

    agent: str | None = None
    tui: Tui = Tui()
    keys: dict[str, str] = {}
    asks: Asks = Asks()
    queue: Queue = Queue()
    turn: Turn = Turn()
    run: Run = Run()
    journal: Journal = Journal()
    wire: Wire = Wire()
    retention: Retention = Retention()
    transport: Transport = Transport()
    agents: dict[str, dict[str, object]] = {}
    mcp: dict[str, dict[str, object]] = {}
    control: dict[str, object] = {}
    native: dict[str, object] = {}


ACCESS = frozenset({"journal.enabled", "wire.enabled"})
"""Switches that fail closed: anything but a plain `true` is off."""

GUARDED = ("agents", "mcp", "native", "control", "asks", "run")
"""What a project's file sets only in a trusted folder."""

OPEN_TO_PROJECTS = ("agent", "keys", "tui", "queue", "turn")
"""What any project's file may set, beside turning an access switch off."""
