"""Joins the layers of configuration and remembers where each value came from.

Later wins: defaults, the person's `config.toml`, `choices.toml`, the project's `.craze/config.toml`, environment,
flags. Tables merge by key, lists replace. A wrong key or value is a warning, but access switches fail closed and
`asks.*` is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import cast, get_args, get_origin, get_type_hints

import msgspec

from craze.config import files
from craze.config.environment import Environment
from craze.config.files import Source, Table
from craze.config.misfit import misfit
from craze.config.near import nearest
from craze.config.paths import Places
from craze.config.shape import ACCESS, GUARDED, OPEN_TO_PROJECTS, Config, Section
from craze.errors import ConfigError


class Leaf(msgspec.Struct, frozen=True):
    """One setting: its type and default. `open`: a table with free keys; `kind` is the type of one entry then."""

    kind: object
    default: object
    open: bool = False


class Value(msgspec.Struct, frozen=True):
    """A value that holds, and its place: a file and line, a variable, a flag, or `default`."""

    value: object
    place: str = "default"


class Settings(msgspec.Struct, frozen=True):
    """The outcome. `values` are the settings that differ from silence, by dotted name; `untrusted` names what a
    project's file asked for and does not get, because its folder is not trusted."""

    config: Config
    values: dict[str, Value]
    warnings: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()


def read(
    places: Places,
    environment: Environment,
    project: Path | None = None,
    *,
    trusted: bool = False,
    flags: Mapping[str, object] | None = None,
) -> Settings:
    """All layers for a folder.

    Args:
        project: The folder whose `.craze/config.toml` counts.
        flags: Settings by dotted name, as the command line gave them.

    Raises:
        ConfigError: A file cannot be read or parsed, or `asks.*` has a wrong value.
    """
    join = _Join()
    if source := files.load(places.settings_file):
        join.file(source)
    if source := files.load(places.choices_file):
        join.file(source)
    if project and (source := files.load(project / ".craze" / "config.toml")):
        join.project(source, trusted)
    join.environment(environment)
    for name, value in (flags or {}).items():
        join.put(name, value, "command line")
    return join.done(places.warnings)


def defaults() -> Settings:
    return _Join().done(())


def leaves(section: type[Section] = Config, prefix: str = "") -> Iterator[tuple[str, Leaf]]:
    """Every setting by dotted name, in the order of `shape`."""
    hints: dict[str, object] = get_type_hints(section, include_extras=True)
    for field in msgspec.structs.fields(section):
        kind: object = hints[field.name]
        name = prefix + field.name
        if isinstance(kind, type) and issubclass(kind, Section):
            yield from leaves(kind, name + ".")
        elif get_origin(kind) is dict:
            yield name, Leaf(get_args(kind)[1], None, open=True)
        else:
            yield name, Leaf(hints[field.name], field.default)


@cache
def _leaves() -> dict[str, Leaf]:
    return dict(leaves())


@cache
def _sections() -> frozenset[str]:
    return frozenset(name.rpartition(".")[0] for name in _leaves()) - {""}


@cache
def _open() -> frozenset[str]:
    """The tables with free keys."""
    return frozenset(name for name, leaf in _leaves().items() if leaf.open)


class _Join:
    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.warnings: list[str] = []
        self.untrusted: list[str] = []

    def file(self, source: Source) -> None:
        for where, name, value in _flat(source.data):
            self.put(name, value, source.at(where))

    def project(self, source: Source, trusted: bool) -> None:
        for where, name, value in _flat(source.data):
            top = name.partition(".")[0]
            if name in ACCESS:
                if value is not True:
                    self.put(name, value, source.at(where))
            elif top in OPEN_TO_PROJECTS or (trusted and top in GUARDED) or not _known(name):
                self.put(name, value, source.at(where))
            elif top in GUARDED:
                self.untrusted.append(name)
            else:
                self.warnings.append(f"{source.at(where)}: {name} cannot be set by a project")

    def environment(self, environment: Environment) -> None:
        for variable, name in (
            ("CRAZE_AGENT", "agent"),
            ("CRAZE_THEME", "tui.theme"),
            ("CRAZE_ANSWERS", "run.answers"),
        ):
            if value := environment.get(variable):
                self.put(name, value, variable)
        for variable, name in (("CRAZE_JOURNAL", "journal.enabled"), ("CRAZE_WIRE", "wire.enabled")):
            if environment.turns_off(variable):
                self.put(name, False, variable)

    def put(self, name: str, value: object, place: str) -> None:
        """Takes one value, the last one wins; a wrong one is told and left out, or off, or an error."""
        if name in _sections() | _open():
            return self._no_table(name, place)
        if not (leaf := _known(name)):
            meant = nearest(name, [*_leaves(), *_sections()])
            return self.warnings.append(
                f"{place}: unknown setting {name}" + (f", did you mean {meant}?" if meant else "")
            )
        try:
            msgspec.convert(value, type=leaf.kind)
        except msgspec.ValidationError as error:
            self._wrong(name, place, misfit(error, leaf.kind))
        else:
            self.values[name] = Value(value, place)
        return None

    def _no_table(self, name: str, place: str) -> None:
        """A table is set to something else: all its settings are wrong, said once."""
        self._wrong(
            next((leaf for leaf in _leaves() if leaf.startswith(name + ".")), name), place, f"{name} is a table"
        )

    def _wrong(self, name: str, place: str, message: str) -> None:
        if name.startswith("asks."):
            raise ConfigError(f"{place}: {name}: {message}")
        if name in ACCESS:
            self.values[name] = Value(False, place)
            self.warnings.append(f"{place}: {name}: {message}; it is off")
        else:
            self.warnings.append(f"{place}: {name}: {message}; the default holds")

    def done(self, warnings: tuple[str, ...]) -> Settings:
        data: Table = {}
        for name, value in self.values.items():
            *path, last = _path(name)
            table = data
            for step in path:
                table = cast(Table, table.setdefault(step, {}))
            table[last] = value.value
        return Settings(
            msgspec.convert(data, type=Config),
            self.values,
            (*warnings, *self.warnings),
            tuple(dict.fromkeys(self.untrusted)),
        )


def _path(name: str) -> list[str]:
    """The steps of a dotted name; the key of an open table may hold points itself (`keys.queue.remove`)."""
    table, _, key = name.partition(".")
    return [table, key] if table in _open() else name.split(".")


def _known(name: str) -> Leaf | None:
    """The setting of that name, or the kind of entry that the open table around it has."""
    table, _, key = name.partition(".")
    return _leaves()[table] if key and table in _open() else _leaves().get(name)


def _flat(table: Table, where: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, object]]:
    """Path, dotted name and value of each setting of a file; an entry of an open table is one value.

    `[keys]` alone goes deeper: `queue.remove` without quotes is a table for TOML and one name for us.
    """
    for key, value in table.items():
        path = (*where, key)
        name = ".".join(path)
        if isinstance(value, dict) and (name in _sections() | _open() or where[:1] == ("keys",)):
            yield from _flat(cast(Table, value), path)
        else:
            yield path, name, value
