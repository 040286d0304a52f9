"""Columns cut into classes of equal width, whose counts tell how columns depend on each other.

Ranges are found block by block (create, merge, finish), so that a table larger than memory, or one in
parts on many machines, is cut just as one that is at hand: least and greatest values do not depend on the
order in which the blocks come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.errors import InputError

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Classes = int | Literal["auto"]

MOST_CLASSES = 10
"""Classes at most where their number is left open: those of the paper's simulated sets."""

EXPECTED = 5  # records on average in a class of two columns at least, if their number is left open
MOST_CELLS = 1 << 24  # counts that are kept: 128 MiB
_NEARLY = 1.0 + 2.0**-40  # beside which rounding is nothing


class Ranges(NamedTuple):
    """How many records there are, and the least and greatest value of each column."""

    records: int
    least: Floats
    greatest: Floats

    @classmethod
    def of(cls, columns: Sequence[Floats]) -> Ranges:
        """Return those of a block of records, given column by column."""
        least = [float(values.min(initial=np.inf)) for values in columns]
        greatest = [float(values.max(initial=-np.inf)) for values in columns]
        return cls(columns[0].size if columns else 0, np.array(least), np.array(greatest))

    def merge(self, other: Ranges) -> Ranges:
        """Return those of two blocks together."""
        least, greatest = np.minimum(self.least, other.least), np.maximum(self.greatest, other.greatest)
        return Ranges(self.records + other.records, least, greatest)

    def finish(
        self,
        nominal: Sequence[bool] = (),
        width: float | Sequence[float] | None = None,
        classes: Classes = "auto",
    ) -> Cutting:
        """Return how each column is cut.

        Parameters
        ----------
        nominal
            Which columns hold the places of their values, and are taken as they are; none if empty.
        width
            How wide a class is, in all columns or in each; classes are counted from the least value.
        classes
            If no width is given, how many there are between the least and the greatest value. "auto" is
            10, but so few in a small table that a class of two columns holds 5 records on average.
        """
        nominal = nominal or [False] * self.least.size
        widths = np.broadcast_to(np.nan if width is None else _checked_widths(width, self), self.least.shape)
        count = classes_for(self.records) if classes == "auto" else checked_classes(classes)
        parts = [
            _part(float(low), float(high), is_nominal, float(wide), count)
            for low, high, is_nominal, wide in zip(self.least, self.greatest, nominal, widths, strict=True)
        ]
        cutting = Cutting(self.least, tuple(unit for unit, _ in parts), tuple(size for _, size in parts))
        cutting.require_room(self)
        return cutting


@dataclass(frozen=True)
class Cutting:
    """Where classes begin: a value's class is its distance from the least one in widths, rounded down."""

    least: Floats
    widths: tuple[float, ...]
    classes: tuple[int, ...]

    def codes(self, columns: Sequence[Floats]) -> list[Codes]:
        """Return the class of each value of a block, column by column."""
        return [
            _codes(values, float(low), width, size)
            for values, low, width, size in zip(columns, self.least, self.widths, self.classes, strict=True)
        ]

    def require_room(self, ranges: Ranges) -> None:
        """Raise InputError if there would be too many counts to keep."""
        sizes = np.array(self.classes, dtype=np.float64)
        cells = (sizes.sum() ** 2 - (sizes**2).sum()) / 2
        if cells > MOST_CELLS:
            widest = int(sizes.argmax())
            proposed = (ranges.greatest[widest] - ranges.least[widest]) / classes_for(ranges.records)
            raise InputError(
                f"the classes are too narrow: {cells:,.0f} counts of pairs, expected at most {MOST_CELLS:,}. "
                f"Column {widest + 1} alone has {int(sizes[widest]):,} classes: "
                f"a width of {proposed:.3g} would suit it"
            )


def classes_for(records: int) -> int:
    """Return how many classes "auto" stands for.

    >>> [classes_for(records) for records in (10, 100, 834, 1_000_000)]
    [2, 4, 10, 10]
    """
    return max(2, min(MOST_CLASSES, int((records / EXPECTED) ** 0.5)))


def checked_classes(classes: object) -> int:
    """Return a number of classes, or raise InputError if it is none."""
    if isinstance(classes, bool) or not isinstance(classes, int | np.integer) or classes < 2:
        raise InputError(f'classes must be "auto" or a whole number from 2: found {classes!r}')
    return int(classes)


def _checked_widths(width: float | Sequence[float], ranges: Ranges) -> Floats:
    try:
        widths = np.asarray(width, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a width must be a number above zero, found {width!r}") from None
    if widths.ndim > 1 or widths.size not in (1, ranges.least.size):
        raise InputError(f"expected one width, or one for each of {ranges.least.size} columns")
    if not (np.isfinite(widths) & (widths > 0.0)).all():
        raise InputError(f"a width must be a number above zero, found {width!r}")
    return widths


def _part(low: float, high: float, is_nominal: bool, width: float, count: int) -> tuple[float, int]:
    """Return the width of a class and how many there are."""
    span = high - low
    if not span > 0.0:
        return 1.0, 1
    if is_nominal:
        return 1.0, int(span) + 1
    if np.isnan(width):
        return span / count, count
    return width, int(min(float(_widths_in(span, width)), float(MOST_CELLS))) + 1


def _codes(values: Floats, low: float, width: float, size: int) -> Codes:
    """Return the class of each value; the greatest one falls into the last class."""
    return np.minimum(_widths_in(values - low, width), size - 1).astype(np.intp)


def _widths_in(distance: Floats | float, width: float) -> Floats:
    """Return how many whole widths a distance holds: three of 0.1 in 0.3, though neither is exact."""
    whole: Floats = np.floor(np.asarray(distance) / width * _NEARLY)
    return whole
