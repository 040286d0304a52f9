"""A tree of cells, made from counts of codes and never from records.

A cell with too many records is halved further. What cells there are depends on how many records have
which codes, and on nothing else. So the records may lie anywhere, in parts of any size.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.partition.cells import Boxes, Cells, Round, none_of
from microagg.partition.counting import Bounds, Counted, Counter
from microagg.partition.grid import BITS, Grid, Halvings, Ints


def grown(grid: Grid, halvings: Halvings, records: int, limit: int, counter: Counter) -> Cells:
    """Return the cells, halved until none holds more than `limit` records, or cannot be halved."""
    cells = _begun(grid, halvings, records, limit)
    while len(cells.first):
        cells = _cut(cells, counter.counts(cells), limit)
        if len(cells.first):
            cells = _without_whole(cells, counter.bounds(cells))
    return cells


def _begun(grid: Grid, halvings: Halvings, records: int, limit: int) -> Cells:
    """Return all as one cell: a leaf if it may be one, else open."""
    varies = grid.span[:, np.newaxis] > 0.0
    counts = np.array([records])
    low, free = np.zeros(varies.shape, np.int64), np.where(varies, BITS, 0)
    is_leaf = records <= limit or not varies.any()
    parts = [Boxes(counts[:many], low[:, :many], free[:, :many]) for many in (is_leaf, not is_leaf)]
    return Cells(halvings, (), parts[0], parts[1], _first_halving(halvings, parts[1].free))


def _first_halving(halvings: Halvings, free: Ints) -> Ints:
    """Return the first halving of each cell that parts anything; the length of the list if none does."""
    places = [place[bits - 1] for place, bits in zip(halvings.place, free, strict=True)]
    first: Ints = np.min(places, axis=0)
    return np.where(first < len(halvings.bit), first - first % halvings.step, first)


def _cut(cells: Cells, counted: Counted, limit: int) -> Cells:
    """Return the cells after a round: those of few enough records are leaves, others are open again."""
    start, left, settled, splits = _prefixes(counted, cells.bits, cells.halvings.step, limit)
    runs = np.flatnonzero(np.diff(start, prepend=-1))
    start, left, is_leaf = start[runs], left[runs], settled[runs]
    boxes = _boxes(cells, start, left, np.add.reduceat(counted.counts, runs))
    target = _numbered(is_leaf, len(cells.leaves.counts))
    return Cells(
        cells.halvings,
        (*cells.rounds, Round(cells.first, cells.bits, start, target)),
        _with(cells.leaves, boxes, is_leaf),
        _with(none_of(boxes), boxes, ~is_leaf),
        np.minimum(cells.first[start[~is_leaf] >> cells.bits] + cells.bits, len(cells.halvings.bit)),
        cells.splits + len(cells.first) + splits,
    )


def _prefixes(
    counted: Counted, bits: int, step: int, limit: int
) -> tuple[Ints, Ints, NDArray[np.bool_], int]:
    """Return for each key where its cell begins, how many bits it leaves open, and if it has few enough.

    And how many cells were cut again in the same round.
    """
    keys, counts = counted
    start, left, settled = keys.copy(), np.zeros(len(keys), np.int64), np.zeros(len(keys), np.bool_)
    splits = 0
    for rest in range(bits - step, -1, -step):
        prefix = keys >> rest
        runs = np.flatnonzero(np.diff(prefix, prepend=-1))
        totals = np.repeat(np.add.reduceat(counts, runs), np.diff(runs, append=len(keys)))
        fits = ~settled & (totals <= limit)
        start[fits] = prefix[fits] << rest
        left[fits] = rest
        settled |= fits
        splits += int(np.count_nonzero(totals[runs] > limit)) if rest else 0
    return start, left, settled, splits


def _boxes(cells: Cells, start: Ints, left: Ints, counts: Ints) -> Boxes:
    """Return the boxes of new cells, cut from the open ones that their keys begin with."""
    parent, halvings = start >> cells.bits, cells.halvings
    low, free = cells.open.low[:, parent], cells.open.free[:, parent]
    for t in range(cells.bits):
        place = cells.first[parent] + t
        made = np.flatnonzero((t < cells.bits - left) & (place < len(halvings.bit)))
        column, bit = halvings.column[place[made]], halvings.bit[place[made]]
        low[column, made] |= (start[made] >> (cells.bits - 1 - t) & 1) << bit
        free[column, made] = np.minimum(free[column, made], bit)
    return Boxes(counts, low, free)


def _without_whole(cells: Cells, bounds: Bounds) -> Cells:
    """Return the cells, of which those that cannot be halved are leaves, and others skip idle halvings."""
    free = np.frexp((bounds.low ^ bounds.high).astype(np.float64))[1].astype(np.int64)
    boxes = Boxes(cells.open.counts, bounds.low >> free << free, free)
    first = _first_halving(cells.halvings, free)
    whole = first == len(cells.halvings.bit)
    last, target = cells.rounds[-1], _numbered(whole, len(cells.leaves.counts))
    is_open = last.target < 0
    renumbered = last.target.copy()
    renumbered[is_open] = target[~last.target[is_open]]
    return Cells(
        cells.halvings,
        (*cells.rounds[:-1], last._replace(target=renumbered)),
        _with(cells.leaves, boxes, whole),
        _with(none_of(boxes), boxes, ~whole),
        first[~whole],
        cells.splits + int((first - cells.first)[~whole].sum()) // cells.halvings.step,
    )


def _numbered(is_leaf: NDArray[np.bool_], leaves: int) -> Ints:
    """Return numbers for new leaves, from so many on, and for open cells, from ~0 down."""
    return np.where(is_leaf, leaves + np.cumsum(is_leaf) - 1, ~(np.cumsum(~is_leaf) - 1))


def _with(boxes: Boxes, more: Boxes, chosen: NDArray[np.bool_]) -> Boxes:
    """Return boxes, and the chosen ones of more."""
    return Boxes(*(np.append(x, y[..., chosen], axis=-1) for x, y in zip(boxes, more, strict=True)))
