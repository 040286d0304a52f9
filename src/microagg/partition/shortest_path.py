"""The optimal cut of ordered records: in NumPy for small jobs, compiled for others, to the same bits.

What is computed is said in `microagg.kernels.univariate`, and the names are the same here. For small jobs
the statistics of all blocks are made at once, in `np.cumsum`, which adds one number after the other as
the kernel does; only the costs go from block to block.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from microagg.partition.matrix import COMPILED_FROM, Floats, Labels, Progress
from microagg.partition.slices import Slices

Starts = NDArray[np.int32]

NARROW_FROM = 9
"""The least k from which looking between neighbours costs less than looking at eight starts at a time."""


def optimal_labels(
    points: Floats, weights: Floats, k: int, progress: Progress | None, *, ascending: bool
) -> Labels:
    """Return the group of each record under the cheapest cut of the records as they stand.

    `ascending` says that they are one column in ascending order.
    """
    columns = np.ascontiguousarray(points.T)
    if weights.size:  # their scale does not matter, but their squares must not overflow nor vanish
        weights = np.maximum(weights / weights.max(), 2.0**-300)
    narrow = ascending and k >= NARROW_FROM
    if len(points) < COMPILED_FROM:
        return _labels(_starts(columns, weights, k, narrow, progress))
    return _compiled(columns, weights, k, narrow, progress)


def _compiled(columns: Floats, weights: Floats, k: int, narrow: bool, progress: Progress | None) -> Labels:
    from microagg.kernels.univariate import new_cut, number_groups, settle

    records = columns.shape[1]
    slices = Slices(records, progress)
    cut = new_cut(columns, weights, k)
    settled = k
    while settled <= records:
        settled = settle(cut, k, settled, narrow, slices.budget)
        slices.end(min(settled, records), spent=settled <= records)
    labels = np.empty(records, np.int32)
    number_groups(cut.start, labels)
    return labels


def _labels(start: Starts) -> Labels:
    """Return the label of each record: the groups of the cheapest cut in order, numbered from 0."""
    ends = [len(start) - 1]
    while ends[-1] > 0:
        ends.append(int(start[ends[-1]]))
    sizes = -np.diff(ends)[::-1]
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


class _Side(NamedTuple):
    """The groups that grow from the pivots of all blocks; the last index is the place."""

    mean: Floats  # column x block x place
    within: Floats  # block x place; their SSE
    weight: Floats  # block x place


def _starts(columns: Floats, weights: Floats, k: int, narrow: bool, progress: Progress | None) -> Starts:
    """Return where the last group of the first j records starts in their cheapest cut, for every j."""
    n = columns.shape[1]
    blocks = n // k  # of ends; the one before them holds none but 0
    left, right = _sides(columns, weights, k, blocks)
    cost = np.full(3 * k - 1, np.inf)
    cost[2 * k - 1] = 0.0
    start = np.zeros(blocks * k + k, np.int32)
    for block in range(blocks):
        b = (block + 1) * k
        cost[: 2 * k - 1] = cost[k:] - cost[2 * k - 1]
        search = _Search(left, right, block, cost[: 2 * k - 1] + left.within[block], k)
        rows = min(k, n + 1 - b)
        places = search.coarse_to_fine(rows) if narrow else search.in_turn(rows)
        start[b : b + rows] = b - 2 * k + 1 + np.asarray(places)
        cost[2 * k - 1 : 2 * k - 1 + rows] = search.cost[:rows] + right.within[block, :rows]
        if progress is not None:
            progress(min(b + rows, n), n)
    return start[: n + 1]


class _Search:
    """The search for the best starts of the ends of one block."""

    def __init__(self, left: _Side, right: _Side, block: int, left_cost: Floats, k: int) -> None:
        self.k = k
        self.left_mean, self.left_weight = left.mean[:, block], left.weight[block]
        self.right_mean, self.right_weight = right.mean[:, block], right.weight[block]
        self.left_cost = left_cost
        self.cost = np.empty(k)

    def settle(self, r: int, low: int, high: int) -> int:
        """Find the best start of the end r between two places, of equally good ones the first."""
        those = slice(low, high + 1)
        squared = np.zeros(high + 1 - low)
        for mean, right_mean in zip(self.left_mean, self.right_mean, strict=True):
            gap = mean[those] - right_mean[r]
            squared += gap * gap
        weight, right_weight = self.left_weight[those], self.right_weight[r]
        costs = self.left_cost[those] + squared * (weight * right_weight / (weight + right_weight))
        best = int(costs.argmin())
        self.cost[r] = costs[best]
        return low + best

    def in_turn(self, rows: int) -> list[int]:
        return [self.settle(r, r, r + self.k - 1) for r in range(rows)]

    def coarse_to_fine(self, rows: int) -> NDArray[np.intp]:
        places = np.zeros(rows, np.intp)
        places[0] = self.settle(0, 0, self.k - 1)
        for r, spacing in _coarse_to_fine(rows):
            low, high = max(r, places[r - spacing]), r + self.k - 1
            if r + spacing < rows:
                high = min(high, places[r + spacing])
            places[r] = self.settle(r, low, high)
        return places


def _coarse_to_fine(rows: int) -> Iterator[tuple[int, int]]:
    """Yield the rows from 1 on, each with the distance to its neighbours that come before it."""
    spacing = 1 << max(rows - 1, 0).bit_length()
    while spacing := spacing // 2:
        for r in range(spacing, rows, 2 * spacing):
            yield r, spacing


def _sides(columns: Floats, weights: Floats, k: int, blocks: int) -> tuple[_Side, _Side]:
    """Grow groups from each pivot b = k, 2k, ... both ways; beyond the records stands anything."""
    n = columns.shape[1]
    mass = weights if weights.size else np.ones(n)
    everything = np.pad(np.vstack((columns, mass)), ((0, 0), (k - 1, k)), mode="edge")
    around = sliding_window_view(everything, 3 * k - 2, axis=1)[:, ::k][:, :blocks]
    origin = columns[:, k - 1 : blocks * k : k, np.newaxis]
    leftwards, rightwards = around[..., 2 * k - 2 :: -1], around[..., 2 * k - 1 :]
    left = _grown(leftwards[:-1] - origin, leftwards[-1])
    right = _grown(rightwards[:-1] - origin, rightwards[-1])
    return (
        _Side(*(array[..., ::-1] for array in left)),
        _Side(*(np.insert(array, 0, 0.0, axis=-1) for array in right)),
    )


def _grown(x: Floats, w: Floats) -> _Side:
    """Return the statistics of the first records of each block, as their number grows."""
    weight = np.cumsum(w, axis=-1)
    mean = np.cumsum(w * x, axis=-1) / weight
    before = np.concatenate((x[..., :1], mean[..., :-1]), axis=-1)
    within = np.cumsum(w * (x - before) * (x - mean), axis=-1)
    return _Side(mean, functools.reduce(np.add, within), weight)
