"""All amounts of both tables in standard deviations of the original, so that moments can be compared.

Amounts that do not vary in the original, or have no value at all before or after, are left out. Of each
table those records count that have all the others, as who computes correlations would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from microagg.columns import Column, Floats, Mask
from microagg.kernels.exact import EQUAL, exact_sum
from microagg.measures.compared import AMOUNTS, Compared, Pair
from microagg.measures.distribution import deviation_of, mean_of, present
from microagg.measures.scales import scale_of, steady

LEAST_DEVIATION = 1e-60
"""Deviation beside the range of both tables below which a column counts as one that does not vary.

The release is then so much larger that fourth powers of its values overflow.
"""


class Amounts(NamedTuple):
    """The amounts of one table."""

    columns: tuple[Floats, ...]  # each minus its mean
    means: tuple[float, ...]  # where each mean lies from that of the original
    weights: Floats

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.columns[0].size

    @property
    def effective_records(self) -> float:
        """How many equally weighted records would tell as much (Kish): (sum w)^2 / sum w^2."""
        if not self.weights.size:
            return float(self.records)
        return exact_sum(self.weights) ** 2 / exact_sum(self.weights**2)

    def moment(self, *of: int) -> float:
        """Return the mean product of columns: moment(0, 0, 1) is the mean of x0 x0 x1."""
        return mean_of(reduce(np.multiply, (self.columns[column] for column in of)), self.weights)

    def moments(self) -> Floats:
        """Return the mean products of all pairs of columns: their covariances, divided by n."""
        width = len(self.columns)
        found = np.empty((width, width))
        for i in range(width):
            for j in range(i, width):
                found[i, j] = found[j, i] = self.moment(i, j)
        return found


class Both(NamedTuple):
    """The amounts before and after, in standard deviations of the original."""

    names: tuple[str, ...]
    before: Amounts
    after: Amounts


def amounts_of(compared: Compared) -> Both | None:
    """Return the amounts that vary, or None if there are none or fewer than 2 records have all of them."""
    pairs = _usable(compared)
    rows = complete_records(compared)
    if min(int(which.sum()) for which in rows) < 2:
        return None
    weights = steady(compared.weights)
    masses = [weights[which] if weights.size else EQUAL for which in rows]
    found = {pair.name: _standard(pair, rows, masses[0]) for pair in pairs}
    varying = {name: both for name, both in found.items() if both is not None}
    if not varying:
        return None
    sides = [
        _centred(side, mass) for side, mass in zip(zip(*varying.values(), strict=True), masses, strict=True)
    ]
    return Both(tuple(varying), *sides)


def correlations(moments: Floats) -> Floats:
    """Return correlations from covariances: 0 for a column that does not vary, also with itself."""
    deviations = np.sqrt(np.diag(moments))
    varies = deviations > 0.0
    inverse = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=varies)
    found = np.clip(moments * inverse[:, None] * inverse, -1.0, 1.0)
    np.fill_diagonal(found, varies)
    return found


def complete_records(compared: Compared) -> tuple[Mask, Mask]:
    """Return which records have all amounts that can be compared, before and after."""
    pairs = _usable(compared)
    before = _complete([pair.original for pair in pairs], compared.records)
    return before, _complete([pair.released for pair in pairs], compared.records)


def _usable(compared: Compared) -> list[Pair]:
    return [pair for pair in compared.of_kinds(AMOUNTS) if any_there(pair) and varies(pair.original)]


def varies(column: Column) -> bool:
    """Return whether a column has two different values."""
    values = column.values[present(column)]
    return bool(values.size and values.max() > values.min())


def any_there(pair: Pair) -> bool:
    """Return whether a column has any value before, and any after."""
    return all(bool(column.values[present(column)].size) for column in (pair.original, pair.released))


def _complete(columns: Sequence[Column], records: int) -> Mask:
    complete = np.ones(records, dtype=np.bool_)
    for column in columns:
        if column.missing.size:
            complete &= ~column.missing
    return complete


def _standard(pair: Pair, rows: Sequence[Mask], weights: Floats) -> tuple[Floats, Floats] | None:
    """Return a column before and after as z-scores of the original; None if that does not vary."""
    before, after = pair.original.values[rows[0]], pair.released.values[rows[1]]
    scale = scale_of(before, after)
    before, after = scale.of(before), scale.of(after)
    mean = mean_of(before, weights)
    deviation = deviation_of(before, mean, weights)
    if before.max() == before.min() or deviation < LEAST_DEVIATION:
        return None
    return (before - mean) / deviation, (after - mean) / deviation


def _centred(columns: Sequence[Floats], weights: Floats) -> Amounts:
    means = tuple(mean_of(column, weights) for column in columns)
    return Amounts(
        tuple(_flat(column - mean) for column, mean in zip(columns, means, strict=True)), means, weights
    )


def _flat(centred: Floats) -> Floats:
    """Return nothing but zeros for a column that does not vary, of which rounding left some crumbs."""
    return centred * float(centred.max() > centred.min())
