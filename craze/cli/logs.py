"""Where the program's own log goes: into the file that `CRAZE_LOG` names, to stderr with `CRAZE_DEBUG=1` where no screen
is, else nowhere.

A log is for bugs; what a person can act on is said. Known secret values are replaced before a line is written.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from craze.cli.context import Context
from craze.errors import UsageError


def begin(context: Context, *, screen: bool = False) -> None:
    """From now on the log goes there. Again: nothing.

    Raises:
        UsageError: The file cannot be opened.
    """
    logger = logging.getLogger("craze")
    if logger.handlers:
        return
    logger.addHandler(logging.NullHandler())
    for handler in _handlers(context, screen):
        handler.setFormatter(_Redacting(context))
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)


def _handlers(context: Context, screen: bool) -> Iterator[logging.Handler]:
    if name := context.environment.get("CRAZE_LOG"):
        try:
            yield logging.FileHandler(name, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"CRAZE_LOG {name}: {error.strerror}") from error
    if context.environment.debug and not screen:
        yield logging.StreamHandler()


class _Redacting(logging.Formatter):
    def __init__(self, context: Context) -> None:
        from craze.cli.redacting import redactor_of

        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redact = redactor_of(context)

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))
