"""The bench harness itself: what it compares, and what it says of a bar that is exceeded."""

from __future__ import annotations

import importlib
import sys

import pytest

from tests.bench import Bar, Compare, Figure, Outcome, cpu_seconds, measure, programs
from tests.bench.__main__ import main


def work(times: int) -> object:
    return lambda: sum(range(times))


def test_candidates_in_and_out_of_this_process_are_put_in_ratio_to_their_baseline() -> None:
    compare = Compare(
        candidates=lambda quick: {
            "one": work(300_000),  # type: ignore[dict-item]
            "ten": work(3_000_000),  # type: ignore[dict-item]
            "other": [sys.executable, "-c", "pass"],
        },
        bars=[
            Bar(rule="R-1", what="ten", candidate="ten", baseline="one", limit=2),
            Bar(rule="R-2", what="ten", candidate="ten", baseline="one", limit=2, at_least=True),
            Bar(rule="R-3", what="other", candidate="other", baseline="other", limit=1),
        ],
    )

    exceeded, kept, same = measure(compare, quick=True)

    assert (exceeded.kept, kept.kept, same.kept) == (False, True, True)
    assert "EXCEEDED" in str(exceeded)
    assert "at least 2" in str(kept)
    assert same.value == 1


def test_a_figure_is_compared_with_the_most_it_may_be() -> None:
    (outcome,) = measure(
        Figure(rule="R-4", what="bytes", measure=lambda quick: 9 if quick else 900, limit=10), quick=True
    )

    assert outcome == Outcome("R-4", "bytes", 9, 10)
    assert outcome.kept


@pytest.mark.parametrize(("limit", "code"), [(5, 0), (3, 1)])
def test_the_exit_code_says_whether_a_limit_was_exceeded(
    limit: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import tests.bench.bench_codec as bench

    monkeypatch.setattr(bench, "MEASUREMENTS", [Figure(rule="R-5", what="four", measure=lambda _: 4, limit=limit)])
    monkeypatch.setattr(sys, "argv", ["bench", "--quick", "codec"])

    assert main() == code
    assert "four" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["startup", "pipe", "headless", "dump"])
def test_every_program_that_is_measured_runs_to_its_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(f"tests.bench.bench_{name}")
    monkeypatch.setattr(programs, "SHORT", 20)
    monkeypatch.setattr(module, "EVENTS", 20, raising=False)

    for measurement in module.MEASUREMENTS:
        if isinstance(measurement, Compare):
            candidates = measurement.candidates(True)
            assert {bar.baseline for bar in measurement.bars} <= candidates.keys()
            assert all(cpu_seconds(candidate) > 0 for candidate in candidates.values())
        else:
            assert measurement.measure(True) < measurement.limit


def test_what_a_client_of_the_control_channel_spends_is_counted_apart_from_its_agent() -> None:
    pytest.importorskip("claude_agent_sdk")
    from tests.bench.bench_control import seconds

    spent = seconds("alone", 20, 1)

    assert spent.keys() == {"sdk", "craze", "run"}
    assert all(first > second > 0 for first, second in spent.values())
