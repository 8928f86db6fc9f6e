"""The JSON Schema of an event, built from the structs."""

from __future__ import annotations


def event_schema() -> dict[str, object]:
    return {}
