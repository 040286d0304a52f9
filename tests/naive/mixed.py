"""The distance of two records with columns of several kinds, as it is defined, value by value."""

from __future__ import annotations

from math import sqrt


def squared_distance(one, other, columns, importance=None):
    """Return the sum over the columns; a record is a dict, a missing value None.

    `columns` says for each name "number" or "nominal", and gives all its values.
    """
    return sum(
        (importance or {}).get(name, 1.0) * _DISTANCES[kind](one[name], other[name], values)
        for name, (kind, values) in columns.items()
    )


def _of_numbers(x, y, values):
    """Return the squared difference in standard deviations; a missing value is one away from the mean."""
    present = [value for value in values if value is not None]
    mean = sum(present) / len(present) if present else 0.0
    deviation = sqrt(sum((value - mean) ** 2 for value in present) / len(present)) if present else 0.0
    along = (mean if x is None else x) - (mean if y is None else y)
    across = (x is None) != (y is None)
    return (along / deviation) ** 2 + across if deviation else float(across)


def _of_nominals(x, y, values):
    return float(x != y)


_DISTANCES = {"number": _of_numbers, "nominal": _of_nominals}
