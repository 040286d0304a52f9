"""All columns as one matrix, in which the squared distance of two records is the sum over the columns.

A column of numbers takes one dimension, and a second one if values are missing. A nominal column takes
as many as keep its values one unit apart: exactly so for up to 32 values, about so for more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Floats, Unit
from microagg.kernels.exact import exact_sum
from microagg.prepare.codewords import LENGTH, codewords


def matrix_of(
    columns: Sequence[Column], units: Sequence[Unit], importance: Sequence[float], order: NDArray[np.intp]
) -> Floats:
    """Return the columns as a matrix, its records in this order."""
    widths = [width_of(column) for column in columns]
    ends = np.cumsum([0, *widths])
    X = np.empty((order.size, ends[-1]))
    for column, unit, weight, start, end in zip(columns, units, importance, ends, ends[1:], strict=False):
        part = X[:, start:end]
        if column.kind in ("nominal", "boolean"):
            _write_levels(column, order, part)
        else:
            _write_numbers(column, unit, order, part)
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


def _write_numbers(column: Column, unit: Unit, order: NDArray[np.intp], part: Floats) -> None:
    """Write the numbers from their least one on; the difference is exact wherever those of the data are.

    So 1e9 added to a column changes nothing.
    """
    part[:, 0] = unit.of(column.values[order] - column.values.min(initial=np.inf))
    if column.missing.size:
        missing = column.missing[order]
        present = part[~missing, 0]
        part[missing, 0] = exact_sum(present) / max(present.size, 1)
        part[:, 1] = np.where(missing, unit.from_missing, 0.0)


def _write_levels(column: Column, order: NDArray[np.intp], part: Floats) -> None:
    """Write nominal values such that two different ones are one unit apart."""
    places = column.values.astype(np.intp)
    if column.missing.size:
        places[column.missing] = column.levels
    places = places[order]
    count = _count(column)
    if count <= 2:
        part[:, 0] = places
    elif count <= LENGTH:
        part[:] = 0.0
        part[np.arange(places.size), places] = np.sqrt(0.5)
    else:
        part[:] = codewords(places, count)
