"""Takes agent declarations over from the files of other programs: settings with `agent_servers`, and registry files.

Comments and trailing commas are accepted. One bad entry does not stop the rest; what cannot be taken is named.
Nothing is downloaded: a registry's archive becomes an install hint.
"""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import TypeVar

import msgspec

from craze.config import saved, whole
from craze.config.agents import NAME, Declaration
from craze.config.files import Table, parse_json, rows, table
from craze.config.misfit import misfit
from craze.config.paths import short
from craze.errors import ConfigError, UsageError

_COMMENT = re.compile(r"""("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_TRAILING = re.compile(r"""("(?:[^"\\]|\\.)*")|,(\s*[}\]])""")
T = TypeVar("T", bound=msgspec.Struct)


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `agent_servers`."""

    type: str = "custom"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class Package(msgspec.Struct, frozen=True, kw_only=True):
    package: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class Binary(msgspec.Struct, frozen=True, kw_only=True):
    cmd: str
    archive: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    npx: Package | None = None
    uvx: Package | None = None
    binary: dict[str, Binary] = {}


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One agent of a registry file."""

    id: str
    name: str = ""
    version: str = ""
    description: str = ""
    distribution: Distribution


class Registry(msgspec.Struct, frozen=True, kw_only=True):
    version: str | int = 1
    agents: tuple[Listed, ...] = ()


class SettingsFile(msgspec.Struct, frozen=True, kw_only=True):
    agent_servers: dict[str, Server] = {}


class Found(msgspec.Struct, frozen=True):
    """Declarations by name, and a line for each thing that was left out."""

    agents: dict[str, Declaration]
    notes: tuple[str, ...]


def read(path: Path, registry: Path | None = None) -> Found:
    """
    Raises:
        ConfigError: A file cannot be read, or is neither form.
    """
    data = _load(path)
    notes: list[str] = []
    listed = _listed(_load(registry), notes) if registry else {}
    if "agent_servers" in data:
        return _servers(table(data["agent_servers"]), listed, notes)
    if rows(data.get("agents")):
        agents = {
            name: found for name, entry in _listed(data, notes).items() if (found := _from_registry(entry, {}, notes))
        }
        return Found(agents, tuple(notes))
    raise ConfigError(
        f"{short(path)}: no agents in it", hint="a settings file with agent_servers, or a registry file with agents"
    )


def write(folder: Path, name: str, declaration: Declaration, *, force: bool = False) -> Path:
    """Writes `agents/NAME.toml`.

    Raises:
        UsageError: The name cannot be one, or exists and `force` is not set.
        OSError: It cannot be written.
    """
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be an agent's name", hint="a-z, 0-9 and -, beginning with a letter")
    path = folder / f"{name}.toml"
    if path.exists() and not force:
        raise UsageError(f"{short(path)} exists", hint="--force replaces it")
    saved.write(path, spell(declaration).encode())
    return path


def spell(declaration: Declaration) -> str:
    """The declaration as TOML, only what is set, tables last."""
    data: Table = msgspec.to_builtins(declaration)
    flat = [(key, value) for key, value in data.items() if not isinstance(value, dict)]
    lines = [f"{key} = {_value(value)}" for key, value in flat]
    for key, value in data.items():
        if entries := table(value):
            lines += ["", f"[{key}]", *(f"{_value(name)} = {_value(entry)}" for name, entry in entries.items())]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    """JSON's spelling of texts, numbers, switches and lists is TOML's too, but for the character 127."""
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007F")


def _load(path: Path) -> Table:
    try:
        text = whole.read(path, most=16 * whole.MIB, name=short(path)).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{short(path)}: not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise ConfigError(f"{short(path)}: cannot be read: {error.strerror}") from error
    # Blanks keep the line numbers of messages true.
    plain = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
    return parse_json(path, _TRAILING.sub(lambda found: found[1] or " " + found[2], plain)).data


def _servers(servers: Table, listed: dict[str, Listed], notes: list[str]) -> Found:
    agents: dict[str, Declaration] = {}
    for name, value in servers.items():
        if not (server := _take(value, Server, name, notes)):
            continue
        if server.type == "registry":
            if not (entry := listed.get(name)):
                notes.append(f"{name}: it is in a registry: name its file with --registry")
            elif found := _from_registry(entry, server.env, notes):
                agents[_slug(name)] = found
        elif server.type == "custom" and server.command:
            agents[_slug(name)] = Declaration(provider="acp", command=(server.command, *server.args), env=server.env)
        else:
            notes.append(f"{name}: {'no command' if server.type == 'custom' else f'type {server.type!r} is not known'}")
    return Found(agents, tuple(notes))


def _listed(data: Table, notes: list[str]) -> dict[str, Listed]:
    entries = [_take(row, Listed, f"agents[{at}]", notes) for at, row in enumerate(rows(data.get("agents")))]
    return {entry.id: entry for entry in entries if entry}


def _from_registry(entry: Listed, env: dict[str, str], notes: list[str]) -> Declaration | None:
    ways = entry.distribution
    for first, package in ((("npx", "-y"), ways.npx), (("uvx",), ways.uvx)):
        if package:
            command = (*first, package.package, *package.args)
            return Declaration(provider="acp", command=command, env=package.env | env)
    if not (binary := ways.binary.get(here())):
        notes.append(f"{entry.id}: not distributed for {here()}")
        return None
    install = f"get {binary.archive}" if binary.archive else ""
    return Declaration(
        provider="acp",
        command=(binary.cmd, *binary.args),
        env=binary.env | env,
        install=install,
    )


def here() -> str:
    """This platform as registry files name it, such as `linux-x86_64`."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{platform.system().lower()}-{machine}"


def _take(value: object, kind: type[T], name: str, notes: list[str]) -> T | None:
    """`value` as `kind`; its unknown keys, or what makes it useless, go into the notes."""
    known = {field.encode_name for field in msgspec.structs.fields(kind)}
    if unknown := [key for key in table(value) if key not in known]:
        notes.append(f"{name}: left out: {', '.join(unknown)}")
    try:
        return msgspec.convert(value, type=kind)
    except msgspec.ValidationError as error:
        notes.append(f"{name}: {misfit(error, kind)}")
        return None


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "agent"
