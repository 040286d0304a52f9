"""The nearest records of every record: the lists along which a search moves records between groups."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.search import NEAREST, Search, aim, find, offer_leaf
from microagg.kernels.tree import COMPILE, FAN, LEAF, LEAVES, SEARCHES, VISITED, Floats, Tree

TRIAL = 64  # searches, before it is judged whether bounds help
MOST_LEAVES = 96  # that a search may visit on average: else it is content with those next to its own


@njit(**COMPILE)
def list_nearest(
    tree: Tree,
    search: Search,
    points: Floats,
    rank: NDArray[np.int32],
    near: NDArray[np.int32],
    start: int,
    leaves: int,
) -> int:
    """Write the nearest records of those in so many leaves from `start`; return the leaf to go on with.

    Records are numbered by `rank`, and row rank[i] of `near` holds the ranks of those nearest to
    record i, nearest first, without i. Where the data have so little structure that a search sees
    too many leaves, only the leaves of the block around its own are looked at. Writes near, search
    and the counts of the tree.
    """
    wanted = near.shape[1] + 1
    stop = min(start + leaves, tree.state[LEAVES])
    for leaf in range(start, stop):
        first = leaf - leaf % FAN
        beside = min(FAN, tree.state[LEAVES] - first)
        hopeless = tree.state[SEARCHES] >= TRIAL and tree.state[VISITED] > MOST_LEAVES * tree.state[SEARCHES]
        for slot in range(LEAF):
            if tree.reach[leaf, slot] < 0.0:
                continue
            record = np.int64(tree.ids[leaf, slot])
            aim(search, points, record)
            count = np.int64(0)
            if hopeless and beside * LEAF >= 4 * wanted:
                for t in range(first, first + beside):
                    count = offer_leaf(tree, t, search, NEAREST, count, wanted)
            else:
                count = find(tree, search, NEAREST, count, wanted)
            write_list(search, rank, near, record, count)
    return stop


@njit(**{**COMPILE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True})
def write_list(
    search: Search, rank: NDArray[np.int32], near: NDArray[np.int32], record: int, count: int
) -> None:
    """Write what a search found, but the record itself; of more that lie at its place the last goes."""
    row, place = rank[record], 0
    for t in range(count):
        if search.ids[t] != record and place < near.shape[1]:
            near[row, place] = rank[search.ids[t]]
            place += 1
    for t in range(place, near.shape[1]):  # only where the block around a leaf is nearly empty
        near[row, t] = near[row, t - place] if place else row
