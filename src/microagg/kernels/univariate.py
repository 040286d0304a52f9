"""The optimal cut of records in a given order (Hansen and Mukherjee), compiled.

Let x be the records in order and cost[j] the least loss of cutting the first j of them in groups of
at least k. A group of 2k or more can be split without loss, so (section 3.1 of the paper)

    cost[j] = min over i with k <= j - i < 2k of  cost[i] + SSE(x[i:j])

There are two ways to settle the ends j, one after the other. Neither subtracts anything from a sum of
squares, means are taken from a record of the group itself, and costs from a cost nearby: numbers far
from zero lose nothing, and one record far out does not drown the differences among all others.

`scan` measures every group, for eight ends at a time: O(n k d), for records in any order.

`divide` is for one column in ascending order, where SSE is Monge (weighted or not), and the first and
the last possible start rise with j, so that the best start never falls. It takes the ends in blocks of
k that begin at a pivot b. Every start i that a block needs lies before b, so its cost is known, and
every group x[i:j] is x[i:b], which grows a record at a time, joined to x[b:j], which does too:

    SSE(x[i:j]) = SSE(x[i:b]) + SSE(x[b:j]) + wL wR / (wL + wR) (mean(x[i:b]) - mean(x[b:j]))^2

(Chan, Golub and LeVeque 1979). The ends of a block are settled coarse to fine, and an end looks only
between the best starts of its two neighbours settled before: O(n log k) in all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.lanes import WIDTH, at_most, load, lowest_bit, smaller, smallest, splat, store
from microagg.kernels.tree import COMPILE, INNER, Floats

Starts = NDArray[np.int32]


class Scan(NamedTuple):
    """A scan in progress; place p of an end j belongs to its start i = j - 2k + 1 + p."""

    columns: Floats  # d x n, the records in order, with eight numbers of no meaning on either side
    weights: Floats  # n, likewise, or empty when all records weigh the same
    start: Starts  # n + 1, and eight of no meaning; written: the last group up to j is x[start[j]:j]
    cost: Floats  # 2k + 7, written; of the ends that the next eight can start at, then of these eight
    loss: Floats  # k x 8, written; SSE of the group of each place and end


def new_scan(columns: Floats, weights: Floats, k: int) -> Scan:
    """Return a scan that has settled the ends before k: no records cost nothing, fewer than k cannot be."""
    cost = np.full(2 * k - 1 + WIDTH, np.inf)
    cost[k - 1] = 0.0
    return Scan(
        columns=np.pad(columns, ((0, 0), (WIDTH, WIDTH))),
        weights=np.pad(weights, WIDTH, constant_values=1.0) if weights.size else weights,
        start=np.zeros(columns.shape[1] + 1 + WIDTH, np.int32),
        cost=cost,
        loss=np.zeros((k, WIDTH)),
    )


@njit(**COMPILE)
def scan(cut, k, settled, budget):  # type: ignore[no-untyped-def]
    """Settle ends from `settled` on, at first k, for about `budget` steps; return the first not settled."""
    ends = len(cut.start) - WIDTH
    while settled < ends and budget > 0:
        measure_groups(cut, k, settled)
        if k < WIDTH:
            for lane in range(WIDTH):
                take_best_start(cut, k, settled + lane, lane)
        else:
            take_best_starts(cut, k, settled)
        base = cut.cost[2 * k - 2 + WIDTH]
        for p in range(2 * k - 1):
            cut.cost[p] = cut.cost[p + WIDTH] - base
        settled += WIDTH
        budget -= 2 * k * len(cut.columns)
    return min(settled, ends)


@njit(**INNER)
def measure_groups(cut, k, end):  # type: ignore[no-untyped-def]
    """Write the SSE of all groups that end at one of the eight from `end` on, from their last record."""
    weighted = len(cut.weights) > 0
    for c in range(len(cut.columns)):
        last = c * cut.columns.shape[1] + WIDTH + end - 1
        origin = load(cut.columns, last)
        weight = total = within = before = splat(0.0)
        for size in range(1, min(2 * k, end + WIDTH)):
            x = load(cut.columns, last + 1 - size) - origin
            if weighted:
                w = load(cut.weights, WIDTH + end - size)
                weight += w
                total += w * x
                mean = total / weight
                within += w * (x - before) * (x - mean)
            else:
                total += x
                mean = total * splat(1.0 / size)
                within += (x - before) * (x - mean)
            before = mean
            if size >= k:
                place = (2 * k - 1 - size) * WIDTH
                store(cut.loss, place, within if c == 0 else load(cut.loss, place) + within)


@njit(**INNER)
def take_best_start(cut, k, end, lane):  # type: ignore[no-untyped-def]
    """Settle an end with its best start, of equally good ones the first."""
    least, best = np.inf, 0
    for p in range(max(2 * k - 1 - end, 0), k):
        cost = cut.cost[lane + p] + cut.loss[p, lane]
        if cost < least:
            least, best = cost, p
    cut.cost[2 * k - 1 + lane] = least
    cut.start[end] = end - 2 * k + 1 + best


@njit(**INNER)
def take_best_starts(cut, k, end):  # type: ignore[no-untyped-def]
    """Settle eight ends likewise; all at once, since with k so large none of them starts at another."""
    least = splat(np.inf)
    for p in range(k):
        costs = load(cut.cost, p) + load(cut.loss, p * WIDTH)
        store(cut.loss, p * WIDTH, costs)
        least = smaller(costs, least)
    store(cut.cost, 2 * k - 1, least)
    p, unsettled = 0, (1 << WIDTH) - 1
    while unsettled != 0:
        found = at_most(load(cut.loss, p * WIDTH), least) & unsettled
        unsettled ^= found
        while found != 0:
            lane = lowest_bit(found)
            cut.start[end + lane] = end + lane - 2 * k + 1 + p
            found &= found - 1
        p += 1


class Division(NamedTuple):
    """A division in progress; all but the first three arrays are written.

    Place p of the left arrays belongs to x[i:b] with i = b - 2k + 1 + p, so p rises with i.
    Place r of the right arrays belongs to x[b:b+r]. The end b + r can start at places r to r + k - 1.
    Arrays called padded are read, but not used, up to eight places beyond their end.
    """

    column: Floats  # n, ascending
    weights: Floats  # n, or empty when all records weigh the same
    barrier: Floats  # eight zeros, eight infinities: what is added to eight costs to bar the last ones
    start: Starts  # n + 1; the last group of the first j records is x[start[j]:j]
    cost: Floats  # 3k - 1; of the starts by place, then of the ends of the block
    left_mean: Floats  # 2k - 1, padded; less x[b-1]
    left_cost: Floats  # 2k - 1, padded; cost[i] + SSE(x[i:b])
    left_weight: Floats  # 2k - 1, padded; the number of records where all weigh the same
    right_mean: Floats  # k; less x[b-1]
    right_loss: Floats  # k; SSE(x[b:b+r])
    right_weight: Floats  # k
    candidates: Floats  # k, padded; the cost of each start of an end, but for what they share


def new_division(column: Floats, weights: Floats, k: int) -> Division:
    """Return a division that has settled the ends before k: no records cost nothing, fewer cannot be."""
    cost = np.full(3 * k - 1, np.inf)
    cost[2 * k - 1] = 0.0
    return Division(
        column=column,
        weights=weights,
        barrier=np.repeat([0.0, np.inf], WIDTH),
        start=np.zeros(len(column) + 1, np.int32),
        cost=cost,
        left_mean=np.zeros(2 * k - 1 + WIDTH),
        left_cost=np.zeros(2 * k - 1 + WIDTH),
        left_weight=np.maximum(np.arange(2.0 * k - 1, -WIDTH, -1), 1.0),
        right_mean=np.zeros(k),
        right_loss=np.zeros(k),
        right_weight=np.arange(k, dtype=np.float64),
        candidates=np.empty(k + WIDTH),
    )


@njit(**COMPILE)
def divide(cut, k, settled, budget):  # type: ignore[no-untyped-def]
    """Settle ends for about `budget` steps; return how many are settled, at first k.

    First comes the end b of a block, with all its starts; then with each spacing, from the largest
    power of two below the rows of the block down to 1, the ends at its odd multiples.
    """
    ends = len(cut.start)
    while settled < ends and budget > 0:
        b = settled - settled % k
        rows = min(k, ends - b)
        if settled == b:
            measure_left(cut, k, b)
            measure_right(cut, b, rows)
            budget -= 3 * k + settle_end(cut, k, b, settled - b, max(2 * k - 1 - b, 0), k - 1)
            settled += 1
        skip = settled - b - 1
        spacing = 1
        while 2 * spacing < rows:
            spacing *= 2
        while spacing > 0 and budget > 0:
            for r in range(spacing + 2 * spacing * skip, rows, 2 * spacing):
                budget -= settle_between(cut, k, b, r, spacing, rows)
                settled += 1
                if budget <= 0:
                    break
            skip = max(skip - (rows - 1 + spacing) // (2 * spacing), 0)
            spacing //= 2
    return settled


@njit(**INNER)
def settle_between(cut, k, b, r, spacing, rows):  # type: ignore[no-untyped-def]
    """Settle the end b + r between the best starts of the ends `spacing` before and after it."""
    origin = b - 2 * k + 1
    low, high = max(r, cut.start[b + r - spacing] - origin), r + k - 1
    if r + spacing < rows:
        high = min(high, cut.start[b + r + spacing] - origin)
    return settle_end(cut, k, b, r, low, high)


@njit(**INNER)
def measure_left(cut, k, b):  # type: ignore[no-untyped-def]
    """Grow x[i:b] leftwards from the pivot b, and add the costs of what lies before."""
    last = 2 * k - 2
    weighted = len(cut.weights) > 0
    origin = cut.column[b - 1]
    weight, total, within, before = 0.0, 0.0, 0.0, 0.0
    for p in range(last, max(last - b, -1), -1):
        i = b - 1 - last + p
        x = cut.column[i] - origin
        w = cut.weights[i] if weighted else 1.0
        weight += w
        total += w * x
        mean = total / weight
        within += w * (x - before) * (x - mean)
        cut.left_mean[p] = before = mean
        cut.left_cost[p] = within
        if weighted:
            cut.left_weight[p] = weight
    base = cut.cost[last + 1]
    for p in range(last + 1):
        cut.cost[p] = cut.cost[p + k] - base
        cut.left_cost[p] += cut.cost[p]


@njit(**INNER)
def measure_right(cut, b, rows):  # type: ignore[no-untyped-def]
    """Grow x[b:b+r] rightwards from the pivot b, for r up to rows - 1."""
    weighted = len(cut.weights) > 0
    origin = cut.column[b - 1]
    weight, total, within, before = 0.0, 0.0, 0.0, 0.0
    for r in range(1, rows):
        x = cut.column[b + r - 1] - origin
        w = cut.weights[b + r - 1] if weighted else 1.0
        weight += w
        total += w * x
        mean = total / weight
        if r > 1:
            within += w * (x - before) * (x - mean)
        cut.right_mean[r] = before = mean
        cut.right_loss[r] = within
        if weighted:
            cut.right_weight[r] = weight


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
    cut.cost[2 * k - 1 + r] = least + cut.right_loss[r]
    cut.start[b + r] = b - 2 * k + 1 + place
    return high - low + WIDTH


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
    gap = load(cut.left_mean, p) - splat(cut.right_mean[r])
    left, right = load(cut.left_weight, p), splat(cut.right_weight[r])
    joining = gap * gap * (left * right / (left + right))
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
