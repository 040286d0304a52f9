"""What is counted of records, part by part, and added up: whole numbers, exact in any order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from microagg.partition.cells import Cells, keys_of, located, targets_of
from microagg.partition.grid import BITS, Ints

PART = 1 << 16  # records that are looked at together: their codes stay in the cache


class Counted(NamedTuple):
    """How many records have which keys; the keys ascend."""

    keys: Ints
    counts: Ints


class Bounds(NamedTuple):
    """The least and the largest code of the records in each open cell, for each column of the grid."""

    low: Ints  # columns x cells
    high: Ints


class Sums(NamedTuple):
    """How many records there are in each leaf, and the sums of their codes: 2^26 high + low."""

    counts: Ints
    high: Ints  # columns x leaves
    low: Ints

    def of(self, leaves: Ints) -> Sums:
        """Return those of some leaves."""
        return Sums(*(part[..., leaves] for part in self))


class Counter(Protocol):
    """Someone who has the records, and looks at all of them whenever asked."""

    def counts(self, cells: Cells) -> Counted:
        """Return the counts of all records in open cells: `counts_in`, joined by `joined_counts`."""
        ...

    def bounds(self, cells: Cells) -> Bounds:
        """Return the bounds of all open cells: `bounds_in`, joined by `joined_bounds`."""
        ...

    def sums(self, cells: Cells) -> Sums:
        """Return the sums of all leaves, once no cell is open: `sums_in`, joined by `joined_sums`."""
        ...


def counts_in(cells: Cells, codes: Ints) -> Counted:
    """Return the counts of one part of the records."""
    cell = located(cells, codes)
    inside = np.flatnonzero(cell < 0)
    keys = keys_of(cells.halvings, cells.first, cells.bits, codes[:, inside], ~cell[inside])
    return _counted(keys, len(cells.first) << cells.bits)


def joined_counts(parts: Sequence[Counted]) -> Counted:
    """Return the counts of all parts."""
    keys, of_part = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, of_part, np.concatenate([part.counts for part in parts]))
    return Counted(keys, counts)


def bounds_in(cells: Cells, codes: Ints) -> Bounds:
    """Return the bounds of one part of the records; of a cell without any, low is above high."""
    cell = located(cells, codes)
    inside = np.flatnonzero(cell < 0)
    shape = len(codes), len(cells.first)
    bounds = Bounds(np.full(shape, 2**BITS), np.full(shape, -1))
    for code, low, high in zip(codes, *bounds, strict=True):
        np.minimum.at(low, ~cell[inside], code[inside])
        np.maximum.at(high, ~cell[inside], code[inside])
    return bounds


def joined_bounds(parts: Sequence[Bounds]) -> Bounds:
    """Return the bounds of all parts."""
    return Bounds(
        np.minimum.reduce([part.low for part in parts]), np.maximum.reduce([part.high for part in parts])
    )


def sums_in(cells: Cells, codes: Ints) -> Sums:
    """Return the sums of one part of the records."""
    return sums_of(codes, located(cells, codes), len(cells.leaves.counts))


def sums_of(codes: Ints, leaf: Ints, leaves: int) -> Sums:
    """Return the sums of codes by leaf; each half of a code is summed by itself, so that there is room."""
    sums = Sums(np.bincount(leaf, minlength=leaves), *np.zeros((2, len(codes), leaves), np.int64))
    for code, high, low in zip(codes, sums.high, sums.low, strict=True):
        np.add.at(high, leaf, code >> 26)
        np.add.at(low, leaf, code & (2**26 - 1))
    return sums


def joined_sums(parts: Sequence[Sums]) -> Sums:
    """Return the sums of all parts."""
    return Sums(*(np.add.reduce(several) for several in zip(*parts, strict=True)))


class HeldRecords:
    """A counter of records that are all in memory: it need not look again at those in leaves."""

    def __init__(self, codes: Ints, watch: Callable[[], object] = lambda: None) -> None:
        self.codes, self.watch = codes, watch  # an exception raised in watch stops the work
        self.leaf = np.zeros(codes.shape[1], np.int64)  # of each record; while it is in none, ~ its cell
        self._open = np.empty(0, np.int64)  # records in open cells, as of the last round
        self._keys = self._open  # theirs
        self._rounds = -1

    def counts(self, cells: Cells) -> Counted:
        """Return the counts of all records in open cells."""
        self.settle(cells)
        self._keys = np.empty(len(self._open), np.int64)
        for start in range(0, len(self._open), PART):
            records = self._open[start : start + PART]
            self._keys[start : start + PART] = keys_of(
                cells.halvings, cells.first, cells.bits, self.codes[:, records], ~self.leaf[records]
            )
            self.watch()
        return _counted(self._keys, len(cells.first) << cells.bits)

    def bounds(self, cells: Cells) -> Bounds:
        """Return the bounds of all open cells."""
        found = targets_of(cells.rounds[-1], self._keys)
        inside = np.flatnonzero(found < 0)
        inside = inside[np.argsort(~found[inside], kind="stable")]
        starts = np.searchsorted(~found[inside], np.arange(len(cells.first)))
        codes = self.codes[:, self._open[inside]]
        return Bounds(np.minimum.reduceat(codes, starts, axis=1), np.maximum.reduceat(codes, starts, axis=1))

    def sums(self, cells: Cells) -> Sums:
        """Return the sums of all leaves."""
        return sums_of(self.codes, self.leaves(cells), len(cells.leaves.counts))

    def leaves(self, cells: Cells) -> Ints:
        """Return the leaf of each record, once no cell is open."""
        return located(cells, self.codes) if cells.intervals else self.settle(cells)

    def settle(self, cells: Cells) -> Ints:
        """Return the leaf of each record, as far as it is known after the last round."""
        if self._rounds < 0:
            self.leaf[:] = 0 if len(cells.leaves.counts) else ~0
            self._open = np.flatnonzero(self.leaf < 0)
        elif self._rounds < len(cells.rounds):
            found = targets_of(cells.rounds[-1], self._keys)
            self.leaf[self._open] = found
            self._open = self._open[found < 0]
        self._rounds = len(cells.rounds)
        return self.leaf


def _counted(keys: Ints, space: int) -> Counted:
    """Return how many of these are which of so many possible keys."""
    if space > 4 * len(keys) + 1024:
        return Counted(*np.unique(keys, return_counts=True))
    counts = np.bincount(keys, minlength=space)
    found = np.flatnonzero(counts)
    return Counted(found, counts[found])
