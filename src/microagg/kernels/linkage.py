"""How many records lie nearest to a query, and how many next to these, equal distances counted as equal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from microagg.kernels import alike
from microagg.kernels.lanes import lowest_bit
from microagg.kernels.search import NEAREST, Search, aim, find, measure_leaf, rank_children
from microagg.kernels.tree import COMPILE, FAN, INNER, VISITED, Floats, Ints, Tree

limit_of = njit(**INNER)(alike.limit_of)


class Queries(NamedTuple):
    """Points from which the nearest records are looked for, in the order of `order`."""

    points: Floats
    slack: Floats  # how far rounding may have moved each
    order: Ints


@njit(**COMPILE)
def count_nearest(
    tree: Tree, records: Floats, queries: Queries, first: int, search: Search, two: bool, out: Floats
) -> None:
    """Write how far the nearest records of some queries lie, and how many they are: a query a row of `out`.

    The queries are those from `first` on; each point of the tree stands for as many `records`. A row has
    the squared distance up to which records count as nearest, and how many there are; then the same of
    those next to it, if `two` is set and there is but one nearest. Writes tree.state, search and out.
    """
    wanted = len(search.keys)
    for row in range(len(out)):
        query = queries.order[first + row]
        slack = queries.slack[query]
        aim(search, queries.points, query)
        count = find(tree, search, NEAREST, np.int64(0), wanted)
        limit = limit_of(search.keys[0], slack)
        nearest, place = count_alike(tree, records, search, np.int64(0), count, limit)
        out[row, 0], out[row, 1] = limit, nearest
        out[row, 2], out[row, 3] = limit, 0.0
        if two and nearest == 1.0 and place < count:
            limit = limit_of(search.keys[place], slack)
            beyond, place = count_alike(tree, records, search, place, count, limit)
            out[row, 2], out[row, 3] = limit, beyond


@njit(**INNER)
def count_alike(
    tree: Tree, records: Floats, search: Search, start: int, count: int, limit: float
) -> tuple[float, int]:
    """Return how many records there are from a place on, up to a limit, and the place after them."""
    alike, place = 0.0, start
    while place < count and search.keys[place] <= limit:
        alike += records[search.ids[place]]
        place += 1
    if place == len(search.keys):  # so there may be more than were looked for
        alike = count_within(tree, records, search, limit)
        for before in range(start):
            alike -= records[search.ids[before]]
    return alike, place


@njit(**INNER)
def count_within(tree: Tree, records: Floats, search: Search, limit: float) -> float:
    """Return how many records there are up to a squared distance from the query."""
    total = 0.0
    top = len(tree.first_block) - 1
    blocks, levels = search.waiting_block, search.waiting_level
    blocks[0], levels[0] = tree.first_block[top], top
    waiting = 1
    while waiting > 0:
        waiting -= 1
        block, level = blocks[waiting], levels[waiting]
        near = rank_children(tree, block, search, NEAREST, limit)
        child = (block - tree.first_block[level]) * FAN
        for z in range(near):
            if level == 0:
                total += count_in_leaf(tree, child + search.ranked[z], records, search, limit)
            else:
                blocks[waiting] = tree.first_block[level - 1] + child + search.ranked[z]
                levels[waiting] = level - 1
                waiting += 1
    return total


@njit(**INNER)
def count_in_leaf(tree: Tree, leaf: int, records: Floats, search: Search, limit: float) -> float:
    """Return how many records of a leaf there are up to a squared distance from the query."""
    tree.state[VISITED] += 1
    hits = measure_leaf(tree, leaf, search.query, NEAREST, limit, search.distance)
    total = 0.0
    while hits:
        total += records[tree.ids[leaf, lowest_bit(hits)]]
        hits &= hits - 1
    return total
