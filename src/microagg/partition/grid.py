"""A grid over columns: values as whole numbers, and the order in which ranges are halved.

Each value is turned into a code, a whole number of 52 bits, each of which halves the range of its column
once more. A list says in which order all these halvings are made; the paper's 2^d-tree makes those of all
columns at once, the other order always halves the side that is longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.partition.matrix import Floats

Ints = NDArray[np.int64]

BITS = 52  # of a code: all that a number has


class Grid(NamedTuple):
    """The columns that are cut, and the range of each."""

    columns: Ints
    low: Floats
    span: Floats


class Halvings(NamedTuple):
    """In which order columns are halved: entry t halves column `column[t]` of the grid, by bit `bit[t]`."""

    column: Ints
    bit: Ints
    step: int  # halvings that are always made together
    place: Ints  # columns x (BITS + 1): where in the list bit b is; the last, for none, is the list's length


def grid_over(low: Floats, high: Floats, columns: Sequence[int]) -> Grid:
    """Return the grid over columns of a matrix, from the least and largest value of each of its columns."""
    chosen = np.asarray(columns, np.int64)
    return Grid(chosen, low[chosen], high[chosen] - low[chosen])


def codes_of(X: Floats, grid: Grid) -> Ints:
    """Return the codes, columns x records: q = floor((x - low) / (high - low) 2^52), at most 2^52 - 1."""
    codes = np.zeros((len(grid.columns), len(X)), np.int64)
    for code, column, low, span in zip(codes, *grid, strict=True):
        if span > 0.0:
            scaled = (X[:, column] - low) / span * 2.0**BITS
            code[:] = np.minimum(scaled, 2.0**BITS - 1.0, out=scaled)
    return codes


def halvings_at_once(grid: Grid) -> Halvings:
    """Return the order of the 2^d-tree: all columns together, again and again."""
    d = len(grid.columns)
    return _halvings(np.tile(np.arange(d), BITS), np.repeat(np.arange(BITS)[::-1], d), d)


def halvings_of_longest(grid: Grid) -> Halvings:
    """Return the order that always halves the longest side; of equal ones the first column's."""
    d = len(grid.columns)
    column, bit = np.repeat(np.arange(d), BITS), np.tile(np.arange(BITS), d)
    fraction, exponent = np.frexp(grid.span)
    order = np.lexsort((column, -fraction[column], -(exponent[column] + bit)))
    order = order[grid.span[column[order]] > 0.0]
    return _halvings(column[order], bit[order], 1, d)


def _halvings(column: Ints, bit: Ints, step: int, d: int | None = None) -> Halvings:
    place = np.full((d or step, BITS + 1), len(column))
    place[column, bit] = np.arange(len(column))
    return Halvings(column, bit, step, place)
