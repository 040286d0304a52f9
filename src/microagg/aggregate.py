"""Labels to released values: each record gets the means of its group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.exact import EQUAL, exact_group_means


def centres(
    values: NDArray[np.float64], labels: NDArray[np.int32], weights: NDArray[np.float64] = EQUAL
) -> NDArray[np.float64]:
    """Return for each record the (weighted) means of its group, in the units of the values.

    A negative zero becomes zero, since the two are one number but not one text.

    >>> centres(np.array([[1.0], [5.0], [3.0]]), np.array([0, 1, 0], dtype=np.int32)).tolist()
    [[2.0], [5.0], [2.0]]
    """
    groups = int(labels.max(initial=-1)) + 1
    released = np.empty_like(values, order="F")  # columns whole, as tables want them
    for j in range(values.shape[1]):
        released[:, j] = exact_group_means(values[:, j], labels, groups, weights)[labels] + 0.0
    return released
