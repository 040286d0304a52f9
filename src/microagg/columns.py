"""Columns as numbers: what tables hand to the stages, and what these hand back for each group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.plan import Kind

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

NONE_MISSING: Mask = np.zeros(0, dtype=np.bool_)


class Column(NamedTuple):
    """A quasi-identifier, one number for each record.

    The numbers are those of the column, or days or parts of a second from some day for dates; for a
    nominal, boolean or ordinal column the places of its values among all in their order. Where a value
    is missing stands the least number of the column, and `missing` is true; it is empty if none is.
    """

    name: str
    kind: Kind
    values: Floats
    missing: Mask = NONE_MISSING
    levels: int = 0  # how many values a nominal, boolean or ordinal column has

    @property
    def present(self) -> Floats:
        """The numbers that are not missing."""
        return self.values[~self.missing] if self.missing.size else self.values


class Unit(NamedTuple):
    """What counts as one unit of distance in a column of numbers: 2**exponent times the divisor.

    In two parts, so that neither squares overflow nor those of tiny numbers vanish.
    """

    exponent: int = 0
    divisor: float = 1.0
    from_missing: float = 1.0  # how many units a missing value is away from all that are there

    def of(self, differences: Floats) -> Floats:
        """Return differences in this unit."""
        scaled: Floats = np.ldexp(differences, -self.exponent) / self.divisor
        return scaled


class Centres(NamedTuple):
    """What a column's groups are replaced by, in the numbers of the column."""

    values: Floats
    missing: Mask = NONE_MISSING
