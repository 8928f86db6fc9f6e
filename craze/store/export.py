"""A session's history as a document: Markdown, one HTML file without scripts or anything from outside."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from craze.codec import Diff, Tool, decode_as, encode
from craze.store.redact import Change, rewrite_json
from craze.store.stored import Stored
from craze.store.transcript import Asked, Block, Call, Note, Words, tool_line

_TICKS: Final = re.compile("`+")
_CONTROL: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def markdown(stored: Stored, blocks: Iterable[Block], *, tools: bool = True, thoughts: bool = False) -> Iterator[str]:
    """The document in pieces: title, a line of facts, prompts as headings, text as it is, tools in fenced blocks."""
    yield f"# {_one_line(stored.title) or 'Session'}\n\n{_facts(stored)}\n"
    for block in _wanted(blocks, tools=tools, thoughts=thoughts):
        yield "\n" + _markdown(block) + "\n"


def html_page(stored: Stored, blocks: Iterable[Block], *, tools: bool = True, thoughts: bool = False) -> Iterator[str]:
    """The same as one page; every text is escaped, terminal control characters are removed."""
    title = _safe(_one_line(stored.title) or "Session")
    yield _PAGE.format(title=title, style=_STYLE, facts=_safe(_facts(stored)))
    for block in _wanted(blocks, tools=tools, thoughts=thoughts):
        yield _html(block)
    yield "</main></body></html>\n"


def redacted(blocks: Iterable[Block], change: Change) -> Iterator[Block]:
    """Blocks with `change` made to all their text, also where it came in pieces."""
    for block in blocks:
        if isinstance(block, Words):
            yield replace(block, parts=[change(block.text)])
        elif isinstance(block, Call):
            yield replace(block, tool=decode_as(Tool, rewrite_json(encode(block.tool), change)))
        elif isinstance(block, Asked):
            yield replace(block, title=change(block.title), outcome=change(block.outcome))
        else:
            yield replace(block, text=change(block.text))


def _wanted(blocks: Iterable[Block], *, tools: bool, thoughts: bool) -> Iterator[Block]:
    for block in blocks:
        hidden = (isinstance(block, Call) and not tools) or (
            isinstance(block, Words) and block.kind == "thought" and not thoughts
        )
        if not hidden:
            yield block


def _facts(stored: Stored) -> str:
    turns = f"{stored.turns} turn{'s' * (stored.turns > 1)}" if stored.turns else ""
    facts = [stored.agent, stored.cwd, stored.created_at, turns]
    return " · ".join(fact for fact in facts if fact)


# ---- Markdown


def fenced(text: str, language: str = "") -> str:
    """Text in a fence that is longer than any inside of it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def _markdown(block: Block) -> str:
    match block:
        case Words(kind="user", agent=""):
            first, _, rest = block.text.strip().partition("\n")
            return f"## {first}\n\n{rest}".rstrip()
        case Words(kind="text", agent=""):
            return block.text
        case Words():
            return "\n".join(f"> {line}".rstrip() for line in block.text.split("\n"))
        case Call():
            parts = [f"**{_one_line(tool_line(block.tool))}**"]
            return "\n\n".join(parts + [fenced(text, language) for language, text in tool_texts(block.tool)])
        case _:
            return f"*{_remark(block)}*"


def tool_texts(tool: Tool) -> Iterator[tuple[str, str]]:
    """What a call was given and gave back, each with the language of its fence."""
    if tool.raw_input:
        yield "json", tool.raw_input
    for diff in tool.diffs:
        yield "diff", _diff(diff)
    output = tool.output
    texts = [tool.content_text, output.stdout, output.stderr, output.content] if output else [tool.content_text]
    for text in dict.fromkeys(texts):
        if text:
            yield "", text


def _diff(diff: Diff) -> str:
    old = [f"-{line}" for line in diff.old_text.splitlines()]
    new = [f"+{line}" for line in diff.new_text.splitlines()]
    return "\n".join([f"--- {diff.path}", f"+++ {diff.path}", *old, *new])


def _remark(block: Asked | Note) -> str:
    if isinstance(block, Asked):
        return _one_line(f"{block.title} → {block.outcome or 'open'}")
    return _one_line(block.text)


# ---- HTML


def _html(block: Block) -> str:
    match block:
        case Words():
            tag = "h2" if block.kind == "user" and not block.agent else "div"
            return f'<{tag} class="{block.kind}">{_safe(block.text)}</{tag}>\n'
        case Call():
            inside = "".join(f"<pre>{_safe(text)}</pre>" for _, text in tool_texts(block.tool))
            return f"<details><summary>{_safe(tool_line(block.tool))}</summary>{inside}</details>\n"
        case _:
            return f'<p class="note">{_safe(_remark(block))}</p>\n'


def _safe(text: str) -> str:
    return html.escape(_CONTROL.sub("", text), quote=True)


def _one_line(text: str) -> str:
    return " ".join(text.split())


_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#fff;color:#1c1c1c}"
    "main{max-width:48rem;margin:auto;padding:2rem 1rem}"
    "h2,.text,.thought,.user{white-space:pre-wrap;overflow-wrap:anywhere}"
    "h2{font-size:1.1rem;border-left:4px solid #4a7;padding-left:.75rem;margin:2rem 0 1rem}"
    ".thought,.note,.facts{color:#666;font-style:italic}"
    "pre{background:#f4f4f4;padding:.75rem;overflow:auto;white-space:pre-wrap}"
    "summary{font-family:ui-monospace,monospace;cursor:pointer}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}pre{background:#222}}"
)
_PAGE: Final = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    "<title>{title}</title><style>{style}</style></head>\n"
    '<body><main><h1>{title}</h1><p class="facts">{facts}</p>\n'
)
