"""Cells of space, in which records are found by their codes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.partition.grid import BITS, Grid, Halvings, Ints, halvings_at_once

CELLS = 20  # bits: about so many cells may be counted in one round
MOST_BITS = 40  # of the halvings in one round


class Round(NamedTuple):
    """What the cells of a round became: keys from `start` on are in leaf `target`, or open cell ~`target`."""

    first: Ints  # for each cell that was open: the halving it began with
    bits: int
    start: Ints
    target: Ints


class Boxes(NamedTuple):
    """Cells: how many records each holds, and where it lies."""

    counts: Ints
    low: Ints  # columns x cells: the least codes
    free: Ints  # columns x cells: the bits of a code that are not settled; 0 if all records have the same


class Cells(NamedTuple):
    """The leaves so far, and the cells that are still too full; the last round tells how to count these."""

    halvings: Halvings
    rounds: tuple[Round, ...]
    leaves: Boxes
    open: Boxes
    first: Ints  # for each open cell: the halving to go on with
    splits: int = 0  # cells that were cut so far
    intervals: int = 0  # if above 0, the leaves are so many equal intervals of the first column instead

    @property
    def bits(self) -> int:
        """How many halvings are to be counted next."""
        return bits_for(len(self.first), self.halvings.step)

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Say of each leaf whether it cannot be halved: all its records have the same codes."""
        whole: NDArray[np.bool_] = (self.leaves.free == 0).all(axis=0)
        return whole


def intervals(grid: Grid, many: int) -> Cells:
    """Return equal intervals of the range of the grid's first column: blocking by one column."""
    halvings = halvings_at_once(grid)
    boxes = Boxes(np.zeros(many, np.int64), *np.zeros((2, len(grid.columns), many), np.int64))
    return Cells(halvings, (), boxes, none_of(boxes), np.empty(0, np.int64), intervals=many)


def none_of(boxes: Boxes) -> Boxes:
    """Return no cells, of as many columns."""
    return Boxes(*(x[..., :0] for x in boxes))


def bits_for(cells: int, step: int) -> int:
    """Return how many halvings of so many open cells are counted in one round, a multiple of the step."""
    return min(max(1, (CELLS - cells.bit_length()) // step), MOST_BITS // step) * step


def located(cells: Cells, codes: Ints) -> Ints:
    """Return for each record its leaf, or ~ the number of its open cell."""
    if cells.intervals:
        of_first: Ints = (codes[0] * 2.0**-BITS * cells.intervals).astype(np.int64)
        return of_first
    found = np.full(codes.shape[1], ~0 if cells.rounds or len(cells.first) else 0)
    for done in cells.rounds:
        inside = np.flatnonzero(found < 0)
        keys = keys_of(cells.halvings, done.first, done.bits, codes[:, inside], ~found[inside])
        found[inside] = targets_of(done, keys)
    return found


def keys_of(halvings: Halvings, first: Ints, bits: int, codes: Ints, cell: Ints) -> Ints:
    """Return the number of each record's open cell, followed by the bits of the halvings to come."""
    keys, begin = cell.copy(), first[cell]
    same = len(first) == 1
    for t in range(bits):
        keys <<= 1
        if same and begin.size and begin[0] + t < len(halvings.bit):
            place = begin[0] + t
            keys |= codes[halvings.column[place]] >> halvings.bit[place] & 1
        elif not same:
            keys |= _bits_at(halvings, codes, begin + t)
    return keys


def _bits_at(halvings: Halvings, codes: Ints, place: Ints) -> Ints:
    """Return for each record the bit that its own halving looks at; 0 after the last."""
    inside = np.minimum(place, len(halvings.bit) - 1)
    bit = codes[halvings.column[inside], np.arange(len(place))] >> halvings.bit[inside] & 1
    return np.where(place < len(halvings.bit), bit, 0)


def targets_of(done: Round, keys: Ints) -> Ints:
    """Return the target of each key, from a table if that costs less than to search."""
    space = len(done.first) << done.bits
    if space > 4 * len(keys):
        return done.target[np.searchsorted(done.start, keys, side="right") - 1]
    lengths = np.diff(done.start, append=space)
    lengths[0] += done.start[0]
    table: Ints = np.repeat(done.target, lengths)
    return table[keys]
