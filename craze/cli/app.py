"""The group of commands, which imports each one's module when it runs.

Options are parsed by typer; its errors take the same form as all others.
"""

from __future__ import annotations

import gc
import importlib
import os
import re
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Final, TypeVar, get_type_hints

import msgspec
import typer
from typer.core import TyperGroup

from craze.cli import exit_codes
from craze.cli.commands import COMMANDS, PICK, SCREEN
from craze.cli.version import line
from craze.config import environment, files, paths
from craze.config.near import nearest
from craze.errors import UsageError

Given = TypeVar("Given", bound=msgspec.Struct)

_HELP: Final = frozenset({"--help", "-h"})
_WITHOUT_SETTINGS: Final = _HELP | {"doctor", "config", "schema", "completion", "demo-agent", "--version"}


class Group(TyperGroup):
    """Knows the commands by name and imports the one that is asked for.

    `Any`: typer carries click's classes under a name that differs between its versions.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS and cmd_name != SCREEN:
            return None
        module = importlib.import_module(f"craze.cli.{cmd_name.replace('-', '_')}")
        if cmd_name != SCREEN:  # which sees to it when its first picture is there
            gc.freeze()
            gc.enable()
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The root's own and those of the screen, which runs when no command is named."""
        screen = self.get_command(ctx, SCREEN)
        shown = [param for param in (*screen.params, *self.get_params(ctx)) if param.param_type_name == "option"]
        with formatter.section("Options"):
            formatter.write_dl([option.get_help_record(ctx) for option in shown])
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def app_of(help: str = "") -> typer.Typer:  # noqa: A002 - typer's own word
    """A command's or a command group's own app."""
    return typer.Typer(help=help or None, add_completion=False, rich_markup_mode=None, no_args_is_help=False)


def command_of(given: type[Given], deed: Callable[[Given], int]) -> typer.Typer:
    """The app of a command with many options: they are the fields of a struct, annotated from `options`."""
    from craze.cli import options  # the other commands have no use for them

    usual, hints = given(), get_type_hints(given, localns={"of": options}, include_extras=True)

    def command(**values: Any) -> int:
        return deed(given(**values))

    command.__doc__ = deed.__doc__
    command.__signature__ = Signature(  # pyright: ignore[reportFunctionMemberAccess] - read by `inspect`
        [
            Parameter(name, Parameter.KEYWORD_ONLY, default=getattr(usual, name), annotation=hints[name])
            for name in usual.__struct_fields__
        ]
    )
    app = app_of()
    app.command()(command)
    return app


app = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=False,
    subcommand_metavar="[PROMPT] | COMMAND [ARGS]...",
)


@app.callback(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
def _root(version: bool = typer.Option(False, "--version", help="Version, Python and platform.")) -> None:
    """A terminal client for AI coding agents.

    Without a command: the screen, with these options and a first prompt. `craze run PROMPT` needs no terminal.
    """
    if version:
        typer.echo(line())
        raise typer.Exit


def run(arguments: list[str]) -> int:
    """
    Raises:
        UsageError: Of the command line.
    """
    if "_CRAZE_COMPLETE" in os.environ:
        return _complete()
    first = next(iter(arguments), "")
    if first not in COMMANDS and _HELP & set(arguments[: arguments.index("--") if "--" in arguments else None]):
        arguments = ["--help"]
    elif first not in COMMANDS and first != "--version":
        arguments = [SCREEN, *_with_pick(arguments)]
    if first not in _WITHOUT_SETTINGS and not _HELP & set(arguments):
        _refuse_broken_settings()
    group = typer.main.get_command(app)
    try:
        # Not `group.main`: it answers a closed pipe itself, and with the code of a failure.
        with group.make_context("craze", arguments) as ctx:
            result: Any = group.invoke(ctx)
    except typer.Exit as ended:
        return ended.exit_code
    except typer.Abort:
        return exit_codes.INTERRUPTED
    except _Refused as error:
        raise _usage(error, first) from error
    return result if isinstance(result, int) else exit_codes.DONE


def _with_pick(arguments: list[str]) -> list[str]:
    """`-r` without an id asks for the list of sessions, which typer has no word for."""
    at = next((at for at, word in enumerate(arguments) if word in ("-r", "--resume")), None)
    if at is None or (arguments[at + 1 : at + 2] and not arguments[at + 1].startswith("-")):
        return arguments
    return [*arguments[: at + 1], PICK, *arguments[at + 1 :]]


def _refuse_broken_settings() -> None:
    """
    Raises:
        ConfigError: With line and column; also for commands that need no setting, so that it is found early.
    """
    places = paths.places(environment.read(os.environ))
    for file in (places.settings_file, places.choices_file):
        files.load(file)


def _complete() -> int:
    """Answer the shell, which has put its question into the environment; options without a command are the screen's."""
    from typer.completion import completion_init  # pyright: ignore[reportPrivateImportUsage]

    for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS"):
        line = os.environ.get(name, "")
        os.environ[name] = named = re.sub(r"^(\S+\s+)(?=-)", rf"\g<1>{SCREEN} ", line)
        if name == "COMP_WORDS" and named != line:
            os.environ["COMP_CWORD"] = str(int(os.environ["COMP_CWORD"]) + 1)
    completion_init()
    typer.main.get_command(app)([], prog_name="craze", standalone_mode=False)
    return exit_codes.DONE


_Refused: Final[type[Exception]] = typer.BadParameter.__mro__[2]
"""What typer raises for everything that is wrong with a command line, whatever the version calls it."""


def _usage(error: Exception, command: str) -> UsageError:
    ctx: Any = getattr(error, "ctx", None)
    named = f"craze {command}" if command in COMMANDS else "craze"
    path = str(ctx.command_path).replace(f" {SCREEN}", "") if ctx else named
    near = nearest(str(getattr(error, "option_name", "")), getattr(error, "possibilities", None) or ())
    message: str = getattr(error, "format_message", error.__str__)()
    message = message.split(" Did you mean")[0].split(" (Possible")[0].rstrip(".")
    message = " ".join(message.split())  # choices come in lines of their own
    return UsageError(message, hint=f"did you mean {near}?" if near else f"{path} --help")
