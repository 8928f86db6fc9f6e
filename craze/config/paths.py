"""Where craze keeps what: configuration, sessions, state and cache.

`CRAZE_HOME` moves everything together, else the XDG variables count, on every platform. Nothing is made here but by
`make`, which a writing command calls when a folder is first needed.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from craze.config.environment import Environment

_XDG = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "state": ("XDG_STATE_HOME", ".local/state"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
}


class Places(msgspec.Struct, frozen=True):
    """Absolute folders, whether they exist or not, and what was wrong with the variables that name them."""

    config: Path
    data: Path
    state: Path
    cache: Path
    warnings: tuple[str, ...] = ()

    @property
    def sessions(self) -> Path:
        return self.data / "sessions"

    @property
    def settings_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def agents(self) -> Path:
        return self.config / "agents"

    @property
    def choices_file(self) -> Path:
        return self.state / "choices.toml"

    @property
    def trust_file(self) -> Path:
        return self.state / "trust.json"

    @property
    def history_file(self) -> Path:
        return self.state / "history.jsonl"


def places(environment: Environment, home: Path | None = None) -> Places:
    """The four folders; a relative variable is passed over with a warning."""
    home = home or Path.home()
    warnings: list[str] = []

    def absolute(name: str) -> Path | None:
        value = environment.get(name)
        if not value or Path(value).is_absolute():
            return Path(value) if value else None
        warnings.append(f"{name} is ignored: {value!r} is not an absolute path")
        return None

    if root := absolute("CRAZE_HOME"):
        return Places(root, root, root / "state", root / "cache", tuple(warnings))
    found = {part: (absolute(name) or home / default) / "craze" for part, (name, default) in _XDG.items()}
    return Places(found["config"], found["data"], found["state"], found["cache"], tuple(warnings))


def make(folder: Path) -> Path:
    """The folder, made with its parents for this user alone; what is there keeps its mode."""
    for missing in reversed([folder, *folder.parents]):
        if not missing.is_dir():
            missing.mkdir(mode=0o700, exist_ok=True)
    return folder


def short(path: Path | str) -> str:
    """A path as people write it: `~` for the home folder."""
    text, home = str(path), str(Path.home())
    return "~" + text[len(home) :] if text == home or text.startswith(home + "/") else text
