"""Measurements that a machine cannot spoil: each is a ratio to a named baseline of the same run.

    python -m tests.bench [--quick] [NAME...]

A module `bench_NAME.py` in this folder exposes `MEASUREMENTS`, a list of `Compare` and `Figure`. Candidates of a
`Compare` take turns, round by round, and their median CPU time counts, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import math
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Candidate: TypeAlias = Callable[[], object] | Sequence[str]
"""Something to run in this process, or the command line of another."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A bar that a ratio must keep: at most `limit` times the baseline, or at least, where `at_least`.

    Attributes:
        limit: Without one the ratio is only told.
        apart: A candidate that is part of both, whose time is taken off them first.
    """

    rule: str
    what: str
    candidate: str
    baseline: str
    limit: float = math.inf
    at_least: bool = False
    apart: str = ""


@dataclass(frozen=True, kw_only=True)
class Compare:
    """Candidates by name that are measured together, and the bars on their ratios."""

    candidates: Callable[[bool], Mapping[str, Candidate]]  # told whether the run is a quick one
    bars: Sequence[Bar]
    rounds: int = 9


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number that is no time, such as bytes of memory, with the most it may be."""

    rule: str
    what: str
    measure: Callable[[bool], float]
    limit: float = math.inf


Measurement: TypeAlias = Compare | Figure


@dataclass(frozen=True)
class Outcome:
    """One measured line of the report."""

    rule: str
    what: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def kept(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        told = f"{self.rule:<10} {self.what:<64} {self.value:>10.2f}"
        if self.limit == math.inf:
            return told
        relation = "at least" if self.at_least else "at most"
        verdict = "" if self.kept else "   EXCEEDED"
        return f"{told}   {relation} {self.limit:g}{verdict}"


def measure(measurement: Measurement, *, quick: bool = False) -> Iterator[Outcome]:
    """Runs one measurement; a quick run has a third of the rounds and whatever less its candidates do then."""
    if isinstance(measurement, Figure):
        yield Outcome(measurement.rule, measurement.what, measurement.measure(quick), measurement.limit)
        return
    times = medians(measurement.candidates(quick), 3 if quick else measurement.rounds)
    for bar in measurement.bars:
        apart = times.get(bar.apart, 0.0)
        ratio = (times[bar.candidate] - apart) / (times[bar.baseline] - apart)
        yield Outcome(bar.rule, f"{bar.what} / {bar.baseline}", ratio, bar.limit, bar.at_least)


def medians(candidates: Mapping[str, Candidate], rounds: int) -> dict[str, float]:
    """Median seconds of CPU time, the candidates taking turns; one round before the first is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for counted in range(rounds + 1):
        for name, candidate in candidates.items():
            spent = cpu_seconds(candidate)
            if counted:
                seconds[name].append(spent)
    return {name: statistics.median(spent) for name, spent in seconds.items()}


def cpu_seconds(candidate: Candidate) -> float:
    """CPU time, user and system, of one run."""
    if callable(candidate):
        before = time.process_time()
        candidate()
        return time.process_time() - before
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(candidate, check=True, stdout=subprocess.DEVNULL)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
