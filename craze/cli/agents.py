"""`craze agents list|check|add|remove`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from craze.cli import exit_codes, stdio
from craze.cli.app import app_of
from craze.cli.capturing import expect_capture
from craze.cli.completing import agent_names
from craze.cli.context import Context
from craze.config import agents, imports, paths
from craze.config.agents import Agent, Declaration, State
from craze.errors import UsageError

app = app_of("List, check, add and remove agents.")
AgentName = Annotated[str, typer.Argument(help="As `craze agents list` has it.", autocompletion=agent_names)]
Format = Annotated[Literal["text", "json"], typer.Option("--format")]


@app.command("list")
def list_(output: Format = "text") -> None:
    """Every agent with its state; nothing is started."""
    rows = states(Context())
    if output == "json":
        for agent, state in rows:
            stdio.data(msgspec.json.encode(_json(agent, state)) + b"\n")
    else:
        stdio.table(
            (agent.name, agent.declaration.provider, state.word, agent.place, _why(state)) for agent, state in rows
        )


def states(context: Context) -> list[tuple[Agent, State]]:
    """Agents by name; built-in ones that are not there come last."""
    rows = [
        (agent, agents.state(agent, context.environment, context.starts.needs_sign_in))
        for agent in context.roster.agents.values()
    ]
    return sorted(rows, key=lambda row: (row[0].built_in and row[1].word == "not found", row[0].name))


@app.command()
def add(
    name: Annotated[str | None, typer.Argument(help="With --from: of these the one.")] = None,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- CMD ARGS", help="Run without a shell; ${VAR} is expanded.")
    ] = None,
    provider: Annotated[Literal["acp", "control"], typer.Option(help="What it speaks.")] = "acp",
    env: Annotated[list[str] | None, typer.Option(metavar="K=V", help="Repeatable.")] = None,
    from_file: Annotated[Path | None, typer.Option("--from", help="Import from a settings or registry file.")] = None,
    registry: Annotated[Path | None, typer.Option(help="The registry that the settings file refers to.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing declaration.")] = False,
) -> int:
    """Write agents/NAME.toml; config.toml is not touched."""
    context = Context()
    if from_file:
        return _import(context, from_file, registry, name or "", force)
    if not name or not command:
        raise UsageError("a name and a command are needed", hint="craze agents add NAME -- CMD ARGS")
    declaration = Declaration(provider=provider, command=tuple(command), env=_pairs(env or ()))
    _check_name(context, name, force)
    path = imports.write(paths.make(context.places.agents), name, declaration, force=force)
    stdio.show(paths.short(path))
    return exit_codes.DONE


@app.command()
def remove(name: AgentName) -> None:
    """Remove agents/NAME.toml."""
    context = Context()
    path = context.places.agents / f"{name}.toml"
    if not agents.NAME.fullmatch(name) or not path.exists():
        agent = context.roster.get(name)
        raise UsageError(f"agent {name} is {'built in' if agent.built_in else f'declared in {agent.place}'}")
    path.unlink()
    stdio.show(f"removed {paths.short(path)}")


@app.command()
def check(
    name: AgentName = "",
    timeout: Annotated[str, typer.Option(metavar="DUR")] = "60s",
    capture: Annotated[Path | None, typer.Option(help="Print the lints of a stored capture; start nothing.")] = None,
    prompt: Annotated[str, typer.Option(help="Run one turn with this prompt; everything is denied.")] = "",
    no_session: Annotated[bool, typer.Option("--no-session", help="Open none: it only says what it is.")] = False,
) -> int:
    """Start an agent and print what it says of itself.

    In an empty folder; no prompt is sent.
    """
    from craze.cli import agent_check

    if capture:
        return agent_check.of_capture(expect_capture(capture))
    if not name:
        raise UsageError("an agent's name is needed", hint="craze agents list")
    if prompt and no_session:
        raise UsageError("--prompt needs a session: it goes not with --no-session")
    return agent_check.of_agent(Context(), name, timeout=timeout, prompt=prompt, session=not no_session)


def _import(context: Context, path: Path, registry: Path | None, only: str, force: bool) -> int:
    found = imports.read(path, registry)
    for note in found.notes:
        stdio.say(note)
    chosen = {name: agent for name, agent in found.agents.items() if not only or name == only}
    if only and not chosen:
        raise UsageError(f"{path}: no agent {only} in it", hint=f"it has: {', '.join(found.agents) or 'none'}")
    kept = 0
    for name, declaration in chosen.items():
        try:
            _check_name(context, name, force)
            stdio.show(paths.short(imports.write(paths.make(context.places.agents), name, declaration, force=force)))
        except UsageError as error:
            if only:
                raise
            stdio.say(f"{name}: {error}")
        else:
            kept += 1
    return exit_codes.DONE if kept or not chosen else exit_codes.FAILED


def _check_name(context: Context, name: str, force: bool) -> None:
    known = context.roster.agents.get(name)
    if known and not force:
        raise UsageError(f"agent {name} exists ({known.place})", hint="--force puts this one in its place")


def _pairs(items: Iterable[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise UsageError(f"--env {item}: K=V is expected")
        pairs[key] = value
    return pairs


def _why(state: State) -> str:
    return "; ".join(filter(None, (state.reason, state.remedy)))


def _json(agent: Agent, state: State) -> dict[str, object]:
    return {
        "name": agent.name,
        "provider": agent.declaration.provider,
        "state": state.word,
        "reason": state.reason,
        "remedy": state.remedy,
        "declared": agent.place,
    }
