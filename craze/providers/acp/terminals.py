"""`terminal/*` on the wire, over the terminals of the transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from craze.errors import AgentNotFound
from craze.providers.acp.link import Answer, Call, stumbled
from craze.providers.acp.requests import CreateParams, TerminalParams
from craze.transport import Exit, Output, Terminals, TooManyTerminalsError, UnknownTerminalError
from craze.transport.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND

Done = Callable[[Answer], None]


class Commands:
    """The commands that the agent of one session runs here.

    Args:
        inside: Whether a folder lies in the session's.
    """

    def __init__(self, workspace: str, inside: Callable[[Path], bool], said: Callable[[str, str], None]) -> None:
        self._workspace, self._inside = workspace, inside
        self._terminals = Terminals(workspace, said)
        self._tasks: set[asyncio.Task[None]] = set()

    def serve(self, call: Call, done: Done) -> None:
        task = asyncio.get_running_loop().create_task(self._serve(call, done))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Kill what runs; waits for an end are answered first."""
        await self._terminals.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, call: Call, done: Done) -> None:
        params = call.params
        try:
            if isinstance(params, CreateParams):
                done(await self._create(params))
            elif isinstance(params, TerminalParams):
                done(await self._use(call.method, params.terminal_id))
        except UnknownTerminalError as unknown:
            uri = {"uri": f"terminal:{unknown.args[0]}"}
            done(Answer(code=NOT_FOUND, message=f"Resource not found: terminal:{unknown.args[0]}", data=uri))
        except (AgentNotFound, TooManyTerminalsError) as refused:
            done(Answer(code=INTERNAL_ERROR, message=str(refused)))
        except Exception:  # noqa: BLE001 - nobody waits for ever
            done(stumbled())

    async def _create(self, params: CreateParams) -> Answer:
        if not params.command:
            return Answer(code=INVALID_PARAMS, message="command is empty")
        cwd = str(Path(self._workspace) / params.cwd) if params.cwd else self._workspace
        try:
            inside = await asyncio.to_thread(self._inside, Path(cwd))
        except (OSError, ValueError, RuntimeError) as refused:  # a NUL byte, a loop of symlinks
            return Answer(code=INVALID_PARAMS, message=f"cwd cannot be used: {refused}")
        if not inside:
            return Answer(code=INVALID_PARAMS, message=f"cwd is outside the session's folders: {params.cwd}")
        env = {variable.name: variable.value for variable in params.env or ()}
        name = await self._terminals.create(params.command, params.args or (), env, cwd, params.output_byte_limit)
        return Answer({"terminalId": name})

    async def _use(self, method: str, name: str) -> Answer:
        match method:
            case "terminal/output":
                return Answer(_output(self._terminals.output(name)))
            case "terminal/wait_for_exit":
                return Answer(_status(await self._terminals.wait(name)))
            case "terminal/kill":
                await self._terminals.kill(name)
            case _:
                await self._terminals.release(name)
        return Answer({})


def _output(output: Output) -> dict[str, object]:
    ended = {} if output.end is None else {"exitStatus": _status(output.end)}
    return {"output": output.text, "truncated": output.truncated, **ended}


def _status(end: Exit) -> dict[str, object]:
    return {"exitCode": end.code, "signal": end.signal or None}
