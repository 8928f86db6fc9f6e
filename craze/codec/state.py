"""The shared state of a session, told in deltas of whole sections. An absent section is untouched, a present one is set."""

from __future__ import annotations

from typing import Annotated

from craze.codec.kinds import Count, EffortName, Int, Shape, bound, says
from craze.codec.slash import Slash
from craze.codec.turns import PluginCommand


class SelectValue(Shape, frozen=True, kw_only=True):
    """One value that an option may have."""

    value: str = ""
    name: str = ""


class ConfigOption(Shape, frozen=True, kw_only=True):
    """One option of the agent and its current value."""

    id: str = ""
    name: str = ""
    category: str = ""
    type: str = ""
    current: str = ""
    select_values: tuple[SelectValue, ...] = ()


class Config(Shape, frozen=True, kw_only=True):
    """All options of the agent."""

    options: tuple[ConfigOption, ...] = ()


class CommandInfo(Shape, frozen=True, kw_only=True):
    """One slash command that the agent offers."""

    name: str = ""
    description: str = ""


class Commands(Shape, frozen=True, kw_only=True):
    """All slash commands of the agent."""

    commands: tuple[CommandInfo, ...] = ()


class Plugins(Shape, frozen=True, kw_only=True):
    """All commands and skills of plugins that were found."""

    plugins: tuple[PluginCommand, ...] = ()


class SendNow(Shape, frozen=True, kw_only=True):
    """The prompt that is to replace the running turn; empty when none is armed."""

    armed: bool = False
    text: str = ""
    from_row: Annotated[str, says("The waiting prompt it came from.")] = ""
    turn: Annotated[str, says("The turn it replaces.")] = ""


class Spend(Shape, frozen=True, kw_only=True):
    """Tokens as billed and their exact price. Every key is always there."""

    input: Annotated[Int, says("Input that no cache served.")]
    output: Int
    reasoning: Annotated[Int, says("Part of `output`.")]
    cache_read: Int
    cache_creation: Int
    cost_pico_usd: Annotated[Int, says("The priced part, in picodollars: 10^12 are one US dollar.")]
    unpriced: Annotated[bool, says("Some of it had no price.")]


class Usage(Shape, frozen=True, kw_only=True):
    """The size of the context and what was spent. Every key is always there."""

    context_tokens: Annotated[Int, says("About how many tokens the next request sends.")]
    context_window: Annotated[Int, says("How many the model takes; 0 when not known.")]
    turn: Annotated[Spend, says("Spent in the turn before this report.")]
    session: Annotated[Spend, says("Spent in all.")]


class CatalogModel(Shape, frozen=True, kw_only=True):
    """One model on offer; effort keys only for a model with levels of effort."""

    id: Annotated[str, bound(maxLength=256)]
    name: Annotated[str, bound(maxLength=128)]
    recent: Annotated[Int, bound(minimum=1), says("Its place among the models used last, from 1.")] = 0
    efforts: Annotated[tuple[EffortName, ...], bound(maxItems=8)] = ()
    default_effort: EffortName = ""
    switch_effort: Annotated[EffortName, says("The level that a switch to the model starts with.")] = ""


class Catalog(Shape, frozen=True, kw_only=True):
    """Every model on offer, in the order of a picker. A reader never takes a lower `revision` than it holds."""

    models: Annotated[tuple[CatalogModel, ...], bound(maxItems=512)] = ()
    revision: Count


class State(Shape, frozen=True, kw_only=True):
    """What one event changed of the shared state, each section whole."""

    title: str | None = None
    mode: str | None = None
    model: str | None = None
    config: Config | None = None
    commands: Commands | None = None
    plugins: Plugins | None = None
    slash: Slash | None = None
    send_now: SendNow | None = None
    usage: Usage | None = None
    catalog: Catalog | None = None
    reason: str = ""
    detail: str = ""
    index_err: Annotated[str, says("Why the event log cannot be kept.")] = ""
