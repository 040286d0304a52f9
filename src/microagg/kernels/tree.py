"""A tree of boxes over the records still to be grouped: build it and take records out of it.

Leaves hold 32 records column by column, so that the lanes of a vector register are records. Above
them every block bounds 16 children, again column by column, so that one pass bounds all sixteen. An
erased record leaves NaN behind, which is neither nearer nor farther than anything: nothing moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.lanes import larger, largest, load, smaller, smallest, splat, store

LEAF = 32
FAN = 16
MOVE_WORK = 4  # to move a record in a split costs about as much as so many steps along a list

COMPILE: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
INNER: dict[str, Any] = {**COMPILE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True}

WAITING, LEAVES, FLAT, SEARCHES, VISITED = range(5)  # places in `Tree.state`

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Tree(NamedTuple):
    """The arrays of the tree; kernels write all of them but the last three."""

    coords: Floats  # leaf x column x slot: the records, NaN where erased or never used
    reach: Floats  # leaf x slot: squared distance to `pivot`, -1 where erased or never used
    ids: NDArray[np.int32]  # leaf x slot
    place: NDArray[np.int32]  # record -> leaf * LEAF + slot
    boxes: Floats  # block x (d lows, d highs, largest reach) x child; reach -1 where empty
    queue: Ints  # depth x (start, stop) of ranges the build has still to split
    state: Ints  # ranges waiting, leaves made, whether boxes are passed over, searches, leaves visited
    first_block: Ints  # level -> its first block; the last level is the root alone
    pivot: Floats  # a point near the middle, for the lifted bound


def new_tree(capacity: int, d: int) -> Tree:
    """Allocate a tree for up to `capacity` records of d columns."""
    leaves = -(-capacity // LEAF)
    return Tree(
        coords=np.empty((leaves, d, LEAF)),
        reach=np.empty((leaves, LEAF)),
        ids=np.empty((leaves, LEAF), np.int32),
        place=np.empty(capacity, np.int32),
        boxes=np.empty((_levels(leaves)[-1] + 1, 2 * d + 1, FAN)),
        queue=np.empty((64, 2), np.int64),
        state=np.zeros(5, np.int64),
        first_block=np.empty(0, np.int64),
        pivot=np.empty(d),
    )


def begin(tree: Tree, records: int, pivot: Floats) -> Tree:
    """Return the tree, ready for `build` to place so many records."""
    tree.queue[0] = 0, records
    tree.state[:] = 0
    tree.state[WAITING] = 1
    first_block = np.array(_levels(-(-records // LEAF)), np.int64)
    return tree._replace(first_block=first_block, pivot=pivot)


def _levels(leaves: int) -> list[int]:
    """Return the first block of each level, lowest level first."""
    first_block, width = [0], -(-leaves // FAN)
    while width > 1:
        first_block.append(first_block[-1] + width)
        width = -(-width // FAN)
    return first_block


@njit(**COMPILE)
def build(tree: Tree, points: Floats, ids: NDArray[np.int32], keys: Floats, budget: int) -> bool:
    """Split `ids` into leaves until all is done or about `budget` steps have been taken.

    Splits the widest column of each range at a whole number of leaves, a power of two of them on
    the left, so that sixteen leaves in a row always form one cell. Returns whether all is done.
    Writes tree, ids, keys.
    """
    waiting, leaf = tree.state[WAITING], tree.state[LEAVES]
    steps = 0
    while waiting > 0 and steps <= budget:
        waiting -= 1
        start, stop = tree.queue[waiting, 0], tree.queue[waiting, 1]
        steps += MOVE_WORK * (stop - start)
        leaves = (stop - start + LEAF - 1) // LEAF
        if leaves == 1:
            fill_leaf(tree, leaf, points, ids, start, stop)
            leaf += 1
            continue
        column = widest_column(points, ids, start, stop)
        for a in range(start, stop):
            keys[a] = points[ids[a], column]
        half = 1
        while 2 * half < leaves:
            half *= 2
        middle = start + half * LEAF
        select(keys, ids, start, stop, middle)
        tree.queue[waiting, 0], tree.queue[waiting, 1] = middle, stop
        tree.queue[waiting + 1, 0], tree.queue[waiting + 1, 1] = start, middle
        waiting += 2
    tree.state[WAITING], tree.state[LEAVES] = waiting, leaf
    if waiting == 0:
        bound_all(tree, leaf)
    return waiting == 0


@njit(**INNER)
def widest_column(points: Floats, ids: NDArray[np.int32], start: int, stop: int) -> int:
    """Return the column whose values span most."""
    widest, width = 0, -1.0
    for j in range(points.shape[1]):
        low, high = np.inf, -np.inf
        for a in range(start, stop):
            value = points[ids[a], j]
            low = min(low, value)
            high = max(high, value)
        if high - low > width:
            widest, width = j, high - low
    return widest


@njit(**INNER)
def select(keys: Floats, ids: NDArray[np.int32], start: int, stop: int, nth: int) -> None:
    """Reorder keys[start:stop], and ids alike, so that no key before `nth` exceeds one after it."""
    stop -= 1
    while start < stop:
        a, b, c = keys[start], keys[(start + stop) >> 1], keys[stop]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = start, stop
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                ids[left], ids[right] = ids[right], ids[left]
                left += 1
                right -= 1
        if nth <= right:
            stop = right
        elif nth >= left:
            start = left
        else:
            return


@njit(**INNER)
def fill_leaf(tree: Tree, leaf: int, points: Floats, ids: NDArray[np.int32], start: int, stop: int) -> None:
    """Copy the records ids[start:stop] into a leaf, column by column."""
    size = points.shape[1] * LEAF
    for part in range(leaf * size, leaf * size + size, 8):
        store(tree.coords, part, splat(np.nan))
    for part in range(leaf * LEAF, leaf * LEAF + LEAF, 8):
        store(tree.reach, part, splat(-1.0))
    for slot in range(stop - start):
        record = ids[start + slot]
        tree.ids[leaf, slot] = record
        tree.place[record] = leaf * LEAF + slot
        reach = 0.0
        for j in range(points.shape[1]):
            value = points[record, j]
            tree.coords[leaf, j, slot] = value
            reach += (value - tree.pivot[j]) ** 2
        tree.reach[leaf, slot] = reach


@njit(**INNER)
def bound_all(tree: Tree, leaves: int) -> None:
    """Compute the boxes of all blocks, from the leaves upwards."""
    d = tree.coords.shape[1]
    blocks = tree.first_block[-1] + 1
    for row in range(blocks * (2 * d + 1)):
        j = row % (2 * d + 1)
        nothing = splat(np.inf if j < d else -np.inf if j < 2 * d else -1.0)
        store(tree.boxes, row * FAN, nothing)
        store(tree.boxes, row * FAN + 8, nothing)
    for leaf in range(leaves):
        bound_leaf(tree, leaf)
    for level in range(len(tree.first_block) - 1):
        start, stop = tree.first_block[level], tree.first_block[level + 1]
        for block in range(start, stop):
            bound_block(tree, block, stop + (block - start) // FAN, (block - start) % FAN)


@njit(**INNER)
def bound_leaf(tree: Tree, leaf: int) -> bool:
    """Compute the box of a leaf anew, in the block above it; return whether it changed."""
    d = tree.coords.shape[1]
    block, child = leaf // FAN, leaf % FAN
    changed = False
    for j in range(d):
        low, high = splat(np.inf), splat(-np.inf)
        row = (leaf * d + j) * LEAF
        for part in range(0, LEAF, 8):
            values = load(tree.coords, row + part)
            low, high = smaller(values, low), larger(values, high)
        changed |= put(tree, block, j, child, smallest(low))
        changed |= put(tree, block, d + j, child, largest(high))
    reach = splat(-1.0)
    for part in range(0, LEAF, 8):
        reach = larger(load(tree.reach, leaf * LEAF + part), reach)
    return put(tree, block, 2 * d, child, largest(reach)) or changed


@njit(**INNER)
def bound_block(tree: Tree, block: int, parent: int, child: int) -> bool:
    """Compute the box of a block anew, in its parent; return whether it changed."""
    d = tree.coords.shape[1]
    changed = False
    for j in range(2 * d + 1):
        row = (block * (2 * d + 1) + j) * FAN
        left, right = load(tree.boxes, row), load(tree.boxes, row + 8)
        bound = smallest(smaller(left, right)) if j < d else largest(larger(left, right))
        changed |= put(tree, parent, j, child, bound)
    return changed


@njit(**INNER)
def put(tree: Tree, block: int, row: int, child: int, value: float) -> bool:
    """Write one number of a box; return whether it is another than before."""
    changed = tree.boxes[block, row, child] != value
    tree.boxes[block, row, child] = value
    return changed


@njit(**INNER)
def erase(tree: Tree, record: int) -> None:
    """Take a record out of its leaf; the boxes stay as they are until `tighten`."""
    leaf, slot = tree.place[record] // LEAF, tree.place[record] % LEAF
    for j in range(tree.coords.shape[1]):
        tree.coords[leaf, j, slot] = np.nan
    tree.reach[leaf, slot] = -1.0


@njit(**INNER)
def tighten(tree: Tree, record: int) -> None:
    """Shrink the boxes above an erased record, upwards until nothing changes."""
    node = np.int64(tree.place[record] // LEAF)
    changed = tree.state[FLAT] == 0 and bound_leaf(tree, node)
    level = 0
    while changed and level + 1 < len(tree.first_block):
        node //= FAN
        parent = tree.first_block[level + 1] + node // FAN
        changed = bound_block(tree, tree.first_block[level] + node, parent, node % FAN)
        level += 1
