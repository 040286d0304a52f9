"""Interval disclosure: how often a narrow interval around the released value holds the original one.

By ranks: Domingo-Ferrer and Torra, "A quantitative comparison of disclosure control methods for microdata",
in Confidentiality, Disclosure and Data Access, 2001. By standard deviations: Mateo-Sanz, Sebe and
Domingo-Ferrer, "Outlier protection in continuous microdata masking", PSD 2004. By robust ones: Templ and
Meindl, "Robust statistics meets SDC", PSD 2008.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Floats, Mask
from microagg.kernels.order import stable_order
from microagg.kernels.robust import robust_deviation
from microagg.measures.compared import AMOUNTS, Compared, Pair
from microagg.measures.distribution import deviation_of, mean_of
from microagg.measures.found import Intervals
from microagg.measures.scales import scale_of

RANKS = range(1, 11)
DEVIATIONS = (1, 5, 10, 50)

Rows = NDArray[np.intp]


class _Cells(NamedTuple):
    """The cells of a column, by how wide an interval around the released value must be to hold the original.

    The half width is in percent, of the number of ranks or of a standard deviation.
    """

    width: Floats
    known: Mask  # whether both values are there
    open_: Mask  # whether there is an original value, but no released one

    def inside(self, percent: float) -> int:
        """Return how many original values an interval of this half width holds."""
        return int(np.count_nonzero((self.width <= percent) & self.known))


def intervals(compared: Compared) -> Intervals | None:
    """Return how often an interval around the released value holds the original one.

    A share of cells is one of those in which both values are there. A record is told if all its original
    values that are there lie inside; one whose released value is missing does not. Records do not count
    by their weights: each is at risk for itself. Columns whose original values are all the same have
    nothing to tell and are left out. Amounts and ordinal columns have ranks, only amounts deviations.

    None where no amount or ordinal column varies; where no amount does, what is told by deviations is
    empty.
    """
    pairs = [pair for pair in compared.of_kinds((*AMOUNTS, "ordinal")) if _varies(pair.original)]
    if not pairs:
        return None
    amounts = [pair for pair in pairs if pair.kind in AMOUNTS]
    _, member_of, class_of = np.unique(compared.classes, return_index=True, return_inverse=True)
    by_rank = [_by_rank(pair, member_of, class_of) for pair in pairs]
    plain = [_by_deviation(pair, _deviation) for pair in amounts]
    robust = [_by_deviation(pair, _robust) for pair in amounts]
    return Intervals(
        sum(_share_of_cells(by_rank, percent) for percent in RANKS) / len(RANKS),
        *_by_percent(plain),
        *_by_percent(robust),
    )


def _by_percent(columns: Sequence[_Cells]) -> tuple[dict[int, float], dict[int, float]]:
    """Return the shares of cells and of records, by the half width."""
    if not columns:
        return {}, {}
    widest = _widest(columns)
    return (
        {percent: _share_of_cells(columns, percent) for percent in DEVIATIONS},
        {percent: float(np.mean((widest >= 0.0) & (widest <= percent))) for percent in DEVIATIONS},
    )


def _share_of_cells(columns: Iterable[_Cells], percent: float) -> float:
    """Return the share of the cells, of those in which both values are there, that an interval holds."""
    known = sum(int(np.count_nonzero(cells.known)) for cells in columns)
    return sum(cells.inside(percent) for cells in columns) / max(known, 1)


def _widest(columns: Sequence[_Cells]) -> Floats:
    """Return the half width that holds all original values of a record; -1 if it has none."""
    widest = np.full(columns[0].width.size, -1.0)
    for cells in columns:
        np.maximum(widest, cells.width, out=widest, where=cells.known)
        widest[cells.open_] = np.inf
    return widest


def _cells(pair: Pair, width: Floats) -> _Cells:
    original, released = (_present(column) for column in (pair.original, pair.released))
    return _Cells(width, original & released, original & ~released)


def _present(column: Column) -> Mask:
    return ~column.missing if column.missing.size else np.ones(column.values.size, dtype=np.bool_)


def _varies(column: Column) -> bool:
    values = column.present
    return bool(values.size and values.min() < values.max())


def _by_rank(pair: Pair, member_of: Rows, class_of: Rows) -> _Cells:
    """Return the cells by how many ranks lie between the original and the released value.

    The i-th original, counted from 0, lies at i + 1/2. A released value lies between the originals below
    it and those above, or in the middle of those that equal it; and these it is not away from at all.
    """
    values = pair.original.present
    order = stable_order(values)
    ascending = values[order]
    starts = np.append(True, ascending[1:] != ascending[:-1])
    run = np.cumsum(starts) - 1
    ends = np.append(np.flatnonzero(starts), values.size)
    shown = pair.released.values[member_of]
    at = np.searchsorted(ascending, shown) + np.searchsorted(ascending, shown, side="right")
    place = 0.5 * at[class_of[_present(pair.original)]][order]
    gap = np.maximum(ends[run] + 0.5 - place, place - (ends[run + 1] - 0.5))
    width = np.zeros(class_of.size)
    width[np.flatnonzero(_present(pair.original))[order]] = 100.0 * np.maximum(gap, 0.0) / values.size
    return _cells(pair, width)


def _by_deviation(pair: Pair, deviation: Callable[[Floats], float]) -> _Cells:
    """Return the cells by how many deviations lie between the original and the released value."""
    scale = scale_of(pair.original.present)
    original = scale.of(pair.original.values)
    released = np.where(_present(pair.released), pair.released.values, pair.original.values)
    unit = deviation(original[_present(pair.original)])
    with np.errstate(over="ignore"):  # a release may lie far beyond the originals
        return _cells(pair, 100.0 * np.abs(original - scale.of(released)) / unit)


def _deviation(values: Floats) -> float:
    return deviation_of(values, mean_of(values))


def _robust(values: Floats) -> float:
    return robust_deviation(values, _deviation(values))
