"""What must not leave the machine with a log, an export or a capture that is shared."""

from __future__ import annotations

from pathlib import Path

from craze.cli.context import Context
from craze.store.redact import Redactor, secret_values


def redactor_of(context: Context) -> Redactor:
    """Knows the person's home folder and the secret variables of the environment and of every declaration."""
    declared = [name for agent in context.roster.agents.values() for name in agent.declaration.secret]
    values = {name: value for agent in context.roster.agents.values() for name, value in agent.declaration.env.items()}
    secrets = secret_values({**values, **context.environment.values}, declared)
    return Redactor(secrets, {str(Path.home()): "~"})
