"""Every limit of the engine, each once."""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

RECORD_BODY: Final = 8 * MIB
SUBSCRIBER_ITEMS: Final = 1024
SUBSCRIBER_BYTES: Final = 8 * MIB

TOOL_RUNNING_TAIL: Final = 8 * KIB
TOOL_FINAL_TAIL: Final = 256 * KIB
TOOL_HEAD: Final = 4 * KIB
RAW_INPUT: Final = 256 * KIB
DIFF_TEXTS: Final = 1 * MIB

QUEUE_ROWS: Final = 32
QUEUE_TEXT: Final = 256 * KIB
ENDED_ASKS: Final = 256
FINISHED_CHILDREN: Final = 32
ROUTED_CHILDREN: Final = 64
PARKED_RECEIPTS: Final = 32

DRAFT_EVERY: Final = 0.5
CANCEL_WRITE: Final = 2.0
SET_TIMEOUT: Final = 15.0
CANCEL_OFFER: Final = 10.0
CANCEL_LINT: Final = 30.0
PROMPT_AGAIN: Final = 2.0
DEADLINE_TO_RESTART: Final = 10.0
CLOSE_PROVIDER: Final = 2.0
CLOSE_LOG: Final = 0.5
QUIET_AFTER: Final = 120.0
TITLE_CELLS: Final = 80
