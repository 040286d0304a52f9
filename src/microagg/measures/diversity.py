"""What the classes tell of a sensitive column: l-diversity and t-closeness.

l-diversity: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, ACM TKDD 1(1), 2007. t-closeness:
Li, Li and Venkatasubramanian, ICDE 2007. All is computed from counts, in one sort: no table of
classes by values is ever made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.exact import exact_group_sums
from microagg.measures.compared import ClassOf, Watched
from microagg.measures.found import Disclosure, Floats

Counts = NDArray[np.int64]

_LARGEST = float(2**60)  # products up to it, and twice such, are whole numbers of 64 bits


class Cells(NamedTuple):
    """The values of each class and how often each stands in it: by class, and in it by place."""

    places: Counts
    counts: Counts
    starts: NDArray[np.intp]  # of each class among the cells
    sizes: Counts  # of each class

    @property
    def values(self) -> NDArray[np.intp]:
        """How many different values each class has."""
        return np.diff(self.starts, append=self.places.size)

    @property
    def of(self) -> NDArray[np.intp]:
        """The class of each cell."""
        return np.repeat(np.arange(self.starts.size), self.values)


def disclosure(watched: Watched, classes: ClassOf) -> Disclosure:
    """Return how much the classes tell of a column that is released as it is."""
    cells = _cells(watched.places, classes)
    table = np.bincount(watched.places, minlength=watched.levels)
    alike = cells.values == 1
    return Disclosure(
        distinct=int(cells.values.min()),
        entropy=_entropy(cells),
        closeness=_ordered_closeness(watched, cells, classes, table)
        if watched.ordered
        else _closeness(cells, table),
        ordered=watched.ordered,
        classes_given_away=float(alike.mean()),
        records_given_away=int(cells.sizes[alike].sum()) / classes.size,
        values=int(np.count_nonzero(table)),
    )


def _cells(places: Counts, classes: ClassOf) -> Cells:
    order = np.lexsort((places, classes))
    of, place = classes[order], places[order]
    is_class = np.append(True, of[1:] != of[:-1])
    is_cell = is_class | np.append(True, place[1:] != place[:-1])
    firsts = np.flatnonzero(is_cell)
    sizes = np.diff(np.flatnonzero(is_class), append=of.size)
    starts = np.flatnonzero(is_class[firsts])
    return Cells(place[firsts], np.diff(firsts, append=of.size), starts, sizes)


def _entropy(cells: Cells) -> float:
    """Return the least exp(H), where H = -sum p log p = log n - (sum c log c)/n with p = c/n."""
    counts = cells.counts.astype(np.float64)
    surprise = counts * np.log(counts)
    sums = exact_group_sums(surprise, cells.of, cells.starts.size).high
    values = np.exp(np.log(cells.sizes) - sums / cells.sizes)
    return float(np.clip(values, 1.0, cells.values).min())  # where it lies, but for rounding


def _closeness(cells: Cells, table: Counts) -> float:
    """Return the largest total variation: sum of max(0, p - q) over the values in a class.

    With p = c/n in the class and q = C/N in the table, p - q = (cN - Cn)/(nN).
    """
    records, sizes = int(cells.sizes.sum()), cells.sizes
    above = cells.counts * records - table[cells.places] * sizes[cells.of]
    surplus = np.add.reduceat(np.maximum(above, 0), cells.starts)
    return float((surplus / (sizes * float(records))).max())


def _ordered_closeness(watched: Watched, cells: Cells, classes: ClassOf, table: Counts) -> float:
    """Return the largest earth mover's distance over places, divided by the greatest distance of two.

    What is missing has no place: it lies as far from every value as the first lies from the last. As
    many records as are missing more often, or less often, are moved that far, taken evenly from all
    values; the others are moved along the order. (No less than the earth mover needs.)
    """
    if not watched.missing:
        return float(_moved(cells, table).max())
    there = watched.places < watched.levels - 1
    counts = np.add.reduceat(np.where(cells.places < watched.levels - 1, cells.counts, 0), cells.starts)
    share, of_all = counts / cells.sizes, int(table[:-1].sum()) / classes.size
    along = np.zeros(share.size)
    if there.any():
        along[counts > 0] = _moved(_cells(watched.places[there], classes[there]), table[:-1])
    return min(1.0, float((np.abs(share - of_all) + np.minimum(share, of_all) * along).max()))


def _moved(cells: Cells, table: Counts) -> Floats:
    """Return sum |P_i - Q_i| / (m - 1) over the m places, of each class.

    From each member's place to the next one's, P is the same share s/n, and Q = B/N, which grows, lies
    below it up to one place and above it from there on. So the sum of |sN - Bn| over each such stretch
    follows from the sums of B up to its start, that place and its end.
    """
    if table.size < 2:
        return np.zeros(cells.starts.size)
    records, of = int(cells.sizes.sum()), cells.of
    sizes, last = cells.sizes[of], cells.starts + cells.values - 1
    held = _held(cells)
    below = np.cumsum(table)
    ends = np.append(cells.places[1:], table.size)
    ends[last] = table.size
    turns = np.searchsorted(below, held * records // sizes, side="right")
    turns = np.clip(turns, cells.places, ends)
    until = np.append(0, np.cumsum(below))
    if float(records) * int(cells.sizes.max()) * table.size > _LARGEST:
        until, held = until.astype(np.float64), held.astype(np.float64)
    over = held * records * (2 * turns - cells.places - ends)
    under = sizes * (until[ends] + until[cells.places] - 2 * until[turns])
    before = cells.sizes * until[cells.places[cells.starts]]
    moved: Floats = (np.add.reduceat(over + under, cells.starts) + before) / (
        cells.sizes * float(records) * (table.size - 1)
    )
    return np.clip(moved, 0.0, 1.0)


def _held(cells: Cells) -> Counts:
    """Return how many records of its class lie at each cell's place or before it."""
    until = np.cumsum(cells.counts)
    return until - (until - cells.counts)[cells.starts][cells.of]
