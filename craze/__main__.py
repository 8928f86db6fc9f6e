"""`craze` and `python -m craze`."""

from __future__ import annotations

import sys


def main() -> int:
    """The whole program; its result is the exit code."""
    if sys.argv[1:] == ["--version"]:
        from craze.cli.version import line

        print(line())
        return 0
    from craze.cli.main import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
