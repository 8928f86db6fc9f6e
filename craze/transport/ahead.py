"""A program that is started before anybody can hear it, so that it boots while its hearer is still being made."""

from __future__ import annotations

import signal
import subprocess
from contextlib import suppress

from craze.errors import AgentNotFound
from craze.transport.groups import discharge, signal_group
from craze.transport.spawn import Command, spawn


class Ahead:
    """At most one child that nobody has yet. Called as `spawn` is, it hands that child over; what the child says
    meanwhile waits in its pipes. Whoever made this drops it in the end."""

    def __init__(self) -> None:
        self._command: Command | None = None
        self._child: subprocess.Popen[bytes] | None = None

    def start(self, command: Command) -> None:
        """Start the child; why one cannot be started is told by the call that asks for it."""
        self._command = command
        with suppress(AgentNotFound):
            self._child = spawn(command)

    def __call__(self, command: Command) -> subprocess.Popen[bytes]:
        """The child, when it runs this very command and nobody has it; otherwise a fresh one.

        Raises:
            AgentNotFound: It cannot be started.
        """
        if self._child is not None and command == self._command:
            child, self._child = self._child, None
            return child
        self.drop()
        return spawn(command)

    def drop(self) -> None:
        """KILL to the group of a child that nobody has."""
        child, self._child = self._child, None
        if child is None:
            return
        with child:  # closes its pipes and waits for its end
            signal_group(child.pid, signal.SIGKILL)
        discharge(child.pid)
