"""The measures of loss, told in plain Python: columns are lists of numbers, a missing value is None.

Sums are of rational numbers where they are sums at all; roots are taken at the end.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from math import erf, exp, pi, sqrt
from statistics import NormalDist


def present(values, weights):
    """Return the values that are there as pairs of a value and its weight, in their order."""
    return sorted((Fraction(x), Fraction(w)) for x, w in zip(values, weights, strict=True) if x is not None)


def mean(pairs):
    """Return sum(w x) / sum(w)."""
    return sum(w * x for x, w in pairs) / sum(w for _, w in pairs)


def variance(pairs):
    """Return the mean square about the mean, times n / (n - 1)."""
    n, middle = len(pairs), mean(pairs)
    return mean([((x - middle) ** 2, w) for x, w in pairs]) * n / (n - 1)


def quantile(pairs, share):
    """Return the value at this share of the way, where values lie at the middle of their weights."""
    middles, heap = [], Fraction(0)
    for _, w in pairs:
        middles.append(heap + w / 2)
        heap += w
    if len(pairs) == 1:
        return pairs[0][0]
    wanted = middles[0] + Fraction(share) * (middles[-1] - middles[0])
    for i in range(len(pairs) - 1):
        if wanted <= middles[i + 1]:
            step = (wanted - middles[i]) / (middles[i + 1] - middles[i])
            return pairs[i][0] + step * (pairs[i + 1][0] - pairs[i][0])
    return pairs[-1][0]


def up_to(pairs, point):
    """Return the share of all up to a point and at it."""
    return sum((w for x, w in pairs if x <= point), Fraction(0)) / sum(w for _, w in pairs)


def area(one, other):
    """Return the area between two distribution functions."""
    points = sorted({x for x, _ in one} | {x for x, _ in other})
    return sum(
        ((b - a) * abs(up_to(one, a) - up_to(other, a)) for a, b in pairwise(points)),
        Fraction(0),
    )


def changed(before, after, weights):
    """Return the share of the records that have another value than before."""
    moved = sum(Fraction(w) for x, y, w in zip(before, after, weights, strict=True) if x != y)
    return moved / sum(map(Fraction, weights))


def shift(before, after, weights):
    """Return the mean |x - y| over the records that have both."""
    both = [
        (abs(Fraction(x) - Fraction(y)), Fraction(w))
        for x, y, w in zip(before, after, weights, strict=True)
        if x is not None and y is not None
    ]
    return mean(both) if both else None


def total_variation(before, after, weights):
    """Return half the differences of the shares of all values, None among them."""
    mass = sum(map(Fraction, weights))
    found = Fraction(0)
    for value in {*before, *after}:
        one, other = (
            sum((Fraction(w) for x, w in zip(column, weights, strict=True) if x == value), Fraction(0))
            for column in (before, after)
        )
        found += abs(one - other) / mass / 2
    return found


class Table:
    """Columns by name, whose records are those that have all values."""

    def __init__(self, columns, weights):
        rows = [row for row in zip(*columns, weights, strict=True) if None not in row]
        self.weights = [Fraction(row[-1]) for row in rows]
        self.columns = [[Fraction(row[j]) for row in rows] for j in range(len(columns))]
        self.n = len(rows)

    def mean(self, of):
        return sum(w * x for w, x in zip(self.weights, of, strict=True)) / sum(self.weights)

    def central(self, *columns):
        """Return the mean product of columns less their means."""
        product = [Fraction(1)] * self.n
        for column in columns:
            middle = self.mean(self.columns[column])
            product = [p * (x - middle) for p, x in zip(product, self.columns[column], strict=True)]
        return self.mean(product)

    def correlation(self, i, j):
        spread = self.central(i, i) * self.central(j, j)
        return float(self.central(i, j)) / sqrt(spread) if spread else 0.0

    def effective(self):
        return sum(self.weights) ** 2 / sum(w * w for w in self.weights)

    def pairs(self, column):
        return sorted(zip(self.columns[column], self.weights, strict=True))


def tables(before, after, weights):
    """Return both tables with the columns that vary in the original."""
    whole = [j for j, column in enumerate(before) if len({x for x in column if x is not None}) > 1]
    one, other = (Table([columns[j] for j in whole], weights) for columns in (before, after))
    varying = [j for j, column in enumerate(one.columns) if len(set(column)) > 1]
    for of in (one, other):
        of.columns = [of.columns[j] for j in varying]
    return one, other


def moments(before, after, weights):
    """Return the losses of variances, covariances and correlations; None where there are no pairs."""
    one, other = tables(before, after, weights)
    columns = range(len(one.columns))
    pairs = list(combinations(columns, 2))
    factor = [Fraction(table.n, table.n - 1) for table in (one, other)]

    def relative(i, j):
        x, y = one.central(i, j) * factor[0], other.central(i, j) * factor[1]
        return float(abs(y - x) / abs(x))

    covarying = [(i, j) for i, j in pairs if one.central(i, j)]
    return (
        average(relative(j, j) for j in columns),
        average(relative(i, j) for i, j in covarying),
        average(abs(other.correlation(i, j) - one.correlation(i, j)) for i, j in pairs),
    )


def average(of):
    found = list(of)
    return sum(found) / len(found) if found else None


def probabilistic(before, after, weights):
    """Return PIL of means, variances, covariances, correlations and quantiles."""
    one, other = tables(before, after, weights)
    columns = range(len(one.columns))
    pairs = list(combinations(columns, 2))
    n = float(one.effective())

    def of_mean(j):
        moved = other.mean(other.columns[j]) - one.mean(one.columns[j])
        return percent(moved, one.central(j, j) / one.effective())

    def of_covariance(i, j):
        moved = other.central(i, j) - one.central(i, j)
        spread = one.central(i, i, j, j) - one.central(i, j) ** 2
        return percent(moved, spread / one.effective())

    def of_correlation(i, j):
        moved = other.correlation(i, j) - one.correlation(i, j)
        if abs(moved) < 1e-12:
            return 0.0
        r, m20, m02 = one.correlation(i, j), one.central(i, i), one.central(j, j)
        m22, m40, m04 = (one.central(*of) for of in ((i, i, j, j), (i,) * 4, (j,) * 4))
        m31, m13 = one.central(i, i, i, j), one.central(i, j, j, j)
        spread = (  # the formula times r^2 = m11^2 / (m20 m02), so that it holds for r = 0 as well
            float(m22 / (m20 * m02))
            + r * r / 4 * float(m40 / m20**2 + m04 / m02**2 + 2 * m22 / (m20 * m02))
            - r * sqrt(m20 * m02) * float((m31 / m20 + m13 / m02) / (m20 * m02))
        )
        return percent(moved, spread / n) if spread > 1e-12 else None

    def of_quantile(j, share):
        moved = quantile(other.pairs(j), share) - quantile(one.pairs(j), share)
        return percent(moved, float(share) * (1 - float(share)) / n / density(one.pairs(j), share, n) ** 2)

    shares = [Fraction(i, 20) for i in range(1, 20)]
    of_correlations = [of_correlation(i, j) for i, j in pairs]
    return (
        average(of_mean(j) for j in columns),
        average(of_covariance(j, j) for j in columns),
        average(of_covariance(i, j) for i, j in pairs),
        None if None in of_correlations else average(of_correlations),
        average(of_quantile(j, share) for j in columns for share in shares),
    )


def percent(moved, spread):
    """Return the chance in percent that a normal variable of this variance moves less."""
    if not moved:
        return 0.0
    return 100 * erf(abs(float(moved)) / sqrt(2 * float(spread))) if spread > 0 else 100.0


def density(pairs, share, n):
    """Return the share of the values between two quantiles near this one, divided by their distance."""
    x = NormalDist().inv_cdf(float(share))
    height = exp(-x * x / 2) / sqrt(2 * pi)
    half = (4.5 * height**4 / (2 * x * x + 1) ** 2) ** 0.2 * n**-0.2
    a, b = max(float(share) - half, 0.0), min(float(share) + half, 1.0)
    low, high = quantile(pairs, a), quantile(pairs, b)
    if low == high:
        values = sorted({x for x, _ in pairs})
        at = values.index(low)
        low, high = values[max(at - 1, 0)], values[min(at + 1, len(values) - 1)]
        a, b = (sum(ends(pairs, value)) / 2 for value in (low, high))
    return float(b - a) / float(high - low)


def ends(pairs, value):
    """Return where the first and the last of the records with a value lie."""
    of = [i for i, (x, _) in enumerate(pairs) if x == value]
    return [place(pairs, of[0]), place(pairs, of[-1])]


def place(pairs, i):
    """Return where a value lies between the least and the greatest."""
    middle = [sum(w for _, w in pairs[:at]) + pairs[at][1] / 2 for at in (0, i, len(pairs) - 1)]
    return Fraction(middle[1] - middle[0]) / (middle[2] - middle[0])
