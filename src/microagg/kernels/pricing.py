"""Exact pricing: of each record, the groups of least reduced cost, by depth-first search in whole numbers.

The reduced cost of a group S of m records, times m, is

    sum of d(i, j) over its pairs  -  m sum of u(i) over its records  +  m sum of the penalties of its cuts

since the SSE of a group is the sum of its squared distances, pair by pair, over its size. With distances,
duals and penalties in whole numbers nothing here is ever rounded. A cut is a triple of records; its
penalty is due when at least two of them are in the group.

Let P be the p records chosen so far and Q the m - p still to come. A record q of Q adds its distances to
P, less m u(q), and half of its distances to the others of Q, which are no less than its distances to the
records nearest to it anywhere. So each record has a least it adds, and the sum of the m - p smallest of
them bounds what can come: a branch ends where that is not below the limit. Penalties only ever add.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.tree import COMPILE, INNER, Ints

PLACE, SIZE, DEPTH, NODES, FOUND, FIRST, FULL = range(7)  # places in `Walk.state`


class Prices(NamedTuple):
    """What a walk reads: distances, duals and cuts."""

    distances: Ints  # n x n
    near: Ints  # n x (2k - 1): [q, r] is half the sum of the distances from q to the r records nearest to it
    duals: Ints  # n
    order: Ints  # the records by their duals, least first: a group belongs to its first record here
    cut_starts: Ints  # n + 1: the cuts of record i are cuts[cut_starts[i]:cut_starts[i + 1]]
    cuts: Ints
    penalties: Ints  # of each cut, none below zero


class Walk(NamedTuple):
    """Where a walk stands and what it found; the kernel writes all of it."""

    state: Ints
    members: Ints  # 2k - 1: the records chosen
    base: Ints  # depth: what the chosen ones make by themselves
    candidates: Ints  # depth: how many candidates there are
    at: Ints  # depth: the candidate that is next
    ids: Ints  # depth x n: the candidates, by what they add at the least
    sums: Ints  # depth x n: their distances to the chosen ones, less m u
    least: Ints  # depth x n: what they add at the least
    cut_counts: Ints  # how many of its three records are chosen, for each cut
    limit: Ints  # 1: reduced costs of this and more are of no interest, for the record at hand
    cheapest: Ints  # n: the least reduced cost of the groups of each record, rounded down; 0 if none is below
    costs: Ints  # of each group found, its reduced cost rounded down
    sizes: Ints  # and its size
    groups: NDArray[np.int32]  # and its records


def new_walk(n: int, k: int, cuts: int, capacity: int) -> Walk:
    """Allocate a walk that stands at its beginning and can find so many groups."""
    depths = 2 * k
    return Walk(
        state=np.array([0, k, 0, 0, 0, 0, 0], np.int64),
        members=np.zeros(depths, np.int64),
        base=np.zeros(depths, np.int64),
        candidates=np.zeros(depths, np.int64),
        at=np.zeros(depths, np.int64),
        ids=np.empty((depths, n), np.int64),
        sums=np.empty((depths, n), np.int64),
        least=np.empty((depths, n), np.int64),
        cut_counts=np.zeros(cuts, np.int64),
        limit=np.zeros(1, np.int64),
        cheapest=np.zeros(n, np.int64),
        costs=np.empty(capacity, np.int64),
        sizes=np.empty(capacity, np.int64),
        groups=np.empty((capacity, 2 * k - 1), np.int32),
    )


@njit(**COMPILE)
def price(prices: Prices, walk: Walk, k: int, below: int, keep: int, budget: int) -> bool:
    """Walk on for about `budget` candidates; say whether the walk is at its end.

    It finds groups of k to 2k - 1 records of reduced cost below `below`: of each record at most `keep`,
    the cheapest. Where there is no room for more it ends early, and `state[FULL]` is 1. Writes walk.
    """
    state = walk.state
    stop = state[NODES] + budget
    while state[NODES] < stop:
        if state[FULL]:
            return True
        if state[DEPTH] == 0:
            if state[PLACE] == len(prices.order):
                return True
            begin(prices, walk, k, below)
            continue
        depth, size = state[DEPTH], state[SIZE]
        missing = size - depth
        if missing == 1:
            complete(prices, walk, keep)
            leave(prices, walk, k)
        elif not descend(prices, walk, depth, size, missing):
            leave(prices, walk, k)
    return False


@njit(**INNER)
def begin(prices: Prices, walk: Walk, k: int, below: int) -> None:
    """Choose the record at hand; all that come after it are candidates."""
    state = walk.state
    if state[SIZE] == k:
        walk.limit[0] = below
        state[FIRST] = state[FOUND]
    size = state[SIZE]
    record = prices.order[state[PLACE]]
    walk.members[0] = record
    walk.base[1] = size * (enter_cuts(prices, walk, record) - prices.duals[record])
    row = prices.distances[record]
    count = np.int64(0)
    for place in range(state[PLACE] + 1, len(prices.order)):
        other = prices.order[place]
        walk.ids[1, count] = other
        walk.sums[1, count] = row[other] - size * prices.duals[other]
        count += 1
    state[DEPTH] = 1
    state[NODES] += count // 8 + 1
    narrow(prices, walk, np.int64(1), count, size - 1, size * walk.limit[0])


@njit(**INNER)
def descend(prices: Prices, walk: Walk, depth: int, size: int, missing: int) -> bool:
    """Choose the next candidate, unless nothing that could come of it is below the limit."""
    t = walk.at[depth]
    below = size * walk.limit[0]
    if t + missing > walk.candidates[depth]:
        return False
    ids, sums, least = walk.ids[depth], walk.sums[depth], walk.least[depth]
    bound = walk.base[depth]
    for other in range(t, t + missing - 1):
        bound += least[other]
    if bound + least[t + missing - 1] >= below:
        return False
    record = ids[t]
    row = prices.distances[record]
    count = np.int64(0)
    for other in range(t + 1, walk.candidates[depth]):
        if bound + least[other] >= below:
            break
        walk.ids[depth + 1, count] = ids[other]
        walk.sums[depth + 1, count] = sums[other] + row[ids[other]]
        count += 1
    walk.at[depth] = t + 1
    walk.state[NODES] += count + 1
    if count >= missing - 1:
        walk.members[depth] = record
        walk.base[depth + 1] = walk.base[depth] + sums[t] + size * enter_cuts(prices, walk, record)
        walk.state[DEPTH] = depth + 1
        narrow(prices, walk, depth + 1, count, missing - 1, below)
    return True


@njit(**INNER)
def narrow(prices: Prices, walk: Walk, depth: int, count: int, missing: int, below: int) -> None:
    """Keep the candidates that can be in a group below the limit, those that add least first."""
    ids, sums, least = walk.ids[depth], walk.sums[depth], walk.least[depth]
    bound = walk.base[depth]
    for place in range(count):
        least[place] = sums[place] + prices.near[ids[place], missing - 1]
    if missing > 1 and count >= missing:
        bound += sum_of_smallest(least, count, missing - 1)
    kept = np.int64(0)
    for place in range(count):
        if bound + least[place] < below:
            ids[kept], sums[kept], least[kept] = ids[place], sums[place], least[place]
            kept += 1
    if missing > 1:
        sort_candidates(ids, sums, least, kept)
    walk.candidates[depth] = kept
    walk.at[depth] = 0


@njit(**INNER)
def sum_of_smallest(values: Ints, count: int, few: int) -> int:
    """Return the sum of the few smallest of the first `count` values."""
    total = 0
    last, last_place = -(2**62), -1
    for _ in range(few):
        best, best_place = 2**62, -1
        for place in range(count):
            value = values[place]
            after = value > last or (value == last and place > last_place)
            if after and value < best:
                best, best_place = value, place
        total += best
        last, last_place = best, best_place
    return total


@njit(**INNER)
def sort_candidates(ids: Ints, sums: Ints, least: Ints, count: int) -> None:
    """Sort the candidates by what they add at the least (Shell's sort: nothing is allocated)."""
    gap = 1
    while 3 * gap + 1 < count:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, count):
            an_id, a_sum, a_least = ids[place], sums[place], least[place]
            hole = place
            while hole >= gap and least[hole - gap] > a_least:
                ids[hole], sums[hole], least[hole] = ids[hole - gap], sums[hole - gap], least[hole - gap]
                hole -= gap
            ids[hole], sums[hole], least[hole] = an_id, a_sum, a_least
        gap //= 3


@njit(**INNER)
def complete(prices: Prices, walk: Walk, keep: int) -> None:
    """Note the groups that one more record makes, where they are below the limit."""
    depth, size = walk.state[DEPTH], walk.state[SIZE]
    for place in range(walk.candidates[depth]):
        cost = walk.base[depth] + walk.sums[depth, place]
        if cost < size * walk.limit[0]:
            record = walk.ids[depth, place]
            cost += size * penalty_of(prices, walk, record)
            if cost < size * walk.limit[0]:
                walk.members[depth] = record
                note(prices, walk, cost // size, keep)


@njit(**INNER)
def note(prices: Prices, walk: Walk, cost: int, keep: int) -> None:
    """Note a group; where the record at hand has enough of them already, in place of its dearest."""
    state = walk.state
    root = walk.members[0]
    walk.cheapest[root] = min(walk.cheapest[root], cost)
    first, place = state[FIRST], state[FOUND]
    if place - first < keep:
        if place == len(walk.costs):
            state[FULL] = 1
            return
        state[FOUND] += 1
    else:
        place = dearest(walk.costs, first, state[FOUND])
    walk.costs[place], walk.sizes[place] = cost, state[SIZE]
    for member in range(state[SIZE]):
        walk.groups[place, member] = walk.members[member]
    if state[FOUND] - first == keep:
        walk.limit[0] = walk.costs[dearest(walk.costs, first, state[FOUND])]


@njit(**INNER)
def dearest(costs: Ints, first: int, stop: int) -> int:
    """Return the place of the largest cost in a range."""
    place = first
    for other in range(first + 1, stop):
        if costs[other] > costs[place]:
            place = other
    return place


@njit(**INNER)
def leave(prices: Prices, walk: Walk, k: int) -> None:
    """Take back the record chosen last; from the first on, go to the next size or the next record."""
    state = walk.state
    state[DEPTH] -= 1
    leave_cuts(prices, walk, walk.members[state[DEPTH]])
    if state[DEPTH] == 0:
        state[SIZE] += 1
        if state[SIZE] == 2 * k:
            state[SIZE] = k
            state[PLACE] += 1


@njit(**INNER)
def enter_cuts(prices: Prices, walk: Walk, record: int) -> int:
    """Count a record in its cuts; return the penalties that are now due."""
    due = 0
    for place in range(prices.cut_starts[record], prices.cut_starts[record + 1]):
        cut = prices.cuts[place]
        walk.cut_counts[cut] += 1
        if walk.cut_counts[cut] == 2:
            due += prices.penalties[cut]
    return due


@njit(**INNER)
def leave_cuts(prices: Prices, walk: Walk, record: int) -> None:
    """Take a record out of its cuts."""
    for place in range(prices.cut_starts[record], prices.cut_starts[record + 1]):
        walk.cut_counts[prices.cuts[place]] -= 1


@njit(**INNER)
def penalty_of(prices: Prices, walk: Walk, record: int) -> int:
    """Return the penalties that would be due if a record came to those chosen."""
    due = 0
    for place in range(prices.cut_starts[record], prices.cut_starts[record + 1]):
        cut = prices.cuts[place]
        if walk.cut_counts[cut] == 1:
            due += prices.penalties[cut]
    return due
