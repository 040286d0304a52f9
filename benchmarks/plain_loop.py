"""MDAV as compiled loops over all remaining records, to compare with.

Two of them, both quadratic. The plain one goes record by record, as existing programs do. The swept one
is as fast as a quadratic loop gets: columns lie side by side so that the compiler vectorises the
distances, grouped records become NaN and are squeezed out when an eighth of them is gone. Both have the
ties and the centroids of `microagg.MDAV`, so the same groups.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from microagg.partition.matrix import canonical

CHUNK = 512  # distances that stay in the first-level cache
SQUEEZE = 8

FAST = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**FAST)
def distances(columns, start, stop, point, out):
    for t in range(stop - start):
        out[t] = 0.0
    for j in range(columns.shape[0]):
        column = columns[j, start:stop]
        p = point[j]
        for t in range(stop - start):
            gap = column[t] - p
            out[t] += gap * gap


@njit(**FAST)
def farthest(columns, size, point, out):
    best, place = -1.0, 0
    for start in range(0, size, CHUNK):
        stop = min(start + CHUNK, size)
        distances(columns, start, stop, point, out)
        largest = -1.0
        for t in range(stop - start):
            largest = max(largest, out[t])
        if largest > best:
            for t in range(stop - start):
                if out[t] > best:
                    best, place = out[t], start + t
    return place


@njit(**FAST)
def nearest(columns, size, point, wanted, out, keys, places):
    found = 0
    for start in range(0, size, CHUNK):
        stop = min(start + CHUNK, size)
        distances(columns, start, stop, point, out)
        if found == wanted:
            least = np.inf
            for t in range(stop - start):
                least = min(least, out[t])
            if not least < keys[wanted - 1]:
                continue
        for t in range(stop - start):
            if not (out[t] < np.inf) or (found == wanted and out[t] >= keys[wanted - 1]):
                continue
            if found < wanted:
                found += 1
            z = found - 1
            while z > 0 and keys[z - 1] > out[t]:
                keys[z], places[z] = keys[z - 1], places[z - 1]
                z -= 1
            keys[z], places[z] = out[t], start + t
    return found


@njit(**FAST)
def run(columns, ids, k, labels, sums, low):
    d, n = columns.shape
    size = remaining = n
    group = 0
    out, keys, places = np.empty(CHUNK), np.empty(k), np.empty(k, np.int64)
    point = np.empty(d)
    while remaining >= 2 * k:
        for j in range(d):
            point[j] = (sums[j] + low[j]) / remaining
        seed = farthest(columns, size, point, out)
        for turn in range(2 if remaining >= 3 * k else 1):
            if turn == 1:
                seed = farthest(columns, size, point, out)
            for j in range(d):
                point[j] = columns[j, seed]
            take(columns, ids, labels, seed, group, sums, low)
            found = nearest(columns, size, point, k - 1, out, keys, places)
            for a in range(found):
                take(columns, ids, labels, places[a], group, sums, low)
            remaining -= k
            group += 1
        if SQUEEZE * (size - remaining) > size:
            size = squeeze(columns, ids, size)
    for t in range(size):
        if labels[ids[t]] < 0:
            labels[ids[t]] = group


@njit(**FAST)
def take(columns, ids, labels, place, group, sums, low):
    labels[ids[place]] = group
    subtract(columns[:, place], sums, low)
    columns[:, place] = np.nan


@njit(**FAST)
def subtract(record, sums, low):
    for j in range(len(record)):
        rounded = sums[j] - record[j]
        part = rounded - sums[j]
        error = low[j] + ((sums[j] - (rounded - part)) - (record[j] + part))
        sums[j] = rounded + error
        low[j] = error - (sums[j] - rounded)


@njit(**FAST)
def squeeze(columns, ids, size):
    kept = 0
    for t in range(size):
        if columns[0, t] == columns[0, t]:
            ids[kept] = ids[t]
            for j in range(columns.shape[0]):
                columns[j, kept] = columns[j, t]
            kept += 1
    return kept


def swept_mdav(X, k):
    """Return the same labels as `microagg.MDAV().partition(X, k)`."""
    records = canonical(X, k)
    columns = np.ascontiguousarray(records.points.T)
    labels = np.full(len(X), -1, np.int32)
    run(columns, np.arange(len(X)), k, labels, *sums_of(records.points))
    return records.restore(labels)


def sums_of(points):
    """Return the sum of each column, high and low part."""
    high = np.array([math.fsum(column) for column in points.T])
    low = np.array([math.fsum([*column, -total]) for column, total in zip(points.T, high, strict=True)])
    return high, low


@njit(**FAST)
def squared_distance(points, record, place):
    total = 0.0
    for j in range(points.shape[1]):
        gap = points[record, j] - place[j]
        total += gap * gap
    return total


@njit(**FAST)
def run_plainly(points, k, labels, sums, low):
    n, d = points.shape
    remaining = np.arange(n)
    keys, ids, place = np.empty(k), np.empty(k, np.int64), np.empty(d)
    group = 0
    while len(remaining) >= 2 * k:
        for j in range(d):
            place[j] = (sums[j] + low[j]) / len(remaining)
        for _ in range(2 if len(remaining) >= 3 * k else 1):
            best, seed = -1.0, 0
            for record in remaining:
                distance = squared_distance(points, record, place)
                if distance > best:
                    best, seed = distance, record
            place[:] = points[seed]
            found = 0
            for record in remaining:
                if record == seed:
                    continue
                distance = squared_distance(points, record, place)
                if found == k - 1:
                    if distance >= keys[found - 1]:
                        continue
                else:
                    found += 1
                z = found - 1
                while z > 0 and keys[z - 1] > distance:
                    keys[z], ids[z] = keys[z - 1], ids[z - 1]
                    z -= 1
                keys[z], ids[z] = distance, record
            ids[found] = seed
            for record in ids[: found + 1]:
                labels[record] = group
                subtract(points[record], sums, low)
            remaining = remaining[labels[remaining] < 0]
            group += 1
    labels[remaining] = group


def plain_mdav(X, k):
    """Return the same labels as `microagg.MDAV().partition(X, k)`."""
    records = canonical(X, k)
    labels = np.full(len(X), -1, np.int32)
    run_plainly(records.points, k, labels, *sums_of(records.points))
    return records.restore(labels)
