"""The optimal cut of ordered records: in NumPy for small jobs, compiled for others, to the same bits.

What is computed is said in `microagg.kernels.univariate`, and the names are the same here. In NumPy what
does not depend on costs is computed for all ends at once, then the ends are settled one by one.
`np.cumsum` adds one number after the other, as the kernels do.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from microagg.partition.matrix import COMPILED_FROM, Floats, Labels, Progress, compiled_from
from microagg.partition.slices import Slices

Starts = NDArray[np.int32]

DIVIDE_FROM = 20
"""The least k from which dividing costs less than scanning, where a column ascends."""

LARGEST_STEP = 1 << 22
"""The most groups that are measured at once in NumPy."""

LANES = 8
"""So many ends have their costs from the same origin in a scan."""


def optimal_labels(
    points: Floats, weights: Floats, k: int, progress: Progress | None, *, ascending: bool
) -> Labels:
    """Return the group of each record under the cheapest cut of the records as they stand.

    `ascending` says that they are one column in ascending order.
    """
    columns = np.ascontiguousarray(points.T)
    if weights.size:  # their scale does not matter, but no product of them may overflow or vanish
        weights = np.maximum(weights / weights.max(), 2.0**-300)
    dividing = ascending and k >= DIVIDE_FROM
    if len(points) >= compiled_from(COMPILED_FROM):
        return _compiled(columns, weights, k, dividing, progress)
    if dividing:
        return _labels(_divide(columns[0], weights, k, progress))
    return _labels(_scan(columns, weights, k, progress))


def _compiled(columns: Floats, weights: Floats, k: int, dividing: bool, progress: Progress | None) -> Labels:
    from microagg.kernels import univariate as kernel

    records = columns.shape[1]
    slices = Slices(records, progress)
    cut, settle = (
        (kernel.new_division(columns[0], weights, k), kernel.divide)
        if dividing
        else (kernel.new_scan(columns, weights, k), kernel.scan)
    )
    settled = k
    while settled <= records:
        settled = settle(cut, k, settled, slices.budget)
        slices.end(settled - 1, spent=settled <= records)
    labels = np.empty(records, np.int32)
    kernel.number_groups(cut.start, labels)
    return labels


def _labels(start: Starts) -> Labels:
    """Return the label of each record: the groups of the cheapest cut in order, numbered from 0."""
    ends = [len(start) - 1]
    while ends[-1] > 0:
        ends.append(int(start[ends[-1]]))
    sizes = -np.diff(ends)[::-1]
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def _scan(columns: Floats, weights: Floats, k: int, progress: Progress | None) -> Starts:
    """Return where the last group of the first j records starts in their cheapest cut, for every j."""
    n = columns.shape[1]
    before = 2 * k - 1
    cost = np.full(before + n + LANES, np.inf)  # of the end j at before + j
    cost[before] = 0.0
    start = np.zeros(n + 1, np.int32)
    step = max(LARGEST_STEP // (k * LANES), 1) * LANES
    for first in range(k, n + 1, step):
        loss = _losses(columns, weights, k, first, min(first + step, n + 1))
        for end, losses in enumerate(loss, first):
            costs = cost[end : end + k] + losses
            best = costs.argmin()
            cost[before + end] = costs[best]
            start[end] = end - before + best
            if (end - k) % LANES == LANES - 1:
                cost[end + 1 : end + 1 + before] -= cost[end + before]
        if progress is not None:
            progress(min(first + step - 1, n), n)
    return start


def _losses(columns: Floats, weights: Floats, k: int, first: int, stop: int) -> Floats:
    """Return the SSE of all groups that end at one of the ends from `first` on; a row for each end."""
    loss = np.empty((stop - first, k))
    padded = np.pad(columns, ((0, 0), (2 * k, 0)))
    mass = np.pad(weights, (2 * k, 0), constant_values=1.0)
    weight = np.zeros(stop - first)
    total, within, before = np.zeros((3, len(columns), stop - first))
    origin = columns[:, first - 1 : stop - 1]
    for size in range(1, 2 * k):
        those = slice(2 * k + first - size, 2 * k + stop - size)
        x = padded[:, those] - origin
        if weights.size:
            w = mass[those]
            weight += w
            total += w * x
            mean = total / weight
            within += w * (x - before) * (x - mean)
        else:
            total += x
            mean = total * (1.0 / size)
            within += (x - before) * (x - mean)
        before = mean
        if size >= k:
            loss[:, 2 * k - 1 - size] = functools.reduce(np.add, within)
    return loss


class _Side(NamedTuple):
    """The groups that grow from the pivots of all blocks, in blocks x places."""

    mean: Floats
    loss: Floats
    weight: Floats


def _divide(column: Floats, weights: Floats, k: int, progress: Progress | None) -> Starts:
    """Return the same as `_scan`, for one column in ascending order."""
    n = len(column)
    lefts, rights = _sides(column, weights, k)
    cost = np.full(3 * k - 1, np.inf)
    cost[2 * k - 1] = 0.0
    start = np.zeros(n + 1, np.int32)
    for block, b in enumerate(range(k, n + 1, k)):
        left, right = (_Side(*(array[block] for array in side)) for side in (lefts, rights))
        cost[: 2 * k - 1] = cost[k:] - cost[2 * k - 1]
        left_cost = left.loss + cost[: 2 * k - 1]
        rows = min(k, n + 1 - b)
        places = np.zeros(rows, np.intp)
        for r, spacing in _coarse_to_fine(rows):
            low = max(r, places[r - spacing]) if spacing else 0
            high = min(r + k - 1, places[r + spacing]) if 0 < spacing < rows - r else r + k - 1
            those = slice(low, high + 1)
            gap = left.mean[those] - right.mean[r]
            weight, right_weight = left.weight[those], right.weight[r]
            costs = left_cost[those] + gap * gap * (weight * right_weight / (weight + right_weight))
            best = costs.argmin()
            cost[2 * k - 1 + r] = costs[best] + right.loss[r]
            places[r] = low + best
        start[b : b + rows] = b - 2 * k + 1 + places
        if progress is not None:
            progress(min(b + rows, n), n)
    return start


def _coarse_to_fine(rows: int) -> Iterator[tuple[int, int]]:
    """Yield the rows of a block, each with the distance to its neighbours that come before it; 0 for none."""
    yield 0, 0
    spacing = 1 << (rows - 1).bit_length()
    while spacing := spacing // 2:
        for r in range(spacing, rows, 2 * spacing):
            yield r, spacing


def _sides(column: Floats, weights: Floats, k: int) -> tuple[_Side, _Side]:
    """Grow groups from each pivot b = k, 2k, ... both ways; beyond the records stands anything."""
    mass = weights if weights.size else np.ones(len(column))
    everything = np.pad(np.stack((column, mass)), ((0, 0), (k - 1, k)), mode="edge")
    around = sliding_window_view(everything, 3 * k - 2, axis=1)[:, ::k]
    around = around[:, : len(column) // k]
    origin = around[0, :, 2 * k - 2, np.newaxis]
    (left_x, left_w), (right_x, right_w) = around[..., 2 * k - 2 :: -1], around[..., 2 * k - 1 :]
    left, right = _grown(left_x - origin, left_w), _grown(right_x - origin, right_w)
    return (
        _Side(*(array[:, ::-1] for array in left)),
        _Side(*(np.pad(array, ((0, 0), (1, 0))) for array in right)),
    )


def _grown(x: Floats, w: Floats) -> _Side:
    """Return the statistics of the first records of each block, as their number grows."""
    weight = np.cumsum(w, axis=-1)
    mean = np.cumsum(w * x, axis=-1) / weight
    before = np.concatenate((x[:, :1], mean[:, :-1]), axis=-1)
    return _Side(mean, np.cumsum(w * (x - before) * (x - mean), axis=-1), weight)
