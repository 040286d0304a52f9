"""What measures look at: the columns of a table before and after, and what an observer can tell apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Floats, Unit
from microagg.plan import Kind

ClassOf = NDArray[np.int64]
"""The class of each record, numbered from 0: records of one class look the same in the released columns."""

AMOUNTS: tuple[Kind, ...] = ("continuous", "integer", "date", "datetime")
"""Kinds whose numbers have means and differences; an ordinal column only has an order."""

CATEGORIES: tuple[Kind, ...] = ("nominal", "boolean")
"""Kinds whose values are alike or not, and nothing more."""

NO_WEIGHTS: Floats = np.empty(0)
NO_STRATA: ClassOf = np.empty(0, dtype=np.int64)


class Pair(NamedTuple):
    """A column before and after, in the same numbers: equal numbers are equal values."""

    original: Column
    released: Column
    unit: Unit  # of distance, by the original
    importance: float = 1.0

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.original.name

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        return self.original.kind


class Watched(NamedTuple):
    """A sensitive column, which is released as it is: the place of each value among all in their order."""

    name: str
    places: NDArray[np.int64]  # a missing value is one more value, the last
    levels: int  # how many there are, with that of missing ones
    ordered: bool  # whether values have an order, so that some are nearer to each other than others
    missing: bool = False  # whether the last level is that of missing values


class Compared(NamedTuple):
    """An original and its release, record by record."""

    pairs: tuple[Pair, ...]
    classes: ClassOf
    original: Floats  # n x d: the records as points, whose squared distance is that of the grouping
    released: Floats  # n x d: the released ones in the same space; equal within a class
    weights: Floats = NO_WEIGHTS  # of the records, empty if all count the same
    sensitive: tuple[Watched, ...] = ()
    strata: ClassOf = NO_STRATA  # what else everybody sees of a record and knows of it, empty if nothing

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.classes.size

    def of_kinds(self, kinds: tuple[Kind, ...]) -> tuple[Pair, ...]:
        """Return the columns of these kinds."""
        return tuple(pair for pair in self.pairs if pair.kind in kinds)
