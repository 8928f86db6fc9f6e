"""Reads `themes/*.toml` and makes of one theme what Textual and the painters need.

A theme is whole or broken: a broken one is listed with the place and the reason, and never half applied. Which theme
is in use, and keeping that choice, is the screen's business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import Theme as TextualTheme

from craze.assets import asset
from craze.config.files import Source, load, table
from craze.config.near import nearest
from craze.config.theme import Colors, Theme
from craze.errors import ConfigError

FALLBACK: Final = "craze-dark"

_BASE = tuple(field.name for field in msgspec.structs.fields(Colors))
# What a base colour is when the file says nothing.
_DERIVED_BASE: Final[Mapping[str, str]] = {
    "secondary": "primary",
    "accent": "primary",
    "success": "primary",
    "warning": "primary",
    "error": "primary",
    "surface": "foreground 5%",
    "panel": "foreground 10%",
    "boost": "foreground 4%",
}
# Every variable of a theme's [craze] table with what it is by default: a colour, or `COLOUR N%` over the background.
VARIABLES: Final[Mapping[str, str]] = {
    "user": "accent",
    "thought": "foreground 60%",
    "rule": "foreground 30%",
    "link": "secondary",
    "code-bg": "surface",
    "selection": "primary 30%",
    "block-cursor": "accent",
    "search-hit": "warning",
    "tool-running": "primary",
    "tool-done": "success",
    "tool-failed": "error",
    "diff-add": "success",
    "diff-add-bg": "success 12%",
    "diff-del": "error",
    "diff-del-bg": "error 12%",
    "diff-word": "",  # the changed words of both sides: 28% of the side's own colour
    "mode-implement": "accent",
    "mode-plan": "secondary",
    "mode-readonly": "success",
    "mode-unknown": "foreground 60%",
}
# The same for [syntax], where words like `bold` may stand before the colour.
SYNTAX: Final[Mapping[str, str]] = {
    "keyword": "accent",
    "string": "success",
    "comment": "foreground 60%",
    "number": "warning",
    "function": "primary",
    "type": "secondary",
    "operator": "foreground",
    "constant": "warning",
    "heading": "bold primary",
}
_ATTRIBUTES = frozenset({"bold", "dim", "italic", "underline", "reverse", "strike"})
_SHARE = re.compile(r"(\d{1,3})%")
_WORDS: Final[Mapping[str, str]] = {"diff-add-word": "success 28%", "diff-del-word": "error 28%"}
_GROUNDS = frozenset({"code-bg", "selection", "diff-add-bg", "diff-del-bg", "background", *_WORDS})


class Listed(msgspec.Struct, frozen=True):
    """A row of the theme picker; `broken` says why a theme cannot be used (`mine.toml:7: acccent`)."""

    name: str
    title: str = ""
    dark: bool = True
    broken: str = ""


class Ink(msgspec.Struct, frozen=True):
    """One colour of a theme with its attributes. `colour` is `#rrggbb` or `ansi_*`."""

    colour: str
    attributes: tuple[str, ...] = ()


Inks: TypeAlias = Mapping[str, Ink]


class Palette:
    """The colours of one theme by the names of `VARIABLES`, `SYNTAX` (`syntax-*`) and the base colours.

    `palette[name]` is a rich style for painters: the colour as text, or as ground for the names that are grounds.
    """

    def __init__(self, theme: Theme) -> None:
        self.name, self.title, self.dark, self.ansi = theme.name, theme.title, theme.dark, theme.ansi
        self.inks: Inks = _resolved(theme)
        self._styles = {name: _style(name, ink) for name, ink in self.inks.items()}

    def __getitem__(self, name: str) -> Style:
        return self._styles[name]

    @cached_property
    def textual(self) -> TextualTheme:
        """The theme for `App.register_theme`; each variable is a `$name` of the style sheets."""
        base = {name: self.inks[name].colour for name in _BASE}
        variables = {name: ink.colour for name, ink in self.inks.items() if name not in _BASE}
        if self.ansi:
            # Textual's own style sheets ask for it, and derive it for themes with colours only.
            variables["ansi-background"] = base["background"]
        return TextualTheme(
            name=self.name,
            primary=base["primary"],
            secondary=base["secondary"],
            accent=base["accent"],
            success=base["success"],
            warning=base["warning"],
            error=base["error"],
            foreground=base["foreground"],
            background=base["background"],
            surface=base["surface"],
            panel=base["panel"],
            boost=base["boost"],
            dark=self.dark,
            ansi=self.ansi,
            variables=variables,
        )


_DEFAULT: Final = "ansi_default"
_COLOURLESS: Final = Theme(
    name="colourless",
    title="No colours",
    dark=True,
    ansi=True,
    colors=Colors(**dict.fromkeys(_BASE, _DEFAULT)),
    craze={
        "user": "bold foreground",
        "thought": "dim foreground",
        "rule": "dim foreground",
        "selection": "reverse foreground",
        "block-cursor": "bold foreground",
        "search-hit": "bold foreground",
        "tool-failed": "bold foreground",
        "diff-word": "underline foreground",
        "mode-unknown": "dim foreground",
    },
    syntax={"keyword": "bold foreground", "comment": "dim foreground", "heading": "bold foreground"},
)


class Themes:
    """The themes shipped and the person's own, whose folder wins by name. Without `colours` each of them has none."""

    def __init__(self, own: Path | None = None, *, colours: bool = True) -> None:
        self.colours = colours
        self._folders = [*([own] if own else []), Path(asset("themes"))]
        self._at_hand: dict[str, Palette | ConfigError] = {}

    def listed(self) -> tuple[Listed, ...]:
        """Every theme by name, broken ones too. It reads them all, which is not for the loop, and has them at hand then."""
        self._at_hand = {name: _taken(path) for name, path in sorted(self._files().items())}
        return tuple(_row(name, taken) for name, taken in self._at_hand.items())

    def get(self, name: str) -> Palette:
        """The theme of that name, as it was listed last.

        Raises:
            ConfigError: There is none, or it is broken; the message names file and line.
        """
        taken = self._at_hand.get(name) or self._found(name)
        if isinstance(taken, ConfigError):
            raise taken
        return self._seen(taken)

    def get_or_fallback(self, name: str) -> tuple[Palette, str]:
        """The theme, or the shipped default and what to tell the person."""
        try:
            return self.get(name), ""
        except ConfigError as error:
            return self._seen(read(self._folders[-1] / f"{FALLBACK}.toml")), f"{error}; {FALLBACK} is used"

    def _seen(self, palette: Palette) -> Palette:
        return palette if self.colours else colourless()

    def _found(self, name: str) -> Palette | ConfigError:
        """One that is not at hand: where some are, there is no other."""
        files = {} if self._at_hand else self._files()
        if name in files:
            return _taken(files[name])
        meant = nearest(name, self._at_hand or files)
        return ConfigError(f"no theme {name}", hint=f"did you mean {meant}?" if meant else "")

    def _files(self) -> dict[str, Path]:
        return {path.stem: path for folder in reversed(self._folders) for path in sorted(folder.glob("*.toml"))}


def _taken(path: Path) -> Palette | ConfigError:
    try:
        return read(path)
    except ConfigError as error:
        return error


def _row(name: str, taken: Palette | ConfigError) -> Listed:
    if isinstance(taken, ConfigError):
        return Listed(name, broken=str(taken))
    return Listed(name, taken.title, taken.dark)


def colourless() -> Palette:
    """No colours at all, for `NO_COLOR` and dumb terminals: what matters is bold, dim, underlined or reversed."""
    return Palette(_COLOURLESS)


def read(path: Path) -> Palette:
    """One theme file.

    Raises:
        ConfigError: Not readable, an unknown key, a bad colour, a missing required key, or a name other than the stem.
    """
    source = load(path)
    if source is None:
        raise ConfigError(f"no theme {path.stem}")
    _check_keys(source)
    try:
        theme = msgspec.convert(source.data, type=Theme)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{_file_line(source, ())}: {str(error).replace('`', '')}") from None
    if theme.name != path.stem:
        raise ConfigError(f"{_file_line(source, ('name',))}: name is {theme.name}, the file is {path.stem}")
    _check_colours(source, theme)
    return Palette(theme)


def _check_keys(source: Source) -> None:
    known = {
        "": [field.name for field in msgspec.structs.fields(Theme)],
        "colors": [*_BASE],
        "craze": [*VARIABLES],
        "syntax": [*SYNTAX],
    }
    for name, keys in known.items():
        for key in table(source.data.get(name)) if name else source.data:
            if key not in keys:
                where = (name, key) if name else (key,)
                meant = nearest(key, keys)
                raise ConfigError(f"{_file_line(source, where)}: {key}" + (f", did you mean {meant}?" if meant else ""))


def _check_colours(source: Source, theme: Theme) -> None:
    colors = {name: value for name in _BASE if (value := getattr(theme.colors, name))}
    for part, values in (("colors", colors), ("craze", theme.craze), ("syntax", theme.syntax)):
        for key, value in values.items():
            if problem := _problem(value, theme.ansi, plain=part == "colors"):
                raise ConfigError(f"{_file_line(source, (part, key))}: {key}: {problem}")


def _problem(value: str, ansi: bool, plain: bool) -> str:
    """Why a written colour cannot be used, or ""."""
    words = value.split()
    colours = [word for word in words if word not in _ATTRIBUTES and not _SHARE.fullmatch(word)]
    if len(colours) != 1 or (plain and len(words) != 1):
        return f"not a colour: {value}"
    name = colours[0]
    if not plain and name in _BASE:
        return ""
    if ansi != name.startswith("ansi_"):
        return f"{name}: a theme with ansi = true has ansi_* colours, others have none"
    try:
        Color.parse(name)
    except ColorParseError:
        return f"not a colour: {name}"
    return ""


def _file_line(source: Source, where: tuple[str, ...]) -> str:
    return f"{source.path.name}:{source.line(where)}"


def _resolved(theme: Theme) -> Inks:
    """Every name of a theme as a plain colour: references followed, shares laid over the background."""
    base: dict[str, str] = {}
    for name in ("background", "foreground", "primary", *_DERIVED_BASE):
        written: str = getattr(theme.colors, name) or _DERIVED_BASE[name]
        base[name] = _ink(written, base, theme.ansi).colour
    inks = {name: Ink(colour) for name, colour in base.items()}
    own = {**VARIABLES, **theme.craze}
    words = {name: own["diff-word"] or default for name, default in _WORDS.items()}
    inks |= {name: _ink(written, base, theme.ansi) for name, written in {**own, **words}.items() if written}
    inks |= {
        f"syntax-{name}": _ink(theme.syntax.get(name, default), base, theme.ansi) for name, default in SYNTAX.items()
    }
    return inks


def _ink(written: str, base: Mapping[str, str], ansi: bool) -> Ink:
    words = written.split()
    attributes = tuple(word for word in words if word in _ATTRIBUTES)
    share = next((int(found[1]) for word in words if (found := _SHARE.fullmatch(word))), 100)
    name = next(word for word in words if word not in _ATTRIBUTES and not _SHARE.fullmatch(word))
    colour = base.get(name, name)
    if ansi:
        # The terminal's colours cannot be mixed: a faint text is dim, a faint ground none.
        return Ink("ansi_default", attributes) if share <= 30 else Ink(colour, (*attributes, *_faint(share)))
    if share == 100 and not base:
        return Ink(Color.parse(colour).hex6, attributes)
    ground = Color.parse(base.get("background", colour))
    return Ink(ground.blend(Color.parse(colour), share / 100, 1).hex6, attributes)


def _faint(share: int) -> tuple[str, ...]:
    return ("dim",) if share < 100 else ()


def _style(name: str, ink: Ink) -> Style:
    colour = ink.colour.removeprefix("ansi_")
    plain = Style.parse(" ".join(ink.attributes)) if ink.attributes else Style()
    if colour == "default":
        return plain
    return plain + (Style(bgcolor=colour) if name in _GROUNDS else Style(color=colour))


OTHERS: Final = str.maketrans("·→…−–‹›│─┼", "->~--<>|-+")
"""Signs of one cell that stand in sentences and rules, in ASCII."""


def glyphs_of(name: str) -> Mapping[str, str]:
    """The signs of a setting `tui.glyphs`, by name."""
    return ASCII if name == "ascii" else UNICODE


UNICODE: Final[Mapping[str, str]] = {
    "pending": "○",
    "running": "◐",
    "done": "✓",
    "failed": "✗",
    "cancelled": "–",
    "prompt": "›",
    "interjection": "↳",
    "reply": "●",
    "task": "⤷",
    "rail": "│",
    "wrap": "↪",
    "cut": "›",
    "rule": "─",
    "cursor": "▌",
    "bullet": "•",
    "box": "☐",
    "boxed": "☑",
    "media": "▣",
    "gap": "⋯",
    "minus": "−",
    "ellipsis": "…",
    "down": "↓",
    "enter": "⏎",
}
ASCII: Final[Mapping[str, str]] = {
    "pending": "o",
    "running": "..",
    "done": "ok",
    "failed": "FAIL",
    "cancelled": "-",
    "prompt": ">",
    "interjection": "^",
    "reply": "*",
    "task": "->",
    "rail": "|",
    "wrap": "\\",
    "cut": ">",
    "rule": "-",
    "cursor": "|",
    "bullet": "-",
    "box": "[ ]",
    "boxed": "[x]",
    "media": "[file]",
    "gap": "..",
    "minus": "-",
    "ellipsis": "...",
    "down": "v",
    "enter": "\\n",
}
