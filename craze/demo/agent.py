"""The ACP methods of the demo agent: which request is answered how, and which script a prompt plays."""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import cast

from craze.demo import sessions
from craze.demo.login import METHODS, Login, sign_in
from craze.demo.scripts import SCRIPTS, STARTS, command_rows, free_text
from craze.demo.sessions import Session
from craze.demo.turn import CancelledTurnError, Client, Desk, Turn
from craze.demo.wire import Json, RpcError, Wire, incoming

_PAGE = 20


def main(argv: list[str] | None = None) -> int:
    options = _options().parse_args(argv)
    if options.login:
        return sign_in()
    if options.play:
        from craze.demo.play import play  # the built-in scripts need none of it

        return play(options.play)
    desk = Desk(Wire(), options.speed, options.seed)
    agent = Agent(desk, frozenset(options.script))
    signal.signal(signal.SIGTERM, lambda _number, _frame: None if desk.ignores_end else os._exit(128 + signal.SIGTERM))
    for message in incoming():
        agent.take(message)
    while desk.ignores_end:
        time.sleep(60)
    return 0


class Agent:
    """All sessions of one process.

    `starts` are names of scripts that change how the process or a session begins (`--script`).
    """

    def __init__(self, desk: Desk, starts: frozenset[str]) -> None:
        self.desk, self.wire, self.starts = desk, desk.wire, starts
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, Turn] = {}
        self._login = Login()
        self._methods: dict[str, Callable[[Json], Json]] = {
            "initialize": self._initialize,
            "authenticate": self._login.authenticate,
            "logout": self._login.logout,
            "session/load": lambda params: self._reopen(params, resuming=False),
            "session/resume": lambda params: self._reopen(params, resuming=True),
            "session/list": self._list,
            "session/close": self._close,
            "session/delete": self._delete,
            "session/set_mode": lambda params: self._set(params, "mode", params.get("modeId")),
            "session/set_model": lambda params: self._set(params, "model", params.get("modelId")),
            "session/set_config_option": self._set_option,
        }

    def take(self, message: Json) -> None:
        """One message of the client, handled before the next is read."""
        method, given = message.get("method"), message.get("params")
        params = cast("Json", given) if isinstance(given, dict) else {}
        if not isinstance(method, str):
            self.wire.answered(message)
        elif "id" not in message:
            self._notified(method, params)
        elif method == "session/prompt":
            self._prompt(message["id"], params)
        elif method == "session/new":
            self._new(message["id"], params)
        else:
            self._answer(message["id"], method, params)

    def _answer(self, request: object, method: str, params: Json) -> None:
        handler = self._methods.get(method)
        try:
            if handler is None or (self.desk.lying and method in ("session/list", "session/set_mode")):
                raise RpcError(-32601, "Method not found", {"method": method})
            result = handler(params)
        except RpcError as failure:
            self.wire.refuse(request, failure)
        else:
            self.wire.answer(request, result)

    def _notified(self, method: str, params: Json) -> None:
        if method != "session/cancel":
            return
        name = str(params.get("sessionId"))
        turn = self._turns.get(name)
        if turn is not None and not turn.answered:
            turn.cancel()
        elif (session := self._sessions.get(name)) and "latecancel" in session.quirks:
            session.spoiled = True

    # ---- beginning

    def _initialize(self, params: Json) -> Json:
        for name in sorted(self.starts & STARTS.keys()):
            STARTS[name](self.desk)
        self.desk.client = Client(params.get("clientCapabilities") or {})
        return {
            "protocolVersion": 1,
            "agentInfo": {"name": "craze-demo", "title": "Demo", "version": "1"},
            "authMethods": METHODS if "login" in self.starts else [],
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "embeddedContext": True},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
                "auth": {"logout": {}},
            },
        }

    def _new(self, request: object, params: Json) -> None:
        try:
            session = sessions.create(self._folder(params), self.desk.ids)
        except RpcError as failure:
            self.wire.refuse(request, failure)
            return
        self._sessions[session.id] = session
        session.quirks |= self.starts
        if "early" in self.starts:
            self._told(session)
            self._say(session, "This came before the session had a name.\n\n")
        self.wire.answer(request, {"sessionId": session.id, **self._settings(session)})
        if "early" not in self.starts:
            self._told(session)
        if "banner" in self.starts:
            self._say(session, "Welcome. This is said before any prompt.\n\n")

    def _folder(self, params: Json) -> str:
        """Check that a session may begin, and where."""
        if "noauth" in self.starts or ("login" in self.starts and not self._login.done):
            raise RpcError(-32000, "Authentication required")
        cwd = params.get("cwd")
        if not isinstance(cwd, str) or not os.path.isabs(cwd):
            raise RpcError(-32602, "cwd must be an absolute path")
        return cwd

    def _settings(self, session: Session) -> Json:
        held = session.settings
        if "legacy" in session.quirks:
            return {"modes": held.modes(), "models": held.models()}
        return {"modes": held.modes(), "configOptions": held.options(booleans=self.desk.client.booleans)}

    # ---- sessions that exist

    def _reopen(self, params: Json, *, resuming: bool) -> Json:
        cwd, name = self._folder(params), str(params.get("sessionId"))
        session = self._sessions.get(name) or sessions.stored(cwd, name)
        if session is None:
            raise RpcError(-32002, f"Resource not found: {name}", {"uri": name})
        self._sessions[name] = session
        session.quirks |= self.starts
        for update in session.replayed(resuming=resuming):
            self.wire.notify("session/update", {"sessionId": name, "update": update})
        self._told(session)
        return self._settings(session)

    def _list(self, params: Json) -> Json:
        found = sessions.listed(str(params.get("cwd") or os.getcwd()))
        cursor = str(params.get("cursor") or "0")
        first = int(cursor) if cursor.isdigit() else 0
        rows = [
            {"sessionId": held.id, "cwd": held.cwd, "title": held.title or None, "updatedAt": held.updated}
            for held in found[first : first + _PAGE]
        ]
        more = {"nextCursor": str(first + _PAGE)} if first + _PAGE < len(found) else {}
        return {"sessions": rows, **more}

    def _close(self, params: Json) -> Json:
        session = self._session(params)
        if turn := self._turns.get(session.id):
            turn.cancel()
        self._sessions.pop(session.id).close()
        return {}

    def _delete(self, params: Json) -> Json:
        name = str(params.get("sessionId"))
        held = self._sessions.pop(name, None)
        if held is not None:
            held.close()
        sessions.delete(held.cwd if held else os.getcwd(), name)
        return {}

    def _set_option(self, params: Json) -> Json:
        session = self._session(params)
        session.settings.choose(str(params.get("configId")), params.get("value"))
        session.keep_head()
        return {"configOptions": session.settings.options(booleans=self.desk.client.booleans)}

    def _set(self, params: Json, option: str, value: object) -> Json:
        session = self._session(params)
        session.settings.choose(option, value)
        session.keep_head()
        return {}

    def _session(self, params: Json) -> Session:
        name = str(params.get("sessionId"))
        if name not in self._sessions:
            raise RpcError(-32002, f"Resource not found: {name}", {"uri": name})
        return self._sessions[name]

    def _told(self, session: Session) -> None:
        """What a client hears of every session it opens."""
        commands = {"sessionUpdate": "available_commands_update", "availableCommands": command_rows()}
        self.wire.notify("session/update", {"sessionId": session.id, "update": commands})

    def _say(self, session: Session, text: str) -> None:
        update: Json = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        session.keep(update)
        self.wire.notify("session/update", {"sessionId": session.id, "update": update})

    # ---- turns

    def _prompt(self, request: object, params: Json) -> None:
        try:
            session = self._session(params)
        except RpcError as failure:
            self.wire.refuse(request, failure)
            return
        running = self._turns.get(session.id)
        if running is not None and not running.answered:
            self.wire.refuse(request, RpcError(-32003, "a turn is already running"))
            return
        blocks = cast("list[Json]", params.get("prompt") or [])
        text = " ".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text").strip()
        name, words = _script_of(text)
        turn = Turn(self.desk, session, request, words, blocks)
        self._turns[session.id] = turn
        threading.Thread(target=self._play, args=(turn, name, text), daemon=True).start()

    def _play(self, turn: Turn, name: str, text: str) -> None:
        session = turn.session
        session.turns += 1
        if session.spoiled:
            session.spoiled = False
            turn.end("cancelled")
            return
        session.keep({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": text}})
        session.title = session.title or text[:60]
        session.keep_head()
        try:
            SCRIPTS[name].play(turn) if name else free_text(turn, text)
            turn.end()
        except CancelledTurnError:
            turn.close_tools()
            turn.end("cancelled")
        except RpcError as failure:
            turn.fail(RpcError(-32603, f"the client refused: {failure.message}", failure.data))
        except Exception:  # noqa: BLE001 - the last place of a thread: the client hears of a bug, and people see it
            traceback.print_exc()
            turn.fail(RpcError(-32603, "the demo agent has a bug; see its error output"))


def _script_of(text: str) -> tuple[str, str]:
    """Name and arguments, when the first word is a script's name, with or without a slash."""
    first, _, words = text.partition(" ")
    name = first.removeprefix("/")
    return (name, words.strip()) if name in SCRIPTS else ("", "")


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="craze demo-agent", description="A scripted agent that speaks ACP on stdio.")
    parser.add_argument("--speed", type=float, default=1.0, metavar="N", help="divides all pauses")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="fixes the ids (0: random)")
    parser.add_argument("--play", type=Path, metavar="FILE", help="run a JSON Lines script instead")
    parser.add_argument("--script", action="append", default=[], metavar="NAME", help="begin like this script")
    parser.add_argument("--login", action="store_true", help="sign in and end")
    return parser
