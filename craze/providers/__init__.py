"""Agents behind their protocols; independent of one another."""
