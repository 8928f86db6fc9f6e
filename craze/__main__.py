"""`craze` and `python -m craze`."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """The whole program; its result is the exit code."""
    if sys.argv[1:] == ["--version"]:
        from craze.cli.version import line

        try:
            print(line(), flush=True)
        except OSError:
            pass  # the long way says what is wrong with the output
        else:
            return 0
    # Nothing that is imported is ever garbage: looking for some costs a tenth of the start.
    gc.disable()
    try:
        from craze.cli.main import main as run

        return run(sys.argv[1:])
    except KeyboardInterrupt:  # so early that nothing has begun
        from craze.cli.exit_codes import INTERRUPTED

        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
