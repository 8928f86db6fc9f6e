"""The screen's folder: files, branch, commands."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from craze.cli.workspace import KEPT_OUTPUT, CliWorkspace
from craze.config import environment
from craze.errors import CrazeError

PNG = b"\x89PNG\r\n\x1a\n0"


def workspace(folder: Path, **variables: str) -> CliWorkspace:
    return CliWorkspace(folder, environment.read({"SHELL": "/bin/sh", **variables}))


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def init(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "trunk"], cwd=folder, check=True)


@pytest.mark.rule("TUI-106")
async def test_paths_are_those_that_git_does_not_ignore_and_their_folders(tmp_path: Path) -> None:
    init(tmp_path)
    make(tmp_path, "src/deep/a.py", "out/b.o")
    (tmp_path / ".gitignore").write_text("out/\n")

    paths = await workspace(tmp_path).paths()

    assert sorted(paths) == [".gitignore", "src/", "src/deep/", "src/deep/a.py"]
    assert await workspace(tmp_path).branch() == "trunk"


@pytest.mark.rule("TUI-106")
async def test_without_git_the_folder_is_walked_past_what_nobody_mentions(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "node_modules/x.js", "__pycache__/y.pyc")

    assert await workspace(tmp_path).paths() == ("a.py",)
    assert await workspace(tmp_path).branch() == ""


@pytest.mark.rule("TUI-107")
async def test_a_command_runs_in_the_folder_with_a_closed_input_and_keeps_its_last_output(tmp_path: Path) -> None:
    make(tmp_path, "here.txt")
    told: list[str] = []

    ended = await workspace(tmp_path).run("cat; ls; echo err >&2; exit 3", told.append)
    long = await workspace(tmp_path).run("yes | head -c 40000", told.append)

    assert (ended.status, sorted(ended.output.split()), ended.cut) == (3, ["err", "here.txt"], False)
    assert (len(long.output), long.cut) == (KEPT_OUTPUT, True)


@pytest.mark.rule("TUI-107")
async def test_a_command_that_is_given_up_is_killed_with_what_it_started(tmp_path: Path) -> None:
    started = asyncio.Event()
    task = asyncio.create_task(
        workspace(tmp_path).run(
            "sleep 300 & echo $!; wait", lambda piece: (tmp_path / "pid").write_text(piece) and started.set()
        )
    )
    async with asyncio.timeout(20):
        await started.wait()
        task.cancel()
        await asyncio.wait([task])
        child = int((tmp_path / "pid").read_text())
        while _runs(child):  # noqa: ASYNC110 - nothing tells when a stranger is gone
            await asyncio.sleep(0)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.rule("TUI-104")
async def test_the_editor_of_the_person_changes_the_text_unless_it_fails(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho "more" >> "$1"\n')
    editor.chmod(0o755)

    assert await workspace(tmp_path, EDITOR=str(editor)).edit("text\n") == "text\nmore"
    assert await workspace(tmp_path, EDITOR="false").edit("text") is None


@pytest.mark.rule("TUI-108")
async def test_only_images_of_known_kinds_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    make(tmp_path, "b.png")

    assert await workspace(tmp_path).read_image("a.png") == PNG
    for name in ("b.png", "none.png"):
        with pytest.raises(CrazeError):
            await workspace(tmp_path).read_image(name)


@pytest.mark.rule("TUI-16", "TUI-104")
async def test_the_editor_ends_with_craze(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "alive")
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\nexec sleep 100 > '{tmp_path}/alive'\n")
    editor.chmod(0o755)
    editing = asyncio.create_task(workspace(tmp_path, EDITOR=str(editor)).edit("text"))
    async with asyncio.timeout(20):
        pipe = await asyncio.to_thread((tmp_path / "alive").open, "rb")
        editing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await editing

        assert await asyncio.to_thread(pipe.read) == b""
