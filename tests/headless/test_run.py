from __future__ import annotations

import asyncio

import msgspec
import pytest

from craze.cli.exit_codes import NUMBERS
from craze.codec import (
    CommandInfo,
    Commands,
    Config,
    ConfigOption,
    Event,
    Failure,
    Permission,
    PermissionOption,
    SelectValue,
    State,
    Subagent,
    Tool,
    Turn,
    decode,
)
from craze.engine.answers import OpenAsk
from craze.engine.facts import Info, Login, LoginMethod, fact
from craze.engine.ports import AskOpened, Foreign, Gone, Opened, PromptBack, Returned, ToolPatch, TurnEnded, TurnFailed
from craze.engine.rules import Rule
from craze.errors import AuthRequired, CrazeError, ExitName, ProviderError, UsageError
from craze.headless.json import Bare, Envelope
from craze.headless.printer import Printer
from craze.headless.progress import Progress
from craze.headless.run import Plan, Run
from craze.headless.text import Words
from craze.headless.wishes import Wishes
from tests.headless.scripted import Agent, Script, echo, pass_time, session_of


class Memory:
    """Standard output as bytes; `error` is what the next write meets."""

    def __init__(self) -> None:
        self.data = b""
        self.error: OSError | None = None

    async def write(self, data: bytes) -> None:
        if self.error:
            raise self.error
        self.data += data

    @property
    def lines(self) -> list[bytes]:
        return self.data.splitlines()


class Ran:
    """A run, what it printed and what it said."""

    def __init__(self, agent: Agent, plan: Plan, printer: Printer, *rules: Rule, **session: str) -> None:
        self.agent, self.out, self.said = agent, Memory(), list[str]()
        self.session = session_of(agent, *rules, **session)
        self.killed = 0
        self.run = Run(
            self.session, plan, printer, self.out, self.said.append, number=NUMBERS.__getitem__, kill=self._kill
        )

    def _kill(self) -> None:
        self.killed += 1

    async def __call__(self) -> ExitName:
        async with asyncio.timeout(60):
            return await self.run()

    async def turn_is_over(self) -> None:
        while self.session.view.turn:  # noqa: ASYNC110 - the loop goes on at once
            await asyncio.sleep(0)


def ran(
    script: Script = echo, *prompts: str, printer: Printer | None = None, rules: tuple[Rule, ...] = (), **more: object
) -> Ran:
    session = {key: str(more.pop(key)) for key in ("preset", "after_short") if key in more}
    agent = more.pop("agent", None) or Agent(script)
    plan = Plan(prompts=prompts or ("hello",), **more)  # type: ignore[arg-type]
    return Ran(agent, plan, printer or Bare(), *rules, **session)  # type: ignore[arg-type]


def ends(reason: str) -> Script:
    async def script(agent: Agent, text: str) -> None:
        agent.say(TurnEnded(stop_reason=reason))

    return script


@pytest.mark.rule("CLI-8", "CLI-10")
async def test_follow_ups_run_one_after_another_and_text_has_a_blank_line_between() -> None:
    it = ran(echo, "one", "two", "three", printer=Words(terminal=False))

    assert await it() == "done"
    assert it.agent.heard == ["one", "two", "three"]
    assert it.out.data == b"you said: one\n\nyou said: two\n\nyou said: three\n"


def printed(*events: Event) -> str:
    words = Words(terminal=False)
    return b"".join(map(words.event, events)).decode()


def said(text: str, agent: str = "") -> Event:
    return Event("text", text=text, agent=agent)


def called(id_: str, agent: str = "") -> Event:
    return Event("tool", tool=Tool(id=id_, name="Bash", status="pending"), agent=agent)


ENDED = Event("turn", turn=Turn(id="turn-1", phase="ended", stop_reason="end_turn"))


@pytest.mark.rule("CLI-10")
@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([said("Let me "), said("look."), called("a"), said("Done."), ENDED], "Let me look.\n\nDone.\n"),
        ([said("Let me "), Event("thought", text="hm"), said("look."), ENDED], "Let me \n\nlook.\n"),
        ([called("a"), said("Let me "), called("a"), said("look."), ENDED], "Let me look.\n"),
        ([said("Let me "), called("b", "child"), said("no", "child"), said("look."), ENDED], "Let me look.\n"),
        ([said("one\n"), called("a"), said("two\n\n"), called("b"), said("three"), ENDED], "one\n\ntwo\n\nthree\n"),
        ([said("one"), called("a"), said("\n"), said("two"), ENDED, said("\n\n\nthree")], "one\n\ntwo\n\n\n\nthree"),
        ([called("a"), ENDED, ENDED, said("one"), ENDED, ENDED, said("two"), ENDED], "one\n\ntwo\n"),
    ],
)
def test_a_blank_line_stands_between_two_messages_and_none_within_one(events: list[Event], text: str) -> None:
    assert printed(*events) == text


@pytest.mark.rule("CLI-11")
async def test_every_event_is_printed_as_its_codec_bytes_from_begin_to_end() -> None:
    it = ran(echo, "one", "two")

    await it()

    events = [decode(line) for line in it.out.lines]
    assert [event.turn.phase for event in events if event.turn] == ["started", "ended", "started", "ended"]
    assert len(it.out.lines) == it.session.view.seq


@pytest.mark.rule("CLI-12")
async def test_the_envelope_numbers_events_adds_facts_and_ends_with_a_result() -> None:
    it = ran(printer=Envelope())

    await it()

    lines = [msgspec.json.decode(line) for line in it.out.lines]
    assert [line["seq"] for line in lines if "seq" in line] == list(range(1, it.session.view.seq + 1))
    assert lines[0] == {"after": 0, "fact": {"kind": "info", "data": lines[0]["fact"]["data"]}}
    assert lines[-1]["result"] == {"exit": 0, "session": "0194", "turns": 1, "stopReason": "end_turn", "denied": 0}


@pytest.mark.rule("CLI-3", "CLI-8")
@pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests", "refusal", "cancelled", "a new word"])
async def test_a_turn_that_ends_short_stops_the_chain_with_its_own_code(reason: str) -> None:
    it = ran(ends(reason), "one", "two")

    assert await it() == "short"
    assert it.agent.heard == ["one"]
    assert any("two" in line for line in it.said)


@pytest.mark.rule("CLI-8")
async def test_a_chain_may_go_on_after_a_short_turn() -> None:
    async def script(agent: Agent, text: str) -> None:
        agent.say(TurnEnded(stop_reason="max_tokens" if text == "one" else "end_turn"))

    it = ran(script, "one", "two", after_short="continue")

    assert await it() == "done"
    assert it.agent.heard == ["one", "two"]


@pytest.mark.rule("CLI-3", "CLI-8")
async def test_a_failed_turn_ends_the_chain_and_the_rest_stays_with_the_session() -> None:
    async def script(agent: Agent, text: str) -> None:
        agent.say(TurnFailed(failure=Failure(message="model\x1b[2J gone", error_class="rpc", code=-32603)))

    it = ran(script, "one", "two")

    assert await it() == "failed"
    assert [row.text for row in it.session.view.queue] == ["two"]
    assert "not sent, it stays with the session: two" in it.said


@pytest.mark.rule("CLI-3")
async def test_a_sign_in_that_is_needed_ends_the_run_with_the_command() -> None:
    login = Login(required=True, methods=(LoginMethod(id="x", kind="terminal", command=("agent", "login")),))
    it = ran(agent=Agent(echo, fact(login)))

    with pytest.raises(AuthRequired) as caught:
        await it()

    assert "agent login" in caught.value.hint
    assert not it.agent.heard


@pytest.mark.rule("CLI-3")
async def test_a_failed_start_sends_nothing_and_says_why() -> None:
    failure = Failure(message="it did not start", error_class="agent_exited", code=0)
    it = ran(agent=Agent(echo, Returned(call="open", failure=failure)))

    assert await it() == "failed"
    assert any("it did not start" in line for line in it.said)
    assert not it.agent.heard


@pytest.mark.rule("CLI-52")
async def test_an_agent_that_dies_in_a_turn_ends_the_run() -> None:
    async def script(agent: Agent, text: str) -> None:
        agent.say(Gone(failure=Failure(message="killed", error_class="agent_exit_status", code=-1)))

    it = ran(script, "one", "two")

    assert await it() == "failed"
    assert it.agent.heard == ["one"]


def exits(at: str, times: int, *first: Event) -> Script:
    """Ends by itself, `times` times, when it is given the prompt `at`, after it has said `first`."""
    left = [times]

    async def script(agent: Agent, text: str) -> None:
        if text != at or not left[0]:
            return agent.say(TurnEnded(stop_reason="end_turn"))
        left[0] -= 1
        return agent.say(*first, Gone(failure=Failure(message="the agent exited", error_class="agent_exited", code=0)))

    return script


CAN_REOPEN = Opened(info=Info(agent="scripted", provider_session="s-1", can=frozenset({"reopen"})))


@pytest.mark.rule("CLI-52", "ACP-128")
async def test_an_agent_that_ends_between_two_turns_is_started_again_and_gets_the_prompt() -> None:
    it = ran(exits("two", 1), "one", "two", "three")

    assert await it() == "done"
    assert it.agent.heard == ["one", "two", "two", "three"]
    assert it.said == ["the agent exited", "the agent ended between two turns; starting it again"]
    assert (it.run.progress.turns, it.session.view.queue) == (3, ())


@pytest.mark.rule("CLI-52")
@pytest.mark.parametrize(
    ("at", "times", "first", "heard"),
    [
        ("two", 2, (), ["one", "two", "two"]),
        ("two", 1, (Event("text", text="I begin"),), ["one", "two"]),
        ("one", 1, (), ["one"]),
    ],
    ids=["a second time", "in the middle of the turn", "in the first turn"],
)
async def test_an_agent_is_not_started_again(at: str, times: int, first: tuple[Event, ...], heard: list[str]) -> None:
    it = ran(exits(at, times, *first), "one", "two", "three")

    assert await it() == "failed"
    assert it.agent.heard == heard


async def dies_beside_a_turn_of_its_own(agent: Agent, text: str) -> None:
    agent.say(TurnEnded(stop_reason="end_turn"))
    if text == "one":
        agent.say(Foreign(running=True), PromptBack(reason="foreign_turn"))
        agent.say(Gone(failure=Failure(message="killed", error_class="agent_exit_status", code=-1)))


@pytest.mark.rule("CLI-52")
async def test_a_prompt_that_waits_for_a_turn_of_the_agent_survives_its_death() -> None:
    it = ran(dies_beside_a_turn_of_its_own, "one", "two", agent=Agent(dies_beside_a_turn_of_its_own, CAN_REOPEN))

    assert await it() == "done"
    assert it.agent.heard[-1] == "two"


@pytest.mark.rule("CLI-52")
async def test_an_agent_whose_session_cannot_be_opened_again_ends_the_run_with_a_word() -> None:
    it = ran(dies_beside_a_turn_of_its_own, "one", "two")

    with pytest.raises(CrazeError, match="cannot open its session again"):
        await it()
    assert "not sent, it stays with the session: two" in it.said


def asks(*kinds: str, tool: str = "execute") -> Script:
    async def script(agent: Agent, text: str) -> None:
        options = tuple(PermissionOption(option_id=kind, name=kind, kind=kind) for kind in kinds)
        agent.say(ToolPatch(id="c", name="Bash", kind=tool, status="pending", locations=("/work/a",)))
        agent.say(AskOpened(key="k", ask=OpenAsk(body=Permission(tool="c", options=options), tool="c")))
        agent.say(ToolPatch(id="c", status="completed"), TurnEnded(stop_reason="end_turn"))

    return script


@pytest.mark.rule("CLI-19", "CLI-21")
async def test_a_preset_that_denies_names_the_tool_and_what_would_have_allowed_it() -> None:
    it = ran(asks("allow_once", "reject_once"), "one", "two")

    assert await it() == "denied"
    assert it.said.count("denied: Bash; --answers all would have allowed it") == 1
    assert it.run.progress.denied == 2


@pytest.mark.rule("CLI-21")
async def test_one_grant_is_enough_and_a_rule_of_the_person_is_no_denial() -> None:
    granted = ran(asks("allow_once", "reject_once"), preset="all")
    decided = ran(asks("allow_once", "reject_once"), rules=(Rule(kind="permission", do="deny"),))

    assert (await granted(), await decided()) == ("done", "done")


@pytest.mark.rule("CLI-21")
async def test_the_preset_fail_ends_the_run() -> None:
    async def script(agent: Agent, text: str) -> None:
        await asks("allow_once", "reject_once")(agent, text)

    it = ran(script, "one", "two", preset="fail")

    assert await it() == "denied"


@pytest.mark.rule("CLI-22")
async def test_a_time_limit_cancels_closes_and_says_what_ran() -> None:
    async def script(agent: Agent, text: str) -> None:
        agent.say(ToolPatch(id="c", name="Bash", status="in_progress", title="make all"))
        pass_time(30)
        await agent.cancelled.wait()
        agent.say(TurnEnded(stop_reason="cancelled"))

    it = ran(script, "one", "two", timeout=30)

    assert await it() == "timeout"
    assert any("make all" in line for line in it.said)
    assert it.agent.heard == ["one"]


@pytest.mark.rule("CLI-23")
async def test_a_signal_cancels_the_turn_and_sends_no_further_row() -> None:
    async def script(agent: Agent, text: str) -> None:
        it.run.interrupt()
        await agent.cancelled.wait()
        agent.say(TurnEnded(stop_reason="cancelled"))

    it = ran(script, "one", "two")

    assert await it() == "interrupted"
    assert (it.agent.heard, it.killed) == (["one"], 0)
    assert it.session.view.status == "closed"


@pytest.mark.rule("CLI-23")
async def test_a_second_signal_kills_the_agent() -> None:
    async def script(agent: Agent, text: str) -> None:
        it.run.interrupt()
        await agent.cancelled.wait()
        it.run.interrupt()
        agent.say(Gone(failure=Failure(message="killed", error_class="agent_exit_status", code=-1)))

    it = ran(script, "one")

    assert await it() == "interrupted"
    assert it.killed == 1


@pytest.mark.rule("CLI-2")
async def test_a_closed_output_is_like_a_signal_and_a_full_disk_is_said() -> None:
    async def script(agent: Agent, text: str) -> None:
        agent.say(Event("text", text="a"))
        await agent.cancelled.wait()
        agent.say(TurnEnded(stop_reason="cancelled"))

    closed, full = ran(script), ran(script)
    closed.out.error, full.out.error = BrokenPipeError(), OSError(28, "No space left on device")

    assert await closed() == "interrupted"
    assert await full() == "failed"
    assert not closed.said
    assert "standard output: No space left on device" in full.said


@pytest.mark.rule("CLI-24")
async def test_the_run_waits_for_children_and_foreign_turns() -> None:
    running = Subagent(id="c1", description="child", status="running")

    async def script(agent: Agent, text: str) -> None:
        agent.say(Event("subagent", subagent=running, subagent_change="spawned"), TurnEnded(stop_reason="end_turn"))
        agent.say(Foreign(running=True, reason="report"))
        agent.say(Foreign(running=False))
        done = msgspec.structs.replace(running, status="completed")
        asyncio.get_running_loop().call_later(
            0.05, agent.say, Event("subagent", subagent=done, subagent_change="finished")
        )

    it = ran(script)

    assert await it() == "done"
    assert any(b'"finished"' in line for line in it.out.lines)


@pytest.mark.rule("CLI-24")
async def test_a_child_that_never_ends_is_said_and_leaves_the_code_alone() -> None:
    async def script(agent: Agent, text: str) -> None:
        child = Subagent(id="c1", description="the child", status="running", background=True)
        agent.say(Event("subagent", subagent=child, subagent_change="spawned"), TurnEnded(stop_reason="end_turn"))

    it = ran(script, drain=0.05)

    assert await it() == "done"
    assert any("the child" in line for line in it.said)


@pytest.mark.rule("CLI-22")
async def test_the_time_limit_holds_while_a_child_is_waited_for() -> None:
    async def script(agent: Agent, text: str) -> None:
        child = Subagent(id="c1", description="the child", status="running", background=True)
        agent.say(Event("subagent", subagent=child, subagent_change="spawned"), TurnEnded(stop_reason="end_turn"))
        await it.turn_is_over()
        pass_time(30)

    it = ran(script, timeout=30)

    assert await it() == "timeout"
    assert "time limit of 30s reached (the child)" in it.said


@pytest.mark.rule("CLI-22")
async def test_the_time_limit_names_a_turn_of_the_agents_own() -> None:
    async def script(agent: Agent, text: str) -> None:
        agent.say(TurnEnded(stop_reason="end_turn"), Foreign(running=True))
        await it.turn_is_over()
        pass_time(30)

    it = ran(script, timeout=30)

    assert await it() == "timeout"
    assert "time limit of 30s reached (a turn that the agent began by itself)" in it.said


MODES = Config(
    options=(
        ConfigOption(
            id="m",
            category="mode",
            type="select",
            current="ask",
            select_values=tuple(SelectValue(value=v, name=v.upper()) for v in ("ask", "code", "architect")),
        ),
        ConfigOption(
            id="model",
            category="model",
            type="select",
            current="big",
            select_values=(SelectValue(value="big", name="Big One"), SelectValue(value="small")),
        ),
        ConfigOption(
            id="effort",
            category="thought_level",
            type="select",
            current="low",
            select_values=(SelectValue(value="low"), SelectValue(value="high")),
        ),
    )
)


def settable() -> Agent:
    opened = Opened(info=Info(agent="scripted", provider_session="s"))
    return Agent(echo, Event("meta", state=State(config=MODES, mode="ask", model="big")), opened)


@pytest.mark.rule("CLI-9")
async def test_settings_are_applied_before_the_prompt_model_first() -> None:
    agent = settable()
    asked: list[tuple[str, str, str]] = []

    def noted(call: str, setting: object) -> None:
        asked.append((setting.kind, setting.id, setting.value))  # type: ignore[attr-defined]
        assert not agent.heard
        agent.say(Returned(call=call))

    agent.set = noted  # type: ignore[method-assign,assignment]
    it = ran(agent=agent, wishes=Wishes(mode="CODE", model="sm", effort="high", options=(("m", "arch"),)))

    assert await it() == "done"
    assert asked == [
        ("model", "", "small"),
        ("mode", "", "code"),
        ("config", "effort", "high"),
        ("config", "m", "architect"),
    ]


@pytest.mark.rule("CLI-9")
@pytest.mark.parametrize(
    ("wishes", "names"),
    [
        (Wishes(mode="a"), "ask, architect"),
        (Wishes(model="huge"), "big, small"),
        (Wishes(options=(("x", "y"),)), "m, model, effort"),
    ],
)
async def test_a_value_that_is_not_exactly_one_is_refused_with_the_choices(wishes: Wishes, names: str) -> None:
    it = ran(agent=settable(), wishes=wishes)

    with pytest.raises(UsageError) as caught:
        await it()

    assert names in str(caught.value) + caught.value.hint
    assert not it.agent.heard


@pytest.mark.rule("CLI-9")
async def test_a_refusal_by_the_agent_is_an_error_of_the_agent() -> None:
    agent = settable()
    failure = Failure(message="not today", error_class="rpc", code=1)
    agent.set = lambda call, setting: agent.say(Returned(call=call, failure=failure))  # type: ignore[method-assign,assignment]
    it = ran(agent=agent, wishes=Wishes(mode="code"))

    with pytest.raises(ProviderError, match="not today"):
        await it()

    assert not it.agent.heard


@pytest.mark.rule("CLI-60")
async def test_a_slash_prompt_waits_for_the_command_list() -> None:
    agent = Agent()
    it = ran(echo, "/tour now", agent=agent)
    loop = asyncio.get_running_loop()
    commands = State(commands=Commands(commands=(CommandInfo(name="tour"),)))
    loop.call_later(0.05, lambda: (heard.extend(agent.heard), agent.say(Event("meta", state=commands))))
    heard: list[str] = []

    assert await it() == "done"
    assert (heard, agent.heard) == ([], ["/tour now"])


@pytest.mark.rule("CLI-26")
async def test_usage_is_one_line_at_the_end() -> None:
    it = ran(usage=True)

    await it()

    assert it.said[-1].startswith("tokens: not reported")


def test_every_error_of_a_run_has_a_number() -> None:
    def names(kind: type[CrazeError]) -> set[str]:
        return {kind.exit}.union(*map(names, kind.__subclasses__()))

    assert names(CrazeError) <= set(NUMBERS)


@pytest.mark.rule("STORE-10")
def test_a_session_that_can_no_longer_be_stored_is_said_once() -> None:
    progress = Progress()
    lost = Event("meta", state=State(index_err="j.jsonl: No space left on device"))

    assert progress.event(lost) == [
        "the session goes on, but not all of it is stored: j.jsonl: No space left on device"
    ]
    assert progress.event(lost) == []


def test_a_line_on_stderr_begins_a_line_of_its_own_on_a_terminal_alone() -> None:
    on_terminal, into_pipe = Words(terminal=True), Words(terminal=False)
    for words in (on_terminal, into_pipe):
        words.event(Event("text", text="half a line"))

    assert (on_terminal.aside(), on_terminal.aside(), into_pipe.aside()) == (b"\n", b"", b"")
