"""Agents that speak the Agent Client Protocol, version 1, over stdio.

`connect.AcpProvider(declaration, clock)` is one session with one of them, `declaration.Declaration` says how it is
started. `library` reaches the sessions that an agent keeps itself, `check` says what an agent does that it should not.
"""
