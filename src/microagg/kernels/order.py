"""The canonical order of records, so that the order of the rows never changes what is released."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def lexicographic_order(X: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the records sorted by first column, then second, and so on.

    Wholly identical records keep their order. Continuous data are settled by the first column
    alone, so each further column only sorts the runs that are still tied.
    """
    n, d = X.shape
    order = np.argsort(X[:, 0]) if d else np.arange(n)
    run_of = np.zeros(n, dtype=np.intp)  # the run of equal records that each sorted place belongs to
    for j in range(d):
        column = X[order, j]
        starts = np.empty(n, dtype=bool)
        starts[:1] = True
        np.not_equal(column[1:], column[:-1], out=starts[1:])
        starts[1:] |= run_of[1:] != run_of[:-1]
        run_of = np.cumsum(starts)
        tied = np.flatnonzero(~(starts & np.append(starts[1:], True)))
        if not tied.size:
            return order
        if j + 1 < d:
            tied_order = np.lexsort((order[tied], X[order[tied], j + 1], run_of[tied]))
        else:
            tied_order = np.lexsort((order[tied], run_of[tied]))
        order[tied] = order[tied[tied_order]]
    return order
