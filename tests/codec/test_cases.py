"""The case file: one test a line, named by its id."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import msgspec
import pytest

from craze.codec import DecodeError, EncodeError, Event, decode, encode

CASES = [json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text("utf-8").splitlines()]


def roundtrip(line: bytes, expected: bytes) -> None:
    assert line == expected
    assert encode(decode(line)) == expected


def canonical(line: bytes, expected: bytes) -> None:
    assert encode(decode(line)) == expected


def same(line: bytes, expected: bytes) -> None:
    assert decode(line) == decode(expected)
    assert encode(decode(line)) == encode(decode(expected))


def refused(line: bytes, expected: None) -> None:
    with pytest.raises(DecodeError):
        decode(line)


def encoded(line: bytes, expected: bytes | None) -> None:
    plain = json.loads(line)
    # An empty type is what the encoder has to refuse; converting would refuse it before.
    event = msgspec.convert(plain, Event) if plain["type"] else Event(plain["type"])
    if expected is not None:
        assert encode(event) == expected
    else:
        with pytest.raises(EncodeError):
            encode(event)


HOLDS = {"roundtrip": roundtrip, "canonical": canonical, "decode": same, "refuse": refused, "encode": encoded}


@pytest.mark.rule("CODEC-150", "CODEC-6", "CODEC-7", "CODEC-30")
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"], marks=pytest.mark.rule(case["rule"])) for case in CASES]
)
def test_case(case: dict[str, str]) -> None:
    line = b64decode(case["input_b64"]) if "input_b64" in case else case["input"].encode()
    expected = None if case["expect"] is None else case["expect"].encode()

    HOLDS[case["kind"]](line, expected)  # type: ignore[operator]
