"""How strongly two columns depend on each other: the weights of the edges, and what chance alone brings.

Each measure is zero for independent columns. What is summed is summed exactly, so that equal counts have
equal weights, whatever their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from microagg.dependence.classes import Floats
from microagg.dependence.counts import Counts, PairCounts
from microagg.kernels.exact import exact_sum

Measure = Literal["emim", "chi2", "correlation"]
MEASURES: tuple[Measure, ...] = ("emim", "chi2", "correlation")

_SURELY = 0.01  # the chance that independent columns are called dependent, all pairs together


class Strengths(NamedTuple):
    """The weight of the edge between each two columns, and whether chance explains them all."""

    weights: Floats  # d x d, zeros on the diagonal
    independent: bool  # whether no pair depends more strongly than chance can bring about


def emim(counts: Counts) -> float:
    """Return the expected mutual information: sum of p log(p / (p_i p_j)), in nats.

    >>> round(emim(np.array([[5, 0], [0, 5]])), 4)
    0.6931
    """
    joint, expected = _shares(counts)
    there = joint > 0.0
    p = joint[there]
    return max(0.0, exact_sum(p * np.log(p / expected[there])))


def chi_squared(counts: Counts) -> float:
    """Return the sum of (p - p_i p_j)^2 / (p_i p_j): the statistic of that name, for each record.

    >>> chi_squared(np.array([[5, 0], [0, 5]])), chi_squared(np.array([[5, 5], [5, 5]]))
    (1.0, 0.0)
    """
    joint, expected = _shares(counts)
    there = expected > 0.0
    return exact_sum((joint[there] - expected[there]) ** 2 / expected[there])


def _shares(counts: Counts) -> tuple[Floats, Floats]:
    """Return the shares of the records, and those that there would be if the columns were independent."""
    total = float(counts.sum())
    rows, columns = counts.sum(axis=1) / total, counts.sum(axis=0) / total
    return counts / total, np.multiply.outer(rows, columns)


def of_counts(counts: PairCounts, measure: Measure) -> Strengths:
    """Return the weights by counts of classes."""
    d = len(counts.classes)
    weights, statistic, freedom = np.zeros((d, d)), np.zeros((d, d)), np.ones((d, d))
    for one in range(1, d):
        for other in range(one):
            cells = counts.finish(one, other)
            squared = chi_squared(cells)  # with few records in a class it tells more surely what is chance
            weight = emim(cells) if measure == "emim" else squared
            weights[one, other] = weights[other, one] = weight
            statistic[one, other] = counts.records * squared
            rows, columns = (int(np.count_nonzero(cells.sum(axis=axis))) for axis in (1, 0))
            freedom[one, other] = max(1, (rows - 1) * (columns - 1))
    return Strengths(weights, _by_chance(statistic, freedom))


def of_moments(correlations: Floats, records: int) -> Strengths:
    """Return the weights under the paper's assumption that columns are normal: |r|.

    The mutual information of two normal columns, -log(1 - r^2)/2, grows with it, and so has the same
    trees; but it has no end where one column is a multiple of the other.
    """
    weights = np.abs(correlations)
    np.fill_diagonal(weights, 0.0)
    with np.errstate(divide="ignore"):
        statistic = -records * np.log1p(-(np.minimum(weights, 1.0) ** 2))
    return Strengths(weights, _by_chance(np.tril(statistic), np.ones_like(weights)))


def correlations(columns: Sequence[Floats]) -> Floats:
    """Return Pearson's correlations, zero for a column that does not vary; from exact sums, in two passes."""
    d = len(columns)
    found = np.eye(d)
    units = [_unit(np.asarray(values, dtype=np.float64)) for values in columns]
    for one in range(1, d):
        for other in range(one):
            r = exact_sum(units[one] * units[other])
            found[one, other] = found[other, one] = min(1.0, max(-1.0, r))
    return found


def _unit(values: Floats) -> Floats:
    """Return the differences to the mean as a vector of length one, or of zero."""
    shifted: Floats = values - values.min(initial=np.inf)
    largest = float(shifted.max(initial=0.0))
    if largest == 0.0:
        return shifted
    shifted /= largest
    shifted -= exact_sum(shifted) / shifted.size
    shifted /= np.sqrt(exact_sum(shifted * shifted))
    return shifted


def _by_chance(statistic: Floats, freedom: Floats) -> bool:
    """Say whether statistics that are chi-squared for independent columns are all what chance brings.

    By the cube root of Wilson and Hilferty, which is nearly normal; each pair with its share of the risk.
    """
    from statistics import NormalDist  # takes longer to load than all else here

    pairs = max(1, len(statistic) * (len(statistic) - 1) // 2)
    spread = 2.0 / (9.0 * freedom)
    score = (np.cbrt(statistic / freedom) - (1.0 - spread)) / np.sqrt(spread)
    return bool(score.max(initial=-np.inf) < NormalDist().inv_cdf(1.0 - _SURELY / pairs))
