"""The records as a set partitioning problem in whole numbers, none of which is above the truth."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Group = tuple[int, ...]

SST_BITS = 46
"""The SST is below 2**46 units, so that no sum of the search passes 2**62."""

_BLOCK = 1 << 20  # numbers that are sorted at a time


class Problem(NamedTuple):
    """Squared distances in whole units, each at most the true one."""

    distances: Ints  # n x n
    near: Ints  # n x (2k - 1): half the sum of the distances to the r nearest others, rounded down
    k: int
    exponent: int  # a unit is two to this power, in squared distances on the scale of `scale_of`

    def cost(self, group: Group) -> int:
        """Return the SSE of a group in units, rounded down."""
        inside = self.distances[np.ix_(group, group)]
        return int(inside.sum()) // (2 * len(group))

    def scaled(self, units: int) -> float:
        """Return so many units as an SSE on the scale of `scale_of`, rounded down."""
        return math.nextafter(math.ldexp(units, self.exponent), -math.inf) if units else 0.0


def problem_of(matrix: Floats, k: int) -> Problem:
    """Return the problem of the records as given.

    A difference of two numbers has one rounding, its square one more, and the sum over d columns d - 1,
    none by more than a share of 2**-53 of what is rounded, as all terms are positive. So the true squared
    distance is more than the computed one times 1 - (d + 4) 2**-52, and that is rounded down to units.
    """
    n, d = matrix.shape
    exponent = scale_of(matrix)
    distances = np.zeros((n, n))
    for column in matrix.T:
        gaps = np.ldexp(column[:, None] - column, -exponent)
        gaps *= gaps
        distances += gaps
    total = float(distances.sum()) / (2 * n)
    bits = SST_BITS - (math.frexp(total)[1] if total > 0.0 else 0)
    distances *= 1.0 - (d + 4) * 2.0**-52
    units: Ints = np.floor(np.ldexp(distances, bits, out=distances), out=distances).astype(np.int64)
    return Problem(units, _near(units, k), k, -bits)


def scale_of(matrix: Floats) -> int:
    """Return the power of two by which differences within a column are divided, lest squares overflow."""
    return int(np.frexp(np.ptp(matrix, axis=0).max())[1])


def nearest_bound(problem: Problem) -> int:
    """Return a bound on the SSE from the nearest neighbours alone, in units, as `near.py` proves it."""
    return int(problem.near[:, problem.k - 1].sum()) // problem.k


def _near(distances: Ints, k: int) -> Ints:
    """Return half the sums of the distances to the r nearest others, for r from 0 to 2k - 2."""
    n = len(distances)
    most = min(2 * k - 2, n - 1)
    near = np.zeros((n, 2 * k - 1), np.int64)
    step = max(_BLOCK // n, 1)
    for first in range(0, n, step):
        rows = np.partition(distances[first : first + step], most, axis=1)[:, : most + 1]
        rows.sort(axis=1)  # the first is the distance to itself, or as small
        near[first : first + step, 1 : most + 1] = np.cumsum(rows[:, 1:], axis=1) // 2
    near[:, most + 1 :] = near[:, most : most + 1]
    return near
