"""Tool calls: merging, cutting, counting, closing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from craze.codec import Diff, Event, Stamp, Task, Tool, ToolOutput
from craze.engine.changes import count_lines
from craze.engine.limits import DIFF_TEXTS, KIB, RAW_INPUT, TOOL_FINAL_TAIL, TOOL_HEAD, TOOL_RUNNING_TAIL
from craze.engine.ports import ToolPatch
from craze.engine.tools import FINISHED_CALLS, TERMINAL, Tools

AT = Stamp("2026-11-30T12:00:00Z")


def patched(tools: Tools, **fields: object) -> Tool:
    """The call as the event of this patch says it."""
    event = tools.patch(ToolPatch(**{"id": "c", **fields}), AT, turn="turn-1")
    assert event is not None
    assert event.tool is not None
    return event.tool


def output(tool: Tool) -> ToolOutput:
    assert tool.output is not None
    return tool.output


@pytest.mark.rule("ENG-86")
def test_the_first_patch_of_an_id_creates_a_pending_call_of_kind_other() -> None:
    event = Tools().patch(ToolPatch(id="t", title="ls", name="ls"), AT)

    assert event == Event("tool", tool=Tool(id="t", name="ls", title="ls", status="pending", kind="other"), at=AT)


@pytest.mark.rule("ENG-86")
def test_what_a_patch_does_not_set_stays_and_what_it_clears_goes() -> None:
    tools = Tools()
    patched(tools, title="edit", locations=("a", "b"), raw_input='{"a":1}', content_text="old", task=Task())

    kept = patched(tools, status="in_progress")
    cleared = patched(tools, locations=None, raw_input=None, content_text=None, task=None, diffs=None)

    assert (kept.title, kept.locations, kept.content_text) == ("edit", ("a", "b"), "old")
    assert cleared == Tool(id="c", title="edit", status="in_progress", kind="other")


@pytest.mark.rule("ENG-86")
def test_a_list_replaces_the_earlier_one() -> None:
    tools = Tools()
    patched(tools, locations=("a", "b"))

    assert patched(tools, locations=("c",)).locations == ("c",)


@pytest.mark.rule("ENG-86", "ENG-89")
def test_output_is_merged_field_by_field_and_exit_code_zero_is_a_code() -> None:
    tools = Tools()
    patched(tools, output=ToolOutput(stdout="out", exit_code=1))

    tool = patched(tools, output=ToolOutput(stderr="err", exit_code=0))

    assert tool.output == ToolOutput(stdout="out", stderr="err", exit_code=0)
    assert patched(tools, output=None).output is None


@pytest.mark.rule("ENG-86")
def test_pieces_of_stdout_are_put_behind_what_is_there() -> None:
    tools = Tools()
    patched(tools, output=ToolOutput(stdout="a"))

    assert output(patched(tools, stdout_add="b")).stdout == "ab"


@pytest.mark.rule("ENG-86")
def test_a_patch_that_changes_nothing_is_no_event() -> None:
    tools = Tools()
    patch = ToolPatch(id="c", title="ls", output=ToolOutput(stdout="x"))
    tools.patch(patch, AT)

    assert tools.patch(patch, AT) is None
    assert tools.patch(ToolPatch(id="c"), AT) is None


@pytest.mark.rule("ENG-86", "ENG-2")
def test_calls_of_different_agents_with_the_same_id_are_different_calls() -> None:
    tools = Tools()
    patched(tools, title="main")
    patched(tools, title="child", agent="kid")

    assert [tool and tool.title for tool in (tools.get("c"), tools.get("c", "kid"))] == ["main", "child"]


@pytest.mark.rule("ENG-87")
@pytest.mark.parametrize("terminal", sorted(TERMINAL))
def test_a_terminal_status_stays_and_late_output_is_still_added(terminal: str) -> None:
    tools = Tools()
    patched(tools, status=terminal)

    late = patched(tools, status="in_progress", stdout_add="late")

    assert (late.status, output(late).stdout) == (terminal, "late")


@pytest.mark.rule("ENG-87")
def test_an_unknown_status_is_kept_and_ends_nothing() -> None:
    tools = Tools()

    assert patched(tools, status="meditating").status == "meditating"
    assert patched(tools, status="completed").status == "completed"


@pytest.mark.rule("ENG-2")
def test_with_another_agent_process_the_same_id_is_another_call() -> None:
    tools = Tools()
    patched(tools, status="completed", title="before")
    tools.renew()

    assert patched(tools, title="after").status == "pending"


@pytest.mark.rule("ENG-88", "ACP-71")
def test_a_running_call_shows_the_last_8_kib_and_a_finished_one_the_last_256() -> None:
    tools = Tools()
    text = "".join(f"{number:07}\n" for number in range(40_000))

    running = output(patched(tools, stdout_add=text))
    final = output(patched(tools, status="completed"))

    assert running.stdout == text[-TOOL_RUNNING_TAIL:]
    assert final.stdout == text[-TOOL_FINAL_TAIL:]
    assert running.stdout_head == final.stdout_head == text[:TOOL_HEAD]
    assert running.truncated
    assert final.truncated


@pytest.mark.rule("ENG-88")
def test_what_fits_at_the_end_is_whole_again() -> None:
    tools = Tools()
    text = "x" * (TOOL_RUNNING_TAIL + 1)

    assert output(patched(tools, stdout_add=text)).truncated
    assert output(patched(tools, status="failed")) == ToolOutput(stdout=text)


@pytest.mark.rule("ENG-88")
def test_a_long_content_text_is_cut_too_and_says_so() -> None:
    tool = patched(Tools(), content_text="y" * (TOOL_RUNNING_TAIL + 1))

    assert len(tool.content_text) == TOOL_RUNNING_TAIL
    assert output(tool) == ToolOutput(truncated=True)


@pytest.mark.rule("ENG-88")
@given(st.text(alphabet="aé€🚀", min_size=1), st.integers(1, 4000))
def test_cuts_fall_between_characters(piece: str, times: int) -> None:
    text = piece * times

    shown = output(patched(Tools(), stdout_add=text)).stdout

    assert text.endswith(shown)
    assert len(shown.encode()) <= TOOL_RUNNING_TAIL
    assert shown == text or len(shown.encode()) > TOOL_RUNNING_TAIL - 4


def test_a_lone_surrogate_is_replaced_and_breaks_nothing() -> None:
    assert output(patched(Tools(), stdout_add="a\ud83d")).stdout == "a\ufffd"


@pytest.mark.rule("ENG-88")
def test_the_raw_input_is_the_exact_text_up_to_256_kib() -> None:
    exact = '{ "b": 1.0, "a": "\\u00e9" }'
    tools = Tools()

    assert patched(tools, raw_input=exact).raw_input == exact
    assert patched(tools, raw_input=json.dumps("z" * RAW_INPUT)).raw_input == '"' + "z" * (RAW_INPUT - 1)


@pytest.mark.rule("ENG-88", "ENG-89")
def test_a_huge_diff_loses_its_texts_and_keeps_its_counts() -> None:
    tool = patched(Tools(), diffs=(Diff(path="f", new_text="x" * KIB + "\n" + "y\n" * (DIFF_TEXTS // 2)),))

    assert tool.diffs == (Diff(path="f", added=DIFF_TEXTS // 2 + 1, truncated=True),)


@pytest.mark.rule("ENG-89")
@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("", "a\nb\n", (2, 0)),
        ("a\nb", "", (0, 2)),
        ("a\nb\nc\n", "a\nx\nc\n", (1, 1)),
        ("a\nb\n", "b\na\n", (1, 1)),
        ("a", "a\n", (0, 0)),
        ("same\n", "same\n", (0, 0)),
    ],
)
def test_added_and_removed_count_lines(old: str, new: str, counts: tuple[int, int]) -> None:
    assert count_lines(old, new) == counts


@pytest.mark.rule("ENG-89")
@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_counts_explain_the_difference_in_length(old: list[str], new: list[str]) -> None:
    added, removed = count_lines("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))

    assert len(old) + added - removed == len(new)
    assert 0 <= removed <= len(old)


@pytest.mark.rule("ENG-89")
def test_counts_of_the_agent_win() -> None:
    diff = Diff(path="f", old_text="a\n", new_text="b\n", added=7, removed=3)

    assert patched(Tools(), diffs=(diff,)).diffs == (diff,)


@pytest.mark.rule("ENG-86")
@pytest.mark.parametrize(
    ("outcome", "status"), [("clean", "completed"), ("failed", "failed"), ("cancelled", "cancelled")]
)
def test_a_settlement_closes_what_its_turn_left_open(outcome: str, status: str) -> None:
    tools = Tools()
    patched(tools, id="open")
    patched(tools, id="done", status="completed")
    patched(tools, id="behind", background=True)
    tools.patch(ToolPatch(id="other"), AT, turn="turn-2")

    closed = tools.close("turn-1", outcome, AT)  # pyright: ignore[reportArgumentType]

    assert [(event.tool and event.tool.id, event.tool and event.tool.status) for event in closed] == [("open", status)]


@pytest.mark.rule("ENG-86")
@pytest.mark.parametrize("outcome", ["clean", "cancelled"])
def test_a_call_whose_permission_was_refused_is_closed_as_failed(outcome: str) -> None:
    tools = Tools()
    patched(tools)
    tools.refused("c")

    (event,) = tools.close("turn-1", outcome, AT)  # pyright: ignore[reportArgumentType]

    assert event.tool == Tool(id="c", status="failed", kind="other")


@pytest.mark.rule("ENG-86", "ENG-112")
def test_at_the_end_of_a_session_background_calls_are_closed_too() -> None:
    tools = Tools()
    patched(tools, id="a", background=True)
    tools.patch(ToolPatch(id="b", agent="kid"), AT)

    closed = tools.close(None, "cancelled", AT)

    assert [(event.agent, event.tool and event.tool.status) for event in closed] == [
        ("", "cancelled"),
        ("kid", "cancelled"),
    ]
    assert tools.close(None, "cancelled", AT) == ()


def test_calls_of_one_child_can_be_closed_alone_and_those_of_another_be_spared() -> None:
    tools = Tools()
    for agent in ("", "kid", "far"):
        patched(tools, agent=agent)

    first = tools.close("turn-1", "clean", AT, agent="kid")
    rest = tools.close("turn-1", "clean", AT, spare={"far"})

    assert [event.agent for event in (*first, *rest)] == ["kid", ""]


@pytest.mark.rule("ENG-133")
def test_calls_known_from_permission_requests_alone_are_not_left_open() -> None:
    tools = Tools()
    patched(tools, id="asked", from_ask=True)
    patched(tools, id="both", from_ask=True)
    patched(tools, id="both", title="seen")
    patched(tools, id="kid's", agent="kid")

    assert tools.left_open("turn-1", spare={"kid"}) == 1
    assert len(tools.close("turn-1", "clean", AT)) == 3
    assert tools.left_open("turn-1") == 0


def test_replayed_calls_say_so() -> None:
    tools = Tools()

    event = tools.patch(ToolPatch(id="c"), AT, replayed=True)
    live = tools.patch(ToolPatch(id="c", status="completed"), AT)

    assert event is not None
    assert event.replayed
    assert live is not None
    assert not live.replayed


def test_of_very_old_calls_the_id_alone_is_kept() -> None:
    tools = Tools()
    for number in range(FINISHED_CALLS + 1):
        patched(tools, id=str(number), status="completed")

    assert tools.get("0") is None
    assert tools.patch(ToolPatch(id="0", stdout_add="too late"), AT) is None
    assert output(patched(tools, id="1", stdout_add="late")).stdout == "late"


def test_the_memory_of_a_call_is_bounded_whatever_it_prints() -> None:
    tools = Tools()
    for number in range(64):
        patched(tools, stdout_add="x" * 100 * KIB + str(number))

    call = tools._open["", "c"]  # pyright: ignore[reportPrivateUsage]

    assert call.weight <= 2 * TOOL_FINAL_TAIL + 101 * KIB + TOOL_HEAD


STATUSES = [*sorted(TERMINAL), "pending", "in_progress", "odd"]
PATCHES = st.builds(
    ToolPatch,
    id=st.sampled_from("ab"),
    agent=st.sampled_from(["", "kid"]),
    background=st.booleans(),
    from_ask=st.booleans(),
    title=st.one_of(st.just(UNSET), st.sampled_from(["", "one", "two"])),
    status=st.one_of(st.just(UNSET), st.sampled_from(STATUSES)),
    locations=st.one_of(st.just(UNSET), st.none(), st.just(("f",))),
    output=st.one_of(st.just(UNSET), st.none(), st.builds(ToolOutput, stdout=st.text(max_size=3))),
    stdout_add=st.text(max_size=3),
)


@pytest.mark.rule("ENG-17", "ENG-86", "ENG-87")
@given(st.lists(PATCHES, max_size=30))
def test_every_call_ends_once_and_every_event_says_something_else(patches: list[ToolPatch]) -> None:
    tools = Tools()
    shown: dict[tuple[str, str], Tool] = {}

    events = [event for patch in patches if (event := tools.patch(patch, AT, turn="turn-1"))]
    events += tools.close(None, "cancelled", AT)

    for event in events:
        assert event.tool is not None
        key = (event.agent, event.tool.id)
        before = shown.get(key)
        assert event.tool != before
        assert before is None or before.status not in TERMINAL or before.status == event.tool.status
        shown[key] = event.tool
    assert all(tool.status in TERMINAL for tool in shown.values())
    assert all(tools.get(key[1], key[0]) == tool for key, tool in shown.items())
    assert set(shown) == {(patch.agent, patch.id) for patch in patches}


@pytest.mark.rule("ENG-86")
@given(st.lists(st.text(max_size=2000), min_size=1, max_size=20))
def test_pieces_give_the_same_call_as_the_whole(pieces: list[str]) -> None:
    apart, whole = Tools(), Tools()
    for piece in pieces:
        apart.patch(ToolPatch(id="c", stdout_add=piece), AT)
    whole.patch(ToolPatch(id="c", stdout_add="".join(pieces)), AT)

    assert apart.get("c") == whole.get("c")
