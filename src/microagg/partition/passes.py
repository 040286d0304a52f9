"""MDAV and V-MDAV for small tables: whole passes over all records in NumPy, with nothing to compile.

Every number is computed by the same operations in the same order as in the compiled kernels, so that
the two give the same partition to the bit: distances add up column by column, running sums are kept in
double-double arithmetic, and equal distances go to the lowest record.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.partition.geometry import FADED, leftovers_to_nearest, mean_of, squared_distances, totals
from microagg.partition.matrix import Floats, Labels, Progress

Places = NDArray[np.intp]


class _Remaining:
    """The records not grouped yet, in ascending order, close together in memory."""

    def __init__(self, points: Floats, progress: Progress | None) -> None:
        self.ids = np.arange(len(points))
        self.columns = np.ascontiguousarray(points.T)
        self.labels = np.full(len(points), -1, np.int32)
        self.groups = 0
        self._progress = progress

    def __len__(self) -> int:
        return len(self.ids)

    def distances_to(self, point: Floats) -> Floats:
        return squared_distances(self.columns, point)

    def nearest(self, distances: Floats, wanted: int) -> Places:
        """Return the places of the least distances, ascending; of equal ones the first."""
        if wanted < len(distances):
            candidates = np.flatnonzero(distances <= np.partition(distances, wanted - 1)[wanted - 1])
        else:
            candidates = np.arange(len(distances))
        return candidates[np.argsort(distances[candidates], kind="stable")[:wanted]]

    def take(self, places: Places) -> NDArray[np.intp]:
        """Put the records at these places into the group being formed; return which they are."""
        taken = self.ids[places]
        self.labels[taken] = self.groups
        stays = np.ones(len(self.ids), np.bool_)
        stays[places] = False
        self.ids, self.columns = self.ids[stays], self.columns[:, stays]
        return taken

    def end_group(self) -> None:
        self.groups += 1
        if self._progress is not None:
            self._progress(len(self.labels) - len(self.ids), len(self.labels))


class _RunningSums:
    """The sums of w x and of w over what remains, high and low parts, for its centroid."""

    def __init__(self, points: Floats, weights: Floats) -> None:
        self.points, self.weights = points, weights
        mass = weights if weights.size else np.ones(len(points))
        self.terms = np.column_stack((points * mass[:, None], mass))
        self.totals = totals(points, weights)
        self.least = self.totals[0] * FADED

    def centroid(self, remaining: NDArray[np.intp]) -> Floats:
        """Return the mean of the remaining records."""
        if (self.totals[0] < self.least).any():
            self.totals = totals(self.points, self.weights, remaining)
            self.least = self.totals[0] * FADED
        return mean_of(self.totals)

    def subtract(self, record: int) -> None:
        """Take a record out, in double-double arithmetic."""
        high, low = self.totals
        terms = self.terms[record]
        rounded = high - terms
        part = rounded - high
        low = low + ((high - (rounded - part)) - (terms + part))  # the error of high - terms, exact
        self.totals[0] = rounded + low
        self.totals[1] = low - (self.totals[0] - rounded)


def mdav(points: Floats, weights: Floats, k: int, progress: Progress | None) -> Labels:
    """Partition the canonical points by MDAV."""
    remaining = _Remaining(points, progress)
    sums = _RunningSums(points, weights)

    def group_around(seed: int) -> Floats:
        """Group the record at this place with the k - 1 nearest to it; return where it is."""
        centre = remaining.columns[:, seed]
        distances = remaining.distances_to(centre)
        distances[seed] = -1.0  # it belongs to its own group, whatever lies at the same place
        for record in remaining.take(remaining.nearest(distances, k)):
            sums.subtract(record)
        remaining.end_group()
        return centre

    while len(remaining) >= 2 * k:
        pair = len(remaining) >= 3 * k
        centroid = sums.centroid(remaining.ids)
        r = group_around(int(remaining.distances_to(centroid).argmax()))
        if pair:
            group_around(int(remaining.distances_to(r).argmax()))
    remaining.labels[remaining.ids] = remaining.groups
    return remaining.labels


def vmdav(
    points: Floats, weights: Floats, k: int, gain: float, order: NDArray[np.int32], progress: Progress | None
) -> Labels:
    """Partition the canonical points by V-MDAV; `gain` is gamma squared, `order` has the farthest first."""
    remaining = _Remaining(points, progress)
    seeds = iter(order)
    while len(remaining) >= k:
        seed = next(record for record in seeds if remaining.labels[record] < 0)
        distances = remaining.distances_to(points[seed])
        distances[np.searchsorted(remaining.ids, seed)] = -1.0
        members = remaining.take(remaining.nearest(distances, k))
        if gain > 0.0 and len(remaining):
            _extend(remaining, points[members], 2 * k - 1, gain)
        remaining.end_group()
    return leftovers_to_nearest(points, weights, remaining.labels, remaining.groups)


def _extend(remaining: _Remaining, members: Floats, largest: int, gain: float) -> None:
    """Let the group take in its nearest record, as long as that is nearer to it than to the others."""
    distances = remaining.distances_to(members[0])
    for member in members[1:]:
        np.minimum(distances, remaining.distances_to(member), out=distances)
    for _ in range(len(members), largest):
        nearest = int(distances.argmin())
        to_it = remaining.distances_to(remaining.columns[:, nearest])
        others = np.delete(to_it, nearest)
        if not distances[nearest] < gain * others.min(initial=np.inf):
            return
        distances = np.minimum(np.delete(distances, nearest), others)
        remaining.take(np.array([nearest]))
        if not len(remaining):
            return
