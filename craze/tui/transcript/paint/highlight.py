"""Colours of code: pygments' tokens as the names of `[syntax]`, found in idle slices and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from functools import lru_cache
from typing import Any, Final, TypeAlias

LIMIT: Final = 64 << 10
KEPT: Final = 96
WANTED: Final = 16

Spans: TypeAlias = list[list[tuple[int, str]]]
"""For each line of a code: lengths of pieces with the name of their colour, "" for none."""

_NAMES: Final = (
    ("Token.Keyword.Constant", "constant"),
    ("Token.Keyword.Type", "type"),
    ("Token.Keyword", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Comment", "comment"),
    ("Token.Name.Function", "function"),
    ("Token.Name.Decorator", "function"),
    ("Token.Name.Class", "type"),
    ("Token.Name.Builtin", "type"),
    ("Token.Name.Exception", "type"),
    ("Token.Name.Constant", "constant"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Attribute", "function"),
    ("Token.Operator", "operator"),
    ("Token.Generic.Heading", "heading"),
    ("Token.Generic.Subheading", "heading"),
    ("Token.Generic.Inserted", "string"),
    ("Token.Generic.Deleted", "keyword"),
)


class Highlighter:
    """Keeps the colours of codes; what was asked for and is not known yet is `next`, until it is `put`."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Spans] = OrderedDict()
        self._wanted: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._begun: set[tuple[str, str]] = set()
        self._unknown: set[str] = set()

    @property
    def idle(self) -> bool:
        return not self._wanted and not self._begun

    def get(self, language: str, code: str) -> Spans | None:
        """The colours, or None: then they are wanted, or the language is unknown or the code too long."""
        if self.hopeless(language, code):
            return None
        key = (language, code)
        if found := self._known.get(key):
            self._known.move_to_end(key)
            return found
        if key in self._begun:
            return None
        self._wanted[key] = None
        self._wanted.move_to_end(key)
        if len(self._wanted) > WANTED:
            self._wanted.popitem(last=False)
        return None

    def hopeless(self, language: str, code: str) -> bool:
        """Whether it will never have colours."""
        return not language or language in self._unknown or len(code) > LIMIT or not code.strip()

    def next(self) -> tuple[str, str] | None:
        """Language and code of what was asked for last: somebody gives it to `lex` and the outcome to `put`."""
        if not self._wanted:
            return None
        key = self._wanted.popitem()[0]
        self._begun.add(key)
        return key

    def put(self, key: tuple[str, str], spans: Spans | None) -> None:
        """The colours of a code; None: the language is unknown."""
        self._begun.discard(key)
        if spans is None:
            self._unknown.add(key[0])
            return
        self._known[key] = spans
        if len(self._known) > KEPT:
            self._known.popitem(last=False)


def lex(language: str, code: str) -> Spans | None:
    """The colours of a code; None for an unknown language."""
    lexer = _lexer(language)
    if lexer is None:
        return None
    spans: Spans = [[]]
    for kind, text in lexer.get_tokens(code):
        name = _name(str(kind))
        for at, part in enumerate(text.split("\n")):
            if at:
                spans.append([])
            if part:
                spans[-1].append((len(part), name))
    return spans[: code.count("\n") + 1]


def language_of(path: str) -> str:
    """The language of a file by its name, as `get` takes it: `.py`, or "" for a name without a suffix."""
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :] if "." in name else ""


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    # Imported on first use: pygments costs more than the first paint of the screen.
    from pygments import lexers
    from pygments.util import ClassNotFound

    found: Any = lexers  # without types
    options: dict[str, Any] = {"stripnl": False, "ensurenl": False}
    try:
        if language.startswith("."):
            return found.get_lexer_for_filename("x" + language, **options)
        return found.get_lexer_by_name(language, **options)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _name(kind: str) -> str:
    return next((name for prefix, name in _NAMES if kind.startswith(prefix)), "")
