"""What `craze validate` finds in a file of events."""

from __future__ import annotations

import tracemalloc

import pytest

from craze.codec.validate import Finding, event_findings

GOOD = b'{"type":"text","text":"a"}'


def found(*lines: bytes, canonical: bool = False) -> list[tuple[int, str, str, str]]:
    findings = event_findings([b"\n".join(lines)], canonical=canonical)
    return [(finding.number, finding.level, finding.path, finding.message) for finding in findings]


@pytest.mark.rule("CODEC-120", "CODEC-122")
def test_good_lines_bare_and_in_envelopes_have_no_findings() -> None:
    omitted = b'{"seq":2,"omitted":{"type":"tool","reason":"oversized","bytes":9}}'

    assert found(GOOD, b'{"seq":1,"event":%b}' % GOOD, b"", omitted, GOOD, b"", canonical=True) == []
    assert found() == found(b"") == []


@pytest.mark.rule("CODEC-121")
@pytest.mark.parametrize(
    ("line", "path", "message"),
    [
        (b"nope", "$", "not JSON at byte 0: expecting value"),
        (b"[]", "$", "expected an object, found a list"),
        (b'{"kind":"gap"}', "$", "`type` is missing"),
        (b'{"type":"text","text":7}', "$.text", "expected a string, found an integer"),
        (b'{"seq":1,"event":{"type":"x","tool":{"at":"never"}}}', "$.tool.at", "not a time"),
        (b'{"seq":1.5,"event":{"type":"text"}}', "$.seq", "expected a whole number from 0 on"),
    ],
)
def test_a_line_that_does_not_decode_is_refused_with_its_place(line: bytes, path: str, message: str) -> None:
    assert found(GOOD, line, GOOD) == [(2, "refused", path, message)]


@pytest.mark.rule("CODEC-121", "CODEC-50")
@pytest.mark.parametrize(
    ("inside", "path", "message"),
    [
        (b'"type":"hologram"', "$.type", 'unknown value "hologram"'),
        (b'"type":"text","hue":1', "$", 'unknown key "hue"'),
        (b'"type":"text","text":null', "$.text", "expected a string, found null"),
        (b'"type":"queue","queuePos":-1', "$.queuePos", "-1 is less than 0"),
        (b'"type":"meta","state":{"catalog":{}}', "$.state.catalog", "`revision` is missing"),
        (
            b'"type":"meta","state":{"slash":{"items":[{"name":""}]}}',
            "$.state.slash.items[0].name",
            '"" has fewer characters than 1',
        ),
        (b'"type":"ask","ask":{"answers":{"q":[null]}}', "$.ask.answers.q[0]", "expected a string, found null"),
    ],
)
def test_a_line_that_decodes_and_breaks_the_schema(inside: bytes, path: str, message: str) -> None:
    assert found(b"{%b}" % inside) == [(1, "schema", path, message)]


@pytest.mark.rule("CODEC-120")
def test_every_finding_of_a_line_is_told() -> None:
    line = b'{"type":"error","err":{},"one":1,"two":2,"queuePos":-1}'

    assert {(level, path, message) for _, level, path, message in found(line)} == {
        ("schema", "$", 'unknown key "one"'),
        ("schema", "$", 'unknown key "two"'),
        ("schema", "$.queuePos", "-1 is less than 0"),
        ("schema", "$.err", "`message` is missing"),
        ("schema", "$.err", "`class` is missing"),
        ("schema", "$.err", "`code` is missing"),
    }


@pytest.mark.rule("CODEC-121")
@pytest.mark.parametrize(
    "line",
    [b' {"type":"text"}', b'{"text":"a","type":"text"}', b'{"type":"text","text":"\\/"}', b'{"type":"text","text":""}'],
)
def test_the_form_is_looked_at_only_when_asked_for(line: bytes) -> None:
    assert found(line) == []
    assert found(line, canonical=True) == [(1, "form", "$", "not the canonical bytes")]
    assert found(b'{"seq":1,"event":%b}' % line.strip(), canonical=True) == (
        [] if line.startswith(b" ") else [(1, "form", "$", "not the canonical bytes")]
    )


@pytest.mark.rule("CODEC-121")
def test_a_finding_never_shows_more_than_a_line() -> None:
    hostile = b'{"type":"%b","%b":1,"err":"%b"}' % (b"x" * 5000, b"\\n" * 5000, b"\\u001b[31m" * 5000)

    for _, _, path, message in found(hostile, hostile.replace(b'"err"', b'"other"')):
        assert len(path + message) < 400
        assert (path + message).isprintable()


@pytest.mark.rule("CODEC-122")
def test_a_large_file_needs_no_more_memory_than_a_line() -> None:
    findings = event_findings(GOOD + b'\n{"type":"x"}\n' for _ in range(2_000))
    next(findings)
    tracemalloc.start()
    count = sum(1 for finding in findings if isinstance(finding, Finding))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 1_999
    assert peak < 1 << 20
