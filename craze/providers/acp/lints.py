"""What an agent of this kind may do that it should not, and how much each weighs."""

from __future__ import annotations

from typing import Final

from craze.providers.lints import Level

LEVELS: Final[dict[str, Level]] = {
    **dict.fromkeys(
        (
            "bad-json",
            "unusable-update",
            "no-options",
            "unanswered-cancel",
            "unanswered-prompt-at-exit",
            "duplicate-request-id",
            "orphan-process",
        ),
        "error",
    ),
    **dict.fromkeys(
        (
            "noise",
            "repaired-line",
            "bad-field",
            "unknown-response",
            "duplicate-response",
            "late-response",
            "unknown-session",
            "update-before-call",
            "repeated-tool-call",
            "unknown-terminal",
            "cancel-end-turn",
            "cancel-error",
            "tool-left-open",
            "bad-command",
            "bad-form",
            "stop-reason",
            "session-id-changed",
            "protocol-version",
            "resume-replayed",
            "gated-call",
            "gate-lied",
            "replay-differs",
            "cumulative-output",
        ),
        "warn",
    ),
    **dict.fromkeys(
        (
            "batch",
            "envelope",
            "id-as-string",
            "relative-path",
            "bare-block",
            "chunk-array",
            "unknown-kind",
            "unknown-request",
            "unknown-notification",
            "unknown-option-type",
            "mode-key",
            "permission-before-call",
            "update-after-stop",
            "line-over-1mib",
            "slow-start",
            "too-many-children",
        ),
        "info",
    ),
}
