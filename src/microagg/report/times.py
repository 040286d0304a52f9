"""Axes of dates and points in time: steps that people count in, and their texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from microagg.columns import Calendar

_SECONDS = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
_DAY = 86_400
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000, 24_000, 60_000)
_MONTH = 30.44  # days
_END = 10_000 * 12  # months from the year 0: the calendar ends before
_EXACT = ("minutes", "seconds", "milliseconds", "microseconds")


def bins(calendar: Calendar, low: float, high: float, most: int) -> list[float]:
    """Return borders of about so many bins, each of whole days or a part of one; none if there is no span.

    >>> bins(Calendar(0), 3.0, 363.0, 24)[:3], bins(Calendar(0, 86_400), 50.0, 250.0, 24)[:3]
    ([0.0, 15.0, 30.0], [45.0, 60.0, 75.0])
    """
    step = _step(calendar, (high - low) / most)
    if not step:
        return []
    first = (calendar.start + math.floor(low)) // step * step - calendar.start
    steps = math.ceil((high - first) / step)
    return [float(first + at * step) for at in range(steps + 1)]


def _step(calendar: Calendar, rough: float) -> int:
    """Return the step next above a rough one, in ticks."""
    parts = (seconds * calendar.per_day // _DAY for seconds in _SECONDS if calendar.per_day > 1)
    days = math.ceil(rough / calendar.per_day) * calendar.per_day
    return min((part for part in parts if part >= rough), default=days) if rough > 0.0 else 0


def ticks(calendar: Calendar, low: float, high: float, most: int) -> list[float]:
    """Return where years, months, days or parts of a day begin; the ends if none do.

    >>> ticks(Calendar(0), 10.0, 1000.0, 3), ticks(Calendar(0), 10.0, 16.0, 3)
    ([365.0, 730.0], [10.0, 12.0, 14.0, 16.0])
    """
    begin = _months if calendar.days(high - low) > most * _MONTH else bins
    return [at for at in begin(calendar, low, high, most) if low <= at <= high] or [low, high]


def _months(calendar: Calendar, low: float, high: float, most: int) -> list[float]:
    """Return the places at which years begin, or months that divide them."""
    rough = calendar.days(high - low) / most / _MONTH
    step = next((months for months in _MONTHS if months >= rough), _MONTHS[-1])
    first = calendar.at(low)
    month = (first.year * 12 + first.month - 1) // step * step
    return [_number(calendar, at) for at in range(month, month + (most + 2) * step, step) if 12 <= at < _END]


def _number(calendar: Calendar, month: int) -> float:
    """Return where a month begins, counted from the first of the year 0."""
    days = (date(month // 12, month % 12 + 1, 1) - date(1970, 1, 1)).days
    return float(days * calendar.per_day - calendar.start)


def texts(calendar: Calendar, numbers: Iterable[float]) -> list[str]:
    """Return numbers as dates, or as points in time as exact as it takes to tell them apart.

    >>> texts(Calendar(0), [0.0, 366.0]), texts(Calendar(0, 86_400), [0.0, 60.0])
    (['1970-01-01', '1971-01-02'], ['1970-01-01 00:00', '1970-01-01 00:01'])
    """
    found = [calendar.at(number) for number in numbers]
    moments = [of for of in found if isinstance(of, datetime)]
    if not any(of.time() != datetime.min.time() for of in moments):
        return [of.isoformat()[:10] for of in found]
    for exact in _EXACT:
        told = [of.isoformat(" ", exact) for of in moments]
        if len(set(told)) == len(set(moments)):
            break
    return told


def short(dates: Sequence[str]) -> list[str]:
    """Return dates as months where all are the first of one, or as years.

    >>> short(["2019-01-01", "2019-07-01"]), short(["2019-01-01", "2020-01-01"])
    (['2019-01', '2019-07'], ['2019', '2020'])
    """
    for begin in ("-01-01", "-01"):
        if all(of.endswith(begin) and len(of) == len("2019-01-01") for of in dates):
            return [of.removesuffix(begin) for of in dates]
    return list(dates)
