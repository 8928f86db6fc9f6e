"""Which stored session `-c` means."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from craze.cli.context import Context
from craze.cli.find import session_folder
from craze.errors import SessionNotFound
from craze.store.folder import Folder
from craze.store.session_file import save
from craze.store.stored import Stored


def stored(root: Path, id_: str, *, turns: int = 0, draft: str = "", agent: str = "demo") -> None:
    folder = Folder(root / "sessions", id_)
    folder.make()
    at = f"2026-01-01T00:00:0{id_[-1]}Z"
    save(folder, Stored(craze_id=id_, agent=agent, cwd=str(root), updated_at=at, turns=turns, draft=draft))


def found(root: Path, agent: str = "") -> str:
    context = cast(Context, SimpleNamespace(sessions=root / "sessions", folder=root))
    folder = session_folder(context, go_on=True, resume="", agent=agent)
    assert folder is not None
    return folder.id


@pytest.mark.rule("CLI-25")
def test_the_newest_session_goes_on_and_one_where_nothing_was_said_only_when_there_is_no_other(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        found(tmp_path)
    stored(tmp_path, "0194-0001")
    assert found(tmp_path) == "0194-0001"
    stored(tmp_path, "0194-0002", turns=2)
    stored(tmp_path, "0194-0003")
    assert found(tmp_path) == "0194-0002"
    stored(tmp_path, "0194-0004", draft="half a prompt")
    stored(tmp_path, "0194-0005", turns=1, agent="other")
    assert (found(tmp_path), found(tmp_path, "demo")) == ("0194-0005", "0194-0004")
