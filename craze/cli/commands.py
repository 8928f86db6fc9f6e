"""The list of commands, and the names for a command and an id that are left out."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "run": "One headless run: a prompt in, text or events out.",
    "dump": "Print a stored session, a journal or a capture.",
    "replay": "Show a stored session again, or check a capture with --strict.",
    "sessions": "List, search, show, rename, delete, export and prune sessions.",
    "agents": "List, check, add and remove agents.",
    "check": "Hold a recorded run to expectations.",
    "validate": "Check each line of a file against its schema.",
    "schema": "Print or write the JSON Schemas.",
    "config": "Show the settings that hold, and where each came from.",
    "doctor": "Check the installation.",
    "capture": "Show a wire capture, or make one that can be shared.",
    "demo-agent": "The built-in scripted agent, on standard input and output.",
    "completion": "Print the shell's completion script.",
}
"""Each command and its one line of help; the module has the same name, with `_` for `-`."""

SCREEN: Final = "screen"
"""What runs when no command is named: the prompt and options of the screen."""

PICK: Final = "?"
"""The id of `-r` without one."""
