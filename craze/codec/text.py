"""Repair of text that UTF-8 cannot hold: each lone surrogate becomes U+FFFD, a pair becomes its character."""

from __future__ import annotations


def repaired(text: str) -> str:
    """The text as it can be written."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # UTF-16 is the form in which two halves are one character and a lone half is an error.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
