"""What importing the codec loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

BARE = """
import msgspec, sys
before = set(sys.modules)
import craze.codec
print(*sorted(set(sys.modules) - before))
"""
MAY_NOT = {"asyncio", "subprocess", "pathlib", "jsonschema", "time", "textual", "rich", "typer", "pydantic", "logging"}


@pytest.mark.rule("CODEC-99", "CODEC-3")
def test_the_codec_loads_msgspec_errors_and_little_of_the_standard_library() -> None:
    run = subprocess.run([sys.executable, "-c", BARE], check=True, capture_output=True, text=True, timeout=60)
    loaded = set(run.stdout.split())

    own = {name for name in loaded if name.split(".")[0] == "craze"}
    others = {name.split(".")[0] for name in loaded - own}
    assert {name for name in own if not name.startswith("craze.codec")} == {"craze", "craze.errors"}
    assert others <= sys.stdlib_module_names
    assert not others & MAY_NOT
    assert "craze.codec.validate" not in own
