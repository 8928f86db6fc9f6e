"""Options of the whole suite; a busy machine is no failure of a property."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

Golden = Callable[[Path, bytes], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--remake-golden", action="store_true", help="write the golden files anew, to be read as a diff")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares bytes with a golden file, or writes it."""
    remakes = bool(request.config.getoption("--remake-golden"))

    def compare(path: Path, found: bytes) -> None:
        if remakes:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(found)
        assert path.read_bytes().splitlines() == found.splitlines()

    return compare
