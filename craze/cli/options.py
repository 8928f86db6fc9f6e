"""The options of a headless run and of the screen, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

import typer

from craze.cli.completing import agent_names, session_ids


def _filled(value: str | None) -> str | None:
    """
    Raises:
        typer.BadParameter: It is given and empty, as a variable that is not set leaves it.
    """
    if value is not None and not value.strip():
        raise typer.BadParameter("it is empty")
    return value


_Told = TypeVar("_Told", str | None, list[str] | None)


def _text(value: _Told) -> _Told:
    """
    Raises:
        typer.BadParameter: It goes to the agent, and cannot: bytes that are no text.
    """
    try:
        "".join(value or ()).encode()
    except UnicodeEncodeError as error:
        raise typer.BadParameter("it is not UTF-8") from error
    return value


Many: TypeAlias = list[str] | None

AgentName: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="A declared agent.", autocompletion=agent_names, callback=_filled)
]
Command: TypeAlias = Annotated[
    str | None, typer.Option(metavar="'CMD ARGS'", help="An agent by its command line.", callback=_filled)
]
Provider: TypeAlias = Annotated[
    str, typer.Option(metavar="KIND", help="What that command speaks: acp (the default) or control.")
]
WorkFolder: TypeAlias = Annotated[Path | None, typer.Option("-C", metavar="DIR", help="The session's folder.")]
GoOn: TypeAlias = Annotated[bool, typer.Option("-c", "--continue", help="Go on with the newest session of the folder.")]
Resume: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "-r",
        "--resume",
        metavar="ID",
        help="Go on with this session: the beginning of its id, or its title.",
        autocompletion=session_ids,
        callback=_filled,
    ),
]
Model: TypeAlias = Annotated[
    str, typer.Option(metavar="ID", help="The model: its id, its name, or how one of them begins.")
]
Mode: TypeAlias = Annotated[str, typer.Option(metavar="ID", help="The mode, named likewise.")]
Effort: TypeAlias = Annotated[str, typer.Option(metavar="LEVEL", help="How much the model thinks.")]
Set: TypeAlias = Annotated[
    Many,
    typer.Option("--set", metavar="OPTION=VALUE", help="Another option of the agent. Repeatable.", callback=_text),
]
Title: TypeAlias = Annotated[str | None, typer.Option(metavar="TEXT", help="The session's title.", callback=_text)]
Image: TypeAlias = Annotated[
    list[Path] | None, typer.Option(metavar="FILE", help="Goes with the first prompt. Repeatable.")
]
AddDir: TypeAlias = Annotated[
    list[Path] | None, typer.Option(metavar="DIR", help="A further folder of the session. Repeatable.")
]
Trust: TypeAlias = Annotated[bool, typer.Option("--trust", help="Take the folder's settings in full, for this run.")]
NoJournal: TypeAlias = Annotated[bool, typer.Option("--no-journal", help="Keep nothing of what is said.")]
NoWire: TypeAlias = Annotated[bool, typer.Option("--no-wire", help="Keep no wire capture.")]

# ---- of a run

RunPrompt: TypeAlias = Annotated[
    Many, typer.Argument(metavar="[PROMPT]...", help="- or nothing: read standard input.", callback=_text)
]
PromptFile: TypeAlias = Annotated[Path | None, typer.Option("-f", metavar="FILE", help="Read the prompt from a file.")]
FollowUp: TypeAlias = Annotated[Many, typer.Option(metavar="TEXT", help="A next prompt. Repeatable.", callback=_text)]
Form: TypeAlias = Annotated[
    Literal["text", "json", "wire"],
    typer.Option("--format", help="The agent's words, every event, or the wire capture."),
]
Enveloped: TypeAlias = Annotated[bool, typer.Option("--envelope", help="With json: numbers, facts and a result.")]
RunAnswers: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="PRESET|FILE", help="Who answers the agent: deny (the default), reads, all, fail, a file of rules."
    ),
]
Decide: TypeAlias = Annotated[
    Many,
    typer.Option(
        metavar="KIND=WHAT", help="Answer one ask: permission=allow_once, question=2, plan=accept. Repeatable."
    ),
]
TimeLimit: TypeAlias = Annotated[str, typer.Option(metavar="DUR", help="For the whole run: 90s, 10m, 1h.")]
Drain: TypeAlias = Annotated[str, typer.Option(metavar="DUR", help="How long to wait for sub-agents at the end (10m).")]
AfterShort: TypeAlias = Annotated[
    Literal["pause", "continue"] | None,
    typer.Option(help="Whether follow-ups go on behind a turn that ended short (pause)."),
]
Usage: TypeAlias = Annotated[bool, typer.Option("--usage", help="Print tokens, cost and time at the end, on stderr.")]

# ---- of the screen

ScreenPrompt: TypeAlias = Annotated[Many, typer.Argument(metavar="[PROMPT]", callback=_text)]
ScreenAnswers: TypeAlias = Annotated[
    str, typer.Option(metavar="PRESET|FILE", help="ask, deny, reads, all, fail, or a file of rules.")
]
Theme: TypeAlias = Annotated[str, typer.Option(metavar="NAME", help="The colours, for this run.")]
NoMouse: TypeAlias = Annotated[bool, typer.Option("--no-mouse", help="Leave the mouse to the terminal.")]
