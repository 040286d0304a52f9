"""All columns as one matrix, in which the squared distance of two records is the sum over the columns.

A column of numbers takes one dimension, and a second one if values are missing. A nominal column takes
as many as keep its values one unit apart: exactly so for up to 32 values, about so for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Floats, Unit
from microagg.kernels.exact import exact_sum
from microagg.prepare.codewords import LENGTH, codewords


class Ground(NamedTuple):
    """What all values of a column together settle about its place in the matrix."""

    least: float = 0.0
    filling: float = 0.0  # where missing numbers lie, in units: at the mean of the others
    points: Floats = np.empty((0, 0))  # of each level of a nominal column, the missing one last


def ground_of(column: Column, unit: Unit) -> Ground:
    """Return the ground of a column that is all there."""
    if column.kind in ("nominal", "boolean"):
        return Ground(points=points_of_levels(np.bincount(_places(column), minlength=_count(column))))
    least = column.values.min(initial=np.inf)
    if not column.missing.size:
        return Ground(least)
    present = unit.of(column.present - least)
    return Ground(least, exact_sum(present) / max(present.size, 1))


def points_of_levels(frequency: NDArray[np.integer]) -> Floats:
    """Return a point for each level, of which so many records have each: two are one unit apart."""
    count = frequency.size
    if count <= 2:
        return np.arange(count, dtype=np.float64)[:, np.newaxis]
    return np.eye(count) * np.sqrt(0.5) if count <= LENGTH else codewords(frequency)


def matrix_of(
    columns: Sequence[Column],
    units: Sequence[Unit],
    importance: Sequence[float],
    order: NDArray[np.intp],
    grounds: Sequence[Ground] | None = None,
) -> Floats:
    """Return the columns as a matrix, its records in this order.

    Where the columns are only a part of what is protected, `grounds` are those of the whole.
    """
    if grounds is None:
        grounds = [ground_of(column, unit) for column, unit in zip(columns, units, strict=True)]
    widths = [width_of(column) for column in columns]
    ends = np.cumsum([0, *widths])
    X = np.empty((order.size, ends[-1]))
    for column, unit, ground, weight, start, end in zip(
        columns, units, grounds, importance, ends, ends[1:], strict=False
    ):
        part = X[:, start:end]
        if column.kind in ("nominal", "boolean"):
            part[:] = ground.points[_places(column)[order]]
        else:
            _write_numbers(column, unit, ground, order, part)
        if weight != 1.0:
            part *= np.sqrt(weight)
    return X


def width_of(column: Column) -> int:
    """Return how many dimensions a column takes."""
    if column.kind not in ("nominal", "boolean"):
        return 2 if column.missing.size else 1
    count = _count(column)
    return 1 if count <= 2 else min(count, LENGTH)


def _count(column: Column) -> int:
    """Return how many values a column has, if being missing is one."""
    return column.levels + bool(column.missing.size)


def _write_numbers(column: Column, unit: Unit, ground: Ground, order: NDArray[np.intp], part: Floats) -> None:
    """Write the numbers from their least one on; the difference is exact wherever those of the data are.

    So 1e9 added to a column changes nothing.
    """
    part[:, 0] = unit.of(column.values[order] - ground.least)
    if column.missing.size:
        missing = column.missing[order]
        part[missing, 0] = ground.filling
        part[:, 1] = np.where(missing, unit.from_missing, 0.0)


def _places(column: Column) -> NDArray[np.intp]:
    """Return the level of each record; the last one is to be missing."""
    places = column.values.astype(np.intp)
    if column.missing.size:
        places[column.missing] = column.levels
    return places
