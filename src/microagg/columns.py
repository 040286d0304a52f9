"""Columns as numbers: what tables hand to the stages, and what these hand back for each group."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.plan import Kind

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

NONE_MISSING: Mask = np.zeros(0, dtype=np.bool_)


_DAY = 86_400_000_000  # microseconds


class Calendar(NamedTuple):
    """Which dates, or points in time, the numbers of a column stand for."""

    start: int  # where the number 0 lies, in ticks from the beginning of 1970
    per_day: int = 1  # ticks in a day: 1 of dates

    def at(self, number: float) -> date:
        """Return the nearest day if these are dates, else the point in time, of a time zone that of UTC.

        >>> Calendar(19_000).at(1.6), Calendar(86_400, 86_400).at(43_200.0)
        (datetime.date(2022, 1, 10), datetime.datetime(1970, 1, 2, 12, 0))
        """
        day, rest = divmod(self.start, self.per_day)
        if self.per_day == 1:
            return _after(day + round(number)).date()
        return _after(day, round((rest + number) * _DAY / self.per_day))

    def days(self, length: float) -> float:
        """Return a length of time in days."""
        return length / self.per_day


def _after(days: int, microseconds: int = 0) -> datetime:
    """Return the point in time so long after the beginning of 1970, and nothing off the calendar."""
    try:
        return datetime(1970, 1, 1) + timedelta(days=days, microseconds=microseconds)
    except OverflowError:
        return datetime.max if days * _DAY + microseconds > 0 else datetime.min


class Column(NamedTuple):
    """A quasi-identifier, one number for each record.

    The numbers are those of the column; of dates days or parts of a second, as `calendar` says; for a
    nominal, boolean or ordinal column the places of its values among all in their order. Where a value
    is missing stands the least number of the column, and `missing` is true; it is empty if none is.
    """

    name: str
    kind: Kind
    values: Floats
    missing: Mask = NONE_MISSING
    levels: int = 0  # how many values a nominal, boolean or ordinal column has
    calendar: Calendar | None = None  # of dates and points in time

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
