"""`craze` without a command: the screen."""

from __future__ import annotations

from craze.cli.app import command_of
from craze.cli.screening import Given, open_screen

app = command_of(Given, open_screen)
