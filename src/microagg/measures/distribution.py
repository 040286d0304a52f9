"""The distribution of a column's values: mean, deviation, quantiles, and how far it is from another.

Where records have weights: the mean is sum(w x) / sum(w). The variance is sum(w (x - mean)^2) / sum(w)
times n / (n - 1), n the number of records, which is the usual estimate from a survey. The q-quantile
interpolates between the values in their order, of which the i-th lies at (m_i - m_1) / (m_n - m_1), with
m_i the weights before it plus half its own. With equal weights all of them are what they are without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from microagg.columns import Column, Floats, Mask
from microagg.kernels.exact import EQUAL, exact_sum
from microagg.measures.scales import steady


class Distribution(NamedTuple):
    """Values in their order, and what each weighs; of equal values the lighter comes first."""

    values: Floats
    weights: Floats = EQUAL  # empty if all count the same

    @property
    def shares(self) -> Floats:
        """The share of all that lies up to each value and at it."""
        if not self.weights.size:
            return np.arange(1, self.values.size + 1) / self.values.size
        heaps = np.cumsum(self.weights)
        return np.asarray(heaps / heaps[-1])

    @property
    def places(self) -> Floats:
        """Where each value lies between the least, at 0, and the greatest, at 1."""
        if not self.weights.size:
            return np.linspace(0.0, 1.0, self.values.size)
        middles = np.cumsum(self.weights) - self.weights / 2
        middles -= middles[0]
        return np.asarray(middles / (middles[-1] or 1.0))

    def quantiles(self, of: Sequence[float] | Floats) -> Floats:
        """Return the quantiles of these shares."""
        last = self.values.size - 1
        index = np.asarray(of) * last
        if self.weights.size:
            index = np.interp(of, self.places, np.arange(last + 1))
        below = np.floor(index).astype(np.intp)
        low, high, step = self.values[below], self.values[np.minimum(below + 1, last)], index - below
        mixed = low * (1.0 - step) + high * step  # not low + step (high - low): that may overflow
        return np.asarray(np.clip(mixed, low, high))

    def up_to(self, points: Floats) -> Floats:
        """Return the share of all that lies up to each point and at it."""
        return np.asarray(np.append(0.0, self.shares)[np.searchsorted(self.values, points, side="right")])


def present(column: Column) -> Mask | slice:
    """Return which values are there."""
    return ~column.missing if column.missing.size else slice(None)


def distribution_of(column: Column, weights: Floats = EQUAL) -> Distribution:
    """Return the distribution of the values that are there."""
    there = present(column)
    return in_order(column.values[there], steady(weights[there]) if weights.size else EQUAL)


def in_order(values: Floats, weights: Floats = EQUAL) -> Distribution:
    """Return the distribution of values, whatever their order."""
    if not weights.size:
        return Distribution(np.sort(values))
    pairs = np.empty(values.size, dtype=np.complex128)  # sorts by the real part, then by the other
    pairs.real, pairs.imag = values, weights
    pairs.sort()
    return Distribution(pairs.real.copy(), pairs.imag.copy())


def mean_of(values: Floats, weights: Floats = EQUAL) -> float:
    """Return the mean, from exact sums: the order of the values does not matter."""
    if not weights.size:
        return exact_sum(values) / values.size
    return exact_sum(values * weights) / exact_sum(weights)


def deviation_of(values: Floats, mean: float, weights: Floats = EQUAL) -> float:
    """Return the standard deviation, in a second pass after the mean; 0 of a single value."""
    if values.size < 2:
        return 0.0
    return math.sqrt(mean_of((values - mean) ** 2, weights) * (values.size / (values.size - 1)))


def area_between(one: Distribution, other: Distribution) -> float:
    """Return the area between two distribution functions, which is the Wasserstein distance.

    So far must values move on the average to turn one distribution into the other.
    """
    if one.values.size == other.values.size and not one.weights.size:
        return exact_sum(np.abs(one.values - other.values)) / one.values.size
    points = np.sort(np.concatenate((one.values, other.values)))
    heights = np.abs(one.up_to(points[:-1]) - other.up_to(points[:-1]))
    return exact_sum(np.diff(points) * heights)
