"""`python -m tests.bench [--quick] [NAME...]`: every bench, or those named; exit code 1 when a limit is exceeded."""

from __future__ import annotations

import argparse
import importlib
import pkgutil

import tests.bench
from tests.bench import Measurement, measure

PREFIX = "bench_"


def main() -> int:
    known = sorted(
        m.name.removeprefix(PREFIX) for m in pkgutil.iter_modules(tests.bench.__path__) if m.name.startswith(PREFIX)
    )
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Ratios to a baseline of the same run.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller inputs")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(known)}")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(known):
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    kept = True
    for name in arguments.names or known:
        print(f"{name}:")
        measurements: list[Measurement] = importlib.import_module(f"tests.bench.{PREFIX}{name}").MEASUREMENTS
        for measurement in measurements:
            for outcome in measure(measurement, quick=arguments.quick):
                print(f"  {outcome}", flush=True)
                kept = kept and outcome.kept
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
