"""Reads the files a person writes, TOML or JSON, and knows at which line each key stands.

An error names file, line and column. The parsers of the standard library keep no positions, so a small scanner finds
the lines of keys; it only ever serves messages.
"""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import TypeAlias, cast

import msgspec

from craze.config import whole
from craze.config.paths import short
from craze.errors import ConfigError

Step: TypeAlias = str | int
Where: TypeAlias = tuple[Step, ...]
Table: TypeAlias = dict[str, object]

_MOST = 4 * whole.MIB
# Compiled, and kept by `re`, with the first file that is read.
_PLACE = r"\(at line (\d+), column (\d+)\)"
_HEADER = r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$"
_KEY = r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=(.*)"""
_PART = r"""[\w-]+|"[^"]*"|'[^']*'"""
_QUOTES = ('"""', "'''")
_NO_BRACKETS = r""""(?:[^"\\]|\\.)*"|'[^']*'|#.*"""
_JSON_KEY = r'"((?:[^"\\]|\\.)*)"\s*:'


class Source(msgspec.Struct, frozen=True):
    """A parsed file: its content and the line of each key."""

    path: Path
    data: Table
    lines: dict[Where, int]

    def line(self, where: Where) -> int:
        """The line of a key, else of the nearest table around it, else 1."""
        return next((self.lines[where[:size]] for size in range(len(where), 0, -1) if where[:size] in self.lines), 1)

    def at(self, where: Where) -> str:
        return f"{short(self.path)}:{self.line(where)}"

    def error(self, where: Where, message: str, hint: str = "") -> ConfigError:
        return ConfigError(f"{self.at(where)}: {spell(where)}: {message}", hint=hint)


def spell(where: Where) -> str:
    """A key as people write it: `rule[2].do`, counted from 1."""
    return "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in where).lstrip(".")


def table(value: object) -> Table:
    """A value as a table; what is none counts as an empty one."""
    return cast(Table, value) if isinstance(value, dict) else {}


def rows(value: object) -> list[object]:
    """A value as a list; what is none counts as an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def load(path: Path, *, streams: bool = False) -> Source | None:
    """The file, parsed by its suffix; None when there is none. `streams`: the person has named it, so it may be a pipe.

    Raises:
        ConfigError: It cannot be read or parsed; with line and column.
    """
    try:
        if not streams and not stat.S_ISREG(path.stat().st_mode):
            raise ConfigError(f"{short(path)} is no regular file")
        text = whole.read(path, most=_MOST, name=short(path)).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{short(path)}: not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise ConfigError(f"{short(path)}: cannot be read: {error.strerror}") from error
    return parse_json(path, text) if path.suffix == ".json" else parse_toml(path, text)


def parse_toml(path: Path, text: str) -> Source:
    import tomllib  # here, since most folders have no file of settings

    try:
        return Source(path, tomllib.loads(text), toml_lines(text))
    except tomllib.TOMLDecodeError as error:
        place = re.search(_PLACE, str(error))
        line, column = place.groups() if place else (str(text.count("\n") + 1), "1")
        message = str(error).split(" (at ")[0]
        raise ConfigError(
            f"{short(path)}:{line}:{column}: {message}", hint="correct the file; nothing was changed"
        ) from error


def parse_json(path: Path, text: str) -> Source:
    try:
        data = msgspec.json.decode(text, type=Table)
    except msgspec.ValidationError:
        raise ConfigError(f"{short(path)}:1: a JSON object is expected") from None
    except msgspec.DecodeError as error:
        at = re.search(r"\(byte (\d+)\)", str(error))
        before = text.encode()[: int(at[1]) if at else len(text)].decode(errors="replace")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = str(error).split(" (byte ")[0].removeprefix("JSON is malformed: ")
        raise ConfigError(f"{short(path)}:{line}:{column}: {message}") from error
    return Source(path, data, _json_lines(text))


def toml_lines(text: str) -> dict[Where, int]:
    """The line, from 1, of each table and key of a well-formed TOML text. Values that span lines are passed over."""
    lines: dict[Where, int] = {}
    inside: Where = ()
    counts: dict[Where, int] = {}
    quotes, depth = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if quotes:
            quotes = "" if quotes in line else quotes
        elif depth:
            depth += _depth(line)
        elif header := re.match(_HEADER, line):
            inside = _parts(header[2])
            if header[1] == "[[":
                counts[inside] = counts.get(inside, -1) + 1
                inside = (*inside, counts[inside])
            lines.setdefault(inside, number)
        elif key := re.match(_KEY, line):
            lines.setdefault((*inside, *_parts(key[1])), number)
            quotes = next((mark for mark in _QUOTES if key[2].count(mark) == 1), "")
            depth = 0 if quotes else _depth(key[2])
    return lines


def _parts(dotted: str) -> Where:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))


def _depth(line: str) -> int:
    """How many brackets a line leaves open, strings and comments aside."""
    bare = re.sub(_NO_BRACKETS, "", line)
    return bare.count("[") - bare.count("]")


def _json_lines(text: str) -> dict[Where, int]:
    """The first line of each key by its name alone: enough to point at."""
    lines: dict[Where, int] = {}
    for match in re.finditer(_JSON_KEY, text):
        lines.setdefault((match[1],), text.count("\n", 0, match.start()) + 1)
    return lines
