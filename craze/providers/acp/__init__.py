"""Agents that speak the Agent Client Protocol, version 1, over stdio.

`AcpProvider(declaration, clock)` is one session with one of them; `list_sessions` and `delete_session` reach the
sessions that an agent keeps itself, `check` says what an agent does that it should not.
"""

from craze.providers.acp.connect import AcpProvider
from craze.providers.acp.declaration import Declaration, McpServer, Timeouts

__all__ = ["AcpProvider", "Declaration", "McpServer", "Timeouts"]
