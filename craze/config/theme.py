"""The form of a theme file, `themes/NAME.toml`; what a screen makes of it is the screen's."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

Colour: TypeAlias = Annotated[str, Meta(description="#rrggbb, a name, or ansi_*")]


class Colors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base colours; those that are absent are derived."""

    primary: Colour
    foreground: Colour
    background: Colour
    secondary: Colour | None = None
    accent: Colour | None = None
    success: Colour | None = None
    warning: Colour | None = None
    error: Colour | None = None
    surface: Colour | None = None
    panel: Colour | None = None
    boost: Colour | None = None


class Theme(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A theme file. `name` equals the file's stem; `ansi`: the colours are names of the terminal's own sixteen."""

    name: str
    title: str
    dark: bool
    ansi: bool = False
    colors: Colors
    craze: dict[str, str] = {}
    syntax: dict[str, str] = {}
