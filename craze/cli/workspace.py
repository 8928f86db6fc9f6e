"""The screen's `Workspace`: files of the folder, the git branch, and the person's own programs."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from craze.cli.attachments import MOST_IMAGE, is_image
from craze.config import whole
from craze.config.environment import Environment
from craze.errors import CrazeError
from craze.tui.desk import Ended

MOST_PATHS: Final = 50_000
LONGEST_RUN: Final = 120.0
KEPT_OUTPUT: Final = 16 << 10
GIT_TIMEOUT: Final = 10.0
PARTING: Final = 1.0
"""Seconds that an editor has to leave the terminal when craze ends."""
_COPIERS: Final = (
    ("wl-copy",),
    ("xclip", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--input"),
    ("pbcopy",),
    ("clip.exe",),
)
_IMAGE_PASTERS: Final = (
    ("wl-paste", "--no-newline", "--type", "image/png"),
    ("xclip", "-selection", "clipboard", "-t", "image/png", "-o"),
    ("pngpaste", "-"),
)
_OPENERS: Final = (("xdg-open",), ("open",), ("wslview",))
_SKIPPED: Final = frozenset({".git", "node_modules", "__pycache__", ".venv", ".hg", ".svn"})


class CliWorkspace:
    """Implements `craze.tui.desk.Workspace` for one folder."""

    def __init__(self, folder: Path, environment: Environment) -> None:
        self._folder, self._environment = folder, environment

    @property
    def folder(self) -> str:
        return str(self._folder)

    # ---- files

    async def paths(self) -> tuple[str, ...]:
        listed = await self._git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        if listed is None:
            return await asyncio.to_thread(self._walked)
        files = [path.decode(errors="replace") for path in listed.split(b"\0")[:MOST_PATHS] if path]
        return _with_folders(files)

    def _walked(self) -> tuple[str, ...]:
        files: list[str] = []
        for root, folders, names in os.walk(self._folder):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED)
            below = os.path.relpath(root, self._folder)
            files += [name if below == "." else f"{below}/{name}" for name in sorted(names)]
            if len(files) >= MOST_PATHS:
                break
        return _with_folders(files[:MOST_PATHS])

    async def branch(self) -> str:
        name = await self._git("symbolic-ref", "--short", "-q", "HEAD")
        if name is None:
            name = await self._git("rev-parse", "--short", "HEAD")
        return name.decode(errors="replace").strip() if name else ""

    async def _git(self, *arguments: str) -> bytes | None:
        """What git says; None when it fails, is not there, or takes too long."""
        try:
            process = await asyncio.create_subprocess_exec(
                "git",
                *arguments,
                cwd=self._folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError:
            return None
        try:
            async with asyncio.timeout(GIT_TIMEOUT):
                out, _ = await process.communicate()
        except TimeoutError:
            process.kill()
            return None
        return out if process.returncode == 0 else None

    async def read_image(self, path: str) -> bytes:
        content = await asyncio.to_thread(self._read_image, self._path(path))
        if not is_image(content):
            raise CrazeError(f"{path} is no PNG, JPEG, GIF or WebP image")
        return content

    def _path(self, path: str) -> Path:
        return self._folder / Path(path).expanduser()

    def _read_image(self, path: Path) -> bytes:
        try:
            return whole.read(path, most=MOST_IMAGE, name=str(path))
        except OSError as error:
            raise CrazeError(f"{path}: {error.strerror}") from error

    async def write(self, path: str, content: bytes) -> str:
        return await asyncio.to_thread(self._write, self._path(path), content)

    def _write(self, path: Path, content: bytes) -> str:
        try:
            with path.open("xb") as file:
                file.write(content)
        except OSError as error:
            raise CrazeError(f"{path}: {error.strerror}") from error
        return str(path)

    # ---- programs

    async def run(self, line: str, told: Callable[[str], None]) -> Ended:
        process = await asyncio.create_subprocess_exec(
            self._environment.get("SHELL") or "sh",
            "-c",
            line,
            cwd=self._folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        kept = bytearray()
        size = 0
        assert process.stdout is not None
        try:
            async with asyncio.timeout(LONGEST_RUN):
                while piece := await process.stdout.read(1 << 16):
                    size += len(piece)
                    kept += piece
                    del kept[:-KEPT_OUTPUT]
                    told(piece.decode(errors="replace"))
                status: int | None = await process.wait()
        except TimeoutError:
            status = None
        finally:
            _end(process)
        return Ended(status, kept.decode(errors="replace"), size > len(kept))

    async def edit(self, text: str, suffix: str = ".md") -> str | None:
        command = self._editor()
        with tempfile.TemporaryDirectory(prefix="craze-") as folder:
            path = Path(folder, f"prompt{suffix}")
            await asyncio.to_thread(path.write_bytes, text.encode(errors="replace"))
            status = await self.interactive((*command, str(path)), {})
            edited = await asyncio.to_thread(path.read_bytes)
            return edited.decode(errors="replace").removesuffix("\n") if status == 0 else None

    def _editor(self) -> tuple[str, ...]:
        named = self._environment.get("VISUAL") or self._environment.get("EDITOR")
        if named:
            return tuple(shlex.split(named))
        if not shutil.which("vi"):
            raise CrazeError("there is no editor", hint="set VISUAL or EDITOR")
        return ("vi",)

    async def interactive(self, command: Sequence[str], env: Mapping[str, str]) -> int:
        try:
            process = await asyncio.create_subprocess_exec(
                *command, cwd=self._folder, env={**os.environ, **env} if env else None
            )
        except OSError as error:
            raise CrazeError(f"{command[0]}: {error.strerror}") from error
        try:
            return await process.wait()
        except asyncio.CancelledError:
            # craze ends: two programs must not fight over the terminal.
            if process.returncode is None:
                process.terminate()
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), PARTING)
            raise

    async def copy(self, text: str) -> bool:
        return await self._first(_COPIERS, text.encode(errors="replace")) is not None

    async def clipboard_image(self) -> bytes | None:
        image = await self._first(_IMAGE_PASTERS)
        return image if image and is_image(image) else None

    async def open_link(self, target: str) -> bool:
        return await self._first(_OPENERS, arguments=(target,)) is not None

    async def _first(
        self, commands: Sequence[tuple[str, ...]], given: bytes | None = None, arguments: tuple[str, ...] = ()
    ) -> bytes | None:
        """The output of the first of the programs that is there and works."""
        for command in commands:
            if not shutil.which(command[0]):
                continue
            process = await asyncio.create_subprocess_exec(
                *command,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL if given is None else asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL if given is not None else asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            with suppress(TimeoutError):
                async with asyncio.timeout(GIT_TIMEOUT):
                    out, _ = await process.communicate(given)
                    if process.returncode == 0:
                        return out or b""
            _end(process)
        return None


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill what still runs, with all that it started where it leads a group."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def _with_folders(files: Sequence[str]) -> tuple[str, ...]:
    """The files, and every folder that one of them is in."""
    folders: dict[str, None] = {}
    for file in files:
        parent = file.rpartition("/")[0]
        while parent and f"{parent}/" not in folders:
            folders[f"{parent}/"] = None
            parent = parent.rpartition("/")[0]
    return (*folders, *files)
