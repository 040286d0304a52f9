"""The records nearest to records, and their distances."""

from __future__ import annotations

import numpy as np
from numba import njit

from microagg.kernels.search import NEAREST, Search, aim, find
from microagg.kernels.tree import COMPILE, Floats, Ints, Tree


@njit(**COMPILE)
def nearest_distances(points: Floats, tree: Tree, search: Search, first: int, out: Floats) -> None:
    """Write the squared distances to the nearest records, itself the first, of the records from `first` on.

    One record for each row of `out`. Writes tree.state, search and out.
    """
    wanted = out.shape[1]
    for row in range(len(out)):
        aim(search, points, first + row)
        find(tree, search, NEAREST, np.int64(0), wanted)
        for rank in range(wanted):
            out[row, rank] = search.keys[rank]


@njit(**COMPILE)
def list_nearest_others(points: Floats, tree: Tree, search: Search, chosen: Ints, out: Ints) -> None:
    """Write for each of the chosen records the nearest other one. Writes tree.state, search and out."""
    for row in range(len(chosen)):
        aim(search, points, chosen[row])
        find(tree, search, NEAREST, np.int64(0), np.int64(2))
        out[row] = search.ids[1] if search.ids[0] == chosen[row] else search.ids[0]
