"""Scripts about how a turn begins and ends, and what comes outside one."""

from __future__ import annotations

from contextlib import suppress

from craze.demo.turn import CancelledTurnError, Turn, text_content
from craze.demo.wire import RpcError


def late(turn: Turn) -> None:
    """Updates after the prompt was answered."""
    tool = turn.tool("sleep 1", "execute", name="Bash", rawInput={"command": "sleep 1"})
    tool.run()
    turn.stream("I answer before the tool has ended.")
    turn.end()
    tool.done(text_content("late"))
    turn.say("This came late.\n\n")


def foreign(turn: Turn) -> None:
    """Work of its own, some time after the turn."""
    turn.stream("I will come back to this.")
    turn.end()
    turn.pause(0.5)
    turn.stream("I have looked again, and all is well.")


def busy(turn: Turn) -> None:
    """Refuses the prompt once, or as often as is given, and takes it then."""
    session = turn.session
    if session.busy == 0:
        session.busy = 1 + (int(turn.words) if turn.words.isdigit() else 1)
    session.busy -= 1
    if session.busy:
        turn.fail(RpcError(-32003, "the session is busy"))
    else:
        turn.stream("Now I have time.")


def echo(turn: Turn) -> None:
    """Tells the client its own prompt again, or other words if some are given."""
    typed = " ".join(str(block.get("text", "")) for block in turn.blocks)
    turn.say(turn.words or typed, kind="user_message_chunk")
    turn.stream("That is what you said.")


def cancelslow(turn: Turn) -> None:
    _until_cancelled(turn)
    turn.cancelled = False
    turn.pause(3)
    turn.end("cancelled")


def cancelendturn(turn: Turn) -> None:
    _until_cancelled(turn)
    turn.end("end_turn")


def cancelerror(turn: Turn) -> None:
    _until_cancelled(turn)
    turn.fail(RpcError(-32603, "aborted"))


def deaf(turn: Turn) -> None:
    """Never answers, whatever the client does."""
    _until_cancelled(turn)
    turn.wire.wait(lambda: False)


def latecancel(turn: Turn) -> None:
    turn.session.quirks.add("latecancel")
    turn.stream("From now on a cancel without a turn spoils the next prompt.")


def silent(turn: Turn) -> None:
    turn.end()


def leftopen(turn: Turn) -> None:
    for title in ("sleep 100", "sleep 200"):
        tool = turn.tool(title, "execute", name="Bash", rawInput={"command": title})
        tool.run()
        tool.leave()
    turn.stream("Neither of the two tools ever ends.")


def gatelie(turn: Turn) -> None:
    turn.desk.lying = True
    turn.stream("From now on I know neither session/list nor session/set_mode.")


def noauth(turn: Turn) -> None:
    turn.fail(RpcError(-32000, "Authentication required"))


def _until_cancelled(turn: Turn) -> None:
    turn.say("Cancel me.\n\n")
    with suppress(CancelledTurnError):
        turn.until_cancelled()
