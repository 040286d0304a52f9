"""MDAV as the paper tells it: plain loops over plain lists, nothing shared with the package."""

from __future__ import annotations

import math


def in_canonical_order(rows, weights=None):
    """Return the positions sorted by value (then weight, then position), and the rows with minimum 0."""
    rows = [tuple(map(float, row)) for row in rows]
    weights = [1.0] * len(rows) if weights is None else [float(weight) for weight in weights]
    lows = [min(column) for column in zip(*rows, strict=True)]
    positions = sorted(range(len(rows)), key=lambda i: (rows[i], weights[i], i))
    moved = [tuple(x - low for x, low in zip(rows[i], lows, strict=True)) for i in positions]
    largest = max(map(max, moved))
    if largest and not 2.0**-200 < largest < 2.0**200:  # squares would vanish or overflow
        exponent = -math.frexp(largest)[1]
        moved = [tuple(math.ldexp(x, exponent) for x in row) for row in moved]
    return positions, moved, [weights[i] for i in positions]


def squared_distance(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def centroid(records, points, weights):
    mass = math.fsum(weights[i] for i in records)
    return [math.fsum(weights[i] * points[i][j] for i in records) / mass for j in range(len(points[0]))]


def farthest(records, points, place):
    return max(records, key=lambda i: (squared_distance(points[i], place), -i))


def nearest(records, points, place, count):
    return sorted(records, key=lambda i: (squared_distance(points[i], place), i))[:count]


def mdav(rows, k, weights=None):
    """Return the group of each row."""
    positions, points, weights = in_canonical_order(rows, weights)
    remaining = list(range(len(points)))
    groups = []

    def group_around(seed):
        others = [i for i in remaining if i != seed]
        groups.append([seed, *nearest(others, points, points[seed], k - 1)])
        remaining[:] = [i for i in remaining if i not in groups[-1]]

    while len(remaining) >= 3 * k:
        r = farthest(remaining, points, centroid(remaining, points, weights))
        group_around(r)
        group_around(farthest(remaining, points, points[r]))
    if len(remaining) >= 2 * k:
        group_around(farthest(remaining, points, centroid(remaining, points, weights)))
    groups.append(list(remaining))
    return labels_of(groups, positions)


def labels_of(groups, positions):
    labels = [-1] * len(positions)
    for label, members in enumerate(groups):
        for i in members:
            labels[positions[i]] = label
    return labels
