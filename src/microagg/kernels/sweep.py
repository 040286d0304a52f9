"""What `kernels.linkage` counts, by looking at all leaves: each for several queries at a time.

Where records have many columns and little structure, boxes leave out too little to be worth the time it
takes to build them. What takes long then is to fetch the leaves from memory, so that a few queries share
each of them: measured five times faster with 67 columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.lanes import lowest_bit
from microagg.kernels.linkage import Queries, limit_of
from microagg.kernels.search import NEAREST, Search, aim, insert, measure_leaf
from microagg.kernels.tree import COMPILE, FLAT, INNER, LEAF, LEAVES, Floats, Ints, Tree, fill_leaf

TOGETHER = 16  # queries that look at a leaf while it is in the cache


class Crowd(NamedTuple):
    """What some queries have found so far that go through all leaves together, a query a row."""

    keys: Floats  # query x wanted: squared distances of the best so far, ascending
    ids: Ints  # their places
    counts: Ints  # how many there are
    limits: Floats  # up to which distance records are still to be counted, -1 where they are


def new_crowd(wanted: int) -> Crowd:
    """Allocate what queries find that want so many."""
    return Crowd(
        keys=np.empty((TOGETHER, wanted)),
        ids=np.empty((TOGETHER, wanted), np.int64),
        counts=np.empty(TOGETHER, np.int64),
        limits=np.empty(TOGETHER),
    )


@njit(**COMPILE)
def lay_out(tree: Tree, points: Floats, ids: NDArray[np.int32], budget: int) -> bool:
    """Put records into leaves in the order of `ids`, without boxes: about so many numbers, or all.

    Returns whether all is done. Writes tree.
    """
    leaf, steps = tree.state[LEAVES], 0
    while leaf * LEAF < len(ids) and steps <= budget:
        fill_leaf(tree, leaf, points, ids, leaf * LEAF, min(leaf * LEAF + LEAF, len(ids)))
        steps += LEAF * points.shape[1]
        leaf += 1
    tree.state[LEAVES], tree.state[FLAT] = leaf, 1
    return leaf * LEAF >= len(ids)


@njit(**COMPILE)
def sweep_nearest(
    tree: Tree, records: Floats, queries: Queries, first: int, search: Search, crowd: Crowd, out: Floats
) -> None:
    """Write what `count_nearest` does for up to `TOGETHER` queries.

    Those next to the nearest are counted if the crowd wants more than two. Writes search, crowd and out.
    """
    sweep_keys(tree, queries, first, len(out), search, crowd)
    for row in range(len(out)):
        out[row, 0] = limit_of(crowd.keys[row, 0], queries.slack[queries.order[first + row]])
        out[row, 2], out[row, 3] = out[row, 0], 0.0
    count_tier(tree, records, queries, first, search, crowd, np.int64(0), out)
    if crowd.keys.shape[1] > 2:
        for row in range(len(out)):
            if out[row, 1] == 1.0 and crowd.counts[row] > 1:
                out[row, 2] = limit_of(crowd.keys[row, 1], queries.slack[queries.order[first + row]])
        count_tier(tree, records, queries, first, search, crowd, np.int64(1), out)


@njit(**INNER)
def sweep_keys(tree: Tree, queries: Queries, first: int, rows: int, search: Search, crowd: Crowd) -> None:
    """Find the nearest places of all queries."""
    last = crowd.keys.shape[1] - 1
    for row in range(rows):
        crowd.counts[row], crowd.keys[row, last] = 0, np.inf
    for leaf in range(tree.state[LEAVES]):
        for row in range(rows):
            aim(search, queries.points, queries.order[first + row])
            limit = crowd.keys[row, last]
            hits = measure_leaf(tree, leaf, search.query, NEAREST, limit, search.distance)
            if hits:
                keep(tree, leaf, hits, search, crowd, row)


@njit(**INNER)
def keep(tree: Tree, leaf: int, hits: int, search: Search, crowd: Crowd, row: int) -> None:
    """Insert places of a leaf into the best of a query."""
    wanted, count = crowd.keys.shape[1], crowd.counts[row]
    for place in range(count):
        search.keys[place], search.ids[place] = crowd.keys[row, place], crowd.ids[row, place]
    while hits:
        slot = lowest_bit(hits)
        hits &= hits - 1
        count = insert(search, count, wanted, search.distance[slot], tree.ids[leaf, slot])
    for place in range(count):
        crowd.keys[row, place], crowd.ids[row, place] = search.keys[place], search.ids[place]
    crowd.counts[row] = count


@njit(**INNER)
def count_tier(
    tree: Tree,
    records: Floats,
    queries: Queries,
    first: int,
    search: Search,
    crowd: Crowd,
    tier: int,
    out: Floats,
) -> None:
    """Write how many records are nearest (tier 0), or next to the only one that is (tier 1)."""
    wanted = crowd.keys.shape[1]
    unknown = False
    for row in range(len(out)):
        crowd.limits[row] = -1.0
        if tier == 1 and (out[row, 1] != 1.0 or crowd.counts[row] == 1):
            continue
        alike, place = 0.0, tier
        while place < crowd.counts[row] and crowd.keys[row, place] <= out[row, 2 * tier]:
            alike += records[crowd.ids[row, place]]
            place += 1
        out[row, 2 * tier + 1] = alike
        if place == wanted:  # so there may be more than were looked for
            crowd.limits[row] = out[row, 2 * tier]
            out[row, 2 * tier + 1] = -1.0 * tier  # the only one that is nearest does not count again
            unknown = True
    if unknown:
        sweep_within(tree, records, queries, first, search, crowd, tier, out)


@njit(**INNER)
def sweep_within(
    tree: Tree,
    records: Floats,
    queries: Queries,
    first: int,
    search: Search,
    crowd: Crowd,
    tier: int,
    out: Floats,
) -> None:
    """Add how many records there are up to the limits of the crowd."""
    for leaf in range(tree.state[LEAVES]):
        for row in range(len(out)):
            if crowd.limits[row] < 0.0:
                continue
            aim(search, queries.points, queries.order[first + row])
            hits = measure_leaf(tree, leaf, search.query, NEAREST, crowd.limits[row], search.distance)
            while hits:
                out[row, 2 * tier + 1] += records[tree.ids[leaf, lowest_bit(hits)]]
                hits &= hits - 1
