"""The engine whose records are on disk: more of them than memory holds.

The numbers stand in a file of their own, which every look reads once. For the blocks they are put in the
order of these, and what is released is put back into the order of the rows: both by writing each record
straight to its place, since how many records a block has is known before. What else a sort needs, and
all that is counted by value, DuckDB does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.engine.contract import Block, Found, Ints, Watch, Worked
from microagg.engine.ties import NO_TIES, Others, Ties, ties_of
from microagg.engine.words import Sorted, Words
from microagg.engine.working import folded, joined_sums

_BUNDLE = 100_000  # records, below which blocks are kept together on disk


class Bundles(NamedTuple):
    """Blocks that are next to each other on disk, so that no piece of it is too small."""

    of: Ints  # the bundle of each block
    counts: Ints  # records in each bundle
    first: Ints  # the first block of each, and how many blocks there are


class OnDisk:
    """Records in a file, in parts of so many."""

    def __init__(
        self, folder: Path, columns: int, part: int, memory: int, watch: Callable[[], None] = lambda: None
    ) -> None:
        self.folder, self.part, self.memory, self.watch = folder, part, memory, watch
        self.words = Words(folder / "numbers", columns)
        self.records = 0
        self.others: Others | None = None  # what parts equal records, if there is anything

    def append(self, numbers: Floats) -> None:
        """Add records behind those that are there."""
        self.words.write(self.records, np.ascontiguousarray(numbers).view(np.int64))
        self.records += len(numbers)

    def fold(self, part: Callable[[Floats], Found], joined: Callable[[Sequence[Found]], Found]) -> Found:
        """Return what is found in all parts, joined."""
        return folded(self._parts, lambda number: part(self._numbers(number)), joined, self.watch)

    @property
    def _parts(self) -> int:
        return -(-self.records // self.part)

    def _numbers(self, number: int) -> Floats:
        start = number * self.part
        return self.words.read(start, min(start + self.part, self.records)).view(np.float64)

    def map_blocks(
        self,
        counts: Ints,
        block_of: Callable[[Floats], Ints],
        work: Callable[[Block], Worked],
        watch: Watch,
    ) -> tuple[Iterator[Floats], list[list[float]]]:
        """Work on each block; what is released comes in parts of as many records as were looked at."""
        bundles = bundles_of(counts)
        by_block = self._by_block(bundles, block_of)
        ties = NO_TIES if self.others is None else ties_of(by_block, self.others, self.folder, self.memory)
        sizes = np.full(self._parts, self.part)
        sizes[-1] = self.records - self.part * (self._parts - 1)
        by_row = Sorted(self.folder / "released", sizes, self.words.width + 1)
        task = _Task(bundles, by_block, by_row, ties, block_of, work, self.part)
        squares = folded(len(bundles.counts), task.bundle, joined_sums, lambda: watch(task.done))
        by_block.remove()
        return self._released(by_row), squares

    def _by_block(self, bundles: Bundles, block_of: Callable[[Floats], Ints]) -> Sorted:
        """Return the records in the order of their blocks, each behind the number of its row."""
        by_block = Sorted(self.folder / "blocks", bundles.counts, self.words.width + 1)
        for number in range(self._parts):
            self.watch()
            numbers = self._numbers(number)
            rows = np.arange(len(numbers)) + number * self.part
            of = bundles.of[block_of(numbers)]
            by_block.put(of, np.column_stack((rows, numbers.view(np.int64))))
        self.words.remove()
        return by_block

    def _released(self, by_row: Sorted) -> Iterator[Floats]:
        for number in range(self._parts):
            self.watch()
            words = by_row.read(number)
            released = np.empty((len(words), self.words.width))
            released[words[:, 0] - number * self.part] = words[:, 1:].view(np.float64)
            yield released
        by_row.remove()


class _Task:
    """What is done to each bundle, by any thread."""

    def __init__(
        self,
        bundles: Bundles,
        by_block: Sorted,
        by_row: Sorted,
        ties: Ties,
        block_of: Callable[[Floats], Ints],
        work: Callable[[Block], Worked],
        part: int,
    ) -> None:
        self.bundles, self.by_block, self.by_row, self.ties = bundles, by_block, by_row, ties
        self.block_of, self.work, self.part = block_of, work, part
        self.done, self.lock = 0, Lock()

    def bundle(self, number: int) -> list[list[float]]:
        """Work on the blocks of a bundle, and put what is released where its row belongs."""
        words = self.by_block.read(number)
        rows, numbers = words[:, 0], words[:, 1:].view(np.float64)
        rank = self.ties.rank(number, rows)
        first, end = self.bundles.first[number : number + 2]
        of = self.block_of(numbers) if end - first > 1 else np.full(len(rows), first)
        order = np.argsort(of, kind="stable")
        released, squares = np.empty_like(numbers), []
        for block, chosen in enumerate(
            np.split(order, np.searchsorted(of[order], np.arange(first + 1, end)))
        ):
            found = self.work(Block(int(first) + block, numbers[chosen], _ranks(rank, chosen)))
            released[chosen] = found.released
            squares.append(found.squares)
            with self.lock:
                self.done += len(chosen)
        self.by_row.put(rows // self.part, np.column_stack((rows, released.view(np.int64))))
        return joined_sums(squares)


def _ranks(rank: Ints, chosen: NDArray[np.intp]) -> Callable[[NDArray[np.intp]], Iterable[Ints]]:
    return lambda places: [rank[chosen[places]]] if rank.size else []


def bundles_of(counts: Ints) -> Bundles:
    """Return the blocks in bundles of enough records, or of one block.

    >>> bundles_of(np.array([60_000, 60_000, 250_000, 10])).of.tolist()
    [0, 0, 1, 2]
    """
    of, held, number = np.empty(len(counts), np.int64), 0, -1
    for block, count in enumerate(counts.tolist()):
        if number < 0 or held >= _BUNDLE or held + count > 2 * _BUNDLE:
            number, held = number + 1, 0
        of[block] = number
        held += count
    return Bundles(
        of, np.bincount(of, weights=counts).astype(np.int64), np.searchsorted(of, np.arange(number + 2))
    )
