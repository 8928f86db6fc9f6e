"""The subscribers of a session: bounded buffers that never show a hole.

A budgeted subscriber that falls behind is emptied and gets a snapshot; a lossless one makes the session stop reading
the agent until it has caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Literal

from craze.codec import Record
from craze.engine.facts import Fact
from craze.engine.limits import SUBSCRIBER_BYTES, SUBSCRIBER_ITEMS
from craze.engine.value import Value
from craze.engine.view import View


class Snapshot(Value, frozen=True):
    """The folded view; what follows in the stream came after it."""

    view: View
    reason: Literal["joined", "slow_consumer"] = "joined"


Item = Record | Fact | Snapshot


class Subscription:
    """One reader's stream: an async iterator whose first item is a `Snapshot`; it ends when the session has closed."""

    def __init__(self, hub: Hub, *, lossless: bool) -> None:
        self._hub, self.lossless = hub, lossless
        self._buffer: deque[Item] = deque()
        self._bytes = 0
        self._waiting: asyncio.Future[None] | None = None
        self._ended = False
        self.full = False

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Item:
        if not self._buffer and not await self._more():
            raise StopAsyncIteration
        item = self._buffer.popleft()
        self._bytes -= _size(item)
        if self.full:
            self._hub.drained(self)
        return item

    async def batch(self) -> list[Item]:
        """Everything that waits, at least one item; empty when the stream has ended."""
        if not self._buffer and not await self._more():
            return []
        items = list(self._buffer)
        self._buffer.clear()
        self._bytes = 0
        if self.full:
            self._hub.drained(self)
        return items

    def pending(self) -> int:
        """How many items wait."""
        return len(self._buffer)

    def close(self) -> None:
        """Leave: nothing more is delivered, and a hold that was ours is released."""
        self._hub.leave(self)
        self._buffer.clear()
        self._bytes = 0
        self.end()

    def offer(self, item: Item, size: int = 0) -> bool:
        """One more item, of so many bytes; whether it is within the budget."""
        buffer = self._buffer
        buffer.append(item)
        self._bytes += size
        if self._waiting is not None:
            self._wake()
        return len(buffer) <= SUBSCRIBER_ITEMS and self._bytes <= SUBSCRIBER_BYTES

    def replace_with(self, snapshot: Snapshot) -> None:
        self._buffer.clear()
        self._bytes = 0
        self.offer(snapshot)

    def half_empty(self) -> bool:
        """Whether at most half of the budget is used."""
        return len(self._buffer) * 2 <= SUBSCRIBER_ITEMS and self._bytes * 2 <= SUBSCRIBER_BYTES

    def end(self) -> None:
        self._ended = True
        self._wake()

    async def _more(self) -> bool:
        while not self._buffer:
            if self._ended:
                return False
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return True

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(None)


class Hub:
    """Hands each item to every subscription; `hold` is called when a lossless one falls behind or has caught up.

    `view` gives what is true now, which each reader begins with, and goes on from if it was too slow.
    """

    def __init__(self, hold: Callable[[bool], None], view: Callable[[], View]) -> None:
        self._hold, self._view = hold, view
        self._subscriptions: list[Subscription] = []
        self._ended = False

    def join(self, *, lossless: bool) -> Subscription:
        subscription = Subscription(self, lossless=lossless)
        subscription.offer(Snapshot(view=self._view()))
        if self._ended:
            subscription.end()
        else:
            self._subscriptions.append(subscription)
        return subscription

    def publish(self, item: Record | Fact) -> None:
        size = len(item.body) if isinstance(item, Record) else len(item.data)
        for subscription in self._subscriptions:
            if subscription.offer(item, size):
                continue
            if not subscription.lossless:
                subscription.replace_with(Snapshot(view=self._view(), reason="slow_consumer"))
            elif not subscription.full:
                subscription.full = True
                self._hold(True)

    def restate(self, snapshot: Snapshot) -> None:
        """Everything before is void: each reader goes on from this view."""
        for subscription in self._subscriptions:
            subscription.replace_with(snapshot)

    def drained(self, subscription: Subscription) -> None:
        if subscription.half_empty():
            subscription.full = False
            self._release()

    def leave(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
        if subscription.full:
            subscription.full = False
            self._release()

    def end(self) -> None:
        """The stream is over: buffers are still delivered, then each iteration ends."""
        self._ended = True
        for subscription in self._subscriptions:
            subscription.end()

    def _release(self) -> None:
        if not any(subscription.full for subscription in self._subscriptions):
            self._hold(False)


def _size(item: Item) -> int:
    if type(item) is Record:
        return len(item.body)
    return len(item.data) if type(item) is Fact else 0
