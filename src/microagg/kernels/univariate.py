"""The optimal cut of records in a given order (Hansen and Mukherjee), compiled.

Let x be the records in order and cost[j] the least loss of cutting the first j of them in groups of
at least k. A group of 2k or more can be split without loss, so (section 3.1 of the paper)

    cost[j] = min over i with k <= j - i < 2k of  cost[i] + SSE(x[i:j])

The ends j are taken in blocks of k that begin at a pivot b. Every start i that a block needs lies
before b, so its cost is known, and every group x[i:j] is x[i:b] joined to x[b:j]. Joining costs

    SSE(x[i:j]) = SSE(x[i:b]) + SSE(x[b:j]) + wL wR / (wL + wR) |mean(x[i:b]) - mean(x[b:j])|^2

(Chan, Golub and LeVeque 1979), a sum of terms that are never negative: nothing cancels. The
statistics on both sides of the pivot grow a record at a time, three steps a record. Means are taken
from x[b-1], a member of every group of the block, and costs from that of the start b - k, so that
one record far out does not drown the differences among all others.

For one sorted column SSE is Monge, weighted or not, and the first and the last possible start rise
with j, so the best start never falls. Then the ends of a block are settled coarse to fine, and an end
looks only between the best starts of its two neighbours settled before: O(k log k) a block. For
several columns this does not hold, and every end looks at all its k starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.lanes import WIDTH, at_most, load, lowest_bit, smaller, smallest, splat, store
from microagg.kernels.tree import COMPILE, INNER, Floats


class Cut(NamedTuple):
    """A cut in progress; the kernels write all but the first three arrays.

    Place p of the left arrays belongs to x[i:b] with i = b - 2k + 1 + p, so p rises with i.
    Place r of the right arrays belongs to x[b:b+r]. The end b + r can start at places r to r + k - 1.
    Arrays called padded are read, but not used, up to eight places beyond their end.
    """

    columns: Floats  # d x n, the records in order
    weights: Floats  # n, or empty when all records weigh the same
    barrier: Floats  # eight zeros, eight infinities: what is added to eight costs to bar the last ones
    start: NDArray[np.int32]  # n + 1; the last group of the first j records is x[start[j]:j]
    cost: Floats  # 3k - 1; of the starts by place, then of the ends of the block
    left_mean: Floats  # d x (2k - 1), padded; less x[b-1]
    left_cost: Floats  # 2k - 1, padded; cost[i] + SSE(x[i:b])
    left_weight: Floats  # 2k - 1, padded; the number of records where all weigh the same
    right_mean: Floats  # d x k; less x[b-1]
    right_cost: Floats  # k; SSE(x[b:b+r])
    right_weight: Floats  # k
    candidates: Floats  # k, padded; the cost of each start of an end, but for what they share


def new_cut(columns: Floats, weights: Floats, k: int) -> Cut:
    """Return a cut of which nothing is settled but that no records cost nothing."""
    d, n = columns.shape
    cost = np.full(3 * k - 1, np.inf)
    cost[2 * k - 1] = 0.0
    return Cut(
        columns=columns,
        weights=weights,
        barrier=np.repeat([0.0, np.inf], WIDTH),
        start=np.zeros(n + 1, np.int32),
        cost=cost,
        left_mean=np.zeros((d, 2 * k - 1 + WIDTH)),
        left_cost=np.zeros(2 * k - 1 + WIDTH),
        left_weight=np.maximum(np.arange(2.0 * k - 1, -WIDTH, -1), 1.0),
        right_mean=np.zeros((d, k)),
        right_cost=np.zeros(k),
        right_weight=np.arange(k, dtype=np.float64),
        candidates=np.zeros(k + WIDTH),
    )


@njit(**COMPILE)
def settle(cut, k, settled, narrow, budget):  # type: ignore[no-untyped-def]
    """Settle ends until none is left or about `budget` steps are done; return how many are settled.

    Ends before `settled`, at first k, are settled already. `narrow` says that the best start never
    falls. Writes the cut.
    """
    ends = len(cut.start)
    while settled < ends and budget > 0:
        b = settled - settled % k
        rows = min(k, ends - b)
        if settled == b:
            measure_left(cut, k, b)
            measure_right(cut, k, b, rows)
            budget -= 3 * k * len(cut.columns)
        if narrow:
            settled, budget = settle_coarse_to_fine(cut, k, b, rows, settled, budget)
        else:
            settled, budget = settle_in_turn(cut, k, b, rows, settled, budget)
    return settled


@njit(**INNER)
def measure_left(cut, k, b):  # type: ignore[no-untyped-def]
    """Grow x[i:b] leftwards from the pivot b, and add the costs of what lies before."""
    last = 2 * k - 2
    first = max(last - b + 1, 0)
    weighted = len(cut.weights) > 0
    if weighted:
        weight = 0.0
        for p in range(last, first - 1, -1):
            weight += cut.weights[b - 1 - last + p]
            cut.left_weight[p] = weight
    for c in range(len(cut.columns)):
        origin = cut.columns[c, b - 1]
        total, within, before = 0.0, 0.0, 0.0
        for p in range(last, first - 1, -1):
            x = cut.columns[c, b - 1 - last + p] - origin
            w = cut.weights[b - 1 - last + p] if weighted else 1.0
            total += w * x
            mean = total / cut.left_weight[p]
            within += w * (x - before) * (x - mean)
            cut.left_mean[c, p] = before = mean
            cut.left_cost[p] = within if c == 0 else cut.left_cost[p] + within
    base = cut.cost[last + 1]
    for p in range(last + 1):
        cut.cost[p] = cut.cost[p + k] - base
        cut.left_cost[p] += cut.cost[p]


@njit(**INNER)
def measure_right(cut, k, b, rows):  # type: ignore[no-untyped-def]
    """Grow x[b:b+r] rightwards from the pivot b, for r up to rows - 1."""
    weighted = len(cut.weights) > 0
    if weighted:
        weight = 0.0
        for r in range(1, rows):
            weight += cut.weights[b + r - 1]
            cut.right_weight[r] = weight
    for c in range(len(cut.columns)):
        origin = cut.columns[c, b - 1]
        total, within, before = 0.0, 0.0, 0.0
        for r in range(1, rows):
            x = cut.columns[c, b + r - 1] - origin
            w = cut.weights[b + r - 1] if weighted else 1.0
            total += w * x
            mean = total / cut.right_weight[r]
            if r > 1:
                within += w * (x - before) * (x - mean)
            cut.right_mean[c, r] = before = mean
            cut.right_cost[r] = within if c == 0 else cut.right_cost[r] + within


@njit(**INNER)
def settle_in_turn(cut, k, b, rows, settled, budget):  # type: ignore[no-untyped-def]
    """Let each end of the block look at all its starts; settle one at least, as the block is measured."""
    for r in range(settled - b, rows):
        budget -= settle_end(cut, k, b, r, max(r, 2 * k - 1 - b), r + k - 1)
        settled += 1
        if budget <= 0:
            break
    return settled, budget


@njit(**INNER)
def settle_coarse_to_fine(cut, k, b, rows, settled, budget):  # type: ignore[no-untyped-def]
    """Let each end of the block look between the best starts of the ends `spacing` before and after.

    First comes the end b, with all its starts; then with each spacing, from the largest power of two
    below the rows down to 1, the ends at its odd multiples.
    """
    origin = b - 2 * k + 1
    if settled == b:
        budget -= settle_end(cut, k, b, settled - b, max(-origin, 0), k - 1)
        settled += 1
    skip = settled - b - 1
    spacing = 1
    while 2 * spacing < rows:
        spacing *= 2
    while spacing > 0:
        for r in range(spacing + 2 * spacing * skip, rows, 2 * spacing):
            if budget <= 0:
                return settled, budget
            low, high = max(r, cut.start[b + r - spacing] - origin), r + k - 1
            if r + spacing < rows:
                high = min(high, cut.start[b + r + spacing] - origin)
            budget -= settle_end(cut, k, b, r, low, high)
            settled += 1
        skip = max(skip - (rows - 1 + spacing) // (2 * spacing), 0)
        spacing //= 2
    return settled, budget


@njit(**INNER)
def settle_end(cut, k, b, r, low, high):  # type: ignore[no-untyped-def]
    """Settle the end b + r with the best start between two places, of equally good ones the first.

    Returns how many steps that took.
    """
    costs = costs_from(cut, r, low, high)
    least = smallest(costs)
    place = low
    if high - low >= WIDTH:
        least = fill_candidates(cut, r, low, high)
        costs = load(cut.candidates, 0)
        while at_most(costs, splat(least)) == 0:
            place += WIDTH
            costs = load(cut.candidates, place - low)
    place += lowest_bit(at_most(costs, splat(least)))
    cut.cost[2 * k - 1 + r] = least + cut.right_cost[r]
    cut.start[b + r] = b - 2 * k + 1 + place
    return (high - low + WIDTH) * len(cut.columns)


@njit(**INNER)
def fill_candidates(cut, r, low, high):  # type: ignore[no-untyped-def]
    """Write the costs of all starts between two places to `candidates`; return the least."""
    least = load(cut.barrier, WIDTH)
    for p in range(low, high + 1, WIDTH):
        costs = costs_from(cut, r, p, high)
        store(cut.candidates, p - low, costs)
        least = smaller(costs, least)
    return smallest(least)


@njit(**INNER)
def costs_from(cut, r, p, high):  # type: ignore[no-untyped-def]
    """Return the costs of the eight starts from place p on, infinite beyond the place `high`."""
    row = cut.left_mean.shape[1]
    squared = splat(0.0)
    for c in range(len(cut.columns)):
        gap = load(cut.left_mean, c * row + p) - splat(cut.right_mean[c, r])
        squared += gap * gap
    left, right = load(cut.left_weight, p), splat(cut.right_weight[r])
    joining = squared * (left * right / (left + right))
    return load(cut.left_cost, p) + joining + load(cut.barrier, max(p + WIDTH - 1 - high, 0))


@njit(**COMPILE)
def number_groups(start, labels):  # type: ignore[no-untyped-def]
    """Write the label of each record: the groups of the cheapest cut in order, numbered from 0."""
    groups = 0
    end = len(labels)
    while end > 0:
        end = start[end]
        groups += 1
    end = len(labels)
    while end > 0:
        groups -= 1
        for i in range(start[end], end):
            labels[i] = groups
        end = start[end]
