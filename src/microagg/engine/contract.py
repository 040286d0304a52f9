"""What every engine does for a protection: look at all records, and work on those of each block.

An engine holds the quasi-identifiers as numbers, records x columns, NaN where one is missing. What is
asked of it does not depend on how many parts it holds them in, nor on the order in which it takes these:
what is found of parts adds up exactly, and what is done to a block depends on its records alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats

Ints = NDArray[np.int64]
Found = TypeVar("Found")
Released = TypeVar("Released", covariant=True)
Watch = Callable[[int], None]
"""Called now and then with the records done; an exception raised in it stops the work."""


class Block(NamedTuple):
    """The records of a block, in the order of their rows."""

    number: int
    numbers: Floats
    ranks: Callable[[NDArray[np.intp]], Iterable[Ints]]
    """For some of these records, their ranks by what else the table holds: it parts those that are equal."""
    tell: Callable[[], None] = lambda: None
    """To be called now and then; an exception raised in it stops the work."""


class Worked(NamedTuple):
    """What came of a block."""

    released: Floats  # what stands for each of its records
    squares: list[list[float]]  # the exact parts of what is added up over all blocks


class Engine(Protocol[Released]):
    """Someone who has the records, and hands over what is released in a form of its own."""

    @property
    def records(self) -> int:
        """How many there are."""
        ...

    def fold(self, part: Callable[[Floats], Found], joined: Callable[[Sequence[Found]], Found]) -> Found:
        """Return what `part` finds in each part of the records, joined in any order."""
        ...

    def map_blocks(
        self,
        counts: Ints,
        block_of: Callable[[Floats], Ints],
        work: Callable[[Block], Worked],
        watch: Watch,
    ) -> tuple[Released, list[list[float]]]:
        """Work on each block, of which `counts` says how many records it has, by itself.

        Returns what is released, and the exact parts of the sums.
        """
        ...
