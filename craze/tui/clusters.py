"""The one place that divides text into what a terminal shows as one character, and knows its cells. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple

from rich.cells import split_graphemes

_FLAGS: Final = ("\U0001f1e6", "\U0001f1ff")


class Cluster(NamedTuple):
    """`text[start:end]` is one character in `cells` columns."""

    start: int
    end: int
    cells: int


def clusters(text: str) -> list[Cluster]:
    """The text as clusters: combining marks, joined emoji and flags are never divided."""
    if text.isascii():
        return [Cluster(at, at + 1, 1) for at in range(len(text))]
    found = [Cluster(*span) for span in split_graphemes(text)[0]]
    return _flags(text, found) if any(_FLAGS[0] <= character <= _FLAGS[1] for character in text) else found


def _flags(text: str, found: list[Cluster]) -> list[Cluster]:
    """Two letters of a flag are one cluster."""
    joined: list[Cluster] = []
    half = False
    for cluster in found:
        letter = _FLAGS[0] <= text[cluster.start] <= _FLAGS[1]
        if letter and half:
            joined[-1] = Cluster(joined[-1].start, cluster.end, joined[-1].cells + cluster.cells)
            half = False
        else:
            joined.append(cluster)
            half = letter
    return joined
