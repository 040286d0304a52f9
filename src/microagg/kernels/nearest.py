"""The distances of records to those nearest to them."""

from __future__ import annotations

import numpy as np
from numba import njit

from microagg.kernels.search import NEAREST, Search, aim, find
from microagg.kernels.tree import COMPILE, Floats, Tree


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
