"""Records and the lines they stand on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from craze.codec import DecodeError, Event, Omitted, Record, Stray, encode, iter_records

BODY = b'{"type":"text","text":"Done."}'


def only(line: bytes, **options: int) -> Record | Stray:
    """What the one line of a file is."""
    (found,) = iter_records([line], **options)
    return found


@pytest.mark.rule("CODEC-87", "CODEC-85")
@pytest.mark.parametrize(
    ("line", "seq"),
    [
        (BODY, 0),
        (b'{"seq":7,"event":%b}' % BODY, 7),
        (b'{"event":%b}' % BODY, 0),
        (b'{"kind":"event","ts":"2026-11-30T12:00:04.1Z","seq":7,"event":%b}' % BODY, 7),
        (b'{"seq":9223372036854775807,"event":%b}' % BODY, 2**63 - 1),
        (b'{"seq":-0,"event":%b}' % BODY, 0),
        (b'{"seq":0,"event":%b,"note":"\xff\\ud83d"}' % BODY, 0),
        (b'{"\\u0073eq":9,"omitted":null,"ev\\u0065nt":%b}' % BODY, 9),
        (b'{"seq":1,"event":{},"seq":2,"event":%b}' % BODY, 2),
    ],
)
def test_a_record_is_found_in_every_form(line: bytes, seq: int) -> None:
    record = only(line + b"\n")

    assert isinstance(record, Record)
    assert (record.seq, record.body, record.omitted, record.line) == (seq, BODY, None, line)
    assert record.event == Event("text", text="Done.")


@pytest.mark.rule("CODEC-86", "CODEC-89")
@pytest.mark.parametrize(
    "body",
    [
        b'{ "text" : "a\xff\\ud83d" , "type":"text","new":[1.50,{"x":"\xe2\x82"}]}',
        b'{"type":"meta","state":{"slash":7}}',
        b'{"type":"text","text":"\\u0041\\/"}',
    ],
)
def test_a_body_keeps_the_bytes_it_was_read_from(body: bytes) -> None:
    for line in (body, b'\t{"x":"\xff","seq":3, "event": %b }\r' % body):
        record = only(line)

        assert isinstance(record, Record)
        assert (record.body, record.line) == (body, line)
        assert encode(record.event) != body
    assert record.envelope() == b'{"seq":3,"event":%b}' % body


@pytest.mark.rule("CODEC-89")
@pytest.mark.parametrize(
    "body", [b'{"type":7}', b'{"type":"text","text":[]}', b"{}", b"5", b'{"type":"x","at":"never"}']
)
def test_a_record_with_a_refused_body_is_still_given(body: bytes) -> None:
    record = only(b'{"seq":1,"event":%b}' % body)

    assert isinstance(record, Record)
    assert record.body == body
    for _ in range(2):
        with pytest.raises(DecodeError):
            _ = record.event


@pytest.mark.rule("CODEC-85", "CODEC-88")
def test_a_record_decodes_once_and_keeps_what_it_was_given() -> None:
    read, live = Record.of(3, BODY), Record.of(3, BODY, known := Event("text", text="Done."))

    assert read.event is read.event
    assert live.event is known
    assert read == live
    assert hash(read) == hash(live)
    assert live.line == live.envelope() == b'{"seq":3,"event":%b}' % BODY
    assert Record.of(0, BODY).line == BODY


@pytest.mark.rule("CODEC-85", "CODEC-88")
def test_an_omitted_record_has_a_reason_instead_of_a_body() -> None:
    omitted = Omitted(type="tool", reason="oversized", bytes=9_000_000)
    live = Record.left_out(8, omitted, Event("tool"))

    assert live.event == Event("tool")
    assert live.body == b""
    assert live.envelope() == b'{"seq":8,"omitted":{"type":"tool","reason":"oversized","bytes":9000000}}'

    read = only(live.envelope() + b"\n")

    assert isinstance(read, Record)
    assert (read.seq, read.body, read.omitted, read.line) == (8, b"", omitted, live.envelope())
    with pytest.raises(DecodeError):
        _ = read.event


@pytest.mark.rule("CODEC-89")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"kind":"gap","from":3,"to":4}', "other"),
        (b'{"seq":4}', "other"),
        (b'{"seq":"x","kind":"header"}', "other"),
        (b'{"seq":4,"omitted":7}', "other"),
        (b"[]", "broken"),
        (b"5", "broken"),
        (b"nope", "broken"),
        (BODY + BODY, "broken"),
        (b'{"seq":-1,"event":{}}', "broken"),
        (b'{"seq":9223372036854775808,"event":{}}', "broken"),
        (b'{"seq":1.0,"event":{}}', "broken"),
        (b'{"seq":true,"event":{}}', "broken"),
        (b'{"seq":null,"event":{}}', "broken"),
        (b'{"seq":99999999999999999999,"event":{}}', "broken"),
        (b'{"type":"text","x":%b1%b}' % (b"[" * 100_000, b"]" * 100_000), "broken"),
    ],
)
def test_a_line_that_is_no_record_is_told_with_its_reason(line: bytes, reason: str) -> None:
    first, stray, last = iter_records([b"\n" + BODY + b"\r\n" + line + b"\n" + BODY])

    assert isinstance(first, Record)
    assert stray == Stray(number=3, offset=len(BODY) + 3, line=line, reason=reason)  # type: ignore[arg-type]
    assert isinstance(last, Record)


@pytest.mark.rule("CODEC-89")
@pytest.mark.parametrize(
    ("end", "reason"), [(b'{"seq":1,"event":{"ty', "torn"), (b"{", "torn"), (b"[]", "broken"), (b'{"a":1}', "other")]
)
def test_only_a_last_line_without_newline_that_does_not_parse_is_torn(end: bytes, reason: str) -> None:
    *_, stray = iter_records([BODY + b"\n" + end])

    assert stray == Stray(number=2, offset=len(BODY) + 1, line=end, reason=reason)  # type: ignore[arg-type]


@pytest.mark.rule("CODEC-89", "CODEC-90")
@pytest.mark.parametrize("size", [1, 7, 100, 100_000])
def test_a_line_that_is_too_long_costs_itself_only(size: int) -> None:
    long = b'{"type":"text","text":"%b"}' % (b"x" * 9_000)
    data = BODY + b"\n" + long + b"\n" + BODY + b"\n" + long
    blocks = (data[start : start + size] for start in range(0, len(data), size))

    first, stray, second, last = iter_records(blocks, max_line=5_000)

    assert isinstance(first, Record)
    assert stray == Stray(number=2, offset=len(BODY) + 1, line=long[:4096], reason="too_long")
    assert isinstance(second, Record)
    assert isinstance(last, Stray)
    assert (last.number, last.reason, last.line) == (4, "too_long", long[:4096])
    assert isinstance(only(long, max_line=len(long)), Record)


@pytest.mark.rule("CODEC-89")
def test_blank_lines_are_counted_and_not_given_and_numbers_need_not_rise() -> None:
    lines = [b"", b" \t\r", b'{"seq":9,"event":%b}' % BODY, b"", b'{"seq":2,"event":%b}' % BODY, b"x"]

    found = list(iter_records([b"\n".join(lines) + b"\n"]))

    assert [f.seq if isinstance(f, Record) else f.number for f in found] == [9, 2, 6]
    assert list(iter_records([])) == list(iter_records([b"", b"\n"])) == []


@pytest.mark.rule("CODEC-90")
def test_a_record_is_given_as_soon_as_its_line_ends() -> None:
    taken: list[int] = []

    def blocks() -> Iterator[bytes]:
        for number in range(3):
            taken.append(number)
            yield BODY + b"\n"

    found = iter_records(blocks())

    assert isinstance(next(found), Record)
    assert taken == [0]
