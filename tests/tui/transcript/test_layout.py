"""Any walk over the layout agrees with adding up every height."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from craze.tui.transcript.layout import SIZE, Extent, Layout

EXTENTS = st.builds(Extent, st.integers(0, 4), st.integers(0, 300))
COUNTS = st.one_of(st.integers(1, 5), st.just(SIZE), st.integers(SIZE - 2, 3 * SIZE))


class Walk(RuleBasedStateMachine):
    """`heights` is the naive layout: a list; None stands for a block that nobody has measured."""

    def __init__(self) -> None:
        super().__init__()
        self.extents: list[Extent] = []
        self.exact: list[int | None] = []
        self.width = 80
        self.layout = Layout(lambda index: self.extents[index], self.width)

    def height(self, index: int) -> int:
        exact = self.exact[index]
        return self.extents[index].height(self.width) if exact is None else exact

    @rule(count=COUNTS, extent=EXTENTS)
    def append(self, count: int, extent: Extent) -> None:
        self.extents += [extent] * count
        self.exact += [None] * count
        self.layout.append(count)

    @rule(count=COUNTS, extent=EXTENTS)
    def prepend(self, count: int, extent: Extent) -> None:
        self.extents[:0] = [extent] * count
        self.exact[:0] = [None] * count
        self.layout.prepend(count)

    @precondition(lambda self: self.extents)
    @rule(data=st.data(), extent=EXTENTS)
    def grow(self, data: st.DataObject, extent: Extent) -> None:
        at = data.draw(st.integers(0, len(self.extents) - 1))
        self.extents[at], self.exact[at] = extent, None
        self.layout.touch(at)

    @precondition(lambda self: self.extents)
    @rule(data=st.data(), height=st.integers(0, 9))
    def measure(self, data: st.DataObject, height: int) -> None:
        at = data.draw(st.integers(0, len(self.extents) - 1))
        self.exact[at] = height
        self.layout.set(at, height)

    @precondition(lambda self: self.extents)
    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(0, len(self.extents)))
        del self.extents[count:], self.exact[count:]
        self.layout.truncate(count)

    @rule(width=st.integers(1, 200))
    def resize(self, width: int) -> None:
        self.width = width
        self.exact = [None] * len(self.exact)
        self.layout.reshape(width)

    @invariant()
    def lines_are_where_adding_up_puts_them(self) -> None:
        assert len(self.layout) == len(self.extents)
        for index in {0, 1, len(self.extents) // 2, len(self.extents) - 1}:
            if 0 <= index < len(self.extents):
                assert self.layout.height(index) == self.height(index)

    @precondition(lambda self: self.extents)
    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        index = data.draw(st.integers(0, len(self.extents) - 1))
        for each in range(0, len(self.extents), SIZE):
            self.layout.height(each)  # every chunk is looked at, so that no estimate of a whole chunk is left
        for each in range(len(self.extents)):
            self.layout.height(each)

        tops = [sum(map(self.height, range(index))), sum(map(self.height, range(len(self.extents))))]
        assert [self.layout.top(index), self.layout.total] == tops
        if self.height(index):
            assert self.layout.at(tops[0]) == (index, 0)
            assert self.layout.at(tops[0] + self.height(index) - 1) == (index, self.height(index) - 1)


TestWalk = pytest.mark.rule("TUI-45", "TUI-46")(Walk.TestCase)
TestWalk.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


@pytest.mark.rule("TUI-45", "TUI-46")
def test_blocks_removed_and_inserted_move_those_behind() -> None:
    extents = [Extent(1, 0)] * (2 * SIZE)
    layout = Layout(lambda index: extents[index])
    layout.append(len(extents))

    del extents[SIZE]
    layout.remove(SIZE)
    extents.insert(3, Extent(7, 0))
    layout.insert(3)

    assert (layout.height(3), layout.top(4), layout.total) == (7, 10, 2 * SIZE + 6)


@pytest.mark.rule("TUI-25")
def test_a_resize_asks_no_block_that_is_not_looked_at() -> None:
    asked: list[int] = []

    def extent(index: int) -> Extent:
        asked.append(index)
        return Extent(1, 160)

    layout = Layout(extent)
    layout.append(100 * SIZE)
    asked.clear()

    layout.reshape(40)
    found = layout.at(layout.total - 1)

    assert found[0] == 100 * SIZE - 1
    assert len(asked) <= 2 * SIZE
