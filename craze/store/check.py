"""Expectations about a recorded run: `tool=Bash`, `turns<=3`, `text~"all tests pass"`, `balanced`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

import msgspec

from craze.errors import UsageError
from craze.store.evidence import Evidence

Operator: TypeAlias = Literal["", "=", "!=", "~", "!~", "<=", ">=", "<", ">"]
Verdict: TypeAlias = Literal["ok", "FAILED", "UNKNOWN"]
Rederives: TypeAlias = "Callable[[], str | None]"
"""Runs the replayer over the recording: "" when it gives everything again, else the first difference; None: it cannot
be run on this recording."""


class Expectation(msgspec.Struct, frozen=True):
    """`NAME[:ARG] OP VALUE`, or a bare name."""

    text: str
    name: str
    argument: str = ""
    operator: Operator = ""
    value: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """What became of an expectation; `found` says what stands in the recording when it is not ok."""

    expectation: str
    verdict: Verdict
    found: str = ""


def expectation(text: str) -> Expectation:
    """Parse one expression.

    Raises:
        UsageError: With what is wrong with it.
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise UsageError(f"not an expectation: {text!r}", hint="write NAME[:ARG] OP VALUE, or a bare NAME")
    name, argument, operator, value = (part or "" for part in form.groups())
    wanted = Expectation(text.strip(), name, argument, _operator(operator), _unquoted(value))
    _refuse(wanted)
    return wanted


def expectations(text: str, where: str) -> list[Expectation]:
    """The expressions of a file, one a line, `#` comments.

    Raises:
        UsageError: With file and line.
    """
    found: list[Expectation] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                found.append(expectation(line))
            except UsageError as error:
                raise UsageError(f"{where}:{number}: {error}", hint=error.hint) from error
    return found


def check(wanted: Iterable[Expectation], evidence: Evidence, rederives: Rederives | None = None) -> list[Outcome]:
    """One outcome an expectation, in order."""
    return [_outcome(one, evidence, rederives) for one in wanted]


def _outcome(wanted: Expectation, evidence: Evidence, rederives: Rederives | None) -> Outcome:
    if wanted.name == "rederives":
        found = rederives() if rederives is not None else None
    elif wanted.name in _FLAGS:
        found = _FLAGS[wanted.name](evidence)
    elif wanted.name in _NUMBERS:
        found = _compared(_NUMBERS[wanted.name](evidence, wanted.argument), wanted)
    else:
        found = _matched(_WORDS[wanted.name](evidence), wanted)
    if found is None:
        return Outcome(wanted.text, "UNKNOWN", "the recording cannot tell")
    return Outcome(wanted.text, "FAILED" if found else "ok", found)


def _compared(number: Decimal | int | None, wanted: Expectation) -> str | None:
    if number is None:
        return None
    value = Decimal(wanted.value)
    return "" if _COMPARE[wanted.operator](Decimal(number), value) else str(number)


def _matched(values: Sequence[str] | None, wanted: Expectation) -> str | None:
    """`=` and `~` want one of the values, `!=` and `!~` none of them."""
    if values is None:
        return None
    if wanted.operator.endswith("~"):
        hit = any(re.search(wanted.value, value) for value in values)
    elif wanted.name == "tool":
        hit = any(fnmatchcase(value, wanted.value) for value in values)
    else:
        hit = wanted.value in values
    if hit != wanted.operator.startswith("!"):
        return ""
    return ", ".join(_excerpt(value) for value in values) or "nothing"


def _excerpt(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"


def _refuse(wanted: Expectation) -> None:
    name, operator = wanted.name, wanted.operator
    if name not in _NAMES:
        raise UsageError(f"nothing is called {name!r} in a recording", hint=f"known: {', '.join(_NAMES)}")
    if bool(wanted.argument) != (name == "tools"):
        raise UsageError(f"{name} takes {'a glob, as in tools:edit*' if name == 'tools' else 'no argument'}")
    if operator not in _OPERATORS[_kind(name)]:
        wrong = f"{name} cannot be compared by {operator}" if operator else f"{name} needs an operator and a value"
        raise UsageError(wrong, hint=f"allowed: {' '.join(_OPERATORS[_kind(name)]) or 'the bare name'}")
    try:
        if operator.endswith("~"):
            re.compile(wanted.value)
        elif name in _NUMBERS:
            Decimal(wanted.value)
    except (re.error, InvalidOperation) as error:
        raise UsageError(
            f"{wanted.value!r} is no {'regular expression' if operator.endswith('~') else 'number'}"
        ) from error


def _kind(name: str) -> str:
    return "flag" if name in _FLAGS or name == "rederives" else "number" if name in _NUMBERS else "words"


def _operator(text: str) -> Operator:
    return _BY_TEXT.get(text, "")


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _calls(evidence: Evidence, glob: str) -> int:
    return sum(any(fnmatchcase(name, glob) for name in names) for names in evidence.calls)


def _said(faults: list[str]) -> str:
    return "; ".join(faults[:3]) + (f"; and {len(faults) - 3} more" if len(faults) > 3 else "")


_ALL: Final[tuple[Operator, ...]] = ("=", "!=", "~", "!~", "<=", ">=", "<", ">")
_BY_TEXT: Final[dict[str, Operator]] = {operator: operator for operator in _ALL}
_FORM: Final = re.compile(r"([a-z_]+)(?::(.+?))?\s*(?:(!=|!~|<=|>=|=|~|<|>)\s*(.*))?", re.DOTALL)
_OPERATORS: Final[dict[str, tuple[Operator, ...]]] = {
    "flag": ("",),
    "number": ("=", "!=", "<=", ">=", "<", ">"),
    "words": ("=", "!=", "~", "!~"),
}
_FLAGS: Final[dict[str, Callable[[Evidence], str | None]]] = {
    "valid": lambda found: _said(found.faults),
    "balanced": lambda found: _said(found.unbalanced),
}
_NUMBERS: Final[dict[str, Callable[[Evidence, str], Decimal | int | None]]] = {
    "tools": _calls,
    "turns": lambda found, _: found.turns,
    "errors": lambda found, _: found.errors,
    "denied": lambda found, _: found.denied,
    "cost": lambda found, _: found.cost,
}
_WORDS: Final[dict[str, Callable[[Evidence], Sequence[str] | None]]] = {
    "stop": lambda found: [found.stop] if found.turns else None,
    "text": lambda found: [found.text],
    "tool": lambda found: sorted({name for names in found.calls for name in names}),
}
_NAMES: Final = (*_FLAGS, "rederives", *_WORDS, *_NUMBERS)
_COMPARE: Final[dict[str, Callable[[Decimal, Decimal], bool]]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}
