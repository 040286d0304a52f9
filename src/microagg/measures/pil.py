"""PIL: how surely a user would notice that a statistic is not that of the original.

J. M. Mateo-Sanz, J. Domingo-Ferrer, F. Sebé, "Probabilistic information loss measures in confidentiality
protection of continuous microdata", Data Mining and Knowledge Discovery 11, 2005. The original is taken as
a population, a statistic theta of the release as one of a sample of n from it. How unlikely it is that a
sample differs so much is told by

    PIL = 100 P(|Z| <= |theta(Y) - theta(X)| / sqrt(Var theta)) = 100 erf(z / sqrt 2),   Z ~ N(0, 1)

with m(a, b) the central moments of two columns of the original, divided by n, and r their correlation:

    mean         Var = m2 / n
    variance     Var = (m4 - m2^2) / n
    covariance   Var = (m22 - m11^2) / n
    correlation  Var = r^2 / n (m22 / m11^2 + (m40 / m20^2 + m04 / m02^2 + 2 m22 / (m20 m02)) / 4
                       - m31 / (m11 m20) - m13 / (m11 m02))
    quantile     Var = q (1 - q) / (n f^2)   at q = .05, .10, ... .95, with f the density there

The paper leaves open how to estimate f. Here it is the share of the values between two quantiles divided
by their distance (Siddiqui 1960), which follows the scale of the data wherever it is; they lie h below and
above q, with h that of Bofinger (1975): n^(-1/5) (4.5 phi(x)^4 / (2 x^2 + 1)^2)^(1/5), x the normal
quantile of q. Where both are one value that many records share, the middles of those that share the next
values below and above are taken instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import combinations
from statistics import NormalDist

import numpy as np

from microagg.columns import Floats
from microagg.measures.amounts import Amounts, Both, amounts_of, correlations
from microagg.measures.compared import Compared
from microagg.measures.distribution import Distribution, in_order, mean_of
from microagg.measures.found import ProbabilisticLoss
from microagg.measures.moments import NOTHING

SHARES = np.arange(1, 20) / 20


def probabilistic_loss(compared: Compared) -> ProbabilisticLoss | None:
    """Return the probabilistic information loss, or None if fewer than 2 records have all amounts.

    Records and columns are those of `moments_loss`. With weights all moments are weighted, and n is
    Kish's effective number of records, (sum w)^2 / sum w^2.
    """
    both = amounts_of(compared)
    return None if both is None else probabilistic_of(both)


def probabilistic_of(both: Both) -> ProbabilisticLoss:
    """Return the probabilistic information loss."""
    columns = range(len(both.names))
    before, after = both.before.moments(), both.after.moments()
    pairs = list(combinations(columns, 2))
    found = {
        "means": _mean(_means(both, before)),
        "variances": _mean(_covariances(both.before, before, after, [(j, j) for j in columns])),
        "covariances": _mean(_covariances(both.before, before, after, pairs)),
        "correlations": _mean(_correlations(both.before, before, after, pairs)),
        "quantiles": _mean(_quantiles(both)),
    }
    known = [percent for percent in found.values() if percent is not None]
    return ProbabilisticLoss(**found, percent=math.fsum(known) / len(known))  # type: ignore[arg-type]


def _percent(change: float, variance: float) -> float:
    """Return 100 P(|Z| <= z), where changes are in standard deviations of the original."""
    if abs(change) <= NOTHING:
        return 0.0
    return 100.0 * math.erf(abs(change) / math.sqrt(2.0 * variance)) if variance > 0.0 else 100.0


def _mean(percents: Iterable[float]) -> float | None:
    found = list(percents)
    return math.fsum(found) / len(found) if found else None


def _means(both: Both, moments: Floats) -> Iterator[float]:
    n = both.before.effective_records
    for one, other, variance in zip(both.before.means, both.after.means, np.diag(moments), strict=True):
        yield _percent(other - one, float(variance) / n)


def _covariances(
    original: Amounts, before: Floats, after: Floats, pairs: list[tuple[int, int]]
) -> Iterator[float]:
    """Yield the percent of each pair; a column paired with itself has a variance."""
    for i, j in pairs:
        influence = original.columns[i] * original.columns[j] - before[i, j]
        yield _percent(after[i, j] - before[i, j], _variance(influence, original))


def _correlations(
    original: Amounts, before: Floats, after: Floats, pairs: list[tuple[int, int]]
) -> Iterator[float]:
    """Yield the percent of each pair.

    The formula above, with r^2 multiplied in so that it also holds for r = 0, is the mean square of
    x y - r (x^2 + y^2) / 2, where x and y are divided by their deviations.
    """
    one, other = correlations(before), correlations(after)
    deviations = np.sqrt(np.diag(before))
    for i, j in pairs:
        x, y = original.columns[i] / deviations[i], original.columns[j] / deviations[j]
        influence = x * y - one[i, j] * (x * x + y * y) / 2.0
        yield _percent(other[i, j] - one[i, j], _variance(influence, original))


def _variance(influence: Floats, original: Amounts) -> float:
    """Return the variance of a statistic: the mean square of what each record adds to it, divided by n.

    As a mean of squares it cannot become negative, as m4 - m2^2 can by rounding.
    """
    return mean_of(influence * influence, original.weights) / original.effective_records


def _quantiles(both: Both) -> Iterator[float]:
    n = both.before.effective_records
    for column in range(len(both.names)):
        before, after = (in_order(side.columns[column], side.weights) for side in (both.before, both.after))
        moved = after.quantiles(SHARES) - before.quantiles(SHARES)
        moved += both.after.means[column] - both.before.means[column]
        variances = SHARES * (1.0 - SHARES) / n / densities(before, SHARES, n) ** 2
        yield from map(_percent, moved.tolist(), variances.tolist())


def densities(of: Distribution, shares: Floats, records: float) -> Floats:
    """Return the densities of a distribution that varies, at its quantiles of these shares."""
    half = np.array([_half_width(share, records) for share in shares.tolist()])
    ends = np.clip((shares - half, shares + half), 0.0, 1.0)
    low, high = of.quantiles(ends[0]), of.quantiles(ends[1])
    heaps = high <= low
    below = np.maximum(np.searchsorted(of.values, low[heaps]) - 1, 0)
    above = np.minimum(np.searchsorted(of.values, high[heaps], side="right"), of.values.size - 1)
    low[heaps], high[heaps] = of.values[below], of.values[above]
    ends[:, heaps] = _middles(of, low[heaps]), _middles(of, high[heaps])
    return np.asarray((ends[1] - ends[0]) / (high - low))


def _middles(of: Distribution, values: Floats) -> Floats:
    """Return where the middle of all records with a value lies between the least, at 0, and the greatest."""
    first, last = np.searchsorted(of.values, values), np.searchsorted(of.values, values, side="right") - 1
    return np.asarray((of.places[first] + of.places[last]) / 2.0)


def _half_width(share: float, records: float) -> float:
    """Return how far below and above a quantile to look: Bofinger's choice."""
    normal = NormalDist()
    x = normal.inv_cdf(share)
    return float((4.5 * normal.pdf(x) ** 4 / (2.0 * x * x + 1.0) ** 2 / records) ** 0.2)
