"""Rules and presets: who answers an ask when no person needs to."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from craze.codec import Permission, PermissionOption, Plan, Question, QuestionItem, QuestionOption, Tool
from craze.engine import forms
from craze.engine.answers import AnswerValue, Form, Judge, OpenAsk, Pick, Reply, Skip, Verdict
from craze.engine.checks import validate_answer
from craze.engine.facts import Policies
from craze.engine.rules import PRESETS, Rule, decider, rule_from
from craze.errors import ConfigError

HOME = "/work/here"
ONCE = PermissionOption(option_id="yes", name="Yes", kind="allow_once")
ALWAYS = PermissionOption(option_id="ever", name="Always", kind="allow_always")
NO = PermissionOption(option_id="no", name="No", kind="reject_once")
NEVER = PermissionOption(option_id="never", name="Never", kind="reject_always")
BASH = Tool(id="c", name="Bash", kind="execute", raw_input='{"command":"git status"}')


def permission(*options: PermissionOption, person_only: bool = False) -> OpenAsk:
    return OpenAsk(body=Permission(options=options or (ONCE, ALWAYS, NO)), tool="c", person_only=person_only)


def question(*items: QuestionItem, person_only: bool = False, form: Form | None = None) -> OpenAsk:
    return OpenAsk(body=Question(title="Choose", questions=items or (item(),)), person_only=person_only, form=form)


def item(item_id: str = "q1", prompt: str = "Which database?", *labels: str, many: bool = False) -> QuestionItem:
    names = labels or ("SQLite", "PostgreSQL")
    options = tuple(QuestionOption(id=f"o{at}", label=label) for at, label in enumerate(names, 1))
    return QuestionItem(id=item_id, prompt=prompt, options=options, allow_multiple=many)


PLAN = OpenAsk(body=Plan(plan="1. do it"))


def preset(word: str, ask: OpenAsk, tool: Tool | None = None, *, alone: bool = False) -> Verdict | None:
    return decider((), (), Policies(permission=word, question=word, plan=word), HOME, alone=alone)(ask, tool, {})


def ruled(
    ask: OpenAsk, *rules: Rule, tool: Tool | None = None, word: str = "ask", used: dict[int, int] | None = None
) -> Verdict | None:
    words = Policies(permission=word, question=word, plan=word)
    return decider((), rules, words, HOME)(ask, tool, used or {})


def answer(verdict: Verdict | None) -> AnswerValue | None:
    assert verdict is not None
    return verdict.answer


def policy(value: AnswerValue | None, *, end_run: bool = False) -> Verdict:
    return Verdict(answer=value, by="policy", end_run=end_run)


# ---- presets


@pytest.mark.rule("ENG-66", "ENG-68")
@pytest.mark.parametrize(
    ("word", "ask", "expected"),
    [
        ("ask", permission(), None),
        ("ask", question(), None),
        ("ask", PLAN, None),
        ("deny", permission(), policy(Pick(option="no"))),
        ("deny", permission(ONCE, NEVER), policy(Pick(option="never"))),
        ("deny", question(), policy(Skip())),
        ("deny", PLAN, policy(Judge(accepted=False))),
        ("reads", question(), policy(Skip())),
        ("reads", PLAN, policy(Judge(accepted=False))),
        ("all", permission(), policy(Pick(option="yes"))),
        ("all", permission(ALWAYS, NO), policy(Pick(option="ever"))),
        ("all", permission(NO), policy(Pick(option="no"))),
        ("all", question(), policy(Reply(answers={"q1": ("o1",)}))),
        ("all", PLAN, policy(Judge(accepted=True))),
        ("fail", permission(), policy(Pick(option="no"), end_run=True)),
        ("fail", question(), policy(Skip(), end_run=True)),
        ("fail", PLAN, policy(Judge(accepted=False), end_run=True)),
    ],
)
def test_each_preset_answers_each_kind_of_ask(word: str, ask: OpenAsk, expected: Verdict | None) -> None:
    assert preset(word, ask) == expected


@pytest.mark.rule("ENG-67")
def test_of_several_options_of_a_kind_the_one_named_like_the_kind_is_taken() -> None:
    like_the_kind = PermissionOption(option_id="allow_once", kind="allow_once")

    assert answer(preset("all", permission(ONCE, like_the_kind))) == Pick(option="allow_once")
    assert answer(preset("all", permission(ONCE, PermissionOption(option_id="z", kind="allow_once")))) == Pick(
        option="yes"
    )


@pytest.mark.rule("ENG-67")
@pytest.mark.parametrize("word", ["deny", "all", "reads"])
def test_an_option_of_unknown_kind_is_never_picked(word: str) -> None:
    assert preset(word, permission(PermissionOption(option_id="x", kind="allow_for_an_hour"))) == policy(None)


@pytest.mark.rule("ENG-66")
@pytest.mark.parametrize(
    ("kind", "locations", "allowed"),
    [
        ("read", ("src/a.py",), True),
        ("search", (f"{HOME}/src", "b"), True),
        ("search", (HOME,), True),
        ("read", (f"{HOME}/a/../b:12",), True),
        ("read", (), False),
        ("edit", ("src/a.py",), False),
        ("read", ("src/a.py", "/etc/passwd"), False),
        ("read", ("../elsewhere",), False),
        ("read", (f"{HOME}-not/a",), False),
        ("read", (f"{HOME}/../x",), False),
        ("read", ("~/.ssh/id",), False),
        ("read", ("file:///etc/passwd",), False),
        ("read", ("",), False),
    ],
)
def test_reads_allows_reading_and_searching_inside_the_workspace(
    kind: str, locations: tuple[str, ...], allowed: bool
) -> None:
    tool = Tool(id="c", name="read", kind=kind, locations=locations)

    assert answer(preset("reads", permission(), tool)) == Pick(option="yes" if allowed else "no")


@pytest.mark.rule("ENG-66")
def test_reads_denies_what_names_no_call() -> None:
    assert answer(preset("reads", permission())) == Pick(option="no")


@pytest.mark.rule("ENG-66", "ENG-118")
def test_all_takes_the_first_option_else_the_default_else_it_skips() -> None:
    fields = b'{"properties":{"db":{"enum":["a","b"],"default":"b"},"n":{"type":"integer","default":3},"note":{}}}'
    asked = forms.question(Raw(fields), "Set up")
    assert asked is not None
    ask = OpenAsk(body=asked[0], form=asked[1])

    assert answer(preset("all", ask)) == Reply(answers={"db": ("a",), "n": ("3",)})


@pytest.mark.rule("ENG-66")
def test_all_skips_a_form_that_it_cannot_fill() -> None:
    asked = forms.question(Raw(b'{"properties":{"name":{}},"required":["name"]}'), "Set up")
    assert asked is not None

    assert preset("all", OpenAsk(body=asked[0], form=asked[1])) == policy(Skip())


@pytest.mark.rule("ENG-119", "CLI-14")
@pytest.mark.parametrize("make", [permission, question])
def test_asks_for_a_person_alone_wait_for_one_unless_denied_or_failed(make: type[OpenAsk]) -> None:
    ask = make(person_only=True)  # pyright: ignore[reportCallIssue]
    no = Pick(option="no") if isinstance(ask.body, Permission) else Skip()

    assert [preset(word, ask, BASH) for word in ("ask", "reads", "all")] == [None, None, None]
    assert preset("deny", ask) == preset("all", ask, alone=True) == policy(no)
    assert preset("fail", ask) == policy(no, end_run=True)


@pytest.mark.rule("ENG-119")
@pytest.mark.parametrize("ask", [permission(), question(), PLAN, permission(person_only=True)])
@pytest.mark.parametrize("word", list(PRESETS))
def test_without_a_person_every_ask_is_answered(ask: OpenAsk, word: str) -> None:
    assert preset(word, ask, alone=True) is not None


# ---- rules


@pytest.mark.rule("CLI-15", "ENG-68")
@pytest.mark.parametrize(
    ("rule", "option"),
    [
        (Rule(kind="permission", do="allow"), "yes"),
        (Rule(kind="permission", do="allow_always"), "ever"),
        (Rule(kind="permission", do="deny"), "no"),
        (Rule(kind="permission", option="ever"), "ever"),
    ],
)
def test_a_rule_of_a_person_answers_in_their_name(rule: Rule, option: str) -> None:
    assert ruled(permission(), rule) == Verdict(answer=Pick(option=option), by="client", rules=(0,))


@pytest.mark.rule("CLI-16")
@pytest.mark.parametrize(
    "rule",
    [
        Rule(kind="permission", option="gone"),
        Rule(kind="permission", do="allow_always"),
        Rule(kind="permission", do="fail"),
    ],
)
def test_a_rule_that_names_what_is_not_offered_fails_the_run(rule: Rule) -> None:
    misses = rule.do != "fail"

    verdict = ruled(permission(ONCE, NO), rule)

    assert verdict == Verdict(answer=Pick(option="no"), by="client", end_run=True, misses=misses, rules=(0,))


@pytest.mark.parametrize("word", ["deny", "all"])
def test_an_id_that_stands_for_yes_and_for_no_is_never_picked(word: str) -> None:
    both = (PermissionOption(option_id="x", kind="allow_once"), PermissionOption(option_id="x", kind="reject_once"))

    verdict = ruled(permission(*both), word=word)

    assert verdict == Verdict(answer=None, by="policy")


@pytest.mark.rule("CLI-16", "ACP-186")
def test_a_plain_allow_never_becomes_an_always() -> None:
    verdict = ruled(permission(ALWAYS, NO), Rule(kind="permission", do="allow"))

    assert verdict == Verdict(answer=Pick(option="no"), by="client", end_run=True, misses=True, rules=(0,))


@pytest.mark.rule("CLI-15")
@pytest.mark.parametrize(
    ("criteria", "tool", "matches"),
    [
        ({}, None, True),
        ({"tool": "Bash"}, BASH, True),
        ({"tool": "edit|exec*"}, BASH, True),
        ({"tool": "bash"}, BASH, False),
        ({"tool": "Shell"}, Tool(name="ls", tool_name="Shell"), True),
        ({"tool": "Bash"}, None, False),
        ({"command": r"^git (status|diff)\b"}, BASH, True),
        ({"command": "^git"}, Tool(raw_input='{"command":["git","diff"]}'), True),
        ({"command": "x$"}, Tool(raw_input="not json x"), True),
        ({"command": "."}, Tool(), False),
        ({"command": "."}, None, False),
        ({"path": ("src/**", "!src/secret/**")}, Tool(locations=("src/a", "src/b/c")), True),
        ({"path": ("src/**", "!src/secret/**")}, Tool(locations=("src/a", "src/secret/b")), False),
        ({"path": ("*.py",)}, Tool(locations=(f"{HOME}/deep/a.py:7",)), True),
        ({"path": ("*",)}, Tool(locations=("/etc/passwd",)), False),
        ({"path": ("*",)}, Tool(), False),
        ({"tool": "Bash", "command": "^rm"}, BASH, False),
    ],
)
def test_a_rule_matches_when_every_criterion_does(
    criteria: dict[str, object], tool: Tool | None, matches: bool
) -> None:
    rule = Rule(kind="permission", do="allow", **criteria)  # pyright: ignore[reportArgumentType]

    assert (ruled(permission(), rule, tool=tool) is not None) is matches


@pytest.mark.rule("CLI-16", "ENG-119")
def test_a_rule_is_for_asks_marked_for_a_person_only_if_it_says_so() -> None:
    marked, plain = Rule(kind="permission", do="allow", person_only=True), Rule(kind="permission", do="allow")

    assert ruled(permission(person_only=True), plain) is None
    assert ruled(permission(), marked) is None
    assert answer(ruled(permission(person_only=True), plain, marked)) == Pick(option="yes")


@pytest.mark.rule("CLI-15", "ENG-68")
def test_the_first_rule_that_matches_decides_and_times_are_used_up() -> None:
    rules = (Rule(kind="permission", do="allow", times=2), Rule(kind="permission", do="deny", feedback="enough"))

    assert answer(ruled(permission(), *rules, used={0: 1})) == Pick(option="yes")
    assert answer(ruled(permission(), *rules, used={0: 2})) == Pick(option="no", feedback="enough")


@pytest.mark.rule("CLI-18")
def test_what_is_decided_on_the_command_line_stands_in_front_of_the_file() -> None:
    once = Rule(kind="permission", do="allow", times=1)
    decide = decider((once,), (Rule(kind="permission", do="deny"),), Policies(), HOME)

    assert decide(permission(), None, {}) == Verdict(answer=Pick(option="yes"), by="client", rules=(0,))
    assert decide(permission(), None, {0: 1}) == Verdict(answer=Pick(option="no"), by="client", rules=(1,))


@pytest.mark.rule("CLI-15")
@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        (Rule(kind="plan", do="accept"), Judge(accepted=True)),
        (Rule(kind="plan", do="deny", feedback="no"), Judge(accepted=False, feedback="no")),
    ],
)
def test_a_plan_is_judged_by_its_rule(rule: Rule, verdict: Judge) -> None:
    assert ruled(PLAN, rule) == Verdict(answer=verdict, by="client", rules=(0,))


@pytest.mark.rule("CLI-15")
@pytest.mark.parametrize("choice", ["SQLite", "o1", 1])
def test_a_choice_is_an_id_a_label_or_a_number(choice: str | int) -> None:
    assert answer(ruled(question(), Rule(kind="question", choose=(choice,)))) == Reply(answers={"q1": ("o1",)})


@pytest.mark.rule("CLI-15", "CLI-16")
@pytest.mark.parametrize(
    "rule",
    [
        Rule(kind="question", choose=("MySQL",)),
        Rule(kind="question", choose=(3,)),
        Rule(kind="question", choose=(0,)),
        Rule(kind="question", choose=(1, 2)),
        Rule(kind="question", text="something else"),
        Rule(kind="question", do="fail"),
    ],
)
def test_a_rule_whose_answer_does_not_fit_fails_the_run(rule: Rule) -> None:
    misses = rule.do != "fail"

    assert ruled(question(), rule) == Verdict(answer=Skip(), by="client", end_run=True, misses=misses, rules=(0,))


@pytest.mark.rule("CLI-16")
def test_a_choice_is_not_for_the_free_text_beside_the_options() -> None:
    own = QuestionItem(id="q1_custom", prompt="Another answer")
    rule = Rule(kind="question", choose=(2,))

    assert answer(ruled(question(item("q1"), own), rule, word="deny")) == Reply(answers={"q1": ("o2",)})
    assert ruled(question(own), rule, word="deny") == Verdict(
        answer=Skip(), by="client", end_run=True, misses=True, rules=(0,)
    )


@pytest.mark.rule("CLI-16")
def test_an_answer_that_misses_the_form_fails_the_run() -> None:
    asked = forms.question(Raw(b'{"properties":{"n":{"type":"integer","maximum":3}}}'), "How many?")
    assert asked is not None
    ask = OpenAsk(body=asked[0], form=asked[1])

    assert answer(ruled(ask, Rule(kind="question", text="3"))) == Reply(answers={"n": ("3",)})
    assert ruled(ask, Rule(kind="question", text="4")) == Verdict(
        answer=Skip(), by="client", end_run=True, misses=True, rules=(0,)
    )


@pytest.mark.rule("CLI-15")
def test_a_question_rule_reads_prompt_and_title() -> None:
    assert ruled(question(), Rule(kind="question", question="(?i)DATABASE", do="skip")) is not None
    assert ruled(question(), Rule(kind="question", question="^Choose$", do="skip")) is not None
    assert ruled(question(), Rule(kind="question", question="colour", do="skip")) is None


@pytest.mark.rule("CLI-16")
def test_each_item_of_a_question_takes_its_own_rule_or_the_default() -> None:
    ask = question(item("q1"), item("q2", "Which colour?", "red", "blue"))
    rule = Rule(kind="question", question="colour", choose=("blue",))

    assert ruled(ask, rule) is None
    assert ruled(ask, rule, word="deny") == Verdict(answer=Reply(answers={"q2": ("o2",)}), by="client", rules=(0,))
    assert answer(ruled(ask, rule, word="all")) == Reply(answers={"q1": ("o1",), "q2": ("o2",)})
    assert ruled(ask, rule, word="fail") == Verdict(answer=Skip(), by="client", end_run=True, rules=(0,))


@pytest.mark.rule("CLI-18", "ENG-68")
def test_times_are_counted_item_by_item() -> None:
    ask = question(item("q1"), item("q2"), item("q3"))
    first, second = (Rule(kind="question", choose=(number,), times=1) for number in (2, 1))

    verdict = ruled(ask, first, second, word="deny")

    assert verdict == Verdict(answer=Reply(answers={"q1": ("o2",), "q2": ("o1",)}), by="client", rules=(0, 1))


@pytest.mark.rule("ENG-118")
def test_a_default_stands_in_for_an_item_that_no_rule_names() -> None:
    asked = forms.question(
        Raw(b'{"properties":{"a":{"enum":["x"]},"b":{"default":"d"},"c":{"default":"e"}}}'), "Set up"
    )
    assert asked is not None
    ask = OpenAsk(body=asked[0], form=asked[1])
    rules = (Rule(kind="question", choose=("x",), times=1), Rule(kind="question", do="skip", times=1))

    assert answer(ruled(ask, *rules, word="deny")) == Reply(answers={"a": ("x",), "c": ("e",)})


@pytest.mark.rule("CLI-15", "CLI-17")
def test_a_rule_is_made_from_plain_values() -> None:
    made = rule_from({"kind": "permission", "path": "src/**", "do": "allow", "times": None}, "answers.toml: rule 1")

    assert made == Rule(kind="permission", path=("src/**",), do="allow")


@pytest.mark.rule("CLI-17")
@pytest.mark.parametrize(
    "wrong", [{"kind": "permit"}, {"do": "allow"}, {"kind": "plan", "colour": "red"}, {"kind": "plan", "times": "2"}]
)
def test_a_rule_with_an_unknown_key_or_value_is_refused_where_it_stands(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"answers\.toml: rule 1: "):
        rule_from(wrong, "answers.toml: rule 1")


# ---- properties

OPTIONS = st.lists(
    st.builds(
        PermissionOption,
        option_id=st.sampled_from(["a", "b", "allow_once", "reject_once"]),
        kind=st.sampled_from(["allow_once", "allow_always", "reject_once", "reject_always", "odd", ""]),
    ),
    max_size=5,
).map(tuple)
ITEMS = st.lists(
    st.builds(item, st.sampled_from(["q1", "q2"]), st.sampled_from(["one", "two"]), many=st.booleans()),
    max_size=2,
    unique_by=lambda found: found.id,
).map(tuple)
ASKS = st.builds(
    OpenAsk,
    body=st.one_of(st.builds(Permission, options=OPTIONS), st.builds(Question, questions=ITEMS), st.builds(Plan)),
    person_only=st.booleans(),
)
RULES = st.builds(
    Rule,
    kind=st.sampled_from(["permission", "question", "plan"]),
    do=st.sampled_from(["allow", "allow_always", "deny", "fail", "skip"]),
    tool=st.sampled_from(["", "Bash", "*"]),
    question=st.sampled_from(["", "one"]),
    times=st.integers(0, 1),
    person_only=st.booleans(),
).map(
    lambda rule: Rule(
        kind=rule.kind,
        do={"permission": rule.do if rule.do != "skip" else "deny", "question": "skip", "plan": "deny"}[rule.kind],
        tool=rule.tool,
        question=rule.question,
        times=rule.times,
        person_only=rule.person_only,
    )
)
TOOLS = st.one_of(
    st.none(), st.builds(Tool, name=st.sampled_from(["Bash", "x"]), kind=st.sampled_from(["read", "edit"]))
)


@pytest.mark.rule("ENG-68", "ENG-59")
@given(ASKS, TOOLS, st.lists(RULES, max_size=4).map(tuple), st.sampled_from(list(PRESETS)), st.booleans())
def test_every_verdict_is_valid_and_the_same_each_time(
    ask: OpenAsk, tool: Tool | None, rules: tuple[Rule, ...], word: str, alone: bool
) -> None:
    decide = decider((), rules, Policies(permission=word, question=word, plan=word), HOME, alone=alone)

    verdict = decide(ask, tool, {})

    assert verdict == decide(ask, tool, {})
    if verdict is None:
        assert not alone
        return
    assert verdict.answer is None or validate_answer(ask, verdict.answer, tool) == {}
    assert (verdict.by == "client") == bool(verdict.rules)
    assert all(rules[number].person_only is ask.person_only for number in verdict.rules)


@pytest.mark.rule("ENG-119")
@given(ASKS, TOOLS)
def test_no_preset_allows_what_a_person_must(ask: OpenAsk, tool: Tool | None) -> None:
    for word, alone in product(PRESETS, (False, True)):
        verdict = preset(word, ask, tool, alone=alone)
        if not ask.person_only or verdict is None:
            continue
        match verdict.answer:
            case Pick(option=picked):
                assert isinstance(ask.body, Permission)
                assert any(
                    option.option_id == picked and option.kind.startswith("reject") for option in ask.body.options
                )
            case Judge(accepted=accepted):
                assert not accepted
            case value:
                assert value is None or isinstance(value, Skip)


@pytest.mark.rule("ENG-66")
@given(ASKS, TOOLS)
def test_a_preset_that_is_stricter_never_allows_more(ask: OpenAsk, tool: Tool | None) -> None:
    words = ("deny", "reads", "all")
    said = [allows(ask, preset(word, ask, tool, alone=True)) for word in words]

    assert all(not before or after for before, after in pairwise(said))


def allows(ask: OpenAsk, verdict: Verdict | None) -> bool:
    assert verdict is not None
    match verdict.answer:
        case Pick(option=picked):
            assert isinstance(ask.body, Permission)
            return next(each.kind for each in ask.body.options if each.option_id == picked).startswith("allow")
        case Judge(accepted=accepted):
            return accepted
        case value:
            return isinstance(value, Reply)
