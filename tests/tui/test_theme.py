"""Themes are whole or refused, and every text of them can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color as RichColor
from textual.color import Color

from craze.assets import asset
from craze.errors import ConfigError
from craze.tui.theme import ASCII, SYNTAX, UNICODE, VARIABLES, Palette, Themes, colourless, read
from tests.conftest import Golden

SHIPPED = (
    "ansi",
    "catppuccin-latte",
    "catppuccin-mocha",
    "craze-dark",
    "craze-light",
    "gruvbox",
    "high-contrast",
    "high-contrast-light",
    "nord",
    "solarized-light",
    "tokyo-night",
)
GOLDEN = Path(__file__).parent.parent / "golden" / "themes"
DRAWN = [name for name in SHIPPED if name != "ansi"]
WRITTEN = [
    *("foreground", "primary", "secondary", "accent", "success", "warning", "error"),
    *("user", "thought", "link", "search-hit", "tool-running", "tool-done", "tool-failed"),
    *("mode-implement", "mode-plan", "mode-readonly", "mode-unknown", "diff-add", "diff-del"),
    *(f"syntax-{name}" for name in SYNTAX),
]
CODE = ["foreground", "thought", *(f"syntax-{name}" for name in SYNTAX)]


def contrast(palette: Palette, text: str, ground: str) -> float:
    """The ratio of WCAG between two names of a theme."""
    one, two = (_luminance(palette.inks[name].colour) for name in (text, ground))
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


def _luminance(colour: str) -> float:
    parts = [part / 255 for part in Color.parse(colour).rgb]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.rule("TUI-180")
def test_every_theme_of_the_list_is_shipped_whole() -> None:
    listed = Themes().listed()

    assert [row.name for row in listed] == list(SHIPPED)
    assert not [row for row in listed if row.broken]


@pytest.mark.rule("TUI-184")
@pytest.mark.parametrize("name", DRAWN)
def test_every_text_can_be_read(name: str) -> None:
    palette = Themes().get(name)
    least = 7.0 if name.startswith("high-contrast") else 4.5
    pairs = [(text, ground) for text in WRITTEN for ground in ("background", "surface")]
    pairs += [(text, ground) for text in CODE for ground in ("code-bg", "diff-add-bg", "diff-del-bg")]
    pairs += [("diff-add", "diff-add-bg"), ("diff-del", "diff-del-bg")]
    pairs += [("foreground", ground) for ground in ("panel", "selection", "diff-add-word", "diff-del-word")]

    poor = [
        f"{text} on {ground} {found:.2f}"
        for text, ground in pairs
        if (found := contrast(palette, text, ground)) < least
    ]

    assert not poor


@pytest.mark.rule("TUI-184")
@pytest.mark.parametrize("name", SHIPPED)
def test_every_variable_is_there(name: str) -> None:
    palette = Themes().get(name)
    theme = palette.textual

    assert {*VARIABLES} - {"diff-word"} <= theme.variables.keys()
    assert {f"syntax-{each}" for each in SYNTAX} <= theme.variables.keys()
    for each in palette.inks:
        palette[each]
    theme.to_color_system().generate()


@pytest.mark.rule("TUI-182")
def test_the_ansi_theme_has_only_the_terminals_own_colours() -> None:
    palette = Themes().get("ansi")

    assert palette.textual.ansi
    for name, ink in palette.inks.items():
        assert ink.colour.startswith("ansi_")
        style = palette[name]
        for colour in (style.color, style.bgcolor):
            assert colour is None or (isinstance(colour, RichColor) and colour.number is not None)


@pytest.mark.rule("TUI-183")
def test_without_colours_meaning_is_bold_dim_reverse_or_underlined() -> None:
    palette = colourless()

    for name in palette.inks:
        assert palette[name].color is None
        assert palette[name].bgcolor is None
    assert palette["selection"].reverse
    assert palette["thought"].dim
    assert palette["diff-add-word"].underline
    assert {ink.colour for ink in palette.inks.values()} == {"ansi_default"}


@pytest.mark.rule("TUI-180")
@pytest.mark.parametrize("name", SHIPPED)
def test_the_styles_of_each_theme_are_what_was_read_and_agreed(name: str, golden: Golden) -> None:
    palette = Themes().get(name)

    found = "".join(f"{each:<16} {palette[each]}\n" for each in sorted(palette.inks))

    golden(GOLDEN / f"{name}.txt", found.encode())


def write(folder: Path, text: str, name: str = "mine") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


GOOD = """name = "mine"
title = "Mine"
dark = true
[colors]
primary = "#7aa2f7"
foreground = "#d5d8e0"
background = "#16181d"
"""


@pytest.mark.rule("TUI-181")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD + '[craze]\nacccent = "#ffffff"\n', "mine.toml:9: acccent"),
        (GOOD + '[craze]\nuser = "#ffffff"\nthougt = "#ffffff"\n', "mine.toml:10: thougt, did you mean thought?"),
        (GOOD.replace("#7aa2f7", "blueish"), "mine.toml:5: primary: not a colour: blueish"),
        (GOOD.replace('primary = "#7aa2f7"\n', ""), "missing required field primary"),
        (GOOD.replace('name = "mine"', 'name = "other"'), "mine.toml:1: name is other"),
        (GOOD + '[syntax]\nkeyword = "bold ansi_red"\n', "mine.toml:9: keyword"),
        (GOOD.replace("dark = true", "dark = 1"), "mine.toml"),
        ("name = ", "mine.toml:1"),
    ],
)
def test_a_broken_theme_says_where(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, text)

    row = next(row for row in Themes(tmp_path).listed() if row.name == "mine")

    assert said in row.broken
    palette, notice = Themes(tmp_path).get_or_fallback("mine")
    assert palette.name == "craze-dark"
    assert "mine.toml" in notice


@pytest.mark.rule("TUI-180")
def test_a_persons_own_theme_wins_by_name(tmp_path: Path) -> None:
    write(tmp_path, GOOD.replace('"mine"', '"nord"'), "nord")

    assert Themes(tmp_path).get("nord").title == "Mine"


@pytest.mark.rule("TUI-181")
def test_a_theme_that_is_not_there_is_the_default_and_a_notice() -> None:
    with pytest.raises(ConfigError) as refused:
        Themes().get("nrod")

    assert refused.value.hint == "did you mean nord?"
    assert Themes().get_or_fallback("nrod")[0].name == "craze-dark"


def test_shares_are_laid_over_the_background(tmp_path: Path) -> None:
    text = (
        GOOD
        + '[craze]\nthought = "foreground 50%"\ndiff-word = "#ff0000 50%"\n[syntax]\nkeyword = "bold italic accent"\n'
    )

    palette = read(write(tmp_path, text))

    assert palette.inks["thought"].colour == "#75787E"
    assert palette.inks["diff-add-word"] == palette.inks["diff-del-word"]
    assert palette["syntax-keyword"].bold
    assert palette["code-bg"].bgcolor is not None


@pytest.mark.rule("TUI-184", "TUI-194")
def test_every_sign_has_a_plain_spelling() -> None:
    assert UNICODE.keys() == ASCII.keys()
    assert all(text.isascii() for text in ASCII.values())


def test_the_shipped_folder_holds_nothing_else() -> None:
    assert sorted(path.stem for path in Path(asset("themes")).iterdir()) == list(SHIPPED)
