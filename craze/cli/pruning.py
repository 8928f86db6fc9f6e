"""What the settings under `[retention]` no longer keep: planned, and removed."""

from __future__ import annotations

import time

from craze.cli import exit_codes, stdio
from craze.cli.context import Context
from craze.config.duration import seconds
from craze.errors import CrazeError
from craze.store.prune import Going, Retention, carry_out, plan, prune

DAY = 86400.0


def retention(context: Context) -> Retention:
    kept = context.settings.config.retention
    return Retention(keep_days=kept.keep_days, wire_keep_days=kept.wire_keep_days, max_bytes=kept.max_bytes)


def plan_of(context: Context, *, older_than: str, wire: bool, orphans: bool) -> list[Going]:
    """What `craze sessions prune` removes: by the settings, or by the options in their place."""
    # 0 would mean "no limit": who asks for 0s means all.
    days = max(seconds(older_than, "--older-than") / DAY, 1e-9) if older_than else 0.0
    if wire:
        keep = Retention(keep_days=0, wire_keep_days=days or retention(context).wire_keep_days)
    elif older_than:
        keep = Retention(keep_days=days, wire_keep_days=0, orphans=orphans)
    else:
        settings = retention(context)
        keep = Retention(
            keep_days=settings.keep_days,
            wire_keep_days=settings.wire_keep_days,
            max_bytes=settings.max_bytes,
            orphans=orphans,
        )
    return list(plan(context.sessions, keep, time.time_ns()))


def removed(going: list[Going]) -> int:
    code = exit_codes.DONE
    for each in going:
        try:
            carry_out(each)
        except CrazeError as error:
            stdio.say(str(error))
            code = exit_codes.FAILED
    return code


def at_start(context: Context) -> None:
    """The same at each start of a session, for a moment; what is left goes at a later one."""
    if context.sessions.is_dir():
        prune(context.sessions, retention(context), time.time_ns())
