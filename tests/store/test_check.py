"""Expectations about recorded runs."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from craze.codec import (
    Ask,
    AskBody,
    Event,
    Failure,
    Permission,
    PermissionOption,
    Record,
    Spend,
    State,
    Subagent,
    Tool,
    Turn,
    Usage,
)
from craze.errors import UsageError
from craze.store.check import check, expectation, expectations
from craze.store.evidence import Evidence
from craze.store.lines import FactLine, Gap
from craze.store.reader import Damage, Item
from craze.store.recording import recording
from craze.store.source import find
from tests.store.making import header, record, text, written

OPTIONS = Permission(
    id="perm-1",
    tool="t1",
    options=(
        PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
        PermissionOption(option_id="no", name="No", kind="reject_once"),
    ),
)


def run(*events: Event) -> list[Item]:
    return [record(seq, event) for seq, event in enumerate(events, 1)]


def turn(phase: str, **more: str) -> Event:
    return Event("turn", turn=Turn(id="turn-1", phase=phase, **more))


def tool(id_: str, status: str, name: str = "Bash") -> Event:
    return Event("tool", tool=Tool(id=id_, name=name, kind="execute", status=status))


def asked(option: str, **more: str) -> Event:
    return Event("ask", ask=Ask(id="perm-1", kind="permission", outcome="answered", by="client", option_id=option))


GOOD = run(
    turn("started", text="go"),
    Event("text", text="all tests "),
    tool("t1", "pending"),
    Event("permission", permission=OPTIONS),
    asked("yes"),
    tool("t1", "completed"),
    tool("t2", "pending", "editFile"),
    tool("t2", "failed", "editFile"),
    Event("text", text="pass"),
    Event("text", text="from a child", agent="a"),
    Event("subagent", subagent=Subagent(id="a"), subagent_change="spawned"),
    Event("subagent", subagent=Subagent(id="a"), subagent_change="finished"),
    turn("ended", stop_reason="end_turn"),
)


def verdict(text: str, items: list[Item]) -> str:
    [outcome] = check([expectation(text)], Evidence().gather(items))
    return outcome.verdict


@pytest.mark.rule("CLI-33", "CLI-34")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("valid", "ok"),
        ("balanced", "ok"),
        ("stop=end_turn", "ok"),
        ("stop != end_turn", "FAILED"),
        ('text~"all tests pass$"', "ok"),
        ("text~child", "FAILED"),
        ("text!~child", "ok"),
        ("tool=Bash", "ok"),
        ("tool=edit*", "ok"),
        ("tool!=Write", "ok"),
        ("tool!=B*", "FAILED"),
        ("tools:edit*<=1", "ok"),
        ("tools:*<2", "FAILED"),
        ("turns=1", "ok"),
        ("errors=0", "ok"),
        ("denied=0", "ok"),
        ("cost<0.50", "UNKNOWN"),
        ("rederives", "UNKNOWN"),
    ],
)
def test_an_expectation_is_judged_by_what_was_recorded(text: str, expected: str) -> None:
    assert verdict(text, GOOD) == expected


@pytest.mark.rule("CLI-33")
def test_what_failed_says_what_was_found() -> None:
    [stop, tools, text_] = check(
        [expectation("stop=cancelled"), expectation("tools:*=9"), expectation("tool=Write")], Evidence().gather(GOOD)
    )

    assert (stop.found, tools.found, text_.found) == ("end_turn", "2", "Bash, editFile, execute")


@pytest.mark.rule("CLI-34")
@pytest.mark.parametrize(
    ("items", "fault"),
    [
        (run(turn("started")), "turn turn-1 (event 1) has no ending"),
        (run(turn("ended", stop_reason="x")), "turn turn-1 ends without a beginning (event 1)"),
        (run(turn("started"), turn("started"), turn("ended")), "turn turn-1 begins twice (event 2)"),
        (run(Event("permission", permission=OPTIONS)), "ask perm-1 (event 1) has no ending"),
        (
            run(Event("permission", permission=OPTIONS), asked("yes"), asked("no")),
            "ask perm-1 ends without a beginning",
        ),
        (run(tool("t1", "pending"), tool("t1", "in_progress")), "tool t1 (event 1) has no ending"),
        ([text(1), text(3)], "event 3 follows 1"),
        ([text(1), Gap(ts="t", from_seq=2, to_seq=4, error="full"), text(5)], "a gap from event 2 on: full"),
    ],
)
def test_an_opening_without_its_one_ending_is_not_balanced(items: list[Item], fault: str) -> None:
    [outcome] = check([expectation("balanced")], Evidence().gather(items))

    assert outcome.verdict == "FAILED"
    assert fault in outcome.found


@pytest.mark.rule("STORE-11")
def test_numbers_that_fall_back_at_the_start_of_a_file_are_no_fault() -> None:
    assert verdict("balanced", [header(), text(1), text(2), header("b"), text(2), text(3)]) == "ok"
    assert verdict("balanced", [header(), text(1), text(2), text(2)]) == "FAILED"
    assert verdict("balanced", [header(), text(1), header("b"), text(5)]) == "FAILED"


@pytest.mark.rule("CLI-34")
def test_an_ask_that_was_never_shown_needs_no_opening_and_counts_as_denied() -> None:
    unshown = Ask(
        id="perm-x1",
        kind="permission",
        outcome="automatic",
        by="policy",
        option_id="no",
        body=AskBody(permission=OPTIONS),
    )
    items = run(Event("ask", ask=unshown), Event("permission", permission=OPTIONS), asked("no"))

    assert verdict("balanced", items) == "ok"
    assert verdict("denied=2", items) == "ok"


@pytest.mark.rule("CLI-34", "CLI-35")
def test_errors_are_counted_once_a_failure_and_undelivered_answers_with_them() -> None:
    broke = Failure(message="x", error_class="provider", code=1)
    evidence = Evidence().gather(
        run(
            turn("started"),
            Event("error", err=broke),
            turn("ended", err_class="provider", err="x"),
            turn("started"),
            turn("ended", err_class="closed", err="y"),
        )
    )
    evidence.undelivered(1)

    assert [one.verdict for one in check([expectation("errors=3"), expectation("stop=closed")], evidence)] == ["ok"] * 2


@pytest.mark.rule("CLI-34")
def test_cost_is_that_of_the_whole_session_in_dollars() -> None:
    spend = Spend(
        input=1, output=1, reasoning=0, cache_read=0, cache_creation=0, cost_pico_usd=250_000_000_000, unpriced=False
    )
    native = Event("meta", state=State(usage=Usage(context_tokens=0, context_window=0, turn=spend, session=spend)))
    said = msgspec.Raw(b'{"source":"agent","cost":{"amount":"0.75","currency":"USD"}}')
    euros = msgspec.Raw(b'{"source":"agent","cost":{"amount":"0.75","currency":"EUR"}}')

    assert verdict("cost=0.25", run(native)) == "ok"
    assert verdict("cost>=0.75", [FactLine(ts="", after=0, kind="usage", data=said)]) == "ok"
    assert verdict("cost>=0.75", [FactLine(ts="", after=0, kind="usage", data=euros)]) == "UNKNOWN"


@pytest.mark.rule("CLI-34")
def test_valid_names_damage_refused_events_and_what_the_schema_says() -> None:
    items: list[Item] = [Record.of(1, b'{"type":"text","text":7}'), text(2), Damage("torn", 9, b"{")]

    evidence = Evidence(lambda item: "unknown key $.x" if item.seq == 2 else "").gather(items)

    assert len(evidence.faults) == 3
    assert evidence.faults[1:] == ["event 2: unknown key $.x", "line 9 is torn"]


@pytest.mark.rule("CLI-34")
@pytest.mark.parametrize("found", ["", "row 7: other bytes", None])
def test_rederives_is_what_the_replayer_says(found: str | None) -> None:
    [outcome] = check([expectation("rederives")], Evidence(), lambda: found)

    assert outcome.verdict == {"": "ok", None: "UNKNOWN"}.get(found, "FAILED")


@pytest.mark.rule("CLI-34")
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("colour=red", "nothing is called"),
        ("turns", "needs an operator"),
        ("turns~3", "cannot be compared"),
        ("turns=many", "no number"),
        ("text~(", "no regular expression"),
        ("valid=1", "cannot be compared"),
        ("tools=3", "takes a glob"),
        ("turns:x=3", "no argument"),
        ("= 3", "not an expectation"),
    ],
)
def test_a_wrong_expression_is_refused_with_its_fault(text: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        expectation(text)
    with pytest.raises(UsageError, match="file:2"):
        expectations(f"# fine\n{text}", "file")


@pytest.mark.rule("CLI-34")
def test_an_expect_file_holds_one_a_line_with_comments() -> None:
    assert [one.text for one in expectations("# a run\n\nvalid\n  turns <= 3\n", "f")] == ["valid", "turns <= 3"]


@pytest.mark.rule("STORE-29", "CLI-33")
async def test_a_recording_reads_the_same_from_a_journal_and_from_its_events(tmp_path: Path) -> None:
    records = [one for one in GOOD if isinstance(one, Record)]
    journal = await written(tmp_path / "j.jsonl", *records)
    fact = json.dumps({"after": 2, "fact": {"kind": "usage", "data": {"a": 1}}}).encode()
    bare = tmp_path / "bare"
    bare.write_bytes(b"\n".join([*(one.body for one in records), fact, b"[]", b'{"result":{}}', b"{"]))

    from_journal = [one for one in recording(find(str(journal), tmp_path)) if isinstance(one, Record)]
    from_events = list(recording(find(str(bare), tmp_path)))

    assert [one.body for one in from_journal] == [one.body for one in records]
    assert [one.body for one in from_events if isinstance(one, Record)] == [one.body for one in records]
    assert [one.kind for one in from_events if isinstance(one, FactLine)] == ["usage"]
    assert [one.reason for one in from_events if isinstance(one, Damage)] == ["broken", "torn"]
