"""The slash section: the rows of the `/` menu. A row with a name that is not one token cannot be in it."""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import force_setattr

from craze.codec.kinds import Shape, bound, says


class SlashSetting(Shape, frozen=True, kw_only=True):
    """The setting that a row sets, sent as it stands."""

    kind: str = ""
    value: str = ""


class SlashRun(Shape, frozen=True, kw_only=True):
    """What choosing a row does, by `kind`; a client hides a row with a value that it does not know."""

    kind: Annotated[str, says("`prompt`, `method`, `picker`, `aside`, `local` or `unavailable`.")]
    method: str = ""
    param: Annotated[str, says("The parameter that takes the argument.")] = ""
    setting: SlashSetting | None = None
    arg: Annotated[str, says("`optional` or `required`; absent for none.")] = ""
    arg_hint: str = ""
    picker: str = ""
    local: str = ""
    reason: Annotated[str, says("Why it cannot run here.")] = ""


class SlashItem(Shape, frozen=True, kw_only=True):
    """One row. Of rows with the same name the first that is shown counts."""

    name: Annotated[str, bound(minLength=1), says("One token, without the slash.")]
    description: str = ""
    source: Annotated[str, says("`builtin`, `agent`, `plugin` or `skill`.")] = ""
    plugin: str = ""
    qualified: Annotated[str, says("A second name of a plugin's row.")] = ""
    requires: Annotated[str, says("What must be possible now for the row to be shown: `stop`, `aside`, `effort`.")] = ""
    while_working: Annotated[bool, says("It runs during a turn too.")] = False
    run: SlashRun | None = None


class Slash(Shape, frozen=True, kw_only=True):
    """Every row of the menu, in its order."""

    items: tuple[SlashItem, ...] = ()

    def __post_init__(self) -> None:
        if not all(is_slash_name(row.name) for row in self.items):
            force_setattr(self, "items", tuple(row for row in self.items if is_slash_name(row.name)))


def is_slash_name(text: str) -> bool:
    """Whether a row may have this name: not empty, no white space, no control character."""
    return text.split() == [text] and not any(mark < " " or "\x7f" <= mark <= "\x9f" for mark in text)
