"""Which places are nearest to a point, and how many records are there: by looking at all of them.

For tables so small that nothing need be compiled; the numbers are those of `kernels.linkage`, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.kernels.alike import ROUNDING, limit_of

Rows = NDArray[np.intp]
Watch = Callable[[int], None]
"""Called between slices of work with the queries done; an exception raised in it stops the work."""

_AT_ONCE = 1 << 16  # distances, so that they stay in the cache


class Places(NamedTuple):
    """Points, and how many records each stands for."""

    points: Floats  # m x d, one record after the other
    records: Floats
    slack: Floats  # how far rounding may have moved each

    def of(self, rows: Rows) -> Places:
        """Return some of them."""
        return self if rows.size == self.slack.size else Places(*(part[rows] for part in self))


class Nearest(NamedTuple):
    """What lies nearest to each query: up to which squared distance, and how many records."""

    limit: Floats
    records: Floats
    next_limit: Floats  # the same of what lies next, where there is one nearest record and this was asked for
    next_records: Floats  # otherwise 0


def places_of(points: Floats, records: Floats, apart: Floats) -> Places:
    """Return points as places, laid out as the compiled loops want them.

    What holds them apart is one more coordinate, if there is any. It is exact: rounding moves nothing there.
    """
    origin = np.zeros((1, points.shape[1]))
    slack = np.sqrt(squared_distances(points, origin)) * ROUNDING
    points = np.column_stack((points, apart)) if apart.shape[1] else points
    return Places(np.require(points, np.float64, ["C", "W"]), records, slack)


def squared_distances(points: Floats, to: Floats) -> Floats:
    """Return |x - q|^2 for points given row by row, columns added in the order of the kernels."""
    total: Floats = np.zeros(np.broadcast_shapes(points.shape[:-1], to.shape[:-1]))
    for j in range(points.shape[-1]):
        gap = points[..., j] - to[..., j]
        gap *= gap
        total += gap
    return total


class Finder(Protocol):
    """Finds what lies nearest."""

    def nearest(self, queries: Places, beside: Rows, *, two: bool, watch: Watch) -> Nearest:
        """Return what lies nearest to each query, and next to it if `two` is set.

        `beside` names for each query a place that is likely to be near, so that those which look at the
        same places can follow on each other.
        """
        ...


class Sweep(NamedTuple):
    """Finds what lies nearest by looking at all places."""

    places: Places

    def nearest(self, queries: Places, beside: Rows, *, two: bool, watch: Watch) -> Nearest:
        """Return what lies nearest to each query, and next to it if `two` is set."""
        found = []
        step = max(_AT_ONCE // self.places.slack.size, 1)
        for start in range(0, queries.slack.size, step):
            part = queries.of(np.arange(start, min(start + step, queries.slack.size)))
            found.append(_counted(self.places, part, two))
            watch(start + part.slack.size)
        return Nearest(*np.concatenate(found, axis=1))


def _counted(places: Places, queries: Places, two: bool) -> Floats:
    """Return the four columns of `Nearest` for a few queries."""
    slack = queries.slack
    squares = squared_distances(places.points, queries.points[:, np.newaxis])
    limit, count = _alike(squares, places.records, slack)
    if not two:
        return np.array([limit, count, limit, np.zeros(slack.size)])
    squares[squares <= limit[:, np.newaxis]] = np.inf
    next_limit, next_count = _alike(squares, places.records, slack)
    only = (count == 1.0) & np.isfinite(next_limit)
    return np.array([limit, count, np.where(only, next_limit, limit), np.where(only, next_count, 0.0)])


def _alike(squares: Floats, records: Floats, slack: Floats) -> tuple[Floats, Floats]:
    """Return up to which squared distance records count as nearest, and how many they are."""
    limit = limit_of(squares.min(axis=1), slack)
    return limit, (records * (squares <= limit[:, np.newaxis])).sum(axis=1)
