"""File mentions."""

from __future__ import annotations

import pytest

from craze.tui.prompt.mentions import MOST, open_mention, ranked, spelled


@pytest.mark.rule("TUI-106")
@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("@", ""),
        ("see @src/c", "src/c"),
        ("a@b", None),
        ("@a b", None),
        ('@"a b', "a b"),
        ('@"a b" ', None),
        ("(@x", None),
    ],
)
def test_a_mention_opens_at_the_start_of_a_word(line: str, query: str | None) -> None:
    found = open_mention(line, len(line))

    assert (found.query if found else None) == query


@pytest.mark.rule("TUI-106")
def test_paths_are_ranked_by_the_start_of_the_name_then_the_name_then_the_path() -> None:
    paths = ["cli/a.py", "src/client.py", "docs/our_client.md", "c/l/i.txt", "none"]

    assert ranked(paths, "cli") == ["src/client.py", "docs/our_client.md", "cli/a.py", "c/l/i.txt"]


@pytest.mark.rule("TUI-106")
def test_no_more_than_a_hundred_are_offered() -> None:
    assert len(ranked([f"f{n}" for n in range(500)], "f")) == MOST


@pytest.mark.rule("TUI-106")
def test_a_path_with_spaces_is_quoted() -> None:
    assert (spelled("a.py"), spelled("a b"), spelled("a/", done=False)) == ("@a.py ", '@"a b" ', "@a/")
