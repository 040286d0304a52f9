"""Which places are nearest to a point, and how many records are there: looked for in a tree, on all cores."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from time import perf_counter

import numpy as np

from microagg.columns import Floats
from microagg.kernels.cores import cores
from microagg.kernels.linkage import Queries, count_nearest
from microagg.kernels.order import lexicographic_order
from microagg.kernels.search import new_search
from microagg.kernels.sweep import TOGETHER, lay_out, new_crowd, sweep_nearest
from microagg.kernels.tree import FLAT, LEAVES, VISITED, begin, build, new_tree
from microagg.measures.nearest import Nearest, Places, Rows, Watch

SLICE_SECONDS = 0.05  # a quarter of the longest wait that is allowed, since no slice costs what the last did
TRIAL = 256  # queries by which a tree is judged
WORTHLESS = 0.2  # share of the leaves seen by a search, from which sweeping all of them costs less
MOST_BOXED = 20_000_000  # numbers, of which boxes are built in about two seconds
_TRIAL_WORK = 3_000_000  # leaves seen times columns, from which a trial ends: about half a second
_BUILD_BUDGET = 2_000_000
_GOLDEN = 0.6180339887498949
_FIRST_STEP = 16


class SearchTree:
    """Places in a tree; or one after the other, if there are too many numbers to build it."""

    def __init__(self, places: Places, watch: Watch) -> None:
        n, d = places.points.shape
        self.places = places
        self.order = lexicographic_order([*places.points.T])  # so that the order of the rows has no effect
        ids = self.order.astype(np.int32)
        self.tree = begin(new_tree(n, d), n, places.points.mean(axis=0))
        if n * d <= MOST_BOXED:
            keys = np.empty(n)
            while not build(self.tree, places.points, ids, keys, _BUILD_BUDGET):
                watch(0)
        else:
            while not lay_out(self.tree, places.points, ids, _BUILD_BUDGET):
                watch(0)
        self._rank = np.empty(n, np.intp)
        self._rank[ids] = np.arange(n)

    def leaves_seen(self, queries: Places, order: Rows, *, two: bool, watch: Watch) -> float:
        """Return how many leaves a search sees on average, by a trial; give up bounds that do not help.

        The trial takes queries from all over an `order`, which must not depend on that of the rows. A leaf
        that is swept counts as `WORTHLESS`, since that is what it costs.
        """
        leaves = float(self.tree.state[LEAVES])
        if not self.tree.state[FLAT]:
            seen = self._tried(queries, order, two, watch)
            if seen <= WORTHLESS * leaves:
                return seen
            self.tree.state[FLAT] = 1
        return WORTHLESS * leaves

    def _tried(self, queries: Places, order: Rows, two: bool, watch: Watch) -> float:
        """Return how many leaves searches see that come from all over, however few there is time for."""
        tried = order[:: -(-order.size // TRIAL)]
        tried = tried[np.argsort(np.arange(tried.size) * _GOLDEN % 1.0)]
        hand = _Hand(self, queries, tried, np.empty((tried.size, 4)), two)
        visited, row = 0, 0
        while row < tried.size and visited * queries.points.shape[1] <= _TRIAL_WORK:
            hand(row, row + 1)
            watch(0)
            visited, row = int(hand.tree.state[VISITED]), row + 1
        return visited / row

    def nearest(self, queries: Places, beside: Rows, *, two: bool, watch: Watch) -> Nearest:
        """Return what lies nearest to each query, and next to it if `two` is set."""
        order = np.argsort(self._rank[beside], kind="stable")
        out = np.empty((order.size, 4))
        hand = _SweepingHand if self.tree.state[FLAT] else _Hand
        share_out(order.size, lambda: hand(self, queries, order, out, two), watch, hand.together)
        found = np.empty((4, order.size))
        found[:, order] = out.T
        return Nearest(*found)


class _Hand:
    """What one thread works with: the tree is shared, what is written is its own."""

    together = 1  # how many rows it should be told to work on at least

    def __init__(self, ground: SearchTree, queries: Places, order: Rows, out: Floats, two: bool) -> None:
        self.tree = ground.tree._replace(state=ground.tree.state.copy())
        self.records, self.two, self.out = ground.places.records, two, out
        self.queries = Queries(queries.points, queries.slack, order)
        self.search = new_search(3 if two else 2, queries.points.shape[1])

    def __call__(self, start: int, stop: int) -> None:
        part = self.out[start:stop]
        count_nearest(self.tree, self.records, self.queries, start, self.search, self.two, part)


class _SweepingHand(_Hand):
    """One that looks at all leaves."""

    together = TOGETHER

    def __init__(self, ground: SearchTree, queries: Places, order: Rows, out: Floats, two: bool) -> None:
        super().__init__(ground, queries, order, out, two)
        self.crowd = new_crowd(self.search.keys.size)

    def __call__(self, start: int, stop: int) -> None:
        for first in range(start, stop, TOGETHER):
            part = self.out[first : min(first + TOGETHER, stop)]
            sweep_nearest(self.tree, self.records, self.queries, first, self.search, self.crowd, part)


class _Rest:
    """The rows that are still to be worked on, from which every thread takes some."""

    def __init__(self, rows: int) -> None:
        self.rows, self.taken, self.done = rows, 0, 0
        self._lock = Lock()

    def take(self, step: int, done: int) -> tuple[int, int]:
        """Return where the next rows start and stop, and note how many the last ones were."""
        with self._lock:
            self.done += done
            start, self.taken = self.taken, min(self.taken + step, self.rows)
            return start, self.taken

    def stop(self) -> None:
        """Leave nothing to be taken."""
        with self._lock:
            self.taken = self.rows

    def work_off(self, hand: Callable[[int, int], None], least: int) -> None:
        """Work in short slices, of so many rows at least, until nothing is left."""
        step = max(_FIRST_STEP, least)
        start, stop = self.take(step, 0)
        while start < stop:
            began = perf_counter()
            hand(start, stop)
            ratio = SLICE_SECONDS / max(perf_counter() - began, 1e-4)
            step = max(int(step * min(max(ratio, 0.5), 2.0)), least)
            start, stop = self.take(step, stop - start)


def share_out(
    rows: int, new_hand: Callable[[], Callable[[int, int], None]], watch: Watch, least: int = 1
) -> None:
    """Let all cores work on rows, each with a hand of its own that is told where to start and stop."""
    rest, hands = _Rest(rows), cores()
    with ThreadPoolExecutor(hands) as pool:
        busy = [pool.submit(rest.work_off, new_hand(), least) for _ in range(hands)]
        try:
            while wait(busy, SLICE_SECONDS).not_done:
                watch(rest.done)
        finally:
            rest.stop()
    for one in busy:
        one.result()
    watch(rows)
