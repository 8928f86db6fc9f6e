"""What a run prints reaches its reader in order, however slow that one is, and never holds up the loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from craze.headless.out import ThreadedOut


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


async def test_a_small_block_that_finds_room_is_out_at_once_and_needs_no_thread(pipe: tuple[int, int]) -> None:
    threads = threading.active_count()

    await ThreadedOut(pipe[1]).write(b"every ")

    assert os.read(pipe[0], 100) == b"every "
    assert threading.active_count() == threads


async def test_blocks_keep_their_order_when_the_reader_is_slow(pipe: tuple[int, int]) -> None:
    out = ThreadedOut(pipe[1])
    large = b"a" * (1 << 21)

    waiting = asyncio.create_task(out.write(large))
    await asyncio.sleep(0)
    waiting.cancel()
    last = asyncio.create_task(out.write(b"b"))
    await asyncio.sleep(0)
    assert not last.done()

    read = b""
    while not read.endswith(b"b"):
        read += await asyncio.to_thread(os.read, pipe[0], 1 << 16)
    await last
    assert read == large + b"b"


@pytest.mark.parametrize("size", [1, 1 << 20])
async def test_a_reader_that_went_away_is_told(pipe: tuple[int, int], size: int) -> None:
    os.close(pipe[0])

    with pytest.raises(BrokenPipeError):
        await ThreadedOut(pipe[1]).write(b"a" * size)
