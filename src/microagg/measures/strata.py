"""Strata as one more coordinate, so far apart that nothing is nearest to what is in another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats

FAR = 2.0**300
"""How far one stratum lies from the next: more than any two points, whose coordinates are below 2**201."""


def stratum_coordinates(points: Floats, strata: NDArray[np.int64]) -> Floats:
    """Return the coordinate of each record as n x 1, or n x 0 if there are no strata.

    Within a stratum it is the same, so that it adds nothing to a distance. Strata lie in an order of the
    points in them, whatever their numbers, which may come from the order of the rows.
    """
    if not strata.size:
        return np.empty((len(points), 0))
    _, stratum_of, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    by_stratum = np.argsort(stratum_of, kind="stable")
    starts = np.cumsum(sizes) - sizes
    least = [np.minimum.reduceat(column[by_stratum], starts) for column in points.T]
    place = np.empty(sizes.size)
    place[np.lexsort((*least, sizes))] = np.arange(sizes.size)
    return FAR * place[stratum_of, np.newaxis]
