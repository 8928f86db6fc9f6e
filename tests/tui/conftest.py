"""Screens of tests are drawn in one time zone, and nothing that they do may hold up the loop."""

from __future__ import annotations

import os
import time
from collections.abc import Generator

import pytest

from tests.fakes.blocking import guarded

os.environ["TZ"] = "UTC"
time.tzset()


@pytest.fixture(autouse=True)
def loop_is_never_held_up() -> Generator[None]:
    with guarded() as calls:
        yield
    assert calls == []
