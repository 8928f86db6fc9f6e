"""Agents that speak the stream-json control channel over stdio.

`provider.ControlProvider(declaration, clock)` is one session with one of them, `declaration.Declaration` says how it is
started, `toolserver.ToolServer` is the port for tools that craze serves to it.
"""
