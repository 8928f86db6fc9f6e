"""What a prompt is on the wire: the text as typed, then what it mentions and the images that go with it.

Finding mentions is pure; reading what they name is done in a thread when the prompt is written.
"""

from __future__ import annotations

import base64
import mimetypes
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from craze.engine.ports import Prompt
from craze.providers.acp.link import Attached, Wanted

_MENTIONS: Final = 20
_EMBED: Final = 64 << 10
_EMBED_ALL: Final = 512 << 10
_MENTION = re.compile(r'(?:^|(?<=[\s(]))@(?:"([^"\n]+)"|([^\s"]\S*))')
_TRAILING = ".,;:!?)"

Block = dict[str, object]
Inside = Callable[[Path], bool]


class Mention(Struct, frozen=True):
    """A path as typed; `quoted` ones end where the quotes do."""

    path: str
    quoted: bool


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def mentions(text: str) -> tuple[Mention, ...]:
    """What looks like a mention, outside of code fences."""
    found = (_MENTION.finditer(line) for line in _prose(text))
    return tuple(Mention(match[1] or match[2], bool(match[1])) for matches in found for match in matches)


def needs_disk(prompt: Prompt) -> bool:
    """Whether anything has to be read before the prompt can be written."""
    return bool(prompt.attachments) or bool(mentions(prompt.text))


def read_attached(wanted: Wanted, workspace: Path, inside: Inside) -> Attached:
    """The blocks of a prompt; touches the disk."""
    reading = _Reading(wanted, workspace, inside)
    blocks = [text_block(wanted.prompt.text), *reading.mentioned(), *reading.images()]
    return Attached(tuple(blocks), tuple(reading.notices), reading.has_images)


class _Reading:
    """One prompt's reading: limits are counted over all of it."""

    def __init__(self, wanted: Wanted, workspace: Path, inside: Inside) -> None:
        self.notices: list[str] = []
        self.has_images = False
        self._wanted, self._workspace, self._inside = wanted, workspace, inside
        self._embedded = 0

    def mentioned(self) -> Iterator[Block]:
        seen: set[Path] = set()
        for mention in mentions(self._wanted.prompt.text):
            path = self._found(mention)
            if path is not None and path not in seen:
                seen.add(path)
                yield self._block(path, embed=len(seen) <= _MENTIONS)

    def images(self) -> Iterator[Block]:
        held = 0
        for number, name in enumerate(self._wanted.prompt.attachments, 1):
            path = Path(name)
            size = _size(path) or 0
            held += size
            if not self._wanted.images:
                yield self._image_link(path, "the agent takes no images")
            elif number > self._wanted.max_images or held > self._wanted.max_bytes or not size:
                yield self._image_link(path, "too many or too large images")
            else:
                yield self._image(path)

    def _image(self, path: Path) -> Block:
        try:
            data = base64.b64encode(path.read_bytes()).decode()
        except OSError as refused:
            return self._image_link(path, refused.strerror or "it cannot be read")
        self.has_images = True
        return {"type": "image", "mimeType": _mime(path) or "image/png", "data": data}

    def _found(self, mention: Mention) -> Path | None:
        """The file or folder that is meant; trailing punctuation belongs to it only where such a file exists."""
        name = mention.path
        while name:
            path = self._workspace / name
            try:
                if path.exists() and self._inside(path):
                    return path
            except (OSError, ValueError):
                return None
            if mention.quoted or name[-1] not in _TRAILING:
                return None
            name = name[:-1]
        return None

    def _block(self, path: Path, *, embed: bool) -> Block:
        size = _size(path)
        if size is None:  # a folder, or a pipe that would never end
            return _link(path, self._workspace)
        fits = size <= _EMBED and self._embedded + size <= _EMBED_ALL
        if embed and fits and self._wanted.embed:
            try:
                text = path.read_bytes().decode()
            except OSError:
                self.notices.append(f"{path} could not be read; the agent gets its name")
            except UnicodeDecodeError:
                pass  # no text: a link, as for any other file
            else:
                self._embedded += size
                resource = {"uri": path.as_uri(), "mimeType": _mime(path) or "text/plain", "text": text}
                return {"type": "resource", "resource": resource}
        return _link(path, self._workspace, size)

    def _image_link(self, path: Path, why: str) -> Block:
        self.notices.append(f"{path.name} goes as a link: {why}")
        return _link(path, path.parent, _size(path))


def without_images(blocks: tuple[Block, ...], prompt: Prompt) -> tuple[Block, ...]:
    """The same blocks with links in place of images, for an agent that refused them."""
    paths = iter(prompt.attachments)

    def link() -> Block:
        path = Path(next(paths, "image")).absolute()
        return {"type": "resource_link", "uri": path.as_uri(), "name": path.name}

    return tuple(link() if block.get("type") == "image" else block for block in blocks)


def _link(path: Path, base: Path, size: int | None = None) -> Block:
    name = str(path.relative_to(base)) if path.is_relative_to(base) else str(path)
    block: Block = {"type": "resource_link", "uri": path.as_uri(), "name": name}
    if mime := _mime(path):
        block["mimeType"] = mime
    if size is not None:
        block["size"] = size
    return block


def _prose(text: str) -> Iterator[str]:
    """The lines that no fence holds."""
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
        else:
            yield line


def _mime(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or ""


def _size(path: Path) -> int | None:
    """The bytes of a file; None for what is none or cannot be looked at."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
