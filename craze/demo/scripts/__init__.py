"""The scripts by name: what a prompt that begins with the name plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from craze.demo.scripts import asks, broken, ends, facts, files, histories, plans, talk, tools, turns
from craze.demo.turn import Desk, Script, Turn
from craze.demo.wire import Json


class Entry(NamedTuple):
    play: Script
    about: str
    hint: str = ""


def commands(turn: Turn) -> None:
    """Another list of commands for a moment."""
    turn.update("available_commands_update", availableCommands=[{"name": "only", "description": "The only one"}])
    turn.pause(0.5)
    turn.update("available_commands_update", availableCommands=command_rows())
    turn.stream("There was one command for a moment, now they are all back.")


def tour(turn: Turn) -> None:
    for name in _TOUR:
        turn.say(f"### {name}\n\n", turn.desk.new_id("msg"))
        SCRIPTS[name].play(turn)


def _only_at_start(name: str) -> Script:
    def explain(turn: Turn) -> None:
        turn.stream(f"This is seen when an agent starts: `craze demo-agent --script {name}`.")

    return explain


def free_text(turn: Turn, text: str) -> None:
    """What is no script is answered with its echo."""
    said = text if len(text) <= 200 else text[:200] + "…"
    others = len(turn.blocks) - 1
    more = f" ({others} attached)" if others > 0 else ""
    turn.stream(f"You said: {said}{more}\n\nI am a scripted agent. `/tour` shows what I can do, `/` lists it all.")


def command_rows() -> list[Json]:
    return [
        {"name": name, "description": entry.about, **({"input": {"hint": entry.hint}} if entry.hint else {})}
        for name, entry in SCRIPTS.items()
    ]


_TOUR = (
    "thought",
    "text",
    "markdown",
    "plan",
    "read",
    "edit",
    "shell",
    "terminal",
    "display",
    "question",
    "planexit",
    "subagent",
    "image",
    "compact",
    "usage",
    "notice",
    "mode",
    "title",
)

SCRIPTS: dict[str, Entry] = {
    "tour": Entry(tour, "Everything there is to see, in turn"),
    "text": Entry(talk.text, "Two messages in small pieces"),
    "thought": Entry(talk.thought, "A thought, then an answer"),
    "markdown": Entry(talk.markdown, "Headings, lists, a table, code"),
    "long": Entry(talk.long, "2 000 lines"),
    "unicode": Entry(talk.unicode, "Wide, combined and right-to-left characters"),
    "hostile": Entry(talk.hostile, "Escape sequences and control characters"),
    "burst": Entry(talk.burst, "Chunks as fast as they go", "chunks"),
    "slow": Entry(talk.slow, "Twenty words a second"),
    "stall": Entry(talk.stall, "Twenty seconds of silence"),
    "retry": Entry(talk.retry, "A model that is busy"),
    "read": Entry(tools.read, "Reads a file"),
    "edit": Entry(tools.edit, "Changes a file, after asking"),
    "newfile": Entry(tools.newfile, "Makes a file, after asking"),
    "bigdiff": Entry(tools.bigdiff, "A change of 5 000 lines"),
    "shell": Entry(tools.shell, "A command that works"),
    "shellfail": Entry(tools.shellfail, "A command that fails"),
    "terminal": Entry(tools.terminal, "A command that the client runs"),
    "display": Entry(tools.display, "A terminal of the agent's own"),
    "cumulative": Entry(tools.cumulative, "Output sent again whole 200 times", "kilobytes"),
    "permission": Entry(asks.permission, "Asks with three options"),
    "reject": Entry(asks.reject, "Goes on only after a no"),
    "manyoptions": Entry(asks.manyoptions, "Asks with eight options, or more", "options"),
    "twoasks": Entry(asks.twoasks, "Asks twice at once"),
    "orphanask": Entry(asks.orphanask, "Asks about a call that never comes"),
    "permfirst": Entry(asks.permfirst, "Asks before the call is known"),
    "question": Entry(asks.question, "One question"),
    "multi": Entry(asks.multi, "A question with several answers"),
    "form": Entry(asks.form, "A form with fields of every type"),
    "url": Entry(asks.url, "A link to open"),
    "plan": Entry(plans.plan, "Steps that move"),
    "planexit": Entry(plans.planexit, "A plan to accept or refuse"),
    "planexit3": Entry(plans.planexit3, "A plan with three answers"),
    "subagent": Entry(plans.subagent, "A child that streams and asks"),
    "flatchild": Entry(plans.flatchild, "A child known by its parent alone"),
    "background": Entry(plans.background, "A child that outlives the turn"),
    "fs": Entry(files.fs, "Writes and reads through the client"),
    "fsoutside": Entry(files.fsoutside, "Reads outside the folder"),
    "missing": Entry(files.missing, "Reads a file that is not there"),
    "uninvited": Entry(files.uninvited, "Writes through the client, uninvited"),
    "image": Entry(files.image, "An image"),
    "resource": Entry(files.resource, "A link and a resource"),
    "models": Entry(facts.models, "The agent changes the model", "model"),
    "mode": Entry(facts.mode, "The agent changes the mode", "mode"),
    "options": Entry(facts.options, "Models in groups"),
    "usage": Entry(facts.usage, "Context and cost"),
    "notice": Entry(facts.notice, "Three notices"),
    "compact": Entry(facts.compact, "Compaction"),
    "title": Entry(facts.title, "Sets or clears the title", "title"),
    "commands": Entry(commands, "Other commands for a moment"),
    "late": Entry(turns.late, "Updates after the end"),
    "foreign": Entry(turns.foreign, "Work of its own after the turn"),
    "busy": Entry(turns.busy, "Refuses the prompt first", "times"),
    "echo": Entry(turns.echo, "Tells the prompt again", "other words"),
    "cancelslow": Entry(turns.cancelslow, "Three seconds to cancel"),
    "cancelendturn": Entry(turns.cancelendturn, "Ends a cancel as if nothing had been"),
    "cancelerror": Entry(turns.cancelerror, "Ends a cancel with an error"),
    "deaf": Entry(turns.deaf, "Never answers"),
    "latecancel": Entry(turns.latecancel, "A late cancel spoils the next prompt"),
    "silent": Entry(turns.silent, "Ends without a word"),
    "leftopen": Entry(turns.leftopen, "Tools that never end"),
    "gatelie": Entry(turns.gatelie, "Forgets methods it has offered"),
    "noauth": Entry(turns.noauth, "Wants a sign-in"),
    "crash": Entry(ends.crash, "Dies in the turn", "status"),
    "exit0": Entry(ends.exit0, "Ends without a word or error"),
    "orphans": Entry(ends.orphans, "Leaves a process behind"),
    "stubborn": Entry(ends.stubborn, "Will not be stopped"),
    "stderrflood": Entry(ends.stderrflood, "Ten megabytes of error output"),
    "noise": Entry(broken.noise, "Lines that are no protocol"),
    "huge": Entry(broken.huge, "A line of 8 MiB", "megabytes"),
    "surrogate": Entry(broken.surrogate, "Half a character"),
    "badutf8": Entry(broken.badutf8, "Bytes that are no UTF-8"),
    "nonl": Entry(broken.nonl, "Ends in the middle of a line"),
    "badfields": Entry(broken.badfields, "Fields of odd types"),
    "unknown": Entry(broken.unknown, "Kinds and methods nobody knows"),
    "strid": Entry(broken.strid, "Request ids of every type"),
    "fieldmeta": Entry(broken.fieldmeta, "Nested `_meta`"),
    "replay": Entry(histories.replay, "Tells its history when loaded"),
    "emptyreplay": Entry(histories.emptyreplay, "Tells nothing when loaded"),
    "replayresume": Entry(histories.replayresume, "Tells its history when resumed"),
    "replaythin": Entry(histories.replaythin, "Tells a short history"),
    "early": Entry(_only_at_start("early"), "Talks before its session has a name"),
    "banner": Entry(_only_at_start("banner"), "Talks before any prompt"),
    "legacy": Entry(_only_at_start("legacy"), "Modes and models without options"),
    "login": Entry(_only_at_start("login"), "Wants a sign-in first"),
    "v2only": Entry(_only_at_start("v2only"), "Speaks another version"),
    "crashstart": Entry(_only_at_start("crashstart"), "Dies before it answers"),
}

# Played by `--script NAME` while the client initializes. `early`, `banner`, `legacy`, `login` and `noauth` are looked
# at where a session begins.
STARTS: dict[str, Callable[[Desk], None]] = {
    "noise": broken.noise_at_start,
    "crashstart": ends.crash_at_start,
    "exit0": ends.exit_at_start,
    "v2only": ends.version_2_only,
    "stubborn": ends.stubborn_at_start,
}
