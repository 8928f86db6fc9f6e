"""A value that does not fit is told in words that say what would."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from craze.config.misfit import misfit
from craze.config.shape import Length


@pytest.mark.parametrize(
    ("value", "kind", "says"),
    [
        (3, str | None, "expected a text, got a whole number"),
        ("yes", bool, "expected true or false, got a text"),
        ("side", Literal["auto", "inline"], "'side' is not one of: auto, inline"),
        ("side", Literal["auto", "inline"] | None, "'side' is not one of: auto, inline"),
        ("soon", Length, "expected something like 90s, 10m, 1h"),
        ("soon", Length | None, "expected something like 90s, 10m, 1h"),
        ({"a": 1}, dict[str, str], "expected a text, got a whole number"),
    ],
)
def test_a_value_that_does_not_fit_is_told_in_plain_words(value: object, kind: object, says: str) -> None:
    with pytest.raises(msgspec.ValidationError) as wrong:
        msgspec.convert(value, type=kind)

    assert misfit(wrong.value, kind) == says
