"""Envelopes: presence decides, ids stay bytes, broken lines are repaired or named, nothing raises."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from craze.transport import (
    Invalid,
    Message,
    Notification,
    Parsed,
    Request,
    Response,
    is_noise,
    jsonrpc,
    message_of,
    parse,
)


def only(line: bytes) -> Message:
    (message,) = parse(line).messages
    return message


@pytest.mark.rule("ACP-11", "ACP-12")
@pytest.mark.parametrize("number", [b"0", b'"x"', b"null", b"1.5", b'"\\u0041"', b"12345678901234567890123"])
def test_the_id_of_a_request_comes_back_as_the_bytes_it_was(number: bytes) -> None:
    request = only(b'{"jsonrpc":"2.0","id":%b,"method":"foo/bar","params":{}}' % number)

    assert isinstance(request, Request)
    assert request.id == number
    assert b'"id":' + number + b"," in jsonrpc.error(request.id, -32601, "Method not found", {"method": "foo/bar"})
    assert b'"id":' + number + b"," in jsonrpc.result(request.id, {})


@pytest.mark.rule("ACP-11")
def test_presence_and_not_truth_decides_what_a_message_is() -> None:
    assert only(b'{"jsonrpc":"2.0","id":0,"method":"a"}') == Request(b"0", "a", Raw(b"{}"))
    assert only(b'{"jsonrpc":"2.0","method":""}') == Notification("", Raw(b"{}"))
    assert only(b'{"jsonrpc":"2.0","id":0,"result":null}') == Response(b"0", Raw(b"null"))
    assert only(b'{"jsonrpc":"2.0"}') == Invalid()


@pytest.mark.rule("ACP-11", "ACP-13")
def test_an_answer_that_fills_every_field_with_null_is_an_answer() -> None:
    assert only(b'{"jsonrpc":"2.0","id":1,"method":null,"params":null,"result":{},"error":null}') == Response(
        b"1", result=Raw(b"{}")
    )


@pytest.mark.rule("ACP-6")
def test_a_byte_order_mark_before_a_message_is_no_part_of_it() -> None:
    parsed = parse(b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"a"}')

    assert parsed.messages == (Notification("a", Raw(b"{}")),)
    assert parsed.lints == ("repaired-line",)
    assert parse(b"\xef\xbb\xbfwelcome").noise


@pytest.mark.rule("ACP-11")
@pytest.mark.parametrize("version", [b"", b'"jsonrpc":"1.0",', b'"jsonrpc":2,'])
def test_an_odd_version_is_accepted_and_said(version: bytes) -> None:
    parsed = parse(b"{" + version + b'"method":"a"}')

    assert parsed.lints == ("envelope",)
    assert parsed.messages == (Notification("a", Raw(b"{}")),)


@pytest.mark.rule("ACP-13")
def test_of_result_and_error_the_error_counts_and_of_neither_the_result_is_null() -> None:
    both = parse(b'{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"no"}}')
    neither = parse(b'{"jsonrpc":"2.0","id":1}')

    assert both.messages == (Response(b"1", error=Raw(b'{"code":-1,"message":"no"}')),)
    assert (neither.messages, neither.lints) == ((Response(b"1", Raw(b"null")),), ("envelope",))
    assert only(b'{"jsonrpc":"2.0","id":1,"result":2,"error":null}') == Response(b"1", Raw(b"2"))


@pytest.mark.rule("ACP-4")
@pytest.mark.parametrize(
    "line", [b"Loaded cached credentials.", b"\x1b[32mok", b'"text"', b"\xff", b"[INFO] x", b"[1]", b"[]"]
)
def test_what_is_no_object_is_noise(line: bytes) -> None:
    assert parse(line).noise
    assert parse(line).messages == ()


@pytest.mark.rule("ACP-6", "ACP-15")
@pytest.mark.parametrize(
    ("behind", "parsed"),
    [
        (b'"id":7}', Parsed((Invalid(b"7"),), ("envelope",))),
        (b'"a":"\\ud83d","id":7}', Parsed((Invalid(b"7"),), ("repaired-line", "envelope"))),
        (b'"id":7', Parsed(lints=("bad-json",))),
        (b'"a":' + b"[" * 200_000, Parsed(lints=("bad-json",))),
    ],
)
def test_a_method_of_the_wrong_type_does_not_hide_what_is_wrong_behind_it(behind: bytes, parsed: Parsed) -> None:
    assert parse(b'{"jsonrpc":"2.0","method":[],' + behind) == parsed


@pytest.mark.rule("ACP-4")
@pytest.mark.parametrize("line", [b"", b"   ", b"\t\r"])
def test_a_blank_line_says_nothing(line: bytes) -> None:
    assert parse(line) == parse(b"")
    assert not parse(line).noise


@pytest.mark.rule("ACP-5")
def test_a_batch_is_its_elements_in_order() -> None:
    parsed = parse(b'[{"jsonrpc":"2.0","method":"a"}, {"jsonrpc":"2.0","id":2,"result":3}]')

    assert parsed.messages == (Notification("a", Raw(b"{}")), Response(b"2", Raw(b"3")))
    assert parsed.lints == ("batch",)


@pytest.mark.rule("ACP-5", "ACP-6")
def test_a_broken_batch_is_mended_as_a_whole() -> None:
    parsed = parse(b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"\\ud83d"}]')

    assert [message.method for message in parsed.messages if isinstance(message, Notification)] == ["a", "\ufffd"]
    assert parsed.lints == ("repaired-line", "batch")


@pytest.mark.rule("ACP-6")
@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        (b'"a\\ud83d"', "a\ufffd"),
        (b'"a\xff"', "a\ufffd"),
        (b'"a\tb\x01"', "a\tb\x01"),
        (b"[NaN,Infinity,-Infinity,1]", [None, None, None, 1]),
        (b"[NaN,1e999,123456789012345678901234567890]", [None, None, None]),
    ],
)
def test_a_line_that_is_almost_json_is_mended_and_said(broken: bytes, mended: object) -> None:
    parsed = parse(b'{"jsonrpc":"2.0","method":"m","params":{"x":' + broken + b"}}")

    (message,) = parsed.messages
    assert isinstance(message, Notification)
    assert msgspec.json.decode(message.params) == {"x": mended}
    assert parsed.lints == ("repaired-line",)


@pytest.mark.rule("ACP-6")
@pytest.mark.parametrize("line", [b"{bad", b'{"a":1', b'{"a":' + b"[" * 200_000, b"{}x"])
def test_a_line_beyond_repair_is_named_and_gives_nothing(line: bytes) -> None:
    assert parse(line).lints == ("bad-json",)
    assert parse(line).messages == ()


def test_a_method_that_is_no_text_can_still_be_answered() -> None:
    assert only(b'{"jsonrpc":"2.0","id":"q","method":7}') == Invalid(b'"q"')


@given(st.binary(max_size=200) | st.text().map(lambda text: ("{" + text).encode("utf-8", "surrogatepass")))
def test_no_line_raises(line: bytes) -> None:
    parse(line)


_MEMBERS = [
    name + value
    for name in (b'"jsonrpc":', b'"id":', b'"method":', b'"params":', b'"result":', b'"error":')
    for value in (b"1", b"null", b'"a"', b"[]", b'{"x":1}', b'"\\ud83d"', b'"\xff"', b"1e999", b"[" * 5000, b'"open')
]


@pytest.mark.rule("ACP-6", "ACP-11")
@given(
    st.lists(st.sampled_from(_MEMBERS), max_size=5),
    st.sampled_from([b"{", b"[{", b" {"]),
    st.sampled_from([b"}", b"}]", b""]),
)
def test_no_envelope_raises(members: list[bytes], begin: bytes, end: bytes) -> None:
    parse(begin + b",".join(members) + end)
    message_of(begin + b",".join(members))


@pytest.mark.rule("ACP-8")
@given(
    st.recursive(
        st.none() | st.integers(-(2**62), 2**62) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_a_sent_line_is_one_line_for_every_reader(value: object) -> None:
    line = jsonrpc.request(1, "m", {"value": value}).decode()

    assert len(line.splitlines()) == 1 or not set(line) & set("\n\r\u2028\u2029\u0085")
    assert json.loads(line)["params"] == {"value": value}


@pytest.mark.rule("ACP-8")
def test_separators_are_escaped_slashes_are_not_and_lone_surrogates_are_replaced() -> None:
    line = jsonrpc.encode({"t": "a\u2028\u2029\u0085/\ud83d", "\udc00": [Raw(b'{\n"raw":1}')]})

    assert line == b'{"t":"a\\u2028\\u2029\\u0085/\xef\xbf\xbd","\xef\xbf\xbd":[{ "raw":1}]}'


@pytest.mark.rule("ACP-19")
@pytest.mark.parametrize(
    ("raw", "code", "message"),
    [
        (b'{"code":-32000,"message":"sign in"}', -32000, "sign in"),
        (b'"oops"', 0, "oops"),
        (b'{"message":"no code"}', 0, "no code"),
        (b'{"code":"x","message":{"a":1}}', 0, '{"a":1}'),
        (b"[1,2]", 0, "[1,2]"),
    ],
)
def test_an_error_is_read_however_it_is_formed(raw: bytes, code: int, message: str) -> None:
    failure = jsonrpc.read_error(Raw(raw))

    assert (failure.code, failure.message) == (code, message)


@pytest.mark.rule("ACP-2")
@pytest.mark.parametrize(
    ("head", "whose"),
    [
        (b'{"jsonrpc":"2.0","id":5,"result":{"a":"xx', Response(b"5", Raw(b"null"))),
        (
            b'{"jsonrpc":"2.0", "id" : "x", "method":"fs/write_text_file","params":{"content":"xx',
            Request(b'"x"', "fs/write_text_file", Raw(b"{}")),
        ),
        (b'{"jsonrpc":"2.0","method":"session/update","params":{"x', Notification("session/update", Raw(b"{}"))),
        (b'{"result":{"a":"xx', None),
        (b"xxxxx", None),
        (b'[{"jsonrpc":"2.0","id":5,"result":{"a":"xx', None),
    ],
)
def test_the_head_of_a_line_that_is_too_long_tells_whose_it_is(head: bytes, whose: Message | None) -> None:
    assert message_of(head) == whose


@pytest.mark.rule("ACP-2", "ACP-4")
@pytest.mark.parametrize(
    ("head", "noise"),
    [(b"....", True), (b"[INFO] {", True), (b" \t", True), (b' {"a', False), (b"{", False), (b"[ {", False)],
)
def test_a_line_that_is_too_long_may_be_no_more_than_noise(head: bytes, noise: bool) -> None:
    assert is_noise(head) is noise
