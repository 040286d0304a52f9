"""MDAV on the tree: exactly the groups of the plain quadratic loop, in far less time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.grouping import (
    DONE,
    GROUPS,
    HEAD,
    LEAF_WORK,
    NEEDS_SHELL,
    NEEDS_TOTALS,
    NEEDS_TREE,
    PAUSED,
    REMAINING,
    WALKED,
    Partition,
    assign,
    faded,
    judge,
    outgrown,
)
from microagg.kernels.search import FARTHEST, NEAREST, Search, aim, find
from microagg.kernels.tree import COMPILE, INNER, VISITED, Floats, Tree, erase, tighten


class Shell(NamedTuple):
    """The outermost records, farthest first: where the next record farthest from the centroid is."""

    ids: NDArray[np.int32]
    coords: Floats  # in the order of ids
    distance: Floats  # from `centre`
    centre: Floats
    whole: bool  # holds every remaining record, so that there is none beyond its last
    patience: int  # steps along it, from which a new shell costs less


@njit(**COMPILE)
def form_groups(
    points: Floats,
    weights: Floats,
    k: int,
    tree: Tree,
    shell: Shell,
    partition: Partition,
    search: Search,
    budget: int,
) -> int:
    """Run MDAV until done, or until `budget` units of work are spent or the driver is to renew something.

    While 3k or more records remain: a group around r, the record farthest from their centroid,
    and one around s, the record farthest from r. With 2k to 3k - 1: one around r. The rest is
    the last group. (Martinez-Balleste et al. 2007, section 2.1.) Writes tree, partition, search.
    """
    state = partition.state
    stop = state[WALKED] + budget
    seen = tree.state[VISITED]
    while state[REMAINING] >= 2 * k:
        if outgrown(tree, state):
            return NEEDS_TREE
        if faded(partition):
            return NEEDS_TOTALS
        if state[WALKED] + (tree.state[VISITED] - seen) * LEAF_WORK > stop:
            return PAUSED
        seed = farthest_from_centroid(shell, partition, search.query)
        if seed < 0:
            return NEEDS_SHELL
        for turn in range(2 if state[REMAINING] >= 3 * k else 1):  # in one place, to compile it once
            if turn == 1:
                find(tree, search, FARTHEST, np.int64(0), np.int64(1))
                seed = search.ids[0]
            take_group(seed, points, weights, k, tree, partition, search)
        judge(tree)
    for record in range(len(partition.labels)):
        if partition.labels[record] < 0:
            partition.labels[record] = state[GROUPS]
    return DONE


@njit(**INNER)
def take_group(
    seed: int, points: Floats, weights: Floats, k: int, tree: Tree, partition: Partition, search: Search
) -> None:
    """Group the seed with the k - 1 remaining records nearest to it; the query is left at the seed."""
    erase(tree, seed)
    aim(search, points, seed)
    found = find(tree, search, NEAREST, np.int64(0), k - 1)
    assign(partition, points, weights, seed)
    for a in range(found):
        assign(partition, points, weights, search.ids[a])
        erase(tree, search.ids[a])
    tighten(tree, seed)
    for a in range(found):
        tighten(tree, search.ids[a])
    partition.state[GROUPS] += 1


@njit(**INNER)
def farthest_from_centroid(shell: Shell, partition: Partition, centroid: Floats) -> int:
    """Return the remaining record farthest from the centroid, or -1 where the shell cannot say.

    The shell is sorted by the distance to an older centroid. Once that distance plus the way the
    centroid has moved since is less than the best found, no later record can win. Writes `centroid`.
    """
    labels, totals, state = partition.labels, partition.totals, partition.state
    moved = 0.0
    for j in range(len(centroid)):
        centroid[j] = (totals[0, j] + totals[1, j]) / (totals[0, -1] + totals[1, -1])
        moved += (centroid[j] - shell.centre[j]) ** 2
    moved = np.sqrt(moved)
    head, size = state[HEAD], len(shell.ids)
    while head < size and labels[shell.ids[head]] >= 0:
        head += 1
    state[HEAD] = head
    best, best_id, least = -1.0, np.int64(-1), -1.0
    for a in range(head, size):
        if (shell.distance[a] + moved) * (1.0 + 1e-9) < least:
            state[WALKED] += a - head
            return int(best_id) if state[WALKED] < shell.patience else -1
        record = shell.ids[a]
        if labels[record] >= 0:
            continue
        distance = 0.0
        for j in range(len(centroid)):
            distance += (shell.coords[a, j] - centroid[j]) ** 2
        if distance > best or (distance == best and record < best_id):
            best, best_id, least = distance, np.int64(record), np.sqrt(distance)
    state[WALKED] += size - head
    return int(best_id) if shell.whole else -1
