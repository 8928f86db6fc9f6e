"""Images on their way into the draft: from the clipboard, a drop of files, or `/image PATH`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from craze.engine.facts import Severity
from craze.errors import CrazeError
from craze.tui.desk import Library, Session, Workspace
from craze.tui.prompt.composer import Composer
from craze.tui.prompt.images import MOST, MOST_BYTES
from craze.tui.words import count


class Pictures:
    """Makes chips of images, within the limits of one message."""

    def __init__(
        self,
        session: Session,
        workspace: Workspace,
        library: Library,
        composer: Composer,
        say: Callable[[str, Severity], None],
    ) -> None:
        self._session, self._workspace, self._library = session, workspace, library
        self._composer, self._say = composer, say
        self._sizes: dict[str, int] = {}

    async def from_paths(self, paths: Iterable[str]) -> None:
        for path in paths:
            try:
                await self._add(await self._workspace.read_image(path), path)
            except CrazeError as error:
                self._say(str(error), "error")

    async def from_clipboard(self) -> bool:
        """False when the clipboard holds no image."""
        content = await self._workspace.clipboard_image()
        if content is None:
            return False
        try:
            await self._add(content, "")
        except CrazeError as error:
            self._say(str(error), "error")
        return True

    async def _add(self, content: bytes, path: str) -> None:
        held = [chip for chip in self._composer.drafts.chips.of(self._composer.text).values() if chip.kind == "image"]
        used = sum(self._sizes.get(chip.content, 0) for chip in held)
        if len(held) >= MOST:
            raise CrazeError(f"a message takes {count(MOST, 'image')}")
        if used + len(content) > MOST_BYTES:
            raise CrazeError(f"the images of a message may have {MOST_BYTES >> 20} MiB together")
        sees = "images" in self._session.view.info.can
        copy = await self._library.attach(self._session.view.info.session, content)
        kept = copy if sees else path or copy
        self._sizes[kept] = len(content)
        self._composer.drafts.add_chip(self._composer.drafts.chips.image(kept, path_only=not sees))
