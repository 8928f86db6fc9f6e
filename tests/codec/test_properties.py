"""What holds for every event, line, time and record."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from craze.codec import (
    CatalogModel,
    DecodeError,
    Event,
    Failure,
    Record,
    Stray,
    canonical,
    decode,
    decode_as,
    decode_lines,
    encode,
    event_schema,
    exception,
    failure,
    fit_catalog,
    iter_records,
    ns,
    stamp,
)
from craze.codec.lenient import read
from craze.codec.times import all_surely_canonical, surely_canonical
from tests.codec.strategies import (
    STRUCTS,
    disturbed,
    events,
    instants,
    integers,
    known_events,
    leaves,
    reached,
    records,
    stamps,
    structs,
    texts,
)
from tests.codec.test_cases import CASES

LINES = [case["input"].encode() for case in CASES if len(case.get("input", "x" * 999)) < 600]


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """A case line with pieces cut, inserted and swapped."""
    line = draw(st.sampled_from(LINES))
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(line))] * 2)))
        piece = draw(
            st.sampled_from(
                [b"", b"null", b'"', b"\\u2028", b"\\ud83d", b"\xff", b" \r\n", b"{}", b"[", b"1", b"1.0", b"Z"]
            )
        )
        kind = draw(st.sampled_from(["cut", "insert", "swap"]))
        middle = {"cut": piece, "insert": piece + line[start:end], "swap": line[start:end][::-1]}[kind]
        line = line[:start] + middle + line[end:]
    return line


def outcome(read_line: object, line: bytes) -> object:
    """The event, or that it was refused."""
    try:
        return read_line(line)  # type: ignore[operator]
    except DecodeError:
        return None


@pytest.mark.parametrize("kind", STRUCTS)
def test_the_strategies_reach_every_field_of_every_struct(kind: type[msgspec.Struct]) -> None:
    found: set[str] = set()

    @settings(max_examples=300, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(structs(kind))
    def collect(value: msgspec.Struct) -> None:
        found.update(reached(value))

    collect()

    assert found == set(kind.__struct_fields__)


@pytest.mark.rule("CODEC-151", "CODEC-30", "CODEC-38", "CODEC-25")
@given(events)
def test_an_event_comes_back_from_its_bytes_and_they_from_it(event: Event) -> None:
    line = encode(event)

    assert decode(line) == event
    assert encode(decode(line)) == line


@pytest.mark.rule("CODEC-48", "CODEC-30")
@given(st.binary() | spoiled())
def test_any_bytes_are_refused_or_become_stable(line: bytes) -> None:
    event = outcome(decode, line)

    if event is not None:
        again = encode(event)
        assert decode(again) == event
        assert encode(decode(again)) == again


@pytest.mark.rule("CODEC-51", "CODEC-141")
@given(spoiled() | events.map(encode) | st.binary())
@example(b'{"type":"text","at":"2026-09-19T10:30:4\\u0035Z"}')
@example(b'{"type":"text","at":"2026-09-19 10:30:45.1Z"}')
@example(b'{"type":"text","at":"0001-01-01T00:00:00Z"}')
def test_the_fast_and_the_lenient_way_agree(line: bytes) -> None:
    assert outcome(decode, line) == outcome(lambda line: read(Event, line), line)


@pytest.mark.rule("CODEC-43", "CODEC-45", "CODEC-40", "CODEC-47")
@given(events, st.data())
def test_order_unknown_keys_spaces_and_nulls_do_not_matter(event: Event, data: st.DataObject) -> None:
    plain = data.draw(disturbed(event))
    indent = data.draw(st.sampled_from([None, 1, "\t"]))

    assert decode(json.dumps(plain, indent=indent, ensure_ascii=data.draw(st.booleans())).encode()) == event


@pytest.mark.rule("CODEC-36")
@given(instants)
def test_a_stamp_gives_back_its_nanoseconds(instant: int) -> None:
    assert ns(stamp(instant)) == instant


@pytest.mark.rule("CODEC-33", "CODEC-36")
@given(stamps.filter(bool), st.sampled_from("+-"), st.integers(0, 23), st.integers(0, 59))
def test_an_offset_keeps_the_instant(utc: str, sign: str, hours: int, minutes: int) -> None:
    away = f"{utc[:-1]}{sign}{hours:02}:{minutes:02}"
    instant = ns(utc) - int(sign + "1") * (hours * 60 + minutes) * 60 * 10**9

    if -62167219200000000000 <= instant <= 253402300799999999999:
        assert ns(away) == instant
        assert canonical(away) == stamp(instant)
        if canonical(away):
            assert canonical(canonical(away)) == canonical(away)


@pytest.mark.rule("CODEC-37")
@given(st.lists(instants, min_size=2))
def test_order_by_nanoseconds_is_order_in_time(some: list[int]) -> None:
    assert sorted(map(stamp, some), key=ns) == [stamp(instant) for instant in sorted(some)]


@pytest.mark.rule("CODEC-140")
@given(
    st.lists(
        stamps.filter(lambda text: len(text) >= 20)
        | st.from_regex(r"\A[0-9TZ:.,+ \\\"tz-]{20,30}\Z")
        | st.from_regex(r"\A20\d\d-[01]\d-[0-3]\d[Tt ][0-2]\d:[0-5]\d:[0-6]\d(\.\d{0,9})?(Z|z|[+-]0\d:00)\Z").filter(
            lambda text: 20 <= len(text) <= 30
        )
    )
)
def test_the_cheap_test_of_times_is_never_wrong_about_a_yes(some: list[str]) -> None:
    for text in some:
        if surely_canonical(text):
            assert canonical(text) == text
    if all_surely_canonical(some):
        assert [canonical(text) for text in some] == some


@pytest.mark.rule("CODEC-85", "CODEC-86", "CODEC-87", "CODEC-89")
@given(st.lists(records() | st.just((b"{broken", None))), st.lists(st.integers(1, 60)), st.booleans())
def test_records_survive_any_form_and_any_cut(
    written: list[tuple[bytes, Record | None]], sizes: list[int], ended: bool
) -> None:
    data = b"\n".join(line for line, _ in written) + b"\n" * ended
    blocks: list[bytes] = []
    for size in sizes:
        blocks.append(data[:size])
        data = data[size:]

    found = list(iter_records([*blocks, data]))

    assert [f.line for f in found] == [line for line, _ in written]
    for one, (_, record) in zip(found, written, strict=True):
        if record is None:
            assert isinstance(one, Stray)
        else:
            assert isinstance(one, Record)
            assert (one.seq, one.body) == (record.seq, record.body)
            assert one.event == decode(record.body)


@pytest.mark.rule("CODEC-113", "CODEC-5")
@given(known_events)
def test_every_event_of_a_known_type_fits_the_schema(event: Event) -> None:
    from jsonschema import Draft202012Validator

    # Bounds are the producers' part; what the schema says of shapes holds for every event.
    problems = Draft202012Validator(event_schema()).iter_errors(json.loads(encode(event)))

    assert [p.message for p in problems if p.validator not in {"minimum", "minLength", "maxLength", "maxItems"}] == []


@pytest.mark.rule("CODEC-12")
@given(events)
def test_a_leaf_alone_has_the_bytes_it_has_inside(event: Event) -> None:
    line = encode(event)
    inside = [leaf for leaf in map(event.__getattribute__, Event.__struct_fields__) if isinstance(leaf, msgspec.Struct)]

    for leaf in inside:
        assert encode(leaf) in line  # type: ignore[arg-type]


@pytest.mark.rule("CODEC-12", "CODEC-95")
@given(leaves)
def test_a_leaf_comes_back_from_its_bytes(leaf: msgspec.Struct) -> None:
    assert decode_as(type(leaf), encode(leaf)) == leaf  # type: ignore[arg-type, type-var]


@pytest.mark.rule("CODEC-72")
@given(
    st.builds(
        Failure, message=texts, error_class=texts | st.sampled_from(["auth", "closed", "agent_exited"]), code=integers
    )
)
def test_a_failure_survives_being_raised(found: Failure) -> None:
    assert failure(exception(found)) == found


@given(
    st.lists(
        st.builds(
            CatalogModel,
            id=st.text(max_size=90) | st.sampled_from("abc"),
            name=st.text(max_size=60),
            efforts=st.lists(st.text(max_size=14), max_size=10).map(tuple),
            default_effort=st.text(max_size=14),
        ),
        max_size=30,
    ),
    st.integers(0, 40),
    st.data(),
)
@pytest.mark.rule("CODEC-60")
def test_a_fitted_catalog_holds_its_bounds(models: list[CatalogModel], times: int, data: st.DataObject) -> None:
    models = models * times
    running = data.draw(st.sampled_from([model.id for model in models] or ["none"]))

    fitted = fit_catalog(models, running)

    assert len(fitted) <= 512
    for model in fitted:
        assert 0 < len(model.id.encode()) <= 256
        assert len(model.name.encode()) <= 128
        assert len(model.efforts) <= 8
        assert all(0 < len(effort.encode()) <= 32 for effort in model.efforts)
        assert len(model.default_effort.encode()) <= 32
    offered = [model.id for model in models if 0 < len(model.id.encode()) <= 256]
    places = iter(offered)
    assert all(model.id in places for model in fitted)  # in the same order
    assert running not in offered or running in [model.id for model in fitted]
    assert fit_catalog(fitted, running) == fitted


@pytest.mark.rule("CODEC-98")
@given(
    st.lists(
        events.map(encode) | spoiled().filter(lambda line: b"\n" not in line) | st.sampled_from([b"", b" \r", b"{}"])
    )
)
def test_a_block_gives_what_its_lines_give(lines: list[bytes]) -> None:
    block = b"\n".join(lines)

    found = decode_lines(block)

    wanted = [outcome(decode, line) for line in lines if line.strip(b" \t\r")]
    assert [None if isinstance(one, DecodeError) else one for one in found] == wanted
