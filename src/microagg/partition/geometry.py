"""Distances, centroids and loss of canonical records: what the methods compute alike, to the bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.exact import SumPair, exact_group_means, exact_sum_pair, squares_within
from microagg.partition.matrix import Canonical, Floats, Labels


def squared_distances(columns: Floats, point: Floats) -> Floats:
    """Return |x - p|^2 of every record, columns given one after the other, added as the kernels do."""
    gap = columns[0] - point[0]
    total: Floats = gap * gap
    for j in range(1, len(columns)):
        np.subtract(columns[j], point[j], out=gap)
        gap *= gap
        total += gap
    return total


FADED = 2.0**-20
"""To what share of itself a running sum in double-double arithmetic may fall before it is summed anew.

The records taken out leave rounding errors that are small beside the sum as it was, not as it is: a
single giant among the records would otherwise spoil the centroid of those that remain without it.
"""


def totals(points: Floats, weights: Floats, records: NDArray[np.integer] | None = None) -> Floats:
    """Return the sums of w x of each column and of w, 2 x (d + 1): high and low parts.

    Of all records or of those given; column by column, so that little is copied.
    """
    chosen = slice(None) if records is None else records
    mass = weights[chosen] if weights.size else None
    count = len(points) if records is None else len(records)
    sums = []
    for column in points.T:
        x = column[chosen]
        sums.append(exact_sum_pair(x if mass is None else x * mass))
    sums.append(SumPair(float(count), 0.0) if mass is None else exact_sum_pair(mass))
    return np.array(sums).T.copy()


def centroid(points: Floats, weights: Floats) -> Floats:
    """Return the mean of the records, from exact sums."""
    return mean_of(totals(points, weights))


def mean_of(totals: Floats) -> Floats:
    """Return the mean that belongs to sums as `totals` returns them."""
    mean: Floats = (totals[0, :-1] + totals[1, :-1]) / (totals[0, -1] + totals[1, -1])
    return mean


def loss(records: Canonical, labels: Labels) -> float:
    """Return 100 SSE/SST of a partition of the canonical records; 0 where nothing varies."""
    groups = int(labels.max()) + 1
    whole = np.zeros_like(labels)
    columns = records.points.T
    within = sum(squares_within(x, labels, groups, records.weights) for x in columns)
    total = sum(squares_within(x, whole, 1, records.weights) for x in columns)
    return 100.0 * within / total if total else 0.0


def leftovers_to_nearest(points: Floats, weights: Floats, labels: Labels, groups: int) -> Labels:
    """Put each record with label -1 into the group whose centroid, as it now stands, is nearest.

    Of equally near groups the first. Writes and returns `labels`.
    """
    left = np.flatnonzero(labels < 0)
    if not left.size:
        return labels
    grouped = np.flatnonzero(labels >= 0)
    mass = weights[grouped] if weights.size else weights
    of_record = labels[grouped]  # column by column, so that little is copied
    centres = np.array([exact_group_means(x[grouped], of_record, groups, mass) for x in points.T])
    for record in left:
        labels[record] = squared_distances(centres, points[record]).argmin()
    return labels
