"""Agents that speak the Agent Client Protocol, version 1, over stdio.

`AcpProvider(declaration, clock)` is one session with one of them. Beside it, and imported from their modules: `library`
reaches the sessions that an agent keeps itself, `check` says what an agent does that it should not.
"""

from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration, McpServer, Timeouts
from craze.providers.lints import LintRow

__all__ = [
    "AcpProvider",
    "Declaration",
    "LintRow",
    "McpServer",
    "Timeouts",
]
