"""A bound from nearest neighbours alone, for tables of any size."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from microagg.certificate.problem import Floats
from microagg.kernels.nearest import nearest_distances
from microagg.kernels.search import new_search
from microagg.kernels.tree import begin, build, new_tree
from microagg.partition.matrix import Progress
from microagg.partition.slices import Slices


def nearest_sse(points: Floats, k: int, progress: Progress | None = None) -> float:
    """Return a number that the SSE of no k-partition is below, for canonical records.

    The SSE of a group is the sum of the squared distances of its pairs over its size m. Share each pair
    between its two records: a record bears 1/(2m) of the distances to the m - 1 others of its group, at
    least s(m - 1)/(2m), where s(r) is the sum of its r smallest squared distances. That grows with m: the
    next distance is no less than the mean of those before, so s(m) >= s(m - 1) m/(m - 1), and
    s(m)/(m + 1) >= s(m - 1) m/((m - 1)(m + 1)) > s(m - 1)/m. As m >= k, the SSE of any k-partition is

        SSE  >=  sum over all records of s(k - 1)/(2k).

    Rounding. Each coordinate was rounded once when its column was moved to zero, by at most 2**-53 of the
    largest, so that no distance is off by more than `slack`, which is taken from every one. What is then
    computed are sums and products of numbers that are not negative, each rounded by at most a share of
    2**-53; fewer than d + 2k + 20 of them bear on any term, and the result is lowered by twice as much.
    """
    n, d = points.shape
    slack = 2.0**-51 * math.sqrt(float((points.max(axis=0) ** 2).sum()))
    sums: list[float] = []
    for squares in _nearest_squares(points, min(k, n), progress):
        distances = np.maximum(np.sqrt(squares[:, 1:]) - slack, 0.0)
        sums.extend((distances * distances).sum(axis=1).tolist())
    return float(math.fsum(sums) / (2 * k) * (1.0 - (d + 2 * k + 20) * 2.0**-52))


def _nearest_squares(points: Floats, wanted: int, progress: Progress | None) -> Iterator[Floats]:
    """Yield the squared distances of some records at a time to those nearest, the first being itself."""
    n, d = points.shape
    slices = Slices(n, progress)
    tree = begin(new_tree(n, d), n, points.mean(axis=0))
    ids, keys = np.arange(n, dtype=np.int32), np.empty(n)
    while not build(tree, points, ids, keys, slices.budget):
        slices.end(0, spent=True)
    search = new_search(wanted, d)
    first = 0
    while first < n:
        rows = min(max(slices.budget // 1000, 1), n - first)
        squares = np.empty((rows, wanted))
        nearest_distances(points, tree, search, first, squares)
        yield squares
        first += rows
        slices.end(first, spent=True)
