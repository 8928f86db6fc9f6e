from __future__ import annotations

from pathlib import Path

import pytest

from craze.config import choices, trust
from craze.config.choices import Starts
from craze.errors import ConfigError


@pytest.mark.rule("CLI-48")
def test_trust_covers_what_lies_below_and_the_nearest_entry_wins(tmp_path: Path) -> None:
    file = tmp_path / "state" / "trust.json"
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)

    trust.remember(file, tmp_path / "a", trusted=True, at="2026-11-30T12:00:00Z")
    trust.remember(file, inner, trusted=False, at="2026-11-30T12:00:00Z")

    entries = trust.load(file)
    assert trust.decision(entries, tmp_path) is None
    assert trust.decision(entries, tmp_path / "a") is True
    assert trust.decision(entries, inner / "c") is False
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.rule("CLI-48")
def test_an_unreadable_trust_file_trusts_nobody_and_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "trust.json"
    file.write_text("{")

    with pytest.raises(ConfigError):
        trust.remember(file, tmp_path, trusted=True, at="")

    assert file.read_text() == "{"


@pytest.mark.rule("CLI-56")
def test_a_choice_is_written_whole_and_keeps_the_others(tmp_path: Path) -> None:
    file = tmp_path / "choices.toml"

    choices.choose(file, "tui.theme", "nord")
    choices.choose(file, "tui.mouse", False)
    choices.choose(file, "tui.theme", 'a "quoted" one')

    assert file.read_text() == 'tui.mouse = false\ntui.theme = "a \\"quoted\\" one"\n'


def test_what_starts_have_told_is_remembered(tmp_path: Path) -> None:
    choices.keep_starts(tmp_path, Starts(last="codex", needs_sign_in=("gemini",)))

    assert choices.starts(tmp_path) == Starts(last="codex", needs_sign_in=("gemini",))
