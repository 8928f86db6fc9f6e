"""What content blocks look like as text, and the texts of a list of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from craze.providers.acp.types import (
    AnyBlock,
    AudioBlock,
    ImageBlock,
    LinkBlock,
    ResourceBlock,
    TextBlock,
    Unknown,
    text,
)


def shown(block: object) -> str:
    """A block as text: its own, or a label in brackets for what is none."""
    match block:
        case str():
            return block
        case TextBlock():
            return block.text
        case ImageBlock():
            return f"[image {text(block.mime_type)}, {_size(text(block.data))}]"
        case AudioBlock():
            return f"[audio {text(block.mime_type)}, {_size(text(block.data))}]"
        case LinkBlock():
            return f"[link {text(block.name)} {text(block.uri)}]"
        case ResourceBlock():
            return _resource(block)
        case Unknown():
            return f"[{block.kind}]"
        case _:
            return ""


def texts(content: AnyBlock | tuple[AnyBlock, ...] | str) -> Sequence[str]:
    """The text of each block that has any."""
    if type(content) is TextBlock:
        return (content.text,) if content.text else ()
    blocks = content if isinstance(content, tuple) else (content,)
    return [said for block in blocks if (said := shown(block))]


def _resource(block: ResourceBlock) -> str:
    held = block.resource
    if not held:
        return "[resource ]"
    label, inside = f"[resource {text(held.uri)}]", text(held.text)
    return f"{label}\n{inside}" if inside else label


def _size(data: str) -> str:
    """Of base64 text the size of what it stands for."""
    count = len(data) * 3 // 4 - data[-2:].count("=")
    return f"{count} B" if count < 1024 else f"{round(count / 1024)} KB"
