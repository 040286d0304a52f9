"""V-MDAV on the tree: groups of k to 2k - 1 records, exactly as the plain quadratic loop forms them."""

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
    NEEDS_TREE,
    PAUSED,
    REMAINING,
    Partition,
    judge,
    label,
    outgrown,
)
from microagg.kernels.search import NEAREST, Search, aim, find, offer_leaf
from microagg.kernels.tree import COMPILE, INNER, LEAF, VISITED, Floats, Ints, Tree, erase, tighten

UNKNOWN = -1


class Group(NamedTuple):
    """The group being formed, and what is known of the nearest record outside it; kernels write all."""

    members: Ints  # 2k - 1
    nearest: Ints  # of each member, the record nearest to it when last looked for, or UNKNOWN
    distance: Floats  # of each member, no remaining record is nearer to it than so much, squared


def new_group(k: int) -> Group:
    """Allocate a group of up to 2k - 1 records."""
    return Group(np.empty(2 * k - 1, np.int64), np.empty(2 * k - 1, np.int64), np.empty(2 * k - 1))


@njit(**COMPILE)
def form_variable_groups(
    points: Floats,
    k: int,
    gain: float,
    order: NDArray[np.int32],
    tree: Tree,
    partition: Partition,
    search: Search,
    group: Group,
    budget: int,
) -> int:
    """Run V-MDAV until done, or until `budget` units of work are spent or a new tree is due.

    While k or more records remain: a group of the record farthest from the centroid of all, and the
    k - 1 nearest to it. The nearest record outside joins while it is nearer to the group than gamma
    times its distance to the other records outside. (Solanas and Martinez-Balleste 2006, section 2.)
    `gain` is gamma squared, `order` has the farthest first. Writes tree, partition, search, group.
    """
    state = partition.state
    stop = tree.state[VISITED] * LEAF_WORK + budget
    while state[REMAINING] >= k:
        if outgrown(tree, state):
            return NEEDS_TREE
        if tree.state[VISITED] * LEAF_WORK > stop:
            return PAUSED
        stop -= 1
        while partition.labels[order[state[HEAD]]] >= 0:
            state[HEAD] += 1
        seed = np.int64(order[state[HEAD]])
        size = gather(seed, points, k, tree, partition, search, group)
        if gain > 0.0:
            extend(size, 2 * k - 1, gain, points, tree, partition, search, group)
        state[GROUPS] += 1
        judge(tree)
    return DONE


@njit(**INNER)
def gather(
    seed: int, points: Floats, k: int, tree: Tree, partition: Partition, search: Search, group: Group
) -> int:
    """Group the seed with the k - 1 remaining records nearest to it, and look one further; return k."""
    erase(tree, seed)
    aim(search, points, seed)
    found = find(tree, search, NEAREST, np.int64(0), k)
    enter(group, np.int64(0), seed)
    for a in range(k - 1):
        enter(group, a + 1, search.ids[a])
    if found == k:
        group.nearest[0], group.distance[0] = search.ids[k - 1], search.keys[k - 1]
    for a in range(k):
        label(partition, group.members[a])
        if a > 0:
            erase(tree, group.members[a])
    for a in range(k):
        tighten(tree, group.members[a])
    return k


@njit(**INNER)
def enter(group: Group, place: int, record: int) -> None:
    """Make a record a member of which nothing is known yet."""
    group.members[place] = record
    group.nearest[place] = UNKNOWN
    group.distance[place] = -1.0


@njit(**INNER)
def extend(
    size: int,
    largest: int,
    gain: float,
    points: Floats,
    tree: Tree,
    partition: Partition,
    search: Search,
    group: Group,
) -> None:
    """Let the group take in its nearest record, as long as that is nearer to it than to the others."""
    while size < largest and partition.state[REMAINING] > 0:
        nearest_outside(size, points, tree, partition, search, group)
        joining, to_group = search.ids[0], search.keys[0]
        if not to_group < gain * nearest_other(joining, to_group, gain, points, tree, search):
            return
        enter(group, size, joining)
        size += 1
        label(partition, joining)
        erase(tree, joining)
        tighten(tree, joining)


@njit(**INNER)
def nearest_other(
    record: int, to_group: float, gain: float, points: Floats, tree: Tree, search: Search
) -> float:
    """Return the squared distance of a record to the nearest other, or one that is small enough to tell.

    Its own leaf often holds a record so near that it need not be the nearest.
    """
    aim(search, points, record)  # finds itself too, at distance 0
    leaf = np.int64(tree.place[record] // LEAF)
    found = offer_leaf(tree, leaf, search, NEAREST, np.int64(0), np.int64(2))
    if found < 2 or to_group < gain * search.keys[1]:
        found = find(tree, search, NEAREST, np.int64(0), np.int64(2))
    return float(search.keys[1]) if found == 2 else np.inf


@njit(**INNER)
def nearest_outside(
    size: int, points: Floats, tree: Tree, partition: Partition, search: Search, group: Group
) -> None:
    """Find the remaining record nearest to any member; it becomes the first that the search has found.

    Only members that may have a nearer one than the best known are looked from.
    """
    known = np.int64(0)
    for a in range(size):
        record = group.nearest[a]
        if record != UNKNOWN and partition.labels[record] < 0:
            key = group.distance[a]
            if known == 0 or key < search.keys[0] or (key == search.keys[0] and record < search.ids[0]):
                search.keys[0], search.ids[0] = key, record
                known = np.int64(1)
    for a in range(size):
        record = group.nearest[a]
        if record != UNKNOWN and partition.labels[record] < 0:
            continue
        if known == 1 and group.distance[a] > search.keys[0]:
            continue
        before = search.ids[0] if known == 1 else np.int64(UNKNOWN)
        aim(search, points, group.members[a])
        known = find(tree, search, NEAREST, known, np.int64(1))
        group.nearest[a] = search.ids[0] if search.ids[0] != before else UNKNOWN
        group.distance[a] = search.keys[0]
