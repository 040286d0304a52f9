"""What the pictures show, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.measures.found import MomentsLoss
from microagg.report.scales import round_step
from microagg.report.wording import count, number, rounded, share

_BARS = 24  # bars up to which each stands for one value
_NAMES = 12  # columns whose correlations fit into a picture
_PAIRS = 200  # pairs of columns that a table shows


class Bar(NamedTuple):
    """How many there are of what."""

    label: str
    total: int
    is_below: bool = False  # whether these groups are smaller than was asked for


class ColumnBar(NamedTuple):
    """The loss of a column, in percent."""

    name: str
    percent: float


class Correlation(NamedTuple):
    """The correlation of two columns before and after."""

    one: str
    other: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """By how much it moved."""
        return self.after - self.before


class Matrix(NamedTuple):
    """The changes of correlations, for the columns where they are largest."""

    names: tuple[str, ...]
    changes: Floats
    columns: int  # of how many these are


def group_sizes(sizes: Mapping[int, int], k: int | None) -> list[Bar]:
    """Return how many groups there are of each size, or of sizes from one to another.

    Of the sizes from k to 2k - 1 all are told, since a group of more could be parted.
    """
    if not sizes:
        return []
    smallest, largest = min(sizes), max(sizes)
    if k and 2 * k - min(k, smallest) <= _BARS:
        smallest, largest = min(smallest, k), max(largest, 2 * k - 1)
    width = -(-(largest - smallest + 1) // _BARS)
    bars = []
    for first in range(smallest, largest + 1, width):
        last = min(first + width - 1, largest)
        groups = sum(times for size, times in sizes.items() if first <= size <= last)
        label = count(first) if first == last else f"{count(first)}–{count(last)}"
        bars.append(Bar(label, groups, k is not None and first < k))
    return bars


def loss_by_column(percents: Mapping[str, float]) -> list[ColumnBar]:
    """Return the columns by what they lost, most first."""
    found = [ColumnBar(name, value) for name, value in percents.items()]
    return sorted(found, key=lambda bar: -bar.percent)


def chances(by_record: Floats) -> list[Bar]:
    """Return how many records have which chance of being found."""
    values, times = np.unique(np.round(by_record, 6), return_counts=True)
    if values.size <= _BARS // 2:
        return [Bar(share(float(at)), int(found)) for at, found in zip(values, times, strict=True)]
    return _chances_in_bins(values, times)


def _chances_in_bins(values: Floats, times: NDArray[np.intp]) -> list[Bar]:
    """Return bars of equal width, but one for no chance at all."""
    none = int(times[values <= 0.0].sum())
    some, of = values[values > 0.0], times[values > 0.0]
    step = round_step(0.0, float(some.max()), _BARS // 2)
    bins = np.ceil(some / step - 1e-9).astype(np.intp) - 1
    in_bins = np.bincount(bins, weights=of)
    bars = [Bar(_from_to(at * step, (at + 1) * step), int(found)) for at, found in enumerate(in_bins)]
    return [Bar(share(0.0), none), *bars]


def _from_to(low: float, high: float) -> str:
    return f"{number(rounded(100.0 * low))}–{share(high)}"


def correlations(moments: MomentsLoss) -> list[Correlation]:
    """Return the pairs of columns, those whose correlation moved most first, and not more than fit."""
    names, before, after = moments.names, moments.before, moments.after
    pairs = (
        Correlation(names[i], names[j], float(before[i, j]), float(after[i, j]))
        for i in range(len(names))
        for j in range(i)
    )
    return sorted(_finite(pairs), key=lambda pair: -abs(pair.change))[:_PAIRS]


def _finite(pairs: Iterable[Correlation]) -> list[Correlation]:
    return [pair for pair in pairs if np.isfinite(pair.change)]


def correlation_matrix(moments: MomentsLoss) -> Matrix | None:
    """Return how correlations moved; None where there are fewer than two columns that vary."""
    columns = len(moments.names)
    if columns < 2:
        return None
    changes = np.nan_to_num(moments.after - moments.before, nan=0.0)
    most = np.argsort(-np.abs(changes).max(axis=1), kind="stable")[:_NAMES]
    shown = np.sort(most)
    return Matrix(tuple(moments.names[at] for at in shown), changes[np.ix_(shown, shown)], columns)
