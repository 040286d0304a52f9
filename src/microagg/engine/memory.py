"""The engine whose records are all in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.engine.contract import Block, Found, Ints, Watch, Worked
from microagg.engine.working import folded, joined_sums

PART = 1 << 17  # records

Ranks = Callable[[NDArray[np.intp]], Iterable[Ints]]


class InMemory:
    """Records in an array; `ranks` gives the ranks of some rows by each of the further columns."""

    def __init__(self, numbers: Floats, ranks: Ranks = lambda rows: (), part: int = PART) -> None:
        self.numbers, self.ranks, self.part = numbers, ranks, part
        self.watch: Callable[[], None] = lambda: None

    @property
    def records(self) -> int:
        """How many there are."""
        return len(self.numbers)

    def fold(self, part: Callable[[Floats], Found], joined: Callable[[Sequence[Found]], Found]) -> Found:
        """Return what is found in all parts, joined."""
        starts = range(0, self.records, self.part)
        return folded(
            len(starts),
            lambda number: part(self.numbers[starts[number] : starts[number] + self.part]),
            joined,
            self.watch,
        )

    def map_blocks(
        self,
        counts: Ints,
        block_of: Callable[[Floats], Ints],
        work: Callable[[Block], Worked],
        watch: Watch,
    ) -> tuple[Iterator[Floats], list[list[float]]]:
        """Work on each block; what is released comes in one piece."""
        released = np.empty_like(self.numbers)
        order = np.argsort(block_of(self.numbers), kind="stable")
        rows_of = np.split(order, np.cumsum(counts)[:-1])
        lock, done = Lock(), [0]

        def one(number: int) -> list[list[float]]:
            rows = rows_of[number]
            found = work(Block(number, self.numbers[rows], lambda chosen: self.ranks(rows[chosen])))
            released[rows] = found.released
            with lock:
                done[0] += len(rows)
            return found.squares

        squares = folded(len(counts), one, joined_sums, lambda: watch(done[0]))
        return iter([released]), squares
