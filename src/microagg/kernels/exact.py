"""Exact sums: rounded once, so that the order of the numbers cannot change a released value.

The idea (Rump, Ogita and Oishi, "Accurate floating-point summation part I", SIAM J. Sci. Comput.
31(1), 2008, algorithm 3.3; Demmel and Nguyen, "Parallel reproducible summation", IEEE Trans.
Comput. 64(7), 2015): add to every number x a power of two sigma, large beside all of them, and
take it off again. What stays, q = (sigma + x) - sigma, holds the leading bits of x; x - q, the
other bits, is exact. All q are multiples of one unit in the last place of sigma, and sigma is
chosen so large that no sum of them needs more than the 53 bits a number has. So the q add up
without any rounding, in any order, and the same is done with the rest until nothing is left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EQUAL: Floats = np.empty(0)
"""No weights: every value counts the same."""

_CHUNK = 1 << 14  # two arrays of so many numbers stay in the second-level cache
_SPLITTER = 2.0**27 + 1.0
_HUGE = 2.0**900


class SumPair(NamedTuple):
    """A sum to twice the precision: `high` is the sum rounded once, `low` what that left, rounded."""

    high: float
    low: float


class GroupSums(NamedTuple):
    """The sums of groups, as in SumPair, one place for each group."""

    high: Floats
    low: Floats


def exact_sum(values: Floats) -> float:
    """Return the sum rounded once: math.fsum, but about as fast as adding.

    >>> exact_sum(np.array([1e100, 1.0, -1e100]))
    1.0
    """
    return math.fsum(exact_parts(values))


def exact_sum_pair(values: Floats) -> SumPair:
    """Return the sum rounded once, and the rounding error of that."""
    return sum_of_parts(exact_parts(values))


def exact_group_sums(values: Floats, labels: NDArray[np.integer], groups: int) -> GroupSums:
    """Return the sum of each group's values; groups without values sum to zero."""
    if not values.size:
        return GroupSums(np.zeros(groups), np.zeros(groups))
    largest_group = int(np.bincount(labels).max())
    if _sigma(values, largest_group) is None:
        return _group_sums_one_by_one(values, labels, groups)
    rest = values.copy()
    parts: list[Floats] = []
    while (sigma := _sigma(rest, largest_group)) is not None and sigma > 0.0:
        leading = (rest + sigma) - sigma
        rest -= leading
        parts.append(np.asarray(np.bincount(labels, weights=leading, minlength=groups), dtype=np.float64))
    return _join(parts, groups)


def exact_group_means(
    values: Floats, labels: NDArray[np.integer], groups: int, weights: Floats = EQUAL
) -> Floats:
    """Return the mean of each group's values, from exact sums; no group may be empty.

    Without weights the mean of equal values is that value, and no mean lies outside its group. In
    groups with numbers above 2**900, which are scaled down lest their sum overflow, those below
    2**-1010 are rounded. With weights: sum(w x) / sum(w), each product rounded.

    >>> exact_group_means(np.array([0.1, 0.1, 0.1, 7.0]), np.array([0, 0, 0, 1]), 2).tolist()
    [0.1, 7.0]
    """
    if weights.size:
        mass = exact_group_sums(weights, labels, groups).high
        weighted: Floats = exact_group_sums(values * weights, labels, groups).high / mass
        return weighted
    huge = np.abs(values) > _HUGE
    if not huge.any():
        return _group_means(values, labels, groups)
    holds_huge = np.bincount(labels, weights=huge, minlength=groups) > 0
    beside_huge = holds_huge[labels]
    others = _group_means(np.where(beside_huge, 0.0, values), labels, groups)
    scaled = _group_means(np.ldexp(np.where(beside_huge, values, 0.0), -64), labels, groups)
    return np.where(holds_huge, np.ldexp(scaled, 64), others)


def squares_within(
    values: Floats, labels: NDArray[np.integer], groups: int, weights: Floats = EQUAL
) -> float:
    """Return the sum of (weighted) squared differences to the means of the groups.

    In two passes, means first, since the one-pass formula cancels.
    """
    differences = values - exact_group_means(values, labels, groups, weights)[labels]
    squares = differences * differences
    return exact_sum(squares * weights if weights.size else squares)


def _group_means(values: Floats, labels: NDArray[np.integer], groups: int) -> Floats:
    """Return sum/count to the last bit or nearly so, where no sum overflows.

    mean = q + (sum - q count)/count with q = sum/count rounded; the difference is computed exactly.
    """
    counts = np.bincount(labels, minlength=groups).astype(np.float64)
    return _mean_of(exact_group_sums(values, labels, groups), counts)


def mean_of_sum(total: SumPair, count: int) -> float:
    """Return sum/count, the same as `exact_group_means` finds for a group of such a sum.

    >>> mean_of_sum(exact_sum_pair(np.array([0.1, 0.1, 0.1])), 3)
    0.1
    """
    sums = GroupSums(np.array([total.high]), np.array([total.low]))
    return float(_mean_of(sums, np.array([float(count)]))[0])


def _mean_of(sums: GroupSums, counts: Floats) -> Floats:
    high, low = sums
    rounded = high / counts
    upper = _SPLITTER * rounded - (_SPLITTER * rounded - rounded)  # Dekker: the upper 26 bits,
    lower = rounded - upper  # and the others: either times a count has no rounding error
    remainder = ((high - upper * counts) - lower * counts) + low
    means: Floats = rounded + remainder / counts
    return means


def _sigma(values: Floats, terms: int) -> float | None:
    """Return the power of two to extract with: 0.0 when all values are zero, None if there is none.

    It must be above (terms + 1) max|x|, for the sum of all leading parts to stay below it.
    """
    largest = max(float(values.max()), -float(values.min()))
    if largest == 0.0:
        return 0.0
    if not math.isfinite(largest):
        return None
    exponent = math.frexp(largest)[1] + (terms + 1).bit_length()
    return math.ldexp(1.0, exponent) if exponent < 1023 else None


def exact_parts(values: Floats) -> list[float]:
    """Return a few numbers with the same exact sum: those of several arrays together have that of all.

    >>> math.fsum(exact_parts(np.array([1e100, 1.0])) + exact_parts(np.array([-1e100])))
    1.0
    """
    flat = np.ravel(values)
    parts: list[float] = []
    for start in range(0, flat.size, _CHUNK):
        rest = flat[start : start + _CHUNK].copy()
        leading = np.empty_like(rest)
        while (sigma := _sigma(rest, rest.size)) is not None and sigma > 0.0:
            np.add(rest, sigma, out=leading)
            leading -= sigma
            rest -= leading
            parts.append(float(leading.sum()))
        if sigma is None:  # so near the largest number that there is no room above, or not finite
            parts.extend(rest.tolist())
    return parts


def fewer_parts(parts: list[float]) -> list[float]:
    """Return as few numbers as hold the same exact sum.

    >>> fewer_parts([1e100, 1.0, 2.0, -1e100])
    [3.0]
    """
    fewer: list[float] = []
    while (rest := math.fsum([*parts, *(-part for part in fewer)])) and math.isfinite(rest):
        fewer.append(rest)
    return fewer


def sum_of_parts(parts: list[float]) -> SumPair:
    """Return the sum of parts rounded once, and the rounding error of that."""
    high = math.fsum(parts)
    return SumPair(high, math.fsum([*parts, -high]) if math.isfinite(high) else 0.0)


def _join(parts: list[Floats], groups: int) -> GroupSums:
    """Add up the parts of each group: two parts have an exact sum and error, more go to fsum."""
    first = parts[0] if parts else np.zeros(groups)
    second = parts[1] if len(parts) > 1 else np.zeros(groups)
    high = first + second
    of_second = high - first
    low = (first - (high - of_second)) + (second - of_second)  # Knuth's two-sum: the exact error
    if len(parts) > 2:
        for group in np.flatnonzero(np.any(parts[2:], axis=0)):
            high[group], low[group] = sum_of_parts([float(part[group]) for part in parts])
    return GroupSums(high, low)


def _group_sums_one_by_one(values: Floats, labels: NDArray[np.integer], groups: int) -> GroupSums:
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=groups))[:-1]
    pairs = [sum_of_parts(members.tolist()) for members in np.split(values[order], ends)]
    return GroupSums(np.array([pair.high for pair in pairs]), np.array([pair.low for pair in pairs]))
