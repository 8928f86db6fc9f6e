"""`fs/*`: reading and writing below the folders of a session, and asking a person about everything else.

Work on the disk runs in threads; a request changes nothing but its own answer. Craze has no unsaved text: the disk is
the truth.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from craze.providers.acp.link import Allowed, Answer, Call, Folders, stumbled
from craze.providers.acp.requests import ReadParams, WriteParams
from craze.transport.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND

Done = Callable[[Answer], None]
_READ_LIMIT: Final = 10.0
_BIGGEST: Final = 32 << 20
_REPLACED: Final = 1 << 20


class _Waiting(Struct):
    """A request for a folder that nobody has allowed yet."""

    call: Call
    path: Path
    done: Done


class Files:
    """The file requests of one session."""

    def __init__(self) -> None:
        self._roots: tuple[Path, ...] = ()
        self._readable: tuple[Path, ...] = ()
        self._workspace = Path("/")
        self._ask: Callable[[str], None] = lambda _key: None
        self._asked: dict[str, Path] = {}
        self._waiting: dict[Path, list[_Waiting]] = {}
        self._allowed: list[Path] = []
        self._refused: set[Path] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, folders: Folders, ask: Callable[[str], None]) -> None:
        self._workspace = Path(folders.workspace)
        own = tuple(_resolved(Path(folder)) for folder in (folders.workspace, *folders.dirs))
        self._roots = (*own, *self._allowed)
        self._readable = tuple(_resolved(Path(folder).expanduser()) for folder in folders.readable)
        self._ask = ask

    def serve(self, call: Call, done: Done) -> None:
        params = call.params
        assert isinstance(params, ReadParams | WriteParams)
        if not params.path or "\0" in params.path:
            done(_bad("path is empty or holds a NUL byte"))
            return
        self._start(self._place(call, self._workspace / params.path, done), done)

    def settle(self, key: str, allowed: Allowed) -> None:
        """A person's word on the folder that a request asked for."""
        folder = self._asked.pop(key, None)
        if folder is None:
            return
        if allowed == "always":
            self._allowed.append(folder)
            self._roots = (*self._roots, folder)
        elif allowed == "no":
            self._refused.add(folder)
        waiting = self._waiting.pop(folder, [])
        if allowed in ("once", "withdrawn"):  # the others are asked about one after another
            first, waiting = waiting[:1], waiting[1:]
            for row in waiting:
                self._wait(row, folder)
            waiting = first if allowed == "once" else []
        for row in waiting:
            if allowed in ("once", "always"):
                self._start(self._work(row.call, row.path, row.done), row.done)
            else:
                row.done(_outside(row.call))

    def contains(self, path: Path) -> bool:
        """Whether a resolved path lies in a folder of the session."""
        return any(path.is_relative_to(root) for root in self._roots)

    def inside(self, path: Path) -> bool:
        """The same for a path as it was given; symlinks are followed."""
        return self.contains(_resolved(path))

    async def close(self) -> None:
        self._waiting.clear()
        self._asked.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None], done: Done) -> None:
        async def answered() -> None:
            try:
                await work
            except Exception:  # noqa: BLE001 - nobody waits for ever
                done(stumbled())

        task = asyncio.get_running_loop().create_task(answered())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _place(self, call: Call, path: Path, done: Done) -> None:
        """Where the path really is decides whether it is served, refused or asked about."""
        try:
            real = await asyncio.to_thread(_resolved, path)
        except (OSError, RuntimeError) as refused:  # RuntimeError: a loop of symlinks
            done(_failed(refused))
            return
        reading = isinstance(call.params, ReadParams)
        if self.contains(real) or (reading and any(real.is_relative_to(root) for root in self._readable)):
            await self._work(call, real, done)
        elif real.parent in self._refused:
            done(_outside(call))
        else:
            self._wait(_Waiting(call, real, done), real.parent)

    def _wait(self, row: _Waiting, folder: Path) -> None:
        waiting = self._waiting.setdefault(folder, [])
        waiting.append(row)
        if len(waiting) == 1:
            self._asked[row.call.key] = folder
            self._ask(row.call.key)

    async def _work(self, call: Call, path: Path, done: Done) -> None:
        try:
            async with asyncio.timeout(_READ_LIMIT):
                done(await asyncio.to_thread(_act, call, path))
        except TimeoutError:
            done(Answer(code=INTERNAL_ERROR, message=f"no answer from the disk in {_READ_LIMIT:.0f} s: {path}"))


def _resolved(path: Path) -> Path:
    """
    Raises:
        RuntimeError: A loop of symlinks; Python 3.13 and newer give a link of it back instead.
    """
    real = path.resolve()
    if real.is_symlink():
        raise RuntimeError(f"symlink loop at {real}")
    return real


def _act(call: Call, path: Path) -> Answer:
    try:
        if isinstance(call.params, ReadParams):
            return _read(call.params, path)
        assert isinstance(call.params, WriteParams)
        return _write(path, call.params.content)
    except FileNotFoundError:
        shown = str(path)
        return Answer(code=NOT_FOUND, message=f"Resource not found: {shown}", data={"uri": shown})
    except OSError as refused:
        return _failed(refused)


def _read(params: ReadParams, path: Path) -> Answer:
    if problem := _unfit(os.lstat(path), path):  # a device may act on being opened
        return problem
    # The path is resolved: a link that takes its place meanwhile is not followed, and a pipe does not block.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        if problem := _unfit(os.fstat(file.fileno()), path):
            return problem
        data = file.read(_BIGGEST + 1)
    if len(data) > _BIGGEST:  # it grew, or never told its size
        return _bad(f"the file is too large: over {_BIGGEST} bytes")
    text = _text(data)
    if text is None:
        return _bad("not a text file")
    return Answer({"content": _lines(text, params.line, params.limit)})


def _unfit(found: os.stat_result, path: Path) -> Answer | None:
    """Why this is nothing to read as a text."""
    if stat.S_ISDIR(found.st_mode):
        return Answer(code=INTERNAL_ERROR, message=f"Is a directory: {path}")
    if not stat.S_ISREG(found.st_mode):
        return _bad(f"not a regular file: {path}")
    if found.st_size > _BIGGEST:
        return _bad(f"the file is too large: {found.st_size} bytes")
    return None


def _text(data: bytes) -> str | None:
    """The text as it stands; what is no UTF-8 only where it is short and holds no NUL."""
    with suppress(UnicodeDecodeError):
        return data.decode()
    return None if b"\0" in data or len(data) > _REPLACED else data.decode("utf-8", "replace")


def _lines(text: str, line: int | None, limit: int | None) -> str:
    """From a line, counted from 1, so many lines; ends of lines stay what they are."""
    if line is None and limit is None:
        return text
    rows = text.split("\n")
    ended = [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])
    first = max((line or 1) - 1, 0)
    last = len(ended) if limit is None else first + max(limit, 0)
    return "".join(ended[first:last])


def _write(path: Path, content: str) -> Answer:
    """Through a file beside it and a rename, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat() if path.exists() else None
    if before:
        if stat.S_ISDIR(before.st_mode):
            return Answer(code=INTERNAL_ERROR, message=f"Is a directory: {path}")
        if not stat.S_ISREG(before.st_mode):  # the rename would put a file in the place of a device
            return _bad(f"not a regular file: {path}")
        if not (before.st_mode & 0o222 and os.access(path, os.W_OK)):
            return Answer(code=INTERNAL_ERROR, message=f"Permission denied: {path}")
    beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8", "replace"))
        if before:
            with suppress(OSError):  # not everybody may give a file away
                os.chown(beside, before.st_uid, before.st_gid)
            beside.chmod(stat.S_IMODE(before.st_mode))
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return Answer({})


def _outside(call: Call) -> Answer:
    assert isinstance(call.params, ReadParams | WriteParams)
    return _bad(f"path is outside the session's folders: {call.params.path}")


def _bad(message: str) -> Answer:
    return Answer(code=INVALID_PARAMS, message=message)


def _failed(refused: Exception) -> Answer:
    reason = getattr(refused, "strerror", None) or str(refused)
    name = getattr(refused, "filename", None)
    return Answer(code=INTERNAL_ERROR, message=f"{reason}: {name}" if name else str(reason))
