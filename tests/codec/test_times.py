"""Times: the written form, what is accepted, and the ends of the range."""

from __future__ import annotations

import pytest

from craze.codec import ZERO_NS, BadTime, DecodeError, canonical, decode, encode, ns, stamp

FIRST, LAST = -62167219200000000000, 253402300799999999999
REFUSED = [
    "yesterday",
    "2026-09-19t10:30:45Z",
    "2026-09-19T10:30:45z",
    "2026-09-19 10:30:45Z",
    "2026-09-19T10:30:45",
    "2026-09-19T10:30:45,5Z",
    "2026-09-19T10:30:45.Z",
    "2026-09-19T9:30:45Z",
    "2026-09-19T24:00:00Z",
    "2026-09-19T10:60:00Z",
    "2026-09-19T10:30:60Z",
    "2026-09-19T10:30:45+24:00",
    "2026-09-19T10:30:45+02:60",
    "2026-09-19T10:30:45+0200",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "２０26-09-19T10:30:45Z",
    "2026-09-19T10:30:45.１Z",
    "2026-09-19T10:30:45Z\n",
    " 2026-09-19T10:30:45Z",
    "12026-09-19T10:30:45Z",
    "2026-W38-6T10:30:45Z",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
]


@pytest.mark.rule("CODEC-32")
@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:00.000000001Z"),
        (120_000_000, "1970-01-01T00:00:00.12Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (1_789_813_845_123_456_789, "2026-09-19T10:30:45.123456789Z"),
        (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
        (FIRST, "0000-01-01T00:00:00Z"),
        (LAST, "9999-12-31T23:59:59.999999999Z"),
    ],
)
def test_the_written_form(instant: int, text: str) -> None:
    assert stamp(instant) == text
    assert ns(text) == instant


@pytest.mark.rule("CODEC-33", "CODEC-32", "CODEC-35")
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-09-19T12:30:45.123456789+02:00", "2026-09-19T10:30:45.123456789Z"),
        ("2026-09-19T10:30:45.120000000Z", "2026-09-19T10:30:45.12Z"),
        ("2026-09-19T10:30:45.9999999999999Z", "2026-09-19T10:30:45.999999999Z"),
        ("2026-01-01T00:15:00-05:45", "2026-01-01T06:00:00Z"),
        ("0000-01-01T00:01:00+00:01", "0000-01-01T00:00:00Z"),
        ("9999-12-31T23:58:59.9-00:01", "9999-12-31T23:59:59.9Z"),
        ("0000-02-29T00:00:00Z", "0000-02-29T00:00:00Z"),
    ],
)
def test_any_accepted_form_becomes_the_written_one(text: str, written: str) -> None:
    assert canonical(text) == written


@pytest.mark.rule("CODEC-33", "CODEC-35", "CODEC-36", "CODEC-81")
@pytest.mark.parametrize("text", REFUSED)
def test_everything_else_is_refused_by_functions_and_by_decoding(text: str) -> None:
    for read in (ns, canonical):
        with pytest.raises(BadTime) as bad:
            read(text)
        assert bad.value.text == text
    with pytest.raises(DecodeError) as refused:
        decode(encode_at(text))
    assert (refused.value.reason, refused.value.path) in {("time", "$.at"), ("not_json", "$")}


def encode_at(text: str) -> bytes:
    return b'{"type":"text","at":"%b"}' % text.encode()


@pytest.mark.rule("CODEC-34", "CODEC-36")
def test_the_zero_time_is_absent_in_any_offset() -> None:
    assert ZERO_NS == -62135596800000000000
    assert stamp(ZERO_NS) == canonical("0001-01-01T01:00:00+01:00") == ""
    assert ns("") == ZERO_NS
    with pytest.raises(BadTime):
        canonical("")
    assert decode(encode_at("0001-01-01T00:00:00Z")).at == ""
    assert decode(encode_at("0001-01-01T00:00:00+01:00")).at == "0000-12-31T23:00:00Z"


@pytest.mark.rule("CODEC-36")
@pytest.mark.parametrize("instant", [FIRST - 1, LAST + 1, 10**40, -(10**40)])
def test_an_instant_outside_the_years_is_refused(instant: int) -> None:
    with pytest.raises(BadTime) as bad:
        stamp(instant)

    assert bad.value.text == str(instant)


@pytest.mark.rule("CODEC-37")
def test_text_order_is_not_time_order() -> None:
    earlier, later = "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.1Z"

    assert ns(earlier) < ns(later)
    assert earlier > later


@pytest.mark.rule("CODEC-38")
def test_decoding_makes_all_five_times_canonical() -> None:
    away, written = "2026-09-19T12:00:00.10+02:00", "2026-09-19T10:00:00.1Z"
    line = '{"type":"x","tool":{"at":"T"},"subagent":{"startedAt":"T","endedAt":"T"},"queue":{"queuedAt":"T"},"at":"T"}'

    assert encode(decode(line.replace('"T"', f'"{away}"').encode())) == line.replace('"T"', f'"{written}"').encode()
    for one in range(5):  # each alone is noticed too
        times = [away if at == one else written for at in range(5)]
        mixed = line.replace('"T"', '"%s"') % tuple(times)
        assert encode(decode(mixed.encode())) == line.replace('"T"', f'"{written}"').encode()


@pytest.mark.rule("CODEC-38")
def test_encoding_trusts_a_stamp() -> None:
    event = decode(encode_at("2026-09-19T10:30:45Z"))

    assert encode(event) == encode_at("2026-09-19T10:30:45Z")
