"""The schema of an event: what it is built from, the file it is written to, and the shapes it was given.

`seed.json` holds those shapes: the schema that this one must equal, without its annotations.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from craze.assets import asset
from craze.cli.schemas import text_of
from craze.codec import TYPES, Event, decode, encode, event_schema
from tests.codec.strategies import STRUCTS
from tests.codec.test_cases import CASES

SEED = json.loads(Path(__file__).with_name("seed.json").read_text("utf-8"))
SHARED_SEED = Path(__file__).parents[3] / "shared/seeds/003_5883da1d4dc25a1d.txt"
NAMES = {"Failure": "error", "QuestionOption": "option"}


def unannotated(schema: object) -> object:
    """A schema object without its annotations; a property that is called like one stays."""
    if not isinstance(schema, dict):
        return schema
    bare = {key: value for key, value in schema.items() if key not in {"description", "$id"}}
    for key in bare.keys() & {"properties", "$defs"}:
        bare[key] = {name: unannotated(inner) for name, inner in bare[key].items()}
    for key in bare.keys() & {"items", "additionalProperties"}:
        bare[key] = unannotated(bare[key])
    return bare


def entry(kind: type[msgspec.Struct]) -> dict[str, dict[str, object]]:
    schema = event_schema()
    name = NAMES.get(kind.__name__, kind.__name__[0].lower() + kind.__name__[1:])
    return schema if kind is Event else schema["$defs"][name]  # type: ignore[index, return-value]


@pytest.mark.rule("CODEC-110")
def test_the_file_is_what_would_be_written() -> None:
    written = Path(asset("schema", "event.json")).read_bytes()

    assert written == text_of("event")
    assert written.startswith(b'{\n  "$schema"')
    assert written.endswith(b"}\n")
    assert json.loads(written) == event_schema()


@pytest.mark.rule("CODEC-111", "CODEC-50")
def test_it_equals_the_seed_but_for_annotations() -> None:
    assert unannotated(event_schema()) == SEED
    assert unannotated(SEED) == SEED


@pytest.mark.rule("CODEC-111")
@pytest.mark.skipif(not SHARED_SEED.exists(), reason="the seed documents are not beside this checkout")
def test_the_fixture_is_the_seed() -> None:
    assert unannotated(json.loads(SHARED_SEED.read_text("utf-8"))) == SEED


@pytest.mark.rule("CODEC-10", "CODEC-11", "CODEC-113", "CODEC-152")
@pytest.mark.parametrize("kind", STRUCTS)
def test_every_field_stands_in_the_schema_at_its_place(kind: type[msgspec.Struct]) -> None:
    assert list(entry(kind)["properties"]) == list(kind.__struct_encode_fields__)


@pytest.mark.rule("CODEC-113")
def test_the_schema_has_no_entry_without_a_struct() -> None:
    names = {NAMES.get(kind.__name__, kind.__name__[0].lower() + kind.__name__[1:]) for kind in STRUCTS}

    assert set(event_schema()["$defs"]) == names - {"event"} | {"time", "answers"}  # type: ignore[call-overload]


@pytest.mark.rule("CODEC-112")
def test_every_struct_has_a_description_and_integers_have_no_64_bit_bounds() -> None:
    for kind in STRUCTS:
        described = entry(kind)["description"]
        assert isinstance(described, str)
        assert described.endswith(".")
    assert event_schema()["$id"] == "craze/schema/event.json"
    assert str(2**63)[:6] not in text_of("event").decode()


@pytest.mark.rule("CODEC-111", "CODEC-6")
def test_the_schema_is_one_and_lists_the_types_in_their_order() -> None:
    Draft202012Validator.check_schema(event_schema())

    assert entry(Event)["properties"]["type"]["enum"] == list(TYPES)  # type: ignore[index]


@pytest.mark.rule("CODEC-113")
@pytest.mark.parametrize(
    "case", [case for case in CASES if case["kind"] in {"roundtrip", "canonical"}], ids=lambda case: case["id"]
)
def test_what_is_written_for_a_known_type_is_valid(case: dict[str, str]) -> None:
    line = case["expect"].encode()
    event = decode(line)

    wrong = [
        problem.validator for problem in Draft202012Validator(event_schema()).iter_errors(json.loads(encode(event)))
    ]

    if case["rule"] == "CODEC-50":  # bounds that reading does not enforce
        assert set(wrong) == {"minimum"}
    elif event.type in TYPES:
        assert wrong == []
    else:
        assert wrong == ["enum"]
