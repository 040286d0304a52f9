"""The optimal cut of records in a given order (Hansen and Mukherjee), compiled.

Let x be the records in order and cost[j] the least loss of cutting the first j of them in groups of
at least k. A group of 2k or more can be split without loss, so (section 3.1 of the paper)

    cost[j] = min over i with k <= j - i < 2k of  cost[i] + SSE(x[i:j])

The ends j are taken in blocks of k that begin at a pivot b. Every start i that a block needs lies
before b, so its cost is known, and every group x[i:j] is x[i:b] joined to x[b:j]. Joining costs

    SSE(x[i:j]) = SSE(x[i:b]) + SSE(x[b:j]) + wL wR / (wL + wR) |mean(x[i:b]) - mean(x[b:j])|^2

(Chan, Golub and LeVeque 1979), a sum of terms that are never negative: nothing cancels. The
statistics on both sides of the pivot grow a record at a time (Welford 1962), three steps a record.

For one sorted column SSE is Monge, and the first and the last possible start rise with j, so the
best start never falls: `divide` looks for the best start of a middle end between those of its
neighbours, coarse to fine, in O(k log k) a block. Otherwise `scan` looks at all k starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Cut(NamedTuple):
    """A cut in progress; the driver allocates it, the kernels write all but the first three arrays.

    Place p of the left arrays belongs to x[i:b] with i = b - 2k + 1 + p, so p rises with i.
    Place r of the right arrays belongs to x[b:b+r]. The end b + r can start at places r to r + k - 1.
    """

    columns: Floats  # d x n, the records in order
    weights: Floats  # n, or empty when all records weigh the same
    inverse: Floats  # 2k - 1; place p holds 1 / (2k - 1 - p)
    cost: Floats  # n + 1; the least loss of the first j records
    start: NDArray[np.int32]  # n + 1; the last group of the first j records is x[start[j]:j]
    left_mean: Floats  # d x (2k - 1)
    left_cost: Floats  # 2k - 1; cost[i] + SSE(x[i:b])
    left_weight: Floats  # 2k - 1
    right_mean: Floats  # d x k
    right_cost: Floats  # k; SSE(x[b:b+r])
    right_weight: Floats  # k
    candidates: Floats  # k; cost of each start, but for the right cost they share


@njit(cache=True, nogil=True, error_model="numpy")
def measure_left(cut: Cut, k: int, b: int) -> None:
    """Grow x[i:b] leftwards from the pivot b."""
    weighted = cut.weights.size > 0
    mean = cut.left_mean
    within = 0.0
    so_far = 0.0
    last = 2 * k - 2
    first = max(last - b + 1, 0)
    for p in range(last, first - 1, -1):
        i = b - last - 1 + p
        w = cut.weights[i] if weighted else 1.0
        so_far += w
        step = w / so_far if weighted else cut.inverse[p]
        for c in range(mean.shape[0]):
            x = cut.columns[c, i]
            before = mean[c, p + 1] if p < last else x
            mean[c, p] = before + (x - before) * step
            within += w * (x - before) * (x - mean[c, p])
        cut.left_weight[p] = so_far
        cut.left_cost[p] = cut.cost[i] + within


@njit(cache=True, nogil=True, error_model="numpy")
def measure_right(cut: Cut, k: int, b: int, rows: int) -> None:
    """Grow x[b:b+r] rightwards from the pivot b, for r up to rows - 1."""
    weighted = cut.weights.size > 0
    mean = cut.right_mean
    within = 0.0
    so_far = 0.0
    mean[:, 0] = 0.0
    cut.right_weight[0] = 0.0
    cut.right_cost[0] = 0.0
    for r in range(1, rows):
        i = b + r - 1
        w = cut.weights[i] if weighted else 1.0
        so_far += w
        step = w / so_far if weighted else cut.inverse[2 * k - 1 - r]
        for c in range(mean.shape[0]):
            x = cut.columns[c, i]
            before = mean[c, r - 1] if r > 1 else x
            mean[c, r] = before + (x - before) * step
            within += w * (x - before) * (x - mean[c, r])
        cut.right_weight[r] = so_far
        cut.right_cost[r] = within


@njit(cache=True, nogil=True, error_model="numpy")
def best_start(cut: Cut, k: int, b: int, r: int, first: int, last: int) -> int:
    """Settle the end b + r: write its cost and start, the smallest of the best between two places."""
    m = last - first + 1
    candidates = cut.candidates[:m]
    candidates[:] = 0.0
    for c in range(cut.left_mean.shape[0]):
        left_mean = cut.left_mean[c, first : last + 1]
        right_mean = cut.right_mean[c, r]
        for t in range(m):
            gap = left_mean[t] - right_mean
            candidates[t] += gap * gap
    left_cost = cut.left_cost[first : last + 1]
    left_weight = cut.left_weight[first : last + 1]
    right_weight = cut.right_weight[r]
    if cut.weights.size > 0:
        for t in range(m):
            share = left_weight[t] * right_weight / (left_weight[t] + right_weight)
            candidates[t] = left_cost[t] + candidates[t] * share
    else:
        inverse = cut.inverse[first - r : last - r + 1]
        for t in range(m):
            share = left_weight[t] * right_weight * inverse[t]
            candidates[t] = left_cost[t] + candidates[t] * share
    best = 0
    least = candidates[0]
    for t in range(1, m):
        if candidates[t] < least:
            least = candidates[t]
            best = t
    cut.cost[b + r] = least + cut.right_cost[r]
    cut.start[b + r] = b - 2 * k + 1 + first + best
    return first + best


@njit(cache=True, nogil=True, error_model="numpy")
def scan(cut: Cut, k: int, begin: int, end: int) -> None:
    """Settle the ends from begin to end - 1 by looking at every start."""
    n = cut.cost.size - 1
    for j in range(begin, end):
        r = j % k
        b = j - r
        if r == 0 or j == begin:
            measure_left(cut, k, b)
            measure_right(cut, k, b, min(k, n - b + 1))
        first = max(r, 2 * k - 1 - b)
        if j < 2 * k:
            best_start(cut, k, b, r, k - 1, k - 1)
        else:
            best_start(cut, k, b, r, max(r, 3 * k - 1 - b), r + k - 1)


@njit(cache=True, nogil=True, error_model="numpy")
def trace(start: NDArray[np.int32], labels: NDArray[np.int32]) -> int:
    """Number the groups of the cheapest cut from 0, write the label of each record; return their number."""
    n = labels.size
    groups = 0
    j = n
    while j > 0:
        j = start[j]
        groups += 1
    j = n
    g = groups
    while j > 0:
        g -= 1
        labels[start[j] : j] = g
        j = start[j]
    return groups
