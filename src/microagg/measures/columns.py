"""What single columns lost.

How far the distribution after lies from that before is told by kind, 0 if they are the same:

- of categories, the total variation: half the sum of |p(v) - q(v)| over the values v, where p and q are
  their shares before and after; being missing is one more value. It is 1 if no value is in both.
- of amounts, the area between the distribution functions (Wasserstein distance) in standard deviations of
  the original: so far values move on the average, if each goes to where it is needed next.
- of ordinal values the same in places of their order, divided by the number of places less one: 0 to 1.

The last two look at the values that are there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from microagg.columns import Calendar, Column, Floats, Mask
from microagg.kernels.exact import exact_group_sums, exact_sum
from microagg.measures.compared import AMOUNTS, CATEGORIES, NO_WEIGHTS, Pair
from microagg.measures.distribution import (
    Distribution,
    area_between,
    deviation_of,
    distribution_of,
    mean_of,
    present,
)
from microagg.measures.found import Change, ChangeOfTime, ColumnLoss
from microagg.measures.scales import Scale, ratio, scale_of, steady

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class Deviation(NamedTuple):
    """A standard deviation, and the scale that it is told in."""

    scale: Scale
    scaled: float

    def units(self, length: float, scale: Scale) -> float | None:
        """Return how many deviations a length in another scale is; None where there is no such number."""
        found = ratio(length, self.scaled)
        return None if found is None else Scale(exponent=scale.exponent - self.scale.exponent).length(found)


def column_loss(pair: Pair, weights: Floats, percent: float) -> ColumnLoss:
    """Return what a column lost.

    Parameters
    ----------
    pair
        The column before and after.
    weights
        Of the records, empty if all count the same. Shares and means are then weighted: sum(w x) / sum(w).
        The variance is sum(w (x - mean)^2) / sum(w) times n / (n - 1), n the number of records; quantiles
        interpolate between values that lie at the middle of their weights, see `measures.distribution`.
        With equal weights all of it is what it is without.
    percent
        100 SSE/SST of the column, which is known already.

    Notes
    -----
    `shift` (IL1s) is the mean of |x - y| over records that have both, divided by sqrt(2) standard
    deviations of the original; of ordinal values the mean difference of places, divided by the number of
    places less one. In a column that does not vary it is 0 if nothing changed, and else cannot be had;
    the same holds for `distance`.
    """
    weights = steady(weights)
    changed = _share(_changed(pair), weights)
    if pair.kind in CATEGORIES:
        return ColumnLoss(pair.kind, percent, changed, _total_variation(pair, weights), None)
    if not (_is_any_there(pair.original) and _is_any_there(pair.released)):
        nothing_lost = None if _is_any_there(pair.original) or _is_any_there(pair.released) else 0.0
        return ColumnLoss(pair.kind, percent, changed, nothing_lost, None)
    if pair.kind in AMOUNTS:
        return _of_amounts(pair, weights, percent, changed)
    return _of_places(pair, weights, percent, changed)


def both_there(pair: Pair) -> Mask | slice:
    """Return which records have a value before and after."""
    gone = [column.missing for column in (pair.original, pair.released) if column.missing.size]
    return ~np.any(gone, axis=0) if gone else slice(None)


def mean_shift(pair: Pair, scale: Scale, weights: Floats) -> float | None:
    """Return the mean of |x - y| over the records that have both, in a scale; None if there are none."""
    both = both_there(pair)
    before, after = (scale.of(column.values[both]) for column in (pair.original, pair.released))
    return mean_of(np.abs(before - after), _those(weights, both)) if before.size else None


def _of_places(pair: Pair, weights: Floats, percent: float, changed: float) -> ColumnLoss:
    steps = max(pair.original.levels, pair.released.levels, 2) - 1
    shift = mean_shift(pair, Scale(), weights)
    area = area_between(*_distributions(pair, weights))
    return ColumnLoss(pair.kind, percent, changed, area / steps, None if shift is None else shift / steps)


def _of_amounts(pair: Pair, weights: Floats, percent: float, changed: float) -> ColumnLoss:
    before, after = _distributions(pair, weights)
    scale = scale_of(before.values[[0, -1]], after.values[[0, -1]])
    deviations = _deviation(before), _deviation(after)
    moved = area_between(*(of._replace(values=scale.of(of.values)) for of in (before, after)))
    shift = mean_shift(pair, scale, weights)
    return ColumnLoss(
        pair.kind,
        percent,
        changed,
        deviations[0].units(moved, scale),
        None if shift is None else deviations[0].units(shift / math.sqrt(2.0), scale),
        _change(_mean(before), _mean(after), pair.original.calendar),
        _lengths(deviations, pair.original.calendar) if _are_two(before, after) else None,
        {at: _change(*of, pair.original.calendar) for at, of in _quantiles(before, after).items()},
    )


def _change(before: float, after: float, calendar: Calendar | None) -> Change | ChangeOfTime:
    """Return a figure in the numbers of the column, or the dates that these stand for."""
    if calendar is None:
        return Change(before, after)
    return ChangeOfTime(calendar.at(before), calendar.at(after), calendar.days(after - before))


def _distributions(pair: Pair, weights: Floats) -> tuple[Distribution, Distribution]:
    return distribution_of(pair.original, weights), distribution_of(pair.released, weights)


def _mean(of: Distribution) -> float:
    """Return the mean in the numbers of the column, which may be such that sums of them overflow."""
    scale = scale_of(of.values[[0, -1]])
    mean = scale.back(mean_of(scale.of(of.values), of.weights))
    return min(max(mean, float(of.values[0])), float(of.values[-1]))


def _deviation(of: Distribution) -> Deviation:
    """Return the standard deviation in a scale of its own: the other table may lie far away."""
    scale = scale_of(of.values[[0, -1]])
    scaled = scale.of(of.values)
    return Deviation(scale, deviation_of(scaled, mean_of(scaled, of.weights), of.weights))


def _lengths(deviations: Iterable[Deviation], calendar: Calendar | None) -> Change | None:
    """Return deviations as they are, or in days."""
    before, after = (of.scale.length(of.scaled) for of in deviations)
    if before is None or after is None:
        return None
    return Change(calendar.days(before), calendar.days(after)) if calendar else Change(before, after)


def _are_two(*distributions: Distribution) -> bool:
    return min(of.values.size for of in distributions) > 1


def _quantiles(before: Distribution, after: Distribution) -> dict[float, tuple[float, float]]:
    pairs = zip(QUANTILES, before.quantiles(QUANTILES), after.quantiles(QUANTILES), strict=True)
    return {share: (float(one), float(other)) for share, one, other in pairs}


def _changed(pair: Pair) -> Mask:
    """Return which records have another value than before, or one only before or after."""
    changed = pair.original.values != pair.released.values
    gone, away = _missing(pair.original), _missing(pair.released)
    return np.asarray((changed & ~gone & ~away) | (gone != away))


def _total_variation(pair: Pair, weights: Floats) -> float:
    """Return half the sum of the differences between the shares of each value."""
    levels = int(max(column.values.max(initial=-1.0) for column in (pair.original, pair.released))) + 1
    counts = []
    for column in (pair.original, pair.released):
        places = np.where(_missing(column), levels, column.values).astype(np.intp)
        if weights.size:
            counts.append(exact_group_sums(weights, places, levels + 1).high)
        else:
            counts.append(np.bincount(places, minlength=levels + 1).astype(np.float64))
    before, after = counts
    return exact_sum(np.abs(before - after)) / (2.0 * exact_sum(before))


def _share(of: Mask, weights: Floats) -> float:
    return mean_of(of.astype(np.float64), weights)


def _those(weights: Floats, which: Mask | slice) -> Floats:
    return weights[which] if weights.size else NO_WEIGHTS


def _is_any_there(column: Column) -> bool:
    return bool(column.values[present(column)].size)


def _missing(column: Column) -> Mask:
    return column.missing if column.missing.size else np.zeros(column.values.size, dtype=np.bool_)
