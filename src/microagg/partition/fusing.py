"""Leaves with fewer than k records, each fused with the leaf of nearest centroid until none is left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microagg.partition.counting import Sums
from microagg.partition.geometry import squared_distances
from microagg.partition.grid import BITS, Grid, Ints
from microagg.partition.matrix import Floats

SWEPT = 2 * 10**7  # distances, up to which all are computed rather than a tree searched


class Fused(NamedTuple):
    """Blocks made of leaves."""

    block: Ints  # of each leaf
    fusions: int


def fused(sums: Sums, grid: Grid, k: int) -> Fused:
    """Return the blocks after fusing (2^d-tree paper, section 2.3).

    In each round every block with fewer than k records finds the one of nearest centroid, of equally near
    ones that whose first leaf has the lesser centroid, and all that found each other become one. So the
    order of the leaves does not matter, and few rounds are needed.
    """
    order = np.lexsort(_centroids(sums, grid).T[::-1])
    sums = sums.of(order)
    block = np.empty(len(order), np.int64)
    block[order] = np.arange(len(order))
    while len(sums.counts) > 1:
        small = np.flatnonzero(sums.counts < k)
        if not small.size:
            break
        linked = np.arange(len(sums.counts))
        linked[small] = _nearest_others(_centroids(sums, grid), small)
        joined = _components(linked)
        sums = _added(sums, joined)
        block = joined[block]
    return Fused(block, len(block) - len(sums.counts))


def _centroids(sums: Sums, grid: Grid) -> Floats:
    """Return the centroids, blocks x columns, from the low end of the grid."""
    totals = sums.high * 2.0**26 + sums.low
    return np.ascontiguousarray((totals / sums.counts * 2.0**-BITS * grid.span[:, np.newaxis]).T)


def _nearest_others(centroids: Floats, chosen: Ints) -> Ints:
    """Return for each of the chosen the one nearest to it."""
    if len(chosen) * len(centroids) > SWEPT:
        from microagg.partition.nearest import nearest_others  # brings numba

        return nearest_others(centroids, chosen)
    columns = np.ascontiguousarray(centroids.T)
    nearest = np.empty(len(chosen), np.int64)
    for place, record in enumerate(chosen):
        distances = squared_distances(columns, centroids[record])
        distances[record] = np.inf
        nearest[place] = distances.argmin()
    return nearest


def _components(linked: Ints) -> Ints:
    """Return for each the number of what it hangs together with, numbered by their first members."""
    least = np.arange(len(linked))
    while True:
        before = least.copy()
        np.minimum.at(least, linked, least)  # each tells the one it is linked to, and is told
        np.minimum(least, least[linked], out=least)
        least = least[least]
        if (least == before).all():
            return np.unique(least, return_inverse=True)[1]


def _added(sums: Sums, joined: Ints) -> Sums:
    """Return the sums of blocks put together."""
    blocks = int(joined.max()) + 1
    added = Sums(*(np.zeros((*part.shape[:-1], blocks), np.int64) for part in sums))
    for part, total in zip(sums, added, strict=True):
        for one, of_all in zip(np.atleast_2d(part), np.atleast_2d(total), strict=True):
            np.add.at(of_all, joined, one)
    return added
