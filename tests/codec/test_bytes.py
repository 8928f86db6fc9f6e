"""The exact bytes of strings, and what can and cannot be encoded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from craze.codec import Ask, CodecError, EncodeError, Event, Question, Tool, decode, encode
from craze.errors import CrazeError


def text_of(line: bytes) -> bytes:
    """The bytes of the string in a text event."""
    return line.removeprefix(b'{"type":"text","text":"').removesuffix(b'"}')


@pytest.mark.rule("CODEC-26")
@pytest.mark.parametrize("code", range(0x20))
def test_control_characters_have_their_one_form(code: int) -> None:
    short = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r"}

    assert text_of(encode(Event("text", text=chr(code)))) == short.get(code, b"\\u%04x" % code)


@pytest.mark.rule("CODEC-26", "CODEC-4")
def test_everything_else_is_literal() -> None:
    literal = "</é>&'/\x7f\x85\ufeff日🚀\x9b31m"

    assert text_of(encode(Event("text", text=literal + '"\\'))) == literal.encode() + b'\\"\\\\'


@pytest.mark.rule("CODEC-27", "CODEC-141")
@pytest.mark.parametrize("around", ["", "é", "©", "¨", "“", "\u2027\u202a"])
def test_line_separators_are_escaped_in_values_and_in_keys_of_answers(around: str) -> None:
    text = f"{around}\u2028\u2029{around}"

    line = encode(Event("ask", text=text, ask=Ask(answers={text: (text,)})))

    assert line.count(b"\\u2028\\u2029") == 3
    assert line.count(around.encode()) >= 6
    assert decode(line).text == text


@pytest.mark.rule("CODEC-28")
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("cut \ud83d", "cut \ufffd"),
        ("\udcff", "\ufffd"),
        ("\ude80x\ud83dA", "\ufffdx\ufffdA"),
        ("\ud83d🚀", "\ufffd🚀"),
        ("\ud83d\ude80", "🚀"),  # halves that came in two pieces
        ("\ufeff\ud800", "\ufeff\ufffd"),
    ],
)
def test_a_lone_surrogate_in_a_python_string_is_replaced(text: str, written: str) -> None:
    assert text_of(encode(Event("text", text=text))) == written.encode()


@pytest.mark.rule("CODEC-28", "CODEC-80")
@given(st.text(st.characters(categories=["Cs", "Lu", "Cc"])))
def test_no_text_makes_an_encode_fail(text: str) -> None:
    event = Event("x" + text, text=text, tool=Tool(locations=(text,)), ask=Ask(answers={text: (text,)}))

    assert encode(decode(encode(event))) == encode(event)


@pytest.mark.rule("CODEC-28")
@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"\xe2\x82", "\ufffd\ufffd"),
        (b"\\ud83d\xff", "\ufffd\ufffd"),
        (b"\\ud83d\\ud83d\\ude80", "\ufffd🚀"),
        (b"\xed\xa0\xbd\xed\xb8\x80", "\ufffd" * 6),
    ],
)
def test_broken_text_is_repaired_when_reading(inside: bytes, text: str) -> None:
    assert decode(b'{"type":"text","text":"' + inside + b'"}').text == text


@pytest.mark.rule("CODEC-29")
def test_answers_are_sorted_by_their_bytes_and_of_equal_keys_the_last_counts() -> None:
    keys = ["🚀", "\uffee", "é", "b", "a", "A"]

    line = encode(Question(answers=dict.fromkeys(keys)))

    assert line == '{"answers":{"A":null,"a":null,"b":null,"é":null,"\uffee":null,"🚀":null}}'.encode()
    halves = {f"k{half}": (at,) for half, at in (("\ud801", "1"), ("\ud800", "2"))}
    assert encode(Question(answers=halves)) == '{"answers":{"k\ufffd":["2"]}}'.encode()
    twice = b'{"type":"ask","ask":{"answers":{"k\xff":["1"],"k\xfe":["2"],"k\xff":["3"]}}}'
    assert decode(twice).ask == Ask(answers={"k\ufffd": ("3",)})


@pytest.mark.rule("CODEC-80", "CODEC-81")
def test_an_event_without_a_type_is_refused() -> None:
    with pytest.raises(EncodeError) as refused:
        encode(Event(""))

    assert (refused.value.reason, refused.value.path) == ("no_type", "$.type")
    assert isinstance(refused.value, CodecError)
    assert isinstance(refused.value, CrazeError)
    assert refused.value.exit == "failed"


@pytest.mark.rule("CODEC-80")
@pytest.mark.parametrize("wrong", [object(), 1j, {1: object()}])
def test_what_json_has_not_is_a_refusal_too(wrong: object) -> None:
    with pytest.raises(EncodeError) as refused:
        encode(Event("queue", queue_pos=wrong))  # type: ignore[arg-type]

    assert refused.value.reason == "kind"


@pytest.mark.rule("CODEC-3", "CODEC-152", "CODEC-4")
def test_eight_threads_write_and_read_what_one_does() -> None:
    long = "0123456789é\u2028\x00" * (64 * 1024 // 14)
    events = [Event("text", text=f"{number}{long}", tool=Tool(id=str(number))) for number in range(200)]
    lines = [encode(event) for event in events]

    def work(_: int) -> bool:
        return [encode(event) for event in events] == lines and [decode(line) for line in lines] == events

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
