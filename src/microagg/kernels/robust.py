"""A standard deviation that a few giants do not move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_OF_NORMAL_MAD = 1.482602218505602  # standard deviations of a normal distribution in its median deviation
_OF_NORMAL_IQR = 0.7413011092528010  # and in the distance of its quartiles


def robust_deviation(values: NDArray[np.float64], otherwise: float) -> float:
    """Return the median deviation from the median, as the standard deviation of a normal distribution.

    Where it is zero, as that of a column with many equal values is, the distance of the quartiles counts,
    and where that is zero as well what is given as `otherwise`.
    """
    for estimate in (_by_median, _by_quartiles):
        found = estimate(values)
        if found > 0.0:
            return found
    return otherwise


def _by_median(values: NDArray[np.float64]) -> float:
    return _OF_NORMAL_MAD * float(np.median(np.abs(values - np.median(values))))


def _by_quartiles(values: NDArray[np.float64]) -> float:
    lower, upper = np.quantile(values, [0.25, 0.75])
    return _OF_NORMAL_IQR * float(upper - lower)
