from __future__ import annotations

from pathlib import Path

import pytest

from craze.config import answers
from craze.errors import ConfigError, UsageError

GOOD = """
version = 1
default = "deny"

[[rule]]
kind = "permission"
tool = "Bash|edit"
path = ["src/**", "!src/secret/**"]
command = "^git (status|diff)\\\\b"
do = "allow"
times = 2

[[rule]]
kind = "question"
question = "(?i)database"
choose = ["SQLite", 1]
person_only = true

[[rule]]
kind = "plan"
do = "deny"
feedback = "Keep the old API."
"""


def load(folder: Path, text: str, name: str = "answers.toml") -> answers.Answers:
    (folder / name).write_text(text)
    return answers.load(folder / name)


@pytest.mark.rule("CLI-15")
def test_a_file_of_rules_is_read_as_written(tmp_path: Path) -> None:
    found = load(tmp_path, GOOD)

    assert found.default == "deny"
    permission, question, plan = found.rule
    assert (permission.paths, permission.times) == (("src/**", "!src/secret/**"), 2)
    assert (question.choose, question.person_only) == (("SQLite", 1), True)
    assert plan.feedback == "Keep the old API."


@pytest.mark.rule("CLI-17")
def test_json_has_the_same_names(tmp_path: Path) -> None:
    found = load(tmp_path, '{"version": 1, "rule": [{"kind": "plan", "do": "accept"}]}', "answers.json")

    assert found.rule == (answers.Rule(kind="plan", do="accept"),)


@pytest.mark.rule("CLI-17")
@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("", 1, "version"),
        ("version = 2", 1, "version"),
        ("version = 1\nfoo = 1", 2, "foo"),
        ('version = 1\ndefault = "ask"', 2, "default"),
        (
            'version = 1\n[[rule]]\nkind = "plan"\ndo = "accept"\n[[rule]]\nkind = "plan"\ntime = 1\ndo = "deny"',
            7,
            "rule[2].time",
        ),
        ('version = 1\n[[rule]]\nkind = "pln"\ndo = "deny"', 3, "rule[1].kind"),
        ('version = 1\n[[rule]]\nkind = "plan"\ndo = "allow"', 4, "rule[1].do"),
        ('version = 1\n[[rule]]\nkind = "plan"\ndo = "deny"\ntimes = 0', 5, "rule[1].times"),
        ('version = 1\n[[rule]]\nkind = "permission"\ncommand = "("\ndo = "deny"', 4, "rule[1].command"),
        ('version = 1\n[[rule]]\nkind = "question"\nquestion = "a"\npath = "x"\ntext = "y"', 5, "rule[1].path"),
        ('version = 1\n[[rule]]\nkind = "permission"\ndo = "allow"\noption = "x"', 5, "rule[1].option"),
        ('version = 1\n[[rule]]\nkind = "permission"\ndo = "allow"\nfeedback = "x"', 5, "rule[1].feedback"),
        ('version = 1\n[[rule]]\nkind = "question"', 2, "rule[1].do"),
    ],
)
def test_a_mistake_names_file_line_and_key(tmp_path: Path, text: str, line: int, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)

    assert f"answers.toml:{line}: {key}: " in str(caught.value)


@pytest.mark.rule("CLI-18")
def test_decide_is_a_rule_for_one_time() -> None:
    assert answers.decide("permission=allow_once") == answers.Rule(kind="permission", do="allow", times=1)
    assert answers.decide("permission=deny") == answers.Rule(kind="permission", do="deny", times=1)
    assert answers.decide("permission=opt-7") == answers.Rule(kind="permission", option="opt-7", times=1)
    assert answers.decide("question=2") == answers.Rule(kind="question", choose=(2,), times=1)
    assert answers.decide("plan=accept") == answers.Rule(kind="plan", do="accept", times=1)
    for wrong in ("plan", "plan=", "plan=maybe", "x=y"):
        with pytest.raises(UsageError):
            answers.decide(wrong)
