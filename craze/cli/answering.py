"""Who answers when an agent asks: presets, the answers file and `--decide`, made into the engine's one decider."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from craze.codec import Tool
from craze.config import answers
from craze.config.settings import Settings
from craze.config.shape import Preset
from craze.engine.answers import Decider, OpenAsk, Used, Verdict
from craze.engine.facts import Policies
from craze.engine.rules import Rule, decider, rule_from
from craze.errors import UsageError


class Answering(msgspec.Struct, frozen=True, kw_only=True):
    """What was chosen: a preset a kind, rules in front of them, and `--decide` in front of those.

    Attributes:
        alone: Nobody is there to answer: what nothing answers is denied.
        told: The words of each `--decide`, to name those that were never used.
    """

    permission: Preset = "deny"
    question: Preset = "deny"
    plan: Preset = "deny"
    alone: bool = True
    rules: tuple[Rule, ...] = ()
    decide: tuple[Rule, ...] = ()
    told: tuple[str, ...] = ()
    used: set[int] = msgspec.field(default_factory=set[int])
    guarded: set[str] = msgspec.field(default_factory=set[str])
    """The calls, or titles, of asks that were for a person alone."""

    @property
    def policies(self) -> Policies:
        front = bool(self.rules or self.decide)
        return Policies(permission=self.permission, question=self.question, plan=self.plan, rules=front)

    @property
    def answers_questions(self) -> bool:
        """Whether the agent is told that questions can be answered: when they could not only be skipped."""
        front = any(rule.kind == "question" for rule in (*self.decide, *self.rules))
        return front or self.question in ("ask", "all", "fail")

    def decider(self, workspace: str) -> Decider:
        """The decider of a session; which rules answer, and what was for a person alone, is noted."""
        decide = decider(self.decide, self.rules, self.policies, workspace, alone=self.alone)

        def noted(ask: OpenAsk, tool: Tool | None, used: Used) -> Verdict | None:
            verdict = decide(ask, tool, used)
            if ask.person_only:
                self.guarded.add(ask.tool or getattr(ask.body, "tool", ""))
            if verdict:
                self.used.update(verdict.rules)
            return verdict

        return noted

    def unused(self) -> list[str]:
        """The `--decide`s that no ask has met."""
        return [text for number, text in enumerate(self.told) if number not in self.used]


def of_run(chosen: str, settings: Settings, decide: Iterable[str], folder: Path) -> Answering:
    """The answers of a run: `--answers`, else `CRAZE_ANSWERS` or `run.answers`.

    Raises:
        UsageError: The word is no preset and no file, or a rule cannot be.
    """
    word = chosen or settings.config.run.answers
    told = tuple(decide)
    ours = tuple(_engine_rule(answers.decide(text), f"--decide {text}") for text in told)
    if word == "ask":
        presets = ", ".join(answers.PRESETS)
        raise UsageError("--answers ask waits for a person, and a run has none", hint=f"one of: {presets}, or a file")
    if preset := _preset(word):
        return Answering(permission=preset, question=preset, plan=preset, decide=ours, told=told)
    rules, default = _file(word, folder)
    preset = default or "deny"
    return Answering(permission=preset, question=preset, plan=preset, rules=rules, decide=ours, told=told)


def of_screen(chosen: str, settings: Settings, folder: Path) -> Answering:
    """The answers on a screen: the word or file of `--answers` or `CRAZE_ANSWERS`, else `asks.rules`, in front of the
    presets of `asks.*`; what nothing answers is shown.

    Raises:
        UsageError: As `of_run`.
    """
    held = settings.values.get("run.answers")
    word = chosen or (settings.config.run.answers if held and held.place == "CRAZE_ANSWERS" else "")
    if preset := "ask" if word == "ask" else _preset(word):
        return Answering(permission=preset, question=preset, plan=preset, alone=False)
    asks = settings.config.asks
    name = word or asks.rules
    rules, default = _file(name, folder) if name else ((), None)
    return Answering(
        permission=default or asks.permission,
        question=default or asks.question,
        plan=default or asks.plan,
        alone=False,
        rules=rules,
    )


def _preset(word: str) -> Preset | None:
    return next((preset for preset in answers.PRESETS if preset == word), None)


def _file(name: str, folder: Path) -> tuple[tuple[Rule, ...], Preset | None]:
    file = answers.load(folder / Path(name).expanduser())
    return tuple(_engine_rule(rule, f"{name}: rule[{n}]") for n, rule in enumerate(file.rule, 1)), file.default


def _engine_rule(rule: answers.Rule, where: str) -> Rule:
    return rule_from(msgspec.structs.asdict(rule), where)
