"""Runs the iterated local search: where records lie, which cells are worked on, and when to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import cache
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.kernels import refine_cell as places
from microagg.kernels.lanes import WIDTH
from microagg.kernels.neighbours import list_nearest
from microagg.kernels.order import stable_order
from microagg.kernels.refine import fill, refine, restore
from microagg.kernels.refine_cell import Cell
from microagg.kernels.search import new_search
from microagg.kernels.tree import LEAF, begin, build, new_tree
from microagg.partition.matrix import Floats, Labels
from microagg.partition.slices import SLICE_SECONDS
from microagg.partition.threads import cores

WHOLE = 24_000  # records up to which one cell holds them all
UNIT_SECONDS = 0.15  # about what a cell takes for its share of a round
SHARE = 8  # kicks for each group of a cell in a round
SPARE = 8  # places for groups that come and go while a few are kicked
HEAT = 0.15  # the first temperature, in losses of a group
AGEING = 0.002  # how fast it falls with the kicks that each record may have felt
LEAST_GROUPS = 256  # of a cell
PAIRS = 1 << 15
MASK = 2**64 - 1

Numbers = NDArray[np.int32]
Watch = Callable[[int], None]
"""Called between slices of work with the iterations done; an exception raised in it stops the work."""


class Task(NamedTuple):
    """What is to be refined, and how long."""

    points: Floats
    weights: Floats  # one for each record
    k: int
    seed: int
    iterations: int
    ends_at: float  # by perf_counter

    def is_over(self) -> bool:
        """Say whether there is no time left."""
        return perf_counter() >= self.ends_at


def work_of(k: int, d: int) -> float:
    """Return about how many microseconds one iteration takes."""
    return 0.1 * k * k * (d + 4)


def refined(task: Task, labels: Labels, watch: Watch) -> tuple[Labels, int]:
    """Return the partition after the iterations, or those there was time for, and how many these were."""
    ids, near = neighbourhoods(task.points, list_length(task.k, len(labels)), watch)
    rank = np.empty(len(ids), np.int32)
    rank[ids] = np.arange(len(ids), dtype=np.int32)
    ground = Ground(task, ids, near, labels)
    reached = ground.refine_whole(watch) if len(ids) <= WHOLE else ground.refine_in_cells(watch)
    return _numbered_in_order(ground.of[rank]), reached


def list_length(k: int, n: int) -> int:
    """Return how many near records are listed for each."""
    return min(n - 1, 40 if k <= 5 else 48)


def _reach(k: int) -> int:
    """Return how many of the nearest records of each member are asked for their groups."""
    return 5 if k <= 3 else 4


def neighbourhoods(points: Floats, length: int, watch: Watch) -> tuple[Numbers, Numbers]:
    """Return the records in an order in which neighbours lie together, and who is near to whom in it."""
    n, d = points.shape
    tree = begin(new_tree(n, d), n, points.mean(axis=0))
    ids, keys = np.arange(n, dtype=np.int32), np.empty(n)
    while not build(tree, points, ids, keys, 2_000_000):
        watch(0)
    rank = np.empty(n, np.int32)
    rank[ids] = np.arange(n, dtype=np.int32)
    near = np.empty((n, length), np.int32)
    search = new_search(length + 1, d)
    leaf, leaves, step = 0, -(-n // LEAF), 4
    while leaf < leaves:
        leaf = list_nearest(tree, search, points, rank, near, leaf, step)
        watch(0)
    return ids, near


class Ground:
    """The arrays of all records and groups, and the cells made of them."""

    def __init__(self, task: Task, ids: Numbers, near: Numbers, labels: Labels) -> None:
        n, d = task.points.shape
        self.task, self.near = task, near
        self.points, self.weights = task.points[ids], task.weights[ids]
        self.best = _numbered_in_order(labels[ids])
        self.of = self.best.copy()
        self.groups = int(self.best.max()) + 1
        width = -(-2 * task.k // WIDTH) * WIDTH
        room = n // task.k + SPARE * (1 + n // (64 * task.k))
        self.members = np.zeros((room, width), np.int32)
        self.block = np.zeros((room, d + 2, width))
        self.block[:, :d] = np.nan
        self.sums = np.zeros((room, 2))
        self.marks = np.zeros((room, 9), np.int64)

    def cell(self, number: int, records: Numbers, groups: Numbers, free: Numbers, seed: int) -> Cell:
        """Return a cell of these groups, all waiting to be looked at, and of the free places it may use."""
        k, width = self.task.k, self.members.shape[1]
        own, room = len(groups) + len(free), min(max(128, 16 * k), 512)
        for some in (groups, free):
            self.marks[some, 1:] = 0
            self.marks[some, places.SETTLED] = -1
            self.marks[some, places.OWNER] = number
        self.marks[groups, places.WAITS] = self.marks[free, places.LISTED] = 1
        queue, unused, state = np.empty(own, np.int32), np.empty(own, np.int32), np.zeros(10, np.int64)
        queue[: len(groups)], unused[: len(free)] = groups[::-1], free[::-1]
        state[places.K], state[places.CELL] = k, number
        state[places.REACH] = min(_reach(k), self.near.shape[1])
        state[places.QUEUED], state[places.FREE] = len(groups), len(free)
        level = np.zeros(5)
        level[places.HEAT], level[places.AGEING] = HEAT, AGEING * k / len(groups)
        return Cell(
            self.points, self.weights, self.near, self.of, self.best,
            self.members, self.block, self.sums, self.marks,
            records=records,
            state=state,
            level=level,
            random=np.array([_scrambled(seed)], np.uint64),
            gaps=np.empty(2 * k * width),
            change=np.empty(2 * k * width),
            across=np.empty(2 * width),
            queue=queue,
            free=unused,
            changed=np.empty(own, np.int32),
            logged=np.empty(room, np.int32),
            old_members=np.empty((room, width), np.int32),
            old_block=np.empty((room, self.block.shape[1], width)),
            old_sums=np.empty((room, 2)),
            old_size=np.empty((room, 2), np.int64),
            pairs=np.full((PAIRS, 2), -1, np.int64),
            pool=np.empty((3, 10 * k), np.int32),
            between=np.empty(len(records), np.int32),
        )  # fmt: skip

    def everything(self) -> Cell:
        """Return all as one cell, filled."""
        used = np.arange(self.groups, dtype=np.int32)
        free = np.arange(self.groups, len(self.members), dtype=np.int32)
        cell = self.cell(0, np.arange(len(self.of), dtype=np.int32), used, free, self.task.seed)
        fill(cell)
        return cell

    def refine_whole(self, watch: Watch) -> int:
        """Refine all as one cell; return the iterations done."""
        cell = self.everything()
        for done in slices(cell, self.task.iterations):
            watch(done)
            if self.task.is_over():
                break
        restore(cell)
        return int(cell.state[places.DONE])

    def refine_in_cells(self, watch: Watch) -> int:
        """Refine cell by cell, in rounds between which the cells are cut anew; return the iterations done.

        A cell does not depend on the others of its round, and they are begun in order, so that it does
        not matter how many are worked on at a time: those begun before the time ends are finished.
        """
        self.everything()
        with _Crew(watch) as crew:
            planned, number = 0, 0
            while planned < self.task.iterations and not (planned and self.task.is_over()):
                age = AGEING * planned * self.task.k**2 / len(self.of)
                for groups, free in self.cut(number):
                    iterations = min(len(groups) * (1 + SHARE), self.task.iterations - planned)
                    if iterations == 0 or (planned and self.task.is_over()):
                        break
                    cell = self.cell(
                        planned + 1, self.records_of(groups), groups, free, self.task.seed + planned
                    )
                    cell.level[places.AGE] = age
                    crew.take_on(cell, iterations)
                    planned += iterations
                crew.finish_all()
                number += 1
        return planned

    def records_of(self, groups: Numbers) -> Numbers:
        """Return the members of groups."""
        used = np.arange(self.members.shape[1]) < self.marks[groups, places.SIZE][:, np.newaxis]
        records: Numbers = self.members[groups][used]
        return records

    def cut(self, number: int) -> Iterator[tuple[Numbers, Numbers]]:
        """Cut the groups into cells, elsewhere in every round; yield each with the free places it may use."""
        sizes = self.marks[:, places.SIZE]
        used, free = np.flatnonzero(sizes), np.flatnonzero(sizes == 0).astype(np.int32)
        counts = sizes[used].astype(np.float64)
        group_of, n = np.searchsorted(used, self.of), len(used)
        centres = [np.bincount(group_of, weights=x, minlength=n) / counts for x in self.points.T]
        most = max(LEAST_GROUPS, int(1e6 * UNIT_SECONDS / ((1 + SHARE) * work_of(self.task.k, len(centres)))))
        cells = list(_cut(centres, np.arange(n), most, _scrambled(self.task.seed + number)))
        wanted = [int(counts[cell].sum()) // self.task.k - len(cell) for cell in cells]
        spare = (len(free) - sum(wanted)) // len(cells)
        start = 0
        for cell, missing in zip(cells, wanted, strict=True):
            stop = start + missing + spare
            yield used[cell].astype(np.int32), free[start:stop]
            start = stop


class _Crew:
    """Threads that work on cells, a few at a time."""

    def __init__(self, watch: Watch) -> None:
        self.watch, self.done, self.stopped = watch, 0, False
        self.hands = cores()
        self.busy: list[Future[int]] = []
        self.pool = ThreadPoolExecutor(self.hands)

    def __enter__(self) -> _Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped = True
        self.pool.shutdown()

    def take_on(self, cell: Cell, iterations: int) -> None:
        """Begin with a cell, as soon as there is a free hand."""
        if len(self.busy) == self.hands:
            self._finish_one()
        self.busy.append(self.pool.submit(self._refine, cell, iterations))

    def finish_all(self) -> None:
        """Wait until no cell is worked on."""
        while self.busy:
            self._finish_one()

    def _finish_one(self) -> None:
        while not wait(self.busy, SLICE_SECONDS, FIRST_COMPLETED).done:
            self.watch(self.done)
        for cell in [cell for cell in self.busy if cell.done()]:
            self.done += cell.result()
            self.busy.remove(cell)
        self.watch(self.done)

    def _refine(self, cell: Cell, iterations: int) -> int:
        for _ in slices(cell, iterations):
            if self.stopped:
                return 0
        restore(cell)
        return iterations


def slices(cell: Cell, iterations: int) -> Iterator[int]:
    """Do so many iterations in slices; yield how many are done after each."""
    budget, done = 4, 0
    while done < iterations:
        began = perf_counter()
        step = min(budget, iterations - done)
        refine(cell, step)
        done += step
        taken = max(perf_counter() - began, 1e-4)
        budget = max(int(budget * min(max(SLICE_SECONDS / taken, 0.5), 2.0)), 1)
        yield done


def _cut(centres: list[Floats], groups: NDArray[np.intp], most: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Cut groups at a place drawn along their widest column until no cell has more than `most`."""
    if len(groups) <= most:
        yield np.sort(groups)
        return
    widest = max(centres, key=lambda x: float(np.ptp(x[groups])))
    order = groups[stable_order(widest[groups])]
    drawn = _scrambled(seed)
    middle = int(len(order) * (0.3 + 0.4 * drawn / 2**64))
    yield from _cut(centres, order[:middle], most, drawn)
    yield from _cut(centres, order[middle:], most, drawn + 1)


def _numbered_in_order(labels: Labels) -> Numbers:
    """Return the labels with groups numbered in the order of their first records."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return number[inverse]


def _scrambled(seed: int) -> int:
    """Return a number from 1 to 2**64 - 1 that looks drawn, whatever the seed (splitmix64)."""
    z = (seed + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return (z ^ z >> 31) | 1


@cache
def ready() -> None:
    """Load the compiled loops, or compile them, so that it does not count as time spent on the search."""
    points = np.random.default_rng(0).random((12, 1))
    refined(
        Task(points, np.ones(12), 2, 0, 20, np.inf), np.arange(12, dtype=np.int32) // 2, lambda done: None
    )
