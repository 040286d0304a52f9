"""The nearest others of chosen points, by a tree: for more of them than can be compared one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.nearest import list_nearest_others
from microagg.kernels.search import new_search
from microagg.kernels.tree import begin, build, new_tree
from microagg.partition.matrix import Floats


def nearest_others(points: Floats, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each of the chosen points the nearest other one, of equally near ones the first."""
    n, d = points.shape
    tree, search = begin(new_tree(n, d), n, points.mean(axis=0)), new_search(2, d)
    ids, keys = np.arange(n, dtype=np.int32), np.empty(n)
    while not build(tree, points, ids, keys, 2_000_000):
        pass
    nearest = np.empty(len(chosen), np.int64)
    for start in range(0, len(chosen), 10_000):  # so that an interrupt is soon heard
        part = slice(start, start + 10_000)
        list_nearest_others(points, tree, search, chosen[part], nearest[part])
    return nearest
