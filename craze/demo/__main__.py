"""`python -m craze.demo`: the agent without the command line around it."""

from __future__ import annotations

import sys

from craze.demo.agent import main

sys.exit(main(sys.argv[1:]))
