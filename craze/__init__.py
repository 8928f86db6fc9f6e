"""craze: a terminal client for AI coding agents, and the lossless event codec under it."""

__version__ = "0.1.0"
