"""Agents that speak the Agent Client Protocol, version 1, over stdio.

`AcpProvider(declaration, clock)` is one session with one of them; `list_sessions` and `delete_session` reach the
sessions that an agent keeps itself, `check` says what an agent does that it should not.
"""

from craze.providers.acp.check import check
from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration, McpServer, Timeouts
from craze.providers.acp.library import AgentSession, delete_session, list_sessions
from craze.providers.lints import LintRow

__all__ = [
    "AcpProvider",
    "AgentSession",
    "Declaration",
    "LintRow",
    "McpServer",
    "Timeouts",
    "check",
    "delete_session",
    "list_sessions",
]
