"""Who answers an ask when no person needs to: presets and rules become one pure `Decider`.

    decider(decide, rules, presets, workspace, *, alone=False) -> Decider
        decide: rules of `--decide`; rules: those of the file; presets: a word a kind (`facts.Policies`)
        alone: nobody is there to answer, so the list ends with `deny`
    rule_from(mapping, where) -> Rule        a rule as plain values, checked before by `config/answers`
    Rule                                     the keys of a rule in the answers file, and what presets need beside them

An ask walks down one list, the first rule that matches answers: `--decide`, the file, the preset of its kind, which is a
list of rules too. A verdict by a rule of the person is `client`, by a preset `policy`; `Verdict.rules` holds the numbers
of the person's rules that answered, counted over `decide` then `rules` from 0, once for each item of a question.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias, cast

import msgspec

from craze.codec import Permission, PermissionOption, Plan, Question, QuestionItem, Tool
from craze.engine import forms
from craze.engine.answers import AnswerValue, Decider, Form, Judge, OpenAsk, Pick, Reply, Skip, Used, Verdict
from craze.engine.checks import normalize, validate_answer
from craze.engine.facts import Policies
from craze.errors import ConfigError

Kind: TypeAlias = Literal["permission", "question", "plan"]


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One rule. An absent criterion matches everything, a criterion that the ask cannot satisfy matches nothing.

    `person_only`: True = only asks that are marked so, False = only others, None = both. `times` 0 = always. `do` is a
    word of the answers file, or of a preset: `allow_any` (any way to allow, else deny), `first` (option of each item).
    `effects` are kinds of tools and `inside` asks that all locations lie in the workspace; presets alone have them.
    """

    kind: Kind
    tool: str = ""
    path: tuple[str, ...] = ()
    command: str = ""
    question: str = ""
    effects: tuple[str, ...] = ()
    inside: bool = False
    person_only: bool | None = False
    times: int = 0
    do: str = ""
    option: str = ""
    choose: tuple[str | int, ...] = ()
    text: str = ""
    feedback: str = ""


class _Step(msgspec.Struct, frozen=True):
    """A rule at its place in the list; presets have no number."""

    rule: Rule
    number: int | None = None


# The kinds of option that a word picks, in order of preference.
_PICKS: Final[dict[str, tuple[str, ...]]] = {
    "allow": ("allow_once",),
    "allow_always": ("allow_always",),
    "allow_any": ("allow_once", "allow_always", "reject_once", "reject_always"),
    "deny": ("reject_once", "reject_always"),
    "fail": ("reject_once", "reject_always"),
}
_DENY: Final[dict[str, tuple[Rule, ...]]] = {
    "permission": (Rule(kind="permission", do="deny", person_only=None),),
    "question": (Rule(kind="question", do="skip", person_only=None),),
    "plan": (Rule(kind="plan", do="deny", person_only=None),),
}
_READ: Final = Rule(kind="permission", effects=("read", "search"), inside=True, do="allow_any")
PRESETS: Final[dict[str, dict[str, tuple[Rule, ...]]]] = {
    "ask": {"permission": (), "question": (), "plan": ()},
    "deny": _DENY,
    "reads": {
        "permission": (_READ, Rule(kind="permission", do="deny")),
        "question": (Rule(kind="question", do="skip"),),
        "plan": (Rule(kind="plan", do="deny"),),
    },
    "all": {
        "permission": (Rule(kind="permission", do="allow_any"),),
        "question": (Rule(kind="question", do="first"),),
        "plan": (Rule(kind="plan", do="accept"),),
    },
    "fail": {
        "permission": (Rule(kind="permission", do="fail", person_only=None),),
        "question": (Rule(kind="question", do="fail", person_only=None),),
        "plan": (Rule(kind="plan", do="fail", person_only=None),),
    },
}


def rule_from(mapping: Mapping[str, object], where: str) -> Rule:
    """The rule that plain values describe; None is the same as no key, a single path the same as a list of one.

    Raises:
        ConfigError: A key or a value that no rule has, with `where` in front.
    """
    given = {key: value for key, value in mapping.items() if value is not None}
    if isinstance(path := given.get("path"), str):
        given["path"] = (path,)
    try:
        return msgspec.convert(given, type=Rule)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from error


def decider(
    decide: tuple[Rule, ...], rules: tuple[Rule, ...], presets: Policies, workspace: str, *, alone: bool = False
) -> Decider:
    """The one answerer of a session; it keeps nothing, what `times` used up is handed in."""
    listed = tuple(_Step(rule, number) for number, rule in enumerate((*decide, *rules)))
    words: dict[str, str] = {"permission": presets.permission, "question": presets.question, "plan": presets.plan}
    last = {kind: (*PRESETS[word][kind], *(_DENY[kind] if alone else ())) for kind, word in words.items()}

    def verdict(ask: OpenAsk, tool: Tool | None, used: Used) -> Verdict | None:
        kind = type(ask.body).__name__.lower()
        steps = (*listed, *(_Step(rule) for rule in last[kind]))
        open_to = [
            step
            for step in steps
            if step.rule.kind == kind and _left(step, used) and _fits(step.rule, ask, tool, workspace)
        ]
        if isinstance(ask.body, Question):
            return _answer_items(ask, ask.body, open_to, used)
        return _verdict(open_to[0], ask.body) if open_to else None

    return verdict


def _left(step: _Step, used: Used) -> bool:
    return step.number is None or not step.rule.times or used.get(step.number, 0) < step.rule.times


# ---- criteria


def _fits(rule: Rule, ask: OpenAsk, tool: Tool | None, workspace: str) -> bool:
    """Whether the ask satisfies every criterion but `question`, which is read item by item."""
    if rule.person_only not in (None, ask.person_only):
        return False
    if not (rule.tool or rule.path or rule.command or rule.effects or rule.inside):
        return True
    return tool is not None and _fits_tool(rule, tool, workspace)


def _fits_tool(rule: Rule, tool: Tool, workspace: str) -> bool:
    paths = [_below(location, workspace) for location in tool.locations]
    inside = [path for path in paths if path is not None]
    all_inside = bool(paths) and len(inside) == len(paths)
    return (
        (not rule.tool or _named(rule.tool, tool))
        and (not rule.effects or tool.kind in rule.effects)
        and (not rule.inside or all_inside)
        and (not rule.path or (all_inside and all(_spec(rule.path).match_file(path) for path in inside)))
        and (not rule.command or re.search(rule.command, _command(tool)) is not None)
    )


def _named(globs: str, tool: Tool) -> bool:
    names = [name for name in (tool.name, tool.tool_name, tool.kind) if name]
    return any(fnmatchcase(name, glob.strip()) for glob in globs.split("|") for name in names)


def _below(location: str, workspace: str) -> str | None:
    """A location relative to the workspace; None for one outside, and for what is no plain path."""
    if not location or location.startswith("~") or "://" in location:
        return None
    root = posixpath.normpath(workspace)
    path = posixpath.normpath(posixpath.join(root, re.sub(r"(:\d+)+$", "", location)))
    if path == root:
        return "."
    return path[len(root) :].lstrip("/") if path.startswith(root.rstrip("/") + "/") else None


@lru_cache(maxsize=256)
def _spec(patterns: tuple[str, ...]) -> Any:
    from pathspec import GitIgnoreSpec  # only where a rule has paths

    return GitIgnoreSpec.from_lines(patterns)


def _command(tool: Tool) -> str:
    """The command of a call where its input names one, else the input's own text."""
    try:
        given: object = msgspec.json.decode(tool.raw_input)
    except (msgspec.DecodeError, RecursionError):
        return tool.raw_input
    command = cast("dict[str, object]", given).get("command") if isinstance(given, dict) else None
    if isinstance(command, list):
        return " ".join(map(str, cast("list[object]", command)))
    return command if isinstance(command, str) else tool.raw_input


# ---- permissions and plans


def _verdict(step: _Step, body: Permission | Plan) -> Verdict:
    if isinstance(body, Permission):
        misses = _misses(step.rule, body)
        return _said(step, _pick(step.rule, body), fails=step.rule.do == "fail" or misses, misses=misses)
    accepted = step.rule.do == "accept"
    return _said(step, Judge(accepted=accepted, feedback=step.rule.feedback), fails=step.rule.do == "fail")


def _misses(rule: Rule, body: Permission) -> bool:
    """Whether the rule names what was not offered: the run fails rather than pick something else."""
    if rule.option:
        return all(option.option_id != rule.option for option in body.options)
    return rule.do in {"allow", "allow_always"} and _first(body.options, _PICKS[rule.do]) is None


def _pick(rule: Rule, body: Permission) -> Pick | None:
    if rule.option and not _misses(rule, body):
        return Pick(option=rule.option)
    kinds = _PICKS["deny" if rule.option or _misses(rule, body) else rule.do]
    option = _first(body.options, kinds)
    return Pick(option=option.option_id, feedback=rule.feedback) if option else None


def _first(options: tuple[PermissionOption, ...], kinds: tuple[str, ...]) -> PermissionOption | None:
    """Of the options of the first kind that is offered: the one whose id is that kind, else the first. An id that
    stands for two kinds is none: nobody knows which of them the agent takes it for."""
    kinds_of = {(option.option_id, option.kind) for option in options}
    ids = [id_ for id_, _ in kinds_of]
    clear = [option for option in options if ids.count(option.option_id) == 1]
    for kind in kinds:
        if offered := [option for option in clear if option.kind == kind]:
            return next((option for option in offered if option.option_id == kind), offered[0])
    return None


def _said(step: _Step, answer: AnswerValue | None, *, fails: bool, misses: bool = False) -> Verdict:
    numbers = () if step.number is None else (step.number,)
    return Verdict(answer=answer, by="client" if numbers else "policy", end_run=fails, misses=misses, rules=numbers)


# ---- questions


def _answer_items(ask: OpenAsk, body: Question, steps: list[_Step], used: Used) -> Verdict | None:
    """One matching rule for each item; None when an item has none: the whole waits for a person."""
    form = ask.form or Form()
    spent = dict(used)
    chosen: list[tuple[QuestionItem, _Step]] = []
    for item in body.questions or (QuestionItem(),):
        step = next((step for step in steps if _left(step, spent) and _asks(step.rule, body, item)), None)
        if step is None:
            return None
        if step.number is not None:
            spent[step.number] = spent.get(step.number, 0) + 1
        chosen.append((item, step))
    return _joined(ask, form, chosen)


def _joined(ask: OpenAsk, form: Form, chosen: list[tuple[QuestionItem, _Step]]) -> Verdict:
    """One verdict of what was chosen item by item. What does not fit fails the run if a rule had a part in it."""
    numbers = tuple(step.number for _, step in chosen if step.number is not None)

    def said(answer: AnswerValue, *, fails: bool = False, misses: bool = False) -> Verdict:
        by: Literal["client", "policy"] = "client" if numbers else "policy"
        return Verdict(answer=answer, by=by, end_run=fails or misses, misses=misses, rules=numbers)

    if any(step.rule.do == "fail" for _, step in chosen):
        return said(Skip(), fails=True)
    texts = {item.id: _texts(step.rule, item) for item, step in chosen}
    if None in texts.values():
        return said(Skip(), misses=True)
    given = {name: each for name, each in texts.items() if each}
    if given or any(step.rule.do == "first" for _, step in chosen):
        unnamed = {item.id for item, step in chosen if item.id not in given and step.number is None}
        given |= {name: each for name, each in forms.defaults(form).items() if name in unnamed}
    if not given:
        return said(Skip())
    reply = normalize(ask, Reply(answers=given))
    return said(Skip(), misses=bool(numbers)) if validate_answer(ask, reply) else said(reply)


def _asks(rule: Rule, body: Question, item: QuestionItem) -> bool:
    if rule.choose and not item.options and any(other.options for other in body.questions):
        return False  # the field for an answer of one's own, beside the options that the rule is about
    return not rule.question or any(re.search(rule.question, text) for text in (item.prompt, body.title))


def _texts(rule: Rule, item: QuestionItem) -> tuple[str, ...] | None:
    """What a rule answers to an item: nothing = skipped; None = the run fails, for it names what is not offered."""
    if rule.text:
        return (rule.text,)
    if rule.do == "first":
        return tuple(option.id for option in item.options[:1])
    found = [_named_option(name, item) for name in rule.choose]
    return None if None in found else tuple(each for each in found if each is not None)


def _named_option(name: str | int, item: QuestionItem) -> str | None:
    """The option of this id, label or number from 1."""
    if isinstance(name, int):
        return item.options[name - 1].id if 1 <= name <= len(item.options) else None
    by_id = (option.id for option in item.options if option.id == name)
    by_label = (option.id for option in item.options if option.label == name)
    return next(by_id, None) or next(by_label, None)
