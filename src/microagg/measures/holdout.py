"""Which records a model is fitted on and which it is judged by, whatever the order of the rows.

The records are shuffled by a hash of their values' ranks, so that neither the order of the rows nor the
unit of a column matters; then 7 of every 10 in a row are for fitting. Alike records come one after the
other and so are parted as all others are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Floats
from microagg.kernels.exact import EQUAL
from microagg.measures.compared import Pair

Rows = NDArray[np.intp]

MOST = 100_000
"""So many records tell a model's score to three digits; of more, so many are taken."""

_HELD_OUT = np.array([False, False, True, False, False, True, False, False, True, False])
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


class Holdout(NamedTuple):
    """The rows to fit on and those to judge by."""

    fitting: Rows
    judging: Rows


def hold_out(pairs: Sequence[Pair], weights: Floats = EQUAL) -> Holdout:
    """Return 70 % of the records to fit on, and the others."""
    shuffled = _shuffled(pairs, weights)
    held = np.resize(_HELD_OUT, shuffled.size)
    return Holdout(shuffled[~held], shuffled[held])


def some(rows: Rows, most: int) -> Rows:
    """Return so many of the rows, evenly spaced, or all if they are fewer."""
    if rows.size <= most:
        return rows
    return np.asarray(rows[np.arange(most) * rows.size // most])


def _shuffled(pairs: Sequence[Pair], weights: Floats) -> Rows:
    """Return the records by the hash of their original values, alike ones by their release and weight."""
    mixed = np.zeros(pairs[0].original.values.size, dtype=np.uint64)
    for pair in pairs:
        mixed = _mixed(mixed ^ (_ranks(pair.original) * _ODD))
    released = [values for pair in pairs for values in _sortable(pair.released)]
    return np.lexsort((*([weights] if weights.size else []), *released, mixed))


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers in which every bit depends on all bits given (after Steele, Lea and Flood, SplitMix)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _MIX + _ODD
    return numbers ^ (numbers >> np.uint64(31))


def _ranks(column: Column) -> NDArray[np.uint64]:
    """Return which of its different values each record has, counted from 2; a missing one is 1."""
    order = np.argsort(column.values, kind="stable")
    values = column.values[order]
    ranks = np.empty(values.size, dtype=np.uint64)
    ranks[order] = np.cumsum(np.append(True, values[1:] != values[:-1])[: values.size]) + 1
    if column.missing.size:
        ranks[column.missing] = 1
    return ranks


def _sortable(column: Column) -> list[NDArray[np.generic]]:
    if not column.missing.size:
        return [column.values]
    return [np.where(column.missing, 0.0, column.values), column.missing]
