"""Scripts about the client's files, and about blocks that are no text."""

from __future__ import annotations

import base64
import os
import struct
import zlib

from craze.demo.sessions import FOLDER
from craze.demo.turn import Turn
from craze.demo.wire import Json, RpcError

_TEXT = "one\ntwo\nthree\n"


def fs(turn: Turn) -> None:
    """Write through the client, read it back, then one line of it."""
    if not (turn.client.read and turn.client.write):
        turn.stream("Your client offers no files, so I leave them alone.")
        return
    path = os.path.join(turn.session.cwd, FOLDER, "note.txt")
    try:
        _write(turn, path)
        whole, second = _read(turn, path), _read(turn, path, line=2, limit=1)
    except RpcError as refused:
        turn.stream(f"The client refused: {refused.message}")
    else:
        turn.stream(f"Read back {len(whole)} characters; the second line is {second.strip()!r}.")


def fsoutside(turn: Turn) -> None:
    _try_read(turn, "/etc/hosts")


def missing(turn: Turn) -> None:
    _try_read(turn, os.path.join(turn.session.cwd, FOLDER, "no-such-file"))


def uninvited(turn: Turn) -> None:
    """Uses files whether they were offered or not."""
    path = os.path.join(turn.session.cwd, FOLDER, "uninvited.txt")
    try:
        _write(turn, path)
    except RpcError as refused:
        turn.stream(f"Refused: {refused.message}")
    else:
        turn.stream("Written, though it was not offered.")


def image(turn: Turn) -> None:
    came = sum(block.get("type") == "image" for block in turn.blocks)
    data = base64.b64encode(_png(32, 32)).decode()
    turn.update("agent_message_chunk", content={"type": "image", "mimeType": "image/png", "data": data})
    turn.stream(f"\n\nThis is an image of mine; {came} came with your prompt.")


def resource(turn: Turn) -> None:
    came = [block.get("type") for block in turn.blocks if str(block.get("type")).startswith("resource")]
    link: Json = {"type": "resource_link", "uri": "file:///tmp/report.txt", "name": "report.txt", "size": 1200}
    held: Json = {"uri": "file:///tmp/note.txt", "mimeType": "text/plain", "text": "The text of the note."}
    turn.update("agent_message_chunk", content=link)
    turn.update("agent_message_chunk", content={"type": "resource", "resource": held})
    turn.stream(f"\n\nA link and a resource of mine; {len(came)} came with your prompt.")


def _try_read(turn: Turn, path: str) -> None:
    if not turn.client.read:
        turn.stream("Your client offers no files, so I leave them alone.")
        return
    try:
        content = _read(turn, path)
    except RpcError as refused:
        turn.stream(f"Error {refused.code}: {refused.message}")
    else:
        turn.stream(f"{path} has {len(content)} characters.")


def _read(turn: Turn, path: str, **part: int) -> str:
    return str(turn.call("fs/read_text_file", {"sessionId": turn.session.id, "path": path, **part})["content"])


def _write(turn: Turn, path: str) -> None:
    turn.call("fs/write_text_file", {"sessionId": turn.session.id, "path": path, "content": _TEXT})


def _png(width: int, height: int) -> bytes:
    """A small picture: a gradient."""
    rows = b"".join(
        b"\0" + bytes(value for x in range(width) for value in (x * 8 % 256, y * 8 % 256, 128)) for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
