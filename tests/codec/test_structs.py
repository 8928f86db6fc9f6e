"""The shapes: which keys, in which order, what is left out and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import craze.codec
from craze.codec import (
    TYPES,
    Ask,
    Catalog,
    CatalogModel,
    Command,
    Commands,
    Config,
    Event,
    Failure,
    PluginCommand,
    Plugins,
    Question,
    Replay,
    SendNow,
    Slash,
    Spend,
    State,
    Stray,
    Task,
    Todo,
    Tool,
    ToolOutput,
    Turn,
    Usage,
    decode,
    decode_as,
    encode,
    stamp,
)
from tests.codec.strategies import LEAVES, STRUCTS

# CODEC-10, one line a struct: `!` always written, `?` presence kept.
KEYS = Path(__file__).with_name("keys.txt").read_text("utf-8")
ORDER = {name: keys.split() for name, keys in (line.split(": ") for line in KEYS.splitlines())}
ZEROS: dict[type[msgspec.Struct], dict[str, object]] = {
    Event: {"type": "x"},
    craze.codec.SlashItem: {"name": "x"},
    craze.codec.SlashRun: {"kind": "x"},
}


def empty(kind: type[msgspec.Struct]) -> msgspec.Struct:
    """A struct with nothing but its always-written keys, at zero where that is possible."""
    plain = ZEROS.get(kind, {})
    return decode(json.dumps(plain).encode()) if kind is Event else decode_as(kind, json.dumps(plain).encode())  # type: ignore[return-value, type-var]


@pytest.mark.rule("CODEC-10", "CODEC-11", "CODEC-97")
@pytest.mark.parametrize("kind", STRUCTS)
def test_keys_stand_in_the_order_of_the_page(kind: type[msgspec.Struct]) -> None:
    wanted = [key.rstrip("!?") for key in ORDER[kind.__name__]]

    assert list(kind.__struct_encode_fields__) == wanted


@pytest.mark.rule("CODEC-11")
@pytest.mark.parametrize("kind", STRUCTS)
def test_an_attribute_is_its_key_in_snake_case(kind: type[msgspec.Struct]) -> None:
    for field in msgspec.structs.fields(kind):
        first, *rest = field.name.split("_")
        key = first + "".join(map(str.title, rest))

        assert (field.name, field.encode_name) == ("error_class", "class") or field.encode_name == key


@pytest.mark.rule("CODEC-17", "CODEC-15")
@pytest.mark.parametrize("kind", STRUCTS)
def test_only_always_written_keys_are_written_at_zero(kind: type[msgspec.Struct]) -> None:
    always = [key[:-1] for key in ORDER[kind.__name__] if key.endswith("!")]

    assert list(json.loads(encode(empty(kind)))) == always  # type: ignore[arg-type]


@pytest.mark.rule("CODEC-97", "CODEC-19")
@pytest.mark.parametrize("kind", STRUCTS)
def test_structs_are_frozen_untracked_and_without_defaults_in_their_bytes(kind: type[msgspec.Struct]) -> None:
    config = kind.__struct_config__

    assert (config.frozen, config.gc, config.omit_defaults) == (True, False, True)
    with pytest.raises(AttributeError):
        setattr(empty(kind), kind.__struct_fields__[0], "other")
    with pytest.raises(TypeError):
        kind("one", "two")


@pytest.mark.rule("CODEC-97")
def test_only_the_type_of_an_event_is_positional_and_always_written_keys_must_be_given() -> None:
    assert Event("text", text="Hi", at=stamp(0)) == Event(type="text", text="Hi", at=stamp(0))
    with pytest.raises(TypeError):
        Failure(message="x")  # type: ignore[call-arg]


FLAGS = [(kind, field) for kind in STRUCTS for field in msgspec.structs.fields(kind) if "bool" in str(field.type)]


@pytest.mark.rule("CODEC-152", "CODEC-15")
@pytest.mark.parametrize(("kind", "flag"), FLAGS, ids=[f"{kind.__name__}.{flag.name}" for kind, flag in FLAGS])
def test_a_boolean_that_is_true_writes_exactly_its_key(
    kind: type[msgspec.Struct], flag: msgspec.structs.FieldInfo
) -> None:
    before = json.loads(encode(empty(kind)))  # type: ignore[arg-type]
    after = json.loads(encode(msgspec.structs.replace(empty(kind), **{flag.name: True})))  # type: ignore[arg-type]

    assert after == {**before, flag.encode_name: True}
    assert len(FLAGS) == 19


@pytest.mark.rule("CODEC-1", "CODEC-2", "CODEC-25")
def test_an_event_is_one_compact_line_that_starts_with_its_type() -> None:
    line = encode(Event("text", text="a\nb", agent="child", at=stamp(1)))

    assert line == b'{"type":"text","text":"a\\nb","agent":"child","at":"1970-01-01T00:00:00.000000001Z"}'
    assert craze.codec.EVENT_CODEC == 1
    assert "seq" not in Event.__struct_fields__


@pytest.mark.rule("CODEC-6")
def test_the_types_are_those_of_the_page() -> None:
    assert len(TYPES) == len(set(TYPES)) == 19
    assert TYPES[:3] == ("text", "thought", "tool")


@pytest.mark.rule("CODEC-5", "CODEC-9", "CODEC-44")
@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"hologram","text":"known key","todos":[{"status":"dreaming"}]}',
        b'{"type":"done","tool":{"id":"1","status":"paused","kind":"magic"},"queueChange":"teleported"}',
        b'{"type":"turn","turn":{"phase":"halfway","origin":"moon"},"ask":{"outcome":"shrug","by":"cat"}}',
    ],
)
def test_any_key_stands_in_any_type_and_unknown_values_are_kept(line: bytes) -> None:
    assert encode(decode(line)) == line


@pytest.mark.rule("CODEC-8")
def test_a_change_of_ours_has_a_cause_and_one_of_the_agent_names_what_it_changed() -> None:
    ours = Event("meta", state=State(mode="plan"), cause="c-1/7")
    theirs = Event("meta", mode="ask", state=State(mode="ask"))

    assert encode(ours) == b'{"type":"meta","state":{"mode":"plan"},"cause":"c-1/7"}'
    assert encode(theirs) == b'{"type":"meta","mode":"ask","state":{"mode":"ask"}}'


@pytest.mark.rule("CODEC-7")
def test_every_type_may_carry_time_replay_mark_cause_and_agent() -> None:
    for kind in TYPES:
        event = Event(kind, at=stamp(1), replayed=True, cause="c/1", agent="child")

        assert decode(encode(event)) == event


@pytest.mark.rule("CODEC-16")
def test_present_and_empty_is_not_absent() -> None:
    everything = State(
        title="",
        mode="",
        model="",
        config=Config(),
        commands=Commands(),
        plugins=Plugins(),
        slash=Slash(),
        send_now=SendNow(),
    )

    for event in (
        Event("meta", state=State()),
        Event("meta", state=everything),
        Event("tool", tool=Tool(task=Task(), output=ToolOutput(exit_code=0))),
        Event("replay", replay=Replay()),
    ):
        assert decode(encode(event)) == event
    assert Event("meta", state=State()) != Event("meta")
    assert encode(Tool(output=ToolOutput(exit_code=0), task=Task())) == b'{"output":{"exitCode":0},"task":{}}'


@pytest.mark.rule("CODEC-17", "CODEC-64")
def test_always_written_keys_are_filled_when_missing_or_null() -> None:
    nothing = Spend(input=0, output=0, reasoning=0, cache_read=0, cache_creation=0, cost_pico_usd=0, unpriced=False)

    assert decode(b'{"type":"error","err":{"code":null}}').err == Failure(message="", error_class="", code=0)
    assert decode_as(State, b'{"usage":{}}').usage == Usage(
        context_tokens=0, context_window=0, turn=nothing, session=nothing
    )
    assert decode_as(Catalog, b'{"models":[null]}') == Catalog(models=(CatalogModel(id="", name=""),), revision=0)
    assert encode(nothing).count(b":") == 7


@pytest.mark.rule("CODEC-18")
def test_a_wholly_zero_plugin_command_is_none() -> None:
    assert Command(plugin_command=PluginCommand(), text="t") == Command(text="t")
    assert decode_as(Command, b'{"pluginCommand":{}}') == Command()
    assert encode(Command(plugin_command=PluginCommand())) == b"{}"


@pytest.mark.rule("CODEC-19")
def test_an_empty_list_and_no_list_are_the_same_tuple() -> None:
    assert decode(b'{"type":"todos","todos":[]}') == decode(b'{"type":"todos"}') == Event("todos", todos=())
    assert decode(b'{"type":"todos","todos":[{"id":"1"}]}').todos == (Todo(id="1"),)


@pytest.mark.rule("CODEC-20")
def test_no_answer_and_an_empty_one_are_both_kept() -> None:
    question = Question(answers={"q1": ("a",), "q2": None, "q3": ()})

    assert encode(question) == b'{"answers":{"q1":["a"],"q2":null,"q3":[]}}'
    assert decode_as(Question, encode(question)).answers == {"q1": ("a",), "q2": None, "q3": ()}
    assert encode(Ask(answers={})) == b"{}"


@pytest.mark.rule("CODEC-73")
def test_a_failed_turn_has_two_strings() -> None:
    assert encode(Turn(err_class="auth", err="sign in")) == b'{"errClass":"auth","err":"sign in"}'


@pytest.mark.rule("CODEC-91")
def test_a_changed_event_is_another_one() -> None:
    event = Event("text", text="a")

    assert msgspec.structs.replace(event, text="b") == Event("text", text="b")
    assert event == Event("text", text="a")


@pytest.mark.rule("CODEC-95", "CODEC-96")
def test_the_public_names_are_those_of_the_page() -> None:
    functions = {"encode", "decode", "decode_as", "decode_lines", "iter_records", "ns", "stamp", "canonical", "failure"}
    functions |= {"exception", "fit_catalog", "is_slash_name", "event_schema"}
    constants = {"EVENT_CODEC", "TYPES", "ZERO_NS"}
    errors = {"CodecError", "DecodeError", "EncodeError", "BadTime", "ProviderError"}
    errors |= {"AuthRequired", "AgentClosed", "AgentExited", "AgentNotFound"}
    kinds = {kind.__name__ for kind in STRUCTS} | {"Leaf", "Record", "Omitted", "Stray", "Stamp"}

    assert set(craze.codec.__all__) == functions | constants | errors | kinds
    assert {kind.__name__ for kind in LEAVES} | {"Event"} == set(ORDER)
    assert Stray(number=1, offset=0, line=b"x", reason="broken").reason == "broken"
