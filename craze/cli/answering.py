"""Who answers when an agent asks: presets, the answers file and `--decide`, made into the engine's one decider."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from craze.codec import Tool
from craze.config import answers
from craze.config.settings import Settings
from craze.engine.answers import Decider, OpenAsk, Used, Verdict
from craze.engine.facts import Policies
from craze.engine.rules import Rule, decider, rule_from
from craze.errors import UsageError


class Answering(msgspec.Struct, frozen=True, kw_only=True):
    """What was chosen: the preset of all three kinds, rules in front of it, and `--decide` in front of those."""

    preset: Literal["deny", "reads", "all", "fail"]
    rules: tuple[Rule, ...] = ()
    decide: tuple[Rule, ...] = ()
    told: tuple[str, ...] = ()
    """The words of each `--decide`, to name those that were never used."""

    @property
    def policies(self) -> Policies:
        front = bool(self.rules or self.decide)
        return Policies(permission=self.preset, question=self.preset, plan=self.preset, rules=front)

    @property
    def answers_questions(self) -> bool:
        """Whether the agent is told that questions can be answered: when they could not only be skipped."""
        front = any(rule.kind == "question" for rule in (*self.decide, *self.rules))
        return front or self.preset in ("all", "fail")

    used: set[int] = msgspec.field(default_factory=set[int])
    guarded: set[str] = msgspec.field(default_factory=set[str])
    """The calls, or titles, of asks that were for a person alone."""

    def decider(self, workspace: str) -> Decider:
        """The decider of a run; which rules answer, and what was for a person alone, is noted."""
        decide = decider(self.decide, self.rules, self.policies, workspace, alone=True)

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
    rules = tuple(_engine_rule(answers.decide(text), f"--decide {text}") for text in told)
    if word in answers.PRESETS:
        return Answering(preset=word, decide=rules, told=told)
    if word == "ask":
        raise UsageError(
            "--answers ask waits for a person, and a run has none",
            hint=f"one of: {', '.join(answers.PRESETS)}, or a file",
        )
    path = folder / Path(word).expanduser()
    file = answers.load(path)
    front = tuple(_engine_rule(rule, f"{word}: rule[{number}]") for number, rule in enumerate(file.rule, 1))
    return Answering(preset=file.default or "deny", rules=front, decide=rules, told=told)


def _engine_rule(rule: answers.Rule, where: str) -> Rule:
    return rule_from(msgspec.structs.asdict(rule), where)
