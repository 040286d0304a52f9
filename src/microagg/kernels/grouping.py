"""What MDAV and V-MDAV share: the partition as it grows, and the running sums of what remains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.tree import FLAT, INNER, LEAVES, SEARCHES, VISITED, Floats, Ints, Tree

REMAINING, GROUPS, IN_TREE, HEAD, WALKED = range(5)  # places in `Partition.state`
DONE, PAUSED, NEEDS_TREE, NEEDS_SHELL, NEEDS_TOTALS = range(5)  # why a kernel came back

TRIAL = 64  # searches, before a tree is judged
WORTHLESS = 0.5  # share of the leaves seen by a search, from which sweeping all of them costs less
LEAF_WORK = 8  # a leaf costs about as much as so many steps along a list


class Partition(NamedTuple):
    """The partition so far; the kernels write all of it."""

    labels: NDArray[np.int32]  # -1 while not grouped
    totals: Floats  # 2 x (d + 1): sums of w x and of w over what remains, each as high + low
    least: Floats  # d + 1: what each sum may fall to before it has lost too many digits
    state: Ints  # records remaining, groups, records when the tree was built, place in a list, steps in it


@njit(**INNER)
def label(partition: Partition, record: int) -> None:
    """Put a record into the group that is being formed."""
    partition.labels[record] = partition.state[GROUPS]
    partition.state[REMAINING] -= 1


@njit(**INNER)
def assign(partition: Partition, points: Floats, weights: Floats, record: int) -> None:
    """Put a record into the group that is being formed, and take it out of the running sums."""
    label(partition, record)
    d = points.shape[1]
    weight = weights[record] if len(weights) > 0 else 1.0
    for j in range(d):
        subtract(partition.totals, j, weight * points[record, j])
    subtract(partition.totals, d, weight)


@njit(**INNER)
def subtract(totals: Floats, j: int, x: float) -> None:
    """Take a number from one of the running sums, in double-double arithmetic."""
    high, low = totals[0, j], totals[1, j]
    rounded = high - x
    part = rounded - high
    low += (high - (rounded - part)) - (x + part)  # the rounding error of high - x, exact
    totals[0, j] = rounded + low
    totals[1, j] = low - (totals[0, j] - rounded)


@njit(**INNER)
def faded(partition: Partition) -> bool:
    """Say whether a running sum has fallen so far that its rounding errors begin to show."""
    for j in range(len(partition.least)):
        if partition.totals[0, j] < partition.least[j]:
            return True
    return False


@njit(**INNER)
def judge(tree: Tree) -> None:
    """Give up the bounds of a tree whose searches see most of its leaves."""
    searches = tree.state[SEARCHES]
    if searches >= TRIAL and tree.state[VISITED] > WORTHLESS * tree.state[LEAVES] * searches:
        tree.state[FLAT] = 1


@njit(**INNER)
def outgrown(tree: Tree, state: Ints) -> bool:
    """Say whether so many records have left the tree that a new one pays."""
    if tree.state[FLAT]:
        return 8 * state[REMAINING] < 7 * state[IN_TREE]
    return 2 * state[REMAINING] < state[IN_TREE]
