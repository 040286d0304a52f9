"""Several records of one person or firm as one unit of the partition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.kernels.exact import EQUAL, exact_group_means

Ints = NDArray[np.intp]


def means_of_units(X: Floats, units: Ints, weights: Floats = EQUAL) -> tuple[Floats, Floats]:
    """Return the mean record of each unit, and the mean of its weights."""
    count = int(units.max(initial=-1)) + 1
    points = np.column_stack([exact_group_means(x, units, count, weights) for x in X.T])
    return points, exact_group_means(weights, units, count) if weights.size else EQUAL
