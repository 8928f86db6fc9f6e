from __future__ import annotations

from pathlib import Path

import pytest

from craze.cli.answering import of_run, of_screen
from craze.config import environment, paths, settings
from craze.errors import UsageError


def found(home: Path, text: str = "", **variables: str) -> settings.Settings:
    env = environment.read({"CRAZE_HOME": str(home), **variables})
    (home / "config.toml").write_text(text)
    return settings.read(paths.places(env, home), env)


@pytest.mark.rule("CLI-14", "CLI-18")
def test_a_run_denies_unless_something_else_is_said(tmp_path: Path) -> None:
    plain = of_run("", found(tmp_path), (), tmp_path)
    configured = of_run("", found(tmp_path, '[run]\nanswers = "reads"\n'), ("plan=accept",), tmp_path)

    assert (plain.permission, plain.alone, plain.answers_questions) == ("deny", True, False)
    assert (configured.permission, len(configured.decide)) == ("reads", 1)
    assert configured.unused() == ["plan=accept"]
    with pytest.raises(UsageError, match="waits for a person"):
        of_run("ask", found(tmp_path), (), tmp_path)


@pytest.mark.rule("CLI-65")
def test_on_a_screen_the_same_rules_stand_in_front_of_its_own_presets(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text('version = 1\n[[rule]]\nkind = "plan"\ndo = "accept"\n')
    configured = found(tmp_path, '[asks]\nquestion = "deny"\nrules = "rules.toml"\n[run]\nanswers = "all"\n')

    plain = of_screen("", found(tmp_path), tmp_path)
    ruled = of_screen("", configured, tmp_path)
    flagged = of_screen("all", configured, tmp_path)
    variable = of_screen("", found(tmp_path, CRAZE_ANSWERS="reads"), tmp_path)

    assert (plain.permission, plain.question, plain.plan, plain.alone) == ("ask", "ask", "ask", False)
    assert (ruled.permission, ruled.question, len(ruled.rules)) == ("ask", "deny", 1)
    assert (flagged.permission, flagged.question, flagged.rules) == ("all", "all", ())
    assert variable.plan == "reads"
