"""How columns of numbers become comparable."""

from __future__ import annotations

import numpy as np

from microagg.columns import Column, Floats, Unit
from microagg.kernels.exact import exact_sum
from microagg.kernels.robust import robust_deviation
from microagg.plan import Scale


def unit_of(column: Column, scale: Scale) -> Unit:
    """Return what counts as one unit of distance in a column.

    A nominal or boolean column has none of its own: another value is one unit away. A missing value
    is one standard deviation away from the mean of all others, in a direction of its own: so it is,
    on the average, as far from them as they are from each other.
    """
    if column.kind in ("nominal", "boolean"):
        return Unit()
    shifted = column.present - column.values.min(initial=np.inf)
    largest = float(shifted.max(initial=0.0))
    if largest == 0.0:
        return Unit()
    exponent = exponent_of(largest)
    fraction = np.ldexp(shifted, -exponent)  # exact; now squares neither overflow nor vanish
    deviation = _deviation(fraction)
    if scale == "robust":
        divisor = robust_deviation(fraction, deviation)
        return Unit(exponent, divisor, deviation / divisor)
    return unit_from(largest, deviation, scale)


def exponent_of(largest: float) -> int:
    """Return the exponent of the least power of two that is above the largest difference in a column."""
    return int(np.frexp(largest)[1])


def unit_from(largest: float, deviation: float, scale: Scale) -> Unit:
    """Return the unit of a column with this largest difference, and this deviation of its fractions.

    The fractions are what is left of the differences to the least value after division by two to the
    power of the exponent. A robust unit cannot be had from these alone.
    """
    exponent = exponent_of(largest)
    if scale == "none":
        return Unit(0, 1.0, float(np.ldexp(deviation, exponent)))
    divisor = float(np.ldexp(largest, -exponent)) if scale == "range" else deviation
    return Unit(exponent, divisor, deviation / divisor)


def standardised(values: Floats) -> Floats:
    """Return each column of a matrix minus its minimum, divided by its standard deviation.

    The minimum rather than the mean, because that difference is exact wherever the data's own
    differences are: adding 1e9 to a column changes nothing. A constant column becomes zeros.
    """
    matrix = np.empty(values.shape)
    for j, column in enumerate(values.T):
        matrix[:, j] = unit_of(Column("", "continuous", column), "zscore").of(column - column.min())
    return matrix


def _deviation(values: Floats) -> float:
    """Return the standard deviation (over n, not n - 1), in two passes from exact sums."""
    mean = exact_sum(values) / values.size
    return float(np.sqrt(exact_sum((values - mean) ** 2) / values.size))
