"""What is read, what is refused, and what a refusal says."""

from __future__ import annotations

import pytest

from craze.codec import (
    Catalog,
    DecodeError,
    Event,
    PermissionOption,
    Queued,
    Slash,
    SlashItem,
    SlashRun,
    Tool,
    decode,
    decode_as,
    decode_lines,
    encode,
    is_slash_name,
)


def refusal(line: bytes) -> DecodeError:
    with pytest.raises(DecodeError) as refused:
        decode(line)
    return refused.value


@pytest.mark.rule("CODEC-40")
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_any_kind_with_space_around(kind: type) -> None:
    assert decode(kind(b' \t\r\n{"type":"text","text":"a"}\r\n')) == Event("text", text="a")
    assert decode(kind(b' {"type":"text","text":null}\n')) == Event("text")


@pytest.mark.rule("CODEC-41")
@pytest.mark.parametrize(
    "inner",
    [
        b"01",
        b"-",
        b"1.",
        b".5",
        b"+1",
        b"1e",
        b"NaN",
        b"-Infinity",
        b"nul",
        b"'a'",
        b"[1,]",
        b'{"a":1,}',
        b'{"a" 1}',
        b"{1:2}",
        b'"\\x"',
        b'"\\u12g4"',
        b'"\x01"',
        b'"a\nb"',
        b"/*c*/1",
        b"\xff",
        b"\xc2\xa01",
        b"",
    ],
)
def test_what_is_not_json_is_refused_also_under_an_unknown_key(inner: bytes) -> None:
    for key in (b"unknown", b"text", b"tool"):
        assert refusal(b'{"type":"text","%b":%b}' % (key, inner)).reason == "not_json"


@pytest.mark.rule("CODEC-41")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not_json"),
        (b" ", "not_json"),
        (b"[]", "not_object"),
        (b"7", "not_object"),
        (b"null", "not_object"),
        (b'{"type":"text"', "not_json"),
        (b'{"type":"text"} {}', "not_json"),
        (b'{"type":"text"}x', "not_json"),
        (b'\xef\xbb\xbf{"type":"text"}', "not_json"),
        (b'{"type":"text"}\x00', "not_json"),
    ],
)
def test_anything_but_one_object_is_refused(line: bytes, reason: str) -> None:
    assert refusal(line).reason == reason


@pytest.mark.rule("CODEC-42")
@pytest.mark.parametrize("kind", [b"", b'"type":null', b'"type":""', b'"type":7', b'"type":["text"]', b'"TYPE":"text"'])
def test_an_event_needs_a_type(kind: bytes) -> None:
    assert refusal(b"{%b}" % kind).reason in {"no_type", "kind"}


@pytest.mark.rule("CODEC-42", "CODEC-44")
def test_any_other_string_is_a_type_and_is_not_trimmed() -> None:
    assert decode(b'{"type":" text\\n"}').type == " text\n"


@pytest.mark.rule("CODEC-43")
@pytest.mark.parametrize(
    "value", [b"1e999", b"9" * 6000, b"-" + b"9" * 6000, b"1" * 300 + b".5", b'{"text":7}', b'"\xff"']
)
def test_values_of_unknown_keys_have_no_limits(value: bytes) -> None:
    for known in (b'"text":"a"', b'"text":"a","agent":null'):  # by either way
        line = b'{"type":"text",%b,"tool":{"x":%b},"y":%b}' % (known, value, value)

        assert decode(line) == Event("text", text="a", tool=Tool())


@pytest.mark.rule("CODEC-45")
def test_null_is_no_key_and_a_null_element_a_zero_one() -> None:
    assert decode(b'{"type":"tool","tool":{"locations":["a",null],"diffs":null,"output":null}}').tool == Tool(
        locations=("a", "")
    )
    assert decode_as(Tool, b'{"locations":[null],"at":null}') == Tool(locations=("",))
    permission = decode(b'{"type":"permission","permission":{"options":[null]}}').permission
    assert permission is not None
    assert permission.options == (PermissionOption(),)


@pytest.mark.rule("CODEC-46", "CODEC-81")
@pytest.mark.parametrize(
    ("inside", "path", "message"),
    [
        (b'"queuePos":"1"', "$.queuePos", "expected an integer, found a string"),
        (b'"queuePos":true', "$.queuePos", "expected an integer, found a boolean"),
        (b'"interjection":1', "$.interjection", "expected a boolean, found an integer"),
        (b'"todos":[{},{"id":[]}]', "$.todos[1].id", "expected a string, found a list"),
        (b'"todos":{}', "$.todos", "expected a list, found an object"),
        (b'"state":{"usage":{"turn":7}}', "$.state.usage.turn", "expected an object, found an integer"),
        (b'"ask":{"answers":{"a":[1]}}', "$.ask.answers[...][0]", "expected a string, found an integer"),
        (b'"question":{"answers":[]}', "$.question.answers", "expected an object, found a list"),
        (b'"tool":{"at":7}', "$.tool.at", "expected a string, found an integer"),
    ],
)
def test_a_value_of_another_kind_refuses_the_event_and_says_where(inside: bytes, path: str, message: str) -> None:
    error = refusal(b'{"type":"x",%b}' % inside)

    assert (error.reason, error.path, str(error)) == ("kind", path, f"at {path}: {message}")


@pytest.mark.rule("CODEC-21")
@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (b"1.0", "kind"),
        (b"1e2", "kind"),
        (b'"1"', "kind"),
        (b"true", "kind"),
        (b"9223372036854775808", "range"),
        (b"-9223372036854775809", "range"),
        (b"9" * 6000, "range"),
    ],
)
def test_integers_are_whole_and_of_64_bits(written: bytes, reason: str) -> None:
    assert refusal(b'{"type":"queue","queuePos":%b}' % written).reason == reason


@pytest.mark.rule("CODEC-21")
@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 2**53 + 1, 12345678901234567])
def test_integers_are_exact_at_both_ends(number: int) -> None:
    line = b'{"type":"queue","queuePos":%d}' % number

    assert decode(line).queue_pos == number
    assert encode(decode(line)) == line
    assert decode(b'{"type":"queue","queuePos":-0}').queue_pos == 0


@pytest.mark.rule("CODEC-47")
def test_of_a_key_that_comes_twice_the_last_counts_alone() -> None:
    assert decode(b'{"type":"a","type":"b","text":7,"text":"x"}') == Event("b", text="x")
    assert decode(b'{"type":"tool","tool":{"id":"1"},"tool":{"name":"n"}}').tool == Tool(name="n")
    assert decode(b'{"type":"tool","tool":{"id":"1"},"tool":null}').tool is None
    assert decode(b'{"type":"a","TEXT":"x","te\\u0078t":"y"}') == Event("a", text="y")
    assert refusal(b'{"type":"a","text":"x","text":7}').path == "$.text"


@pytest.mark.rule("CODEC-48", "CODEC-49")
@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("key", [b"x", b"tool", b"todos", b"type"])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_lines_decode_or_are_refused_without_harm(depth: int, key: bytes, opening: bytes, closing: bytes) -> None:
    whole = b'{"type":"text",%b"%b":%b1%b}'
    for again in (b"", b'"agent":null,'):  # by either way
        (found,) = decode_lines(whole % (again, key, opening * depth, closing * depth))
        if isinstance(found, DecodeError):
            assert found.reason in {"depth", "kind"}
        else:  # some versions of Python go deeper than others
            assert depth < 100_000
    assert refusal(b'{"type":"text","%b":%b' % (key, opening * depth)).reason in {"depth", "not_json"}


@pytest.mark.rule("CODEC-49")
@pytest.mark.parametrize("known", [b'"text":"a"', b'"text":"a","agent":null'])
def test_128_levels_always_decode(known: bytes) -> None:
    line = b'{"type":"text",%b,"x":%b1%b}' % (known, b'[{"y":' * 63 + b"[", b"]" + b"}]" * 63)

    assert decode(line).text == "a"


@pytest.mark.rule("CODEC-50", "CODEC-61")
def test_bounds_of_the_schema_are_not_rules_of_reading() -> None:
    long = b'{"models":[%b],"revision":-1}' % b",".join(
        b'{"id":"%d","name":"%b"}' % (n, b"n" * 200) for n in range(600)
    )

    assert len(decode_as(Catalog, long).models) == 600
    assert decode(b'{"type":"queue","queuePos":-3,"queue":{"version":-1}}') == Event(
        "queue", queue_pos=-3, queue=Queued(version=-1)
    )


@pytest.mark.rule("CODEC-81")
def test_a_refusal_is_one_line_that_shows_the_place_and_never_everything() -> None:
    line = b'{"type":"text","text":"%b\x1b[31m","broken":tru}' % (b"long " * 1000)

    error = refusal(line)

    assert error.offset is not None
    assert line[error.offset :].startswith((b"\x1b", b"tru"))
    assert 0 < len(error.excerpt) <= 80
    assert error.excerpt.isprintable()
    assert "\n" not in str(error)
    assert len(str(error)) < 200
    assert refusal(b'{"type":"text","text":["%b"]}' % (b"x" * 9999)).excerpt == ""
    assert len(refusal(b'{"type":"text","at":"%b"}' % (b"x" * 9999)).excerpt) == 80


@pytest.mark.rule("CODEC-81")
def test_the_offset_counts_bytes_also_after_broken_ones() -> None:
    assert refusal('{"type":"é"'.encode() + b',"text":"\xff\xff",?}').offset == 25


@pytest.mark.rule("CODEC-95", "CODEC-12")
def test_a_leaf_alone_is_read_by_the_same_rules() -> None:
    assert decode_as(Queued, b'{"queuedAt":"2026-01-01T01:00:00+01:00","x":1}') == Queued(
        queued_at=decode(b'{"type":"x","at":"2026-01-01T00:00:00Z"}').at
    )
    for line in (b"null", b"[]", b'{"version":"1"}', b""):
        with pytest.raises(DecodeError):
            decode_as(Queued, line)


@pytest.mark.rule("CODEC-98")
def test_a_refused_line_of_a_block_costs_itself_only() -> None:
    block = b'{"type":"a"}\n\n \r\n{"type":"b","queuePos":"x"}\r\n{"type":"c"}\nnope\n{"type":"d"}'

    found = decode_lines(block)

    assert [f.offset if isinstance(f, DecodeError) else f.type for f in found] == [
        "a",
        17,
        "c",
        block.index(b"nope"),
        "d",
    ]


@pytest.mark.rule("CODEC-98")
@pytest.mark.parametrize(
    "block",
    [
        b'{"type":"a",\n"text":"x"}\n{"type":"b"}{"type":"c"}\n',  # an object over two lines, two on one
        b'{"type":\n"a"}\n',
        b'{"type":"a"}{"type":"b"}\n\n',
    ],
)
def test_objects_and_lines_that_do_not_match_are_refused(block: bytes) -> None:
    assert all(isinstance(found, DecodeError) for found in decode_lines(block))


@pytest.mark.rule("CODEC-98")
def test_an_empty_block_has_no_lines() -> None:
    assert decode_lines(b"") == decode_lines(b"\n \n") == []
    assert decode_lines(b'{"type":"a"}\n') == [Event("a")]


def rows(items: bytes) -> tuple[SlashItem, ...]:
    state = decode(b'{"type":"meta","state":{"slash":{"items":%b}}}' % items).state
    assert state is not None
    assert state.slash is not None
    return state.slash.items


@pytest.mark.rule("CODEC-55")
@pytest.mark.parametrize(
    "row",
    [
        b"7",
        b"null",
        b'"row"',
        b"[]",
        b"{}",
        b'{"name":null}',
        b'{"name":""}',
        b'{"name":7}',
        b'{"name":"a b"}',
        b'{"name":"a\\u00a0b"}',
        b'{"name":"a\\u2003"}',
        b'{"name":"a\\u0085"}',
        b'{"name":"a\\u007f"}',
        b'{"name":"a\\u009b"}',
        b'{"name":"a","description":1}',
        b'{"name":"a","whileWorking":"yes"}',
        b'{"name":"a","run":[]}',
        b'{"name":"a","run":{}}',
        b'{"name":"a","run":{"kind":null}}',
        b'{"name":"a","run":{"kind":"x","setting":7}}',
    ],
)
def test_a_bad_row_of_the_slash_menu_is_dropped_alone(row: bytes) -> None:
    around = b'[{"name":"one"},%b,{"name":"two"},{"name":"one"}]' % row

    assert [kept.name for kept in rows(around)] == ["one", "two", "one"]


@pytest.mark.rule("CODEC-55", "CODEC-57")
def test_unknown_values_of_a_row_are_kept_for_a_client_to_hide() -> None:
    row = SlashItem(name="日本", source="galaxy", requires="warp", run=SlashRun(kind="teleport", arg="?"))

    kept = rows(
        b'[{"name":"\xe6\x97\xa5\xe6\x9c\xac","source":"galaxy","requires":"warp","description":null,"new":1,'
        b'"run":{"kind":"teleport","arg":"?","x":2}}]'
    )

    assert kept == (row,)
    assert not kept[0].while_working


@pytest.mark.rule("CODEC-56")
@pytest.mark.parametrize(
    "slash", [b"[]", b"7", b'"x"', b"true", b"{}", b'{"items":null}', b'{"items":{}}', b'{"items":[]}']
)
def test_a_slash_section_of_another_kind_has_no_rows(slash: bytes) -> None:
    assert encode(decode(b'{"type":"meta","state":{"slash":%b}}' % slash)) == b'{"type":"meta","state":{"slash":{}}}'


@pytest.mark.rule("CODEC-56")
def test_a_row_that_would_be_dropped_is_not_written() -> None:
    assert decode(b'{"type":"meta","state":{"slash":null}}').state.slash is None  # type: ignore[union-attr]
    assert Slash(items=(SlashItem(name="a b"), SlashItem(name="ok"))) == Slash(items=(SlashItem(name="ok"),))
    assert is_slash_name("plugin:fix")
    assert is_slash_name("zero\u200bwidth")
    assert not any(map(is_slash_name, ["", " ", "a b", "a\n", "\x1f", "\x7f", "\u3000"]))
