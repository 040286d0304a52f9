"""The engine whose records are on disk: more of them than memory holds.

The numbers stand in a file of their own, which every look reads once. For the blocks they are put in the
order of these, and what is released is put back into the order of the rows: both by writing each record
straight to its place, since how many records a block has is known before. What else a sort needs, and
all that is counted by value, DuckDB does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event, Lock

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.engine.bundles import Bundles, blocks_in, bundles_of
from microagg.engine.contract import Block, Found, Ints, Watch, Worked
from microagg.engine.room import Room
from microagg.engine.ties import NO_TIES, Others, ties_of
from microagg.engine.words import Sorted, Words
from microagg.engine.working import Stopped, folded, joined_sums
from microagg.errors import InputError

_COPIES, _BESIDE = 7, 12  # words that a record takes meanwhile: of its numbers, and besides


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
        """Add records behind those that are there; zero has no sign, so that equal ones are the same bits."""
        self.words.write(self.records, np.ascontiguousarray(numbers + 0.0).view(np.int64))
        self.records += len(numbers)

    def fold(self, part: Callable[[Floats], Found], joined: Callable[[Sequence[Found]], Found]) -> Found:
        """Return what is found in all parts, joined."""
        return folded(self.parts, lambda number: part(self.numbers(number)), joined, self.watch)

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return -(-self.records // self.part)

    def numbers(self, number: int) -> Floats:
        """Return the records of a part."""
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
        task = _Task(self, bundles_of(counts), block_of, work)
        task.put_by_block()
        if self.others is not None:
            small = [bundle for bundle in range(len(task.bundles.counts)) if task.fits(bundle)]
            task.ties = ties_of(task.by_block, small, self.others, self.folder, self.memory)
        squares = folded(
            len(task.bundles.counts), task.bundle, joined_sums, lambda: watch(task.done), task.stop
        )
        task.by_block.remove()
        return self._released(task.by_row), squares

    def _released(self, by_row: Sorted) -> Iterator[Floats]:
        for number in range(self.parts):
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
        engine: OnDisk,
        bundles: Bundles,
        block_of: Callable[[Floats], Ints],
        work: Callable[[Block], Worked],
    ) -> None:
        self.engine, self.bundles, self.block_of, self.work = engine, bundles, block_of, work
        width, part = engine.words.width + 1, engine.part
        sizes = np.full(engine.parts, part)
        sizes[-1] = engine.records - part * (engine.parts - 1)
        self.by_block = Sorted(engine.folder / "blocks", bundles.counts, width)
        self.by_row = Sorted(engine.folder / "released", sizes, width)
        self.ties, self.room = NO_TIES, Room(engine.memory)
        self.done, self.lock, self.stop = 0, Lock(), Event()

    def put_by_block(self) -> None:
        """Put the records in the order of their bundles, each behind the number of its row."""
        folded(self.engine.parts, self._put, lambda found: None, self.engine.watch)
        self.engine.words.remove()

    def _put(self, number: int) -> None:
        numbers = self.engine.numbers(number)
        rows = np.arange(len(numbers)) + number * self.engine.part
        of = self.bundles.of[self.block_of(numbers)]
        self.by_block.put(of, np.column_stack((rows, numbers.view(np.int64))))

    def needs(self, bundle: int) -> int:
        """Return about how many bytes of memory a bundle needs."""
        return int(self.bundles.counts[bundle]) * (_COPIES * self.by_block.words.width + _BESIDE) * 8

    def fits(self, bundle: int) -> bool:
        """Say whether a bundle can be held in memory."""
        return self.needs(bundle) <= self.room.size

    def bundle(self, number: int) -> list[list[float]]:
        """Work on the blocks of a bundle, and put what is released where its row belongs."""
        if not self.fits(number):
            return joined_sums([self._alike(number, words) for words in self.by_block.pieces(number)])
        with self.room.taken(self.needs(number)):
            words = self.by_block.read(number)
            return self._bundle(number, words[np.argsort(words[:, 0])])

    def _bundle(self, number: int, words: Ints) -> list[list[float]]:
        rows, numbers = words[:, 0], words[:, 1:].view(np.float64)
        rank = self.ties.rank(number, rows)
        first, end = self.bundles.first[number : number + 2]
        of = self.block_of(numbers) if end - first > 1 else np.full(len(rows), first)
        released, squares = np.empty_like(numbers), []
        for block, chosen in blocks_in(of, int(first), int(end)):
            found = self.work(Block(block, numbers[chosen], _ranks(rank, chosen), self._tell))
            released[chosen] = found.released
            squares.append(found.squares)
            self._count(len(chosen))
        self._put_back(rows, released)
        return joined_sums(squares)

    def _alike(self, number: int, words: Ints) -> list[list[float]]:
        """Work on a part of a block that memory does not hold: one whose records are all alike."""
        first = self.by_block.words.read(
            int(self.by_block.starts[number]), int(self.by_block.starts[number]) + 1
        )
        if (words[:, 1:] != first[:, 1:]).any():
            raise InputError(
                f"a block of {self.bundles.counts[number]:,} records does not fit into the memory allowed: "
                "take a smaller max_leaf, or a larger memory_limit"
            )
        found = self.work(
            Block(int(self.bundles.first[number]), words[:, 1:].view(np.float64), lambda rows: ())
        )
        self._put_back(words[:, 0], found.released)
        self._count(len(words))
        return found.squares

    def _put_back(self, rows: Ints, released: Floats) -> None:
        self.by_row.put(rows // self.engine.part, np.column_stack((rows, released.view(np.int64))))

    def _tell(self) -> None:
        if self.stop.is_set():
            raise Stopped

    def _count(self, records: int) -> None:
        with self.lock:
            self.done += records


def _ranks(rank: Ints, chosen: NDArray[np.intp]) -> Callable[[NDArray[np.intp]], Iterable[Ints]]:
    return lambda places: [rank[chosen[places]]] if rank.size else []
