"""The schemas that are written from the structs: equal to the protocol's document, and what they say of lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from craze.cli.schemas import text_of
from craze.providers.control.schema import document, extended, problems

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared"
CAPTURES = SHARED / "captures" / "control"
SEED = SHARED / "seeds" / "000_9f27bbdc26d06d18.txt"
SETS = ("required", "enum", "oneOf", "anyOf")
MAPS = ("properties", "definitions")


def plain(value: Any) -> Any:
    """Without annotations, with sets in one order; the names of properties and definitions stay."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {key: each for key, each in value.items() if key not in ("description", "title", "$id", "$schema")}
    made = {
        key: {name: plain(one) for name, one in each.items()} if key in MAPS else plain(each)
        for key, each in kept.items()
    }
    return {
        key: sorted(each, key=lambda one: json.dumps(one, sort_keys=True)) if key in SETS else each
        for key, each in made.items()
    }


@pytest.mark.rule("CTL-87", "CTL-111", "CTL-T38")
def test_the_document_is_the_protocols_own() -> None:
    if not SEED.is_file():
        pytest.skip("the protocol's document is not beside this checkout")
    theirs, ours = plain(json.loads(SEED.read_text())), plain(document())

    assert ours["definitions"].keys() == theirs["definitions"].keys()
    for name, definition in theirs["definitions"].items():
        assert ours["definitions"][name] == definition, name
    assert ours == theirs
    assert "description" in ours["definitions"]["QSpecOption"]["properties"]


def test_what_goes_beyond_the_document_has_a_file_of_its_own() -> None:
    assert "updatedPermissions" not in json.dumps(document())
    assert "updatedPermissions" in json.dumps(extended())


@pytest.mark.parametrize("name", ["control", "control-extended"])
def test_the_files_are_as_written(name: str) -> None:
    assert (ROOT / "schema" / f"{name}.json").read_bytes() == text_of(name)


@pytest.mark.rule("CTL-88")
def test_requests_of_real_agents_are_valid() -> None:
    if not CAPTURES.is_dir():
        pytest.skip("the captures are not beside this checkout")
    seen = 0
    for path in sorted(CAPTURES.glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            row = json.loads(line)
            if row["dir"] != "in" or row.get("msg", {}).get("type") != "control_request":
                continue
            seen += 1
            found = list(problems(json.dumps(row["msg"]).encode()))
            assert not found, f"{path.name}:{number}: {found}"
    assert seen == 125


def test_a_line_that_misses_the_document_is_told() -> None:
    assert list(problems(b'{"type":"control_request","request_id":"","request":{"subtype":"initialize"}}'))
    assert not list(problems(b'{"type":"user"}'))
