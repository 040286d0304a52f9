"""Columns as a model takes them: numbers in standard deviations, categories as columns of 0 and 1.

The numbers of both tables are brought to the mean and the standard deviation of the original. Where a value
is missing stands that mean, and a column of 0 and 1 says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Floats
from microagg.measures.amounts import LEAST_DEVIATION
from microagg.measures.compared import CATEGORIES, Pair
from microagg.measures.distribution import deviation_of, mean_of, present
from microagg.measures.holdout import Rows
from microagg.measures.scales import Scale, scale_of

LEVELS = 30
"""So many of a column's values, the most frequent ones, have a column of their own."""

_FAR = 1e6  # standard deviations: no more are counted, lest a strange release overflow a sum


class Standard(NamedTuple):
    """How a column's numbers become standard deviations from the mean."""

    scale: Scale
    mean: float
    deviation: float  # 0 if the column does not vary

    def of(self, column: Column, rows: Rows) -> Floats:
        """Return the numbers of these rows; 0 where there is none."""
        if not self.deviation:
            return np.zeros(rows.size)
        found = (self.scale.of(column.values[rows]) - self.mean) / self.deviation
        np.clip(found, -_FAR, _FAR, out=found)
        if column.missing.size:
            found[column.missing[rows]] = 0.0
        return np.asarray(found)


def standard_of(pair: Pair) -> Standard:
    """Return how numbers become standard deviations of the original."""
    values = pair.original.values[present(pair.original)]
    if not values.size or values.max() == values.min():
        return Standard(Scale(), 0.0, 0.0)
    scale = scale_of(values, pair.released.values)
    scaled = scale.of(values)
    mean = mean_of(scaled)
    deviation = deviation_of(scaled, mean)
    return Standard(scale, mean, deviation if deviation >= LEAST_DEVIATION else 0.0)


def frequent_levels(column: Column, rows: Rows) -> NDArray[np.intp]:
    """Return the most frequent values of these rows, as places in their order; of equally many the first."""
    if column.missing.size:
        rows = rows[~column.missing[rows]]
    counts = np.bincount(column.values[rows].astype(np.intp))
    order = np.argsort(-counts, kind="stable")[:LEVELS]
    return np.asarray(order[counts[order] > 0])


def class_numbers(column: Column, levels: NDArray[np.intp], rows: Rows) -> NDArray[np.intp]:
    """Return which of the levels each of these rows has, -1 for any other and for a missing value."""
    highest = int(max(column.values.max(initial=0.0), levels.max(initial=0)))
    number = np.full(highest + 1, -1)
    number[levels] = np.arange(levels.size)
    found = number[column.values[rows].astype(np.intp)]
    if column.missing.size:
        found[column.missing[rows]] = -1
    return found


class Part(NamedTuple):
    """The columns of the matrix that one predictor takes."""

    pair: Pair
    standard: Standard | None  # of numbers
    levels: NDArray[np.intp]  # of categories
    tells_missing: bool

    @property
    def width(self) -> int:
        """How many columns these are."""
        return (self.levels.size if self.standard is None else 1) + self.tells_missing

    def write(self, column: Column, rows: Rows, out: Floats) -> None:
        """Write these rows of the column, before or after."""
        if self.standard is not None:
            out[:, 0] = self.standard.of(column, rows)
        else:
            numbers = class_numbers(column, self.levels, rows)
            known = np.flatnonzero(numbers >= 0)
            out[known, numbers[known]] = 1.0
        if self.tells_missing and column.missing.size:
            out[:, -1] = column.missing[rows]


class Design(NamedTuple):
    """The predictors of a model."""

    parts: tuple[Part, ...]

    @property
    def starts(self) -> list[int]:
        """The first column of each predictor, and how many there are in all; column 0 is the intercept."""
        return list(accumulate((part.width for part in self.parts), initial=1))

    def matrix(self, side: str, rows: Rows) -> Floats:
        """Return these rows of the table "original" or "released"."""
        starts = self.starts
        X = np.zeros((rows.size, starts[-1]))
        X[:, 0] = 1.0
        for part, start, end in zip(self.parts, starts, starts[1:], strict=False):
            part.write(getattr(part.pair, side), rows, X[:, start:end])
        return X


def design_of(predictors: Sequence[Pair], rows: Rows) -> Design:
    """Return how predictors become a matrix; these rows tell which values of categories are frequent."""
    return Design(tuple(_part(pair, rows) for pair in predictors))


def _part(pair: Pair, rows: Rows) -> Part:
    gaps = bool(pair.original.missing.any() or pair.released.missing.any())
    if pair.kind in CATEGORIES:
        return Part(pair, None, frequent_levels(pair.original, rows), gaps)
    return Part(pair, standard_of(pair), np.empty(0, dtype=np.intp), gaps)
