"""The values of a column before and after, counted: amounts in bins, categories by value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Calendar, Column, Floats
from microagg.measures.compared import CATEGORIES, Pair
from microagg.plan import Kind
from microagg.report.scales import Scale, round_step, scale_for
from microagg.report.times import bins

Counts = NDArray[np.intp]

MISSING = "missing"
_BINS = 24
_FEW = 30  # whole numbers of which each gets a bin of its own
_SHOWN = 12  # categories that are shown, the others together


class Histogram(NamedTuple):
    """Records by bin; the missing ones before and after are counted apart."""

    name: str
    kind: Kind
    scale: Scale
    edges: Floats
    before: Counts
    after: Counts
    missing: tuple[int, int]
    each: bool = False  # whether a bin is one whole number, in its middle
    calendar: Calendar | None = None  # of dates


class Categories(NamedTuple):
    """Records by value, the most frequent of the original first, or in the order of the values."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


Distribution = Histogram | Categories


def distribution(pair: Pair, labels: Sequence[str] = ()) -> Distribution | None:
    """Return the values of a column before and after; None if there are none."""
    if not (pair.original.present.size and pair.released.present.size):
        return None
    levels = _levels(pair)
    if pair.kind in CATEGORIES or (pair.kind == "ordinal" and levels <= _SHOWN + 1):
        return _categories(pair, labels, levels)
    return _histogram(pair)


def _histogram(pair: Pair) -> Histogram:
    before, after = pair.original.present, pair.released.present
    low = float(min(before.min(), after.min()))
    high = float(max(before.max(), after.max()))
    each, calendar = _one_bin_each(pair, low, high), pair.original.calendar
    scale = Scale() if each or calendar else scale_for(before)
    edges = _whole_edges(low, high) if each else _edges(scale, low, high, calendar)
    places = scale(edges)
    return Histogram(
        pair.name,
        pair.kind,
        scale,
        edges,
        _in_bins(scale(before), places),
        _in_bins(scale(after), places),
        (_missing(pair.original), _missing(pair.released)),
        each,
        calendar,
    )


def _one_bin_each(pair: Pair, low: float, high: float) -> bool:
    whole = pair.kind not in ("continuous", "datetime") and low == np.rint(low)
    return bool(whole and high - low < _FEW and low > -1e15 and high < 1e15)


def _whole_edges(low: float, high: float) -> Floats:
    return np.arange(np.floor(low), np.ceil(high) + 2.0) - 0.5


def _edges(scale: Scale, low: float, high: float, calendar: Calendar | None) -> Floats:
    """Return the borders of the bins: round numbers on an even scale, where that can be had."""
    if low == high:
        return np.array([low, high])
    if calendar:
        return np.array(bins(calendar, low, high, _BINS))
    step = 0.0 if scale.is_stretched else round_step(low, high, _BINS)
    if step:
        edges = np.arange(np.floor(low / step), np.ceil(high / step) + 1.0) * step
        if edges.size > 2 and edges[0] <= low and edges[-1] >= high and np.all(np.diff(edges) > 0.0):
            return np.asarray(edges, dtype=np.float64)
    ends = scale(np.array([low, high]))
    parts = np.linspace(0.0, 1.0, _BINS + 1)
    edges = scale.back(ends[0] * (1.0 - parts) + ends[1] * parts)
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def _in_bins(places: Floats, edges: Floats) -> Counts:
    """Return how many places lie in each bin; one on a border counts in the upper bin, if there is one."""
    bins = edges.size - 1
    inner = np.searchsorted(edges[1:-1], places, side="right")
    return np.bincount(inner, minlength=bins)


def _categories(pair: Pair, labels: Sequence[str], levels: int) -> Categories:
    before, after = (_by_level(of, levels) for of in (pair.original, pair.released))
    names = [labels[at] if at < len(labels) else f"value {at + 1}" for at in range(levels)]
    order = np.arange(levels) if pair.kind == "ordinal" else np.argsort(-before, kind="stable")
    shown, others = order[:_SHOWN], order[_SHOWN:]
    if others.size == 1:
        shown, others = order, others[:0]
    rows = [(names[at], int(before[at]), int(after[at])) for at in shown]
    if others.size:
        rows.append((f"{others.size:,} others", int(before[others].sum()), int(after[others].sum())))
    gone = _missing(pair.original), _missing(pair.released)
    if any(gone):
        rows.append((MISSING, *gone))
    names_shown, before_shown, after_shown = zip(*rows, strict=True)
    return Categories(pair.name, pair.kind, names_shown, before_shown, after_shown)


def _levels(pair: Pair) -> int:
    largest = max(float(of.present.max(initial=0.0)) for of in (pair.original, pair.released))
    return (
        max(pair.original.levels, int(min(largest, 1e9)) + 1) if pair.kind in (*CATEGORIES, "ordinal") else 0
    )


def _by_level(column: Column, levels: int) -> Counts:
    return np.bincount(np.rint(column.present).astype(np.intp), minlength=levels)


def _missing(column: Column) -> int:
    return int(np.count_nonzero(column.missing))
