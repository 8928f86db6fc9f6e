"""Where the program's own log goes: into the file that `CRAZE_LOG` names, to stderr with `CRAZE_DEBUG=1`, else nowhere.

A log is for bugs; what a person can act on is said. Known secret values are replaced before a line is written.
"""

from __future__ import annotations

import logging

from craze.cli.context import Context
from craze.errors import UsageError


def begin(context: Context) -> None:
    """
    Raises:
        UsageError: The file cannot be opened.
    """
    logger = logging.getLogger("craze")
    logger.addHandler(logging.NullHandler())
    logger.propagate = context.environment.debug
    if name := context.environment.get("CRAZE_LOG"):
        try:
            handler = logging.FileHandler(name, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"CRAZE_LOG {name}: {error.strerror}") from error
        handler.setFormatter(_Redacting(context))
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)


class _Redacting(logging.Formatter):
    def __init__(self, context: Context) -> None:
        from craze.cli.capture import redactor_of

        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._redact = redactor_of(context)

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))
