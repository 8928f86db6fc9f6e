"""A sign-in that always succeeds: at once, or by running the agent with `--login` in a terminal."""

from __future__ import annotations

from pathlib import Path

from craze.demo.sessions import FOLDER
from craze.demo.wire import Json, RpcError

METHODS: list[Json] = [
    {"id": "browser", "name": "Sign in", "description": "Succeeds at once"},
    {
        "id": "terminal",
        "name": "Sign in in the terminal",
        "description": "Runs the agent with --login",
        "type": "terminal",
        "args": ["--login"],
    },
]


class Login:
    """Whether somebody is signed in: in this process, or by a `--login` in this folder."""

    def __init__(self) -> None:
        self._here = False

    @property
    def done(self) -> bool:
        return self._here or _mark().exists()

    def authenticate(self, params: Json) -> Json:
        if params.get("methodId") != "browser":
            raise RpcError(-32602, f"unknown method {params.get('methodId')!r}")
        self._here = True
        return {}

    def logout(self, _params: Json) -> Json:
        self._here = False
        _mark().unlink(missing_ok=True)
        return {}


def sign_in() -> int:
    """What `--login` does."""
    _mark().parent.mkdir(exist_ok=True)
    _mark().write_text("signed in\n")
    print("Signed in.")
    return 0


def _mark() -> Path:
    return Path.cwd() / FOLDER / "login"
