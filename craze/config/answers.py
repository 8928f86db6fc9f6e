"""The file of `--answers` and `asks.rules`, and `--decide`: rules that answer asks, checked but not yet applied.

A mistake names file, line and key, before an agent is started. What the rules do is the engine's (`engine/rules`);
here they are plain values, in the order in which they are asked.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from craze.config import files
from craze.config.files import Source, Where
from craze.config.misfit import misfit
from craze.config.near import meant
from craze.config.paths import short
from craze.errors import UsageError

Preset: TypeAlias = Literal["deny", "reads", "all", "fail"]
PRESETS: tuple[Preset, ...] = ("deny", "reads", "all", "fail")
Positive: TypeAlias = Annotated[int, Meta(ge=1)]


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The first rule that matches an ask decides it. Absent criteria match everything; `times` absent: always."""

    kind: Literal["permission", "question", "plan"]
    tool: str | None = None
    path: str | tuple[str, ...] | None = None
    command: str | None = None
    question: str | None = None
    do: str | None = None
    option: str | None = None
    choose: tuple[str | int, ...] | None = None
    text: str | None = None
    feedback: str | None = None
    times: Positive | None = None
    person_only: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,) if isinstance(self.path, str) else self.path or ()


class Answers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answers file."""

    version: Literal[1]
    default: Preset | None = None
    rule: tuple[Rule, ...] = ()


class Form(msgspec.Struct, frozen=True):
    """What a rule of one kind may hold beside `kind`, `do`, `times` and `person_only`."""

    criteria: frozenset[str]
    deeds: tuple[str, ...]
    others: frozenset[str]
    """Keys that say the answer in place of `do`."""


FORMS = {
    "permission": Form(
        frozenset({"tool", "path", "command"}), ("allow", "allow_always", "deny", "fail"), frozenset({"option"})
    ),
    "question": Form(frozenset({"question", "tool"}), ("skip", "fail"), frozenset({"choose", "text"})),
    "plan": Form(frozenset({"tool"}), ("accept", "deny", "fail"), frozenset()),
}
_COMMON = frozenset({"kind", "do", "times", "person_only", "feedback"})
_CHOICES = {"default": Preset, "kind": Literal["permission", "question", "plan"]}
_RULE_KEYS = frozenset(Rule.__struct_fields__)


def load(path: Path) -> Answers:
    """
    Raises:
        ConfigError: There is no such file, or something in it is wrong; with file, line and key.
    """
    if not (source := files.load(path, streams=True)):
        raise UsageError(
            f"{short(path)}: there is no such answers file", hint=f"a file, or one of: {', '.join(PRESETS)}"
        )
    return check(source)


def check(source: Source) -> Answers:
    """
    Raises:
        ConfigError: As `load`.
    """
    _known_keys(source, source.data, (), frozenset({"version", "default", "rule"}))
    if source.data.get("version") != 1:
        found = source.data.get("version")
        message = "version = 1 is missing" if found is None else f"version {found} is not known, this craze knows 1"
        raise source.error(("version",), message)
    for number, rule in enumerate(files.rows(source.data.get("rule"))):
        _known_keys(source, files.table(rule), ("rule", number), _RULE_KEYS)
    try:
        answers = msgspec.convert(source.data, type=Answers)
    except msgspec.ValidationError as error:
        where, message = _located(str(error))
        raise source.error(where, misfit(message, _CHOICES.get(str(where[-1])) if where else None)) from error
    for number, rule in enumerate(answers.rule):
        if found := wrong(rule):
            raise source.error(("rule", number, found[0]), found[1])
    return answers


def wrong(rule: Rule) -> tuple[str, str] | None:
    """The key of a rule that does not fit its kind and why, or None."""
    form = FORMS[rule.kind]
    given = [key for key in msgspec.structs.asdict(rule) if getattr(rule, key) not in (None, False)]
    if misplaced := next((key for key in given if key not in form.criteria | form.others | _COMMON), ""):
        return misplaced, f"does not belong in a rule for a {rule.kind}"
    deeds = [key for key in given if key in form.others or key == "do"]
    if len(deeds) != 1:
        choices = " or ".join(["do", *sorted(form.others)])
        return ("do" if not deeds else deeds[-1]), f"exactly one of {choices} is needed"
    if rule.do and rule.do not in form.deeds:
        return "do", f"{rule.do!r} is not one of: {', '.join(form.deeds)}"
    if rule.feedback and rule.do != "deny":
        return "feedback", 'goes with do = "deny"'
    return next((found for key in ("command", "question") if (found := _bad_expression(key, getattr(rule, key)))), None)


def decide(text: str) -> Rule:
    """The rule of `--decide KIND=WHAT`; it holds once.

    Raises:
        UsageError: The kind or the deed is not known.
    """
    kind, equals, what = text.partition("=")
    if kind not in FORMS or not equals or not what:
        raise UsageError(
            f"--decide {text}: KIND=WHAT is expected", hint="such as permission=allow_once, question=2, plan=accept"
        )
    if kind == "permission":
        deed = {"allow_once": "allow"}.get(what, what)
        known = deed in FORMS[kind].deeds
        return Rule(kind="permission", do=deed, times=1) if known else Rule(kind="permission", option=what, times=1)
    if kind == "question":
        if what in FORMS[kind].deeds:
            return Rule(kind="question", do=what, times=1)
        return Rule(kind="question", choose=(int(what) if what.isdecimal() else what,), times=1)
    deed = {"reject": "deny"}.get(what, what)
    if deed not in FORMS[kind].deeds:
        raise UsageError(f"--decide {text}: {what!r} is not one of: {', '.join(FORMS[kind].deeds)}")
    return Rule(kind="plan", do=deed, times=1)


def _bad_expression(key: str, expression: str | None) -> tuple[str, str] | None:
    try:
        re.compile(expression or "")
    except re.error as error:
        return key, f"{expression!r} is no regular expression: {error}"
    return None


def _known_keys(source: Source, table: files.Table, where: Where, known: frozenset[str]) -> None:
    for key in table:
        if key not in known:
            raise source.error((*where, key), "unknown key", meant(key, known))


def _located(message: str) -> tuple[Where, str]:
    """msgspec's `… - at $.rule[1].do` as a path and the bare message."""
    text, _, path = message.replace("`", "").partition(" - at $")
    steps = re.findall(r"\.(\w+)|\[(\d+)\]", path)
    return tuple(int(index) if index else name for name, index in steps), text
