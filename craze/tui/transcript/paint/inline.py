"""Inline Markdown of one line: code, bold, italic, strike, links. What does not match stays as it is written. Pure."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, urlsplit

from rich.style import Style

from craze.tui.scrub import cut
from craze.tui.transcript.paint.brush import Brush
from craze.tui.transcript.paint.lines import Run, tabbed

TARGET: Final = 60
_DEEPEST: Final = 8
_BOLD, _ITALIC, _STRIKE = Style(bold=True), Style(italic=True), Style(strike=True)
_UNDERLINE = Style(underline=True)

_TOKEN = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\*\*(?=[^\s*]|\*[^\s*])(?P<bold>.+?)(?<=\S)\*\*(?!\*)"
    r"|(?<!\w)__(?=\S)(?!\w+__)(?P<bold_>.+?)(?<=\S)__(?!\w)"
    r"|\*(?=[^\s*])(?P<italic>.+?)(?<=[^\s*])\*(?!\*)"
    r"|(?<!\w)_(?=[^\s_])(?P<italic_>.+?)(?<=[^\s_])_(?!\w)"
    r"|~~(?=\S)(?P<strike>.+?)(?<=\S)~~"
    r"|!?\[(?P<label>[^\[\]]*)\]\((?P<target><[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
    r"|<(?P<auto>(?:https?://|mailto:)[^\s<>]+)>"
    r"|(?<![\w/])(?P<url>https?://[^\s<>\"`]+)"
)
_SPECIAL = re.compile(r"[\\`*_~\[<]|https?://")
_STYLES: Final = {"bold": _BOLD, "bold_": _BOLD, "italic": _ITALIC, "italic_": _ITALIC, "strike": _STRIKE}
_SAFE = re.compile(r"(?:https?|file)://|mailto:", re.IGNORECASE)
_HOST = re.compile(r"(?:https?://)?([\w-]+(?:\.[\w-]+)+)", re.IGNORECASE)


def inline(text: str, offset: int, brush: Brush, style: Style, depth: int = 0) -> list[Run]:
    """The runs of a piece of a line that begins at `offset` of the block's text."""
    if depth > _DEEPEST or not _SPECIAL.search(text):
        return tabbed(Run(text, style, offset)) if text else []
    runs: list[Run] = []
    at = 0
    for token in _TOKEN.finditer(text):
        if token.start() > at:
            runs += tabbed(Run(text[at : token.start()], style, offset + at))
        runs += _token(token, offset, brush, style, depth)
        at = token.end()
    if at < len(text):
        runs += tabbed(Run(text[at:], style, offset + at))
    return runs


def _token(token: re.Match[str], offset: int, brush: Brush, style: Style, depth: int) -> list[Run]:
    name = token.lastgroup or ""
    if token["target"] is not None:
        return _link(token, offset, brush, style, depth)
    if name == "escaped":
        return [Run(token[name], style, offset + token.start(name))]
    if token["code"] is not None:
        return [Run(token["code"], style + brush["code-bg"], offset + token.start("code"))]
    if name in ("auto", "url"):
        return _bare(token[name], offset + token.start(name), brush, style)
    return inline(token[name], offset + token.start(name), brush, style + _STYLES[name], depth + 1)


def _bare(url: str, offset: int, brush: Brush, style: Style) -> list[Run]:
    """An address in the text; what ends a sentence or a bracket behind it is not part of it."""
    end = len(url.rstrip(".,;:!?'*_~"))
    while end and url[end - 1] in ")]}" and url.count(url[end - 1], 0, end) > url.count(_OPENS[url[end - 1]], 0, end):
        end -= 1
    shown = Run(url[:end], linked(style + brush["link"] + _UNDERLINE, url[:end]), offset)
    return [shown, *([Run(url[end:], style, offset + end)] if end < len(url) else [])]


_OPENS: Final = {")": "(", "]": "[", "}": "{"}


def _link(token: re.Match[str], offset: int, brush: Brush, style: Style, depth: int) -> list[Run]:
    target = token["target"].strip("<>")
    label, start = (token["label"], "label") if token["label"] else (target, "target")
    safe = bool(_SAFE.match(target))
    ink = linked(style + brush["link"] + _UNDERLINE, target) if safe else style
    runs = inline(label, offset + token.start(start), brush, ink, depth + 1)
    if not target or same_place(label, target):
        return runs
    return [*runs, brush.dim(f" ({cut(target, TARGET)})")]


def linked(style: Style, target: str) -> Style:
    """The style as an OSC 8 link; only schemes that a person may expect."""
    return style.update_link(quote(target, safe=":/?#[]@!$&'()*+,;=%~")) if _SAFE.match(target) else style


def same_place(label: str, target: str) -> bool:
    """Whether the text of a link names its target, or at least its host."""
    if label == target:
        return True
    host = urlsplit_host(target)
    said = _HOST.search(label)
    return bool(host and said and said[1].lower() == host)


def urlsplit_host(target: str) -> str:
    try:
        return (urlsplit(target).hostname or "").lower()
    except ValueError:
        return ""
