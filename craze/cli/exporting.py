"""The pieces of an exported session, in each form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from craze.cli.context import Context
from craze.cli.redacting import redactor_of
from craze.codec import Record
from craze.store.export import html_page, markdown, redacted
from craze.store.folder import Folder
from craze.store.history import History, in_order
from craze.store.redact import rewrite_json
from craze.store.session_file import Stored, row
from craze.store.transcript import blocks


def pieces(
    context: Context, folder: Folder, form: Literal["md", "html", "jsonl"], *, redact: bool, tools: bool, thoughts: bool
) -> Iterator[bytes]:
    """`jsonl` is the codec bytes of the session's history and nothing else."""
    history = History(in_order(folder.journals())).read(1, 1 << 62)
    redactor = redactor_of(context) if redact else None
    if form == "jsonl":
        for item in history:
            if isinstance(item, Record) and item.body:
                yield (rewrite_json(item.body, redactor) if redactor else item.body) + b"\n"
        return
    stored, story = row(folder) or Stored(craze_id=folder.id), blocks(history)
    if redactor:
        # Before anything is escaped: a secret must be found as it was written.
        stored = replace(stored, title=redactor(stored.title), agent=redactor(stored.agent), cwd=redactor(stored.cwd))
        story = redacted(story, redactor)
    document = html_page if form == "html" else markdown
    for piece in document(stored, story, tools=tools, thoughts=thoughts):
        yield piece.encode("utf-8", "replace")
