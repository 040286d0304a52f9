"""The nearest and the farthest records of a tree, exactly as a plain loop over all would find them.

Every bound is safe against rounding. Distances and box bounds add their columns in the same order
without fused operations, and rounding is monotone, so that no bound ever loses a record; records
are passed over on strict inequality only, and equal distances go to the lowest id.

Where the data have so little structure that a search sees most leaves anyway, the tree is `flat`:
all leaves are swept in a row, without bounds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.lanes import at_most, larger, load, lowest_bit, smaller, splat, store
from microagg.kernels.tree import (
    COMPILE,
    FAN,
    FLAT,
    INNER,
    LEAF,
    LEAVES,
    SEARCHES,
    VISITED,
    Floats,
    Ints,
    Tree,
)

NEAREST, FARTHEST = 1.0, -1.0  # the sign of a search: it looks for the smallest sign * |x - q|^2
MAX_STACK = 256  # at most FAN - 1 waiting siblings a level, and 2**31 records need 7 levels


class Search(NamedTuple):
    """A query and what it finds, with the room it needs, so that loops allocate nothing."""

    query: Floats
    keys: Floats  # sign * squared distance of the best so far, ascending
    ids: Ints  # their records
    distance: Floats  # LEAF
    bound: Floats  # FAN
    ranked: Ints  # FAN
    waiting_block: Ints
    waiting_level: Ints
    waiting_bound: Floats


def new_search(wanted: int, d: int) -> Search:
    """Allocate a search for up to `wanted` records of d columns."""
    return Search(
        query=np.empty(d),
        keys=np.empty(wanted),
        ids=np.empty(wanted, np.int64),
        distance=np.empty(LEAF),
        bound=np.empty(FAN),
        ranked=np.empty(FAN, np.int64),
        waiting_block=np.empty(MAX_STACK, np.int64),
        waiting_level=np.empty(MAX_STACK, np.int64),
        waiting_bound=np.empty(MAX_STACK),
    )


@njit(**INNER)
def aim(search: Search, points: Floats, record: int) -> None:
    """Put the query at a record."""
    for j in range(points.shape[1]):
        search.query[j] = points[record, j]


@njit(**INNER)
def find(tree: Tree, search: Search, sign: float, count: int, wanted: int) -> int:
    """Find the `wanted` records of least key, starting from `count` that stand there already.

    Writes search.keys and search.ids in ascending order of (key, id); returns how many they are.
    """
    tree.state[SEARCHES] += 1
    if tree.state[FLAT]:
        for leaf in range(tree.state[LEAVES]):
            count = offer_leaf(tree, leaf, search, sign, count, wanted)
        tree.state[VISITED] += tree.state[LEAVES]
        return count
    top = len(tree.first_block) - 1
    blocks, levels, bounds = search.waiting_block, search.waiting_level, search.waiting_bound
    blocks[0], levels[0], bounds[0] = tree.first_block[top], top, -np.inf
    waiting = 1
    while waiting > 0:
        waiting -= 1
        limit = search.keys[wanted - 1] if count == wanted else np.inf
        if bounds[waiting] > limit:
            continue
        block, level = blocks[waiting], levels[waiting]
        promising = rank_children(tree, block, search, sign, limit)
        child = (block - tree.first_block[level]) * FAN
        if level == 0:
            count = offer_leaves(tree, child, promising, search, sign, count, wanted)
            continue
        for z in range(promising - 1, -1, -1):
            t = search.ranked[z]
            blocks[waiting] = tree.first_block[level - 1] + child + t
            levels[waiting], bounds[waiting] = level - 1, search.bound[t]
            waiting += 1
    return count


@njit(**INNER)
def offer_leaves(
    tree: Tree, first_leaf: int, promising: int, search: Search, sign: float, count: int, wanted: int
) -> int:
    """Offer the leaves of a block, best first, until none can hold a better record."""
    for z in range(promising):
        t = search.ranked[z]
        if count == wanted and search.bound[t] > search.keys[wanted - 1]:
            break
        count = offer_leaf(tree, first_leaf + t, search, sign, count, wanted)
        tree.state[VISITED] += 1
    return count


@njit(**INNER)
def offer_leaf(tree: Tree, leaf: int, search: Search, sign: float, count: int, wanted: int) -> int:
    """Offer the records of a leaf to the best found so far; return how many these are."""
    limit = search.keys[wanted - 1] if count == wanted else np.inf
    hits = measure_leaf(tree, leaf, search.query, sign, limit, search.distance)
    while hits:
        slot = lowest_bit(hits)
        hits &= hits - 1
        count = insert(search, count, wanted, search.distance[slot], tree.ids[leaf, slot])
    return count


@njit(**INNER)
def measure_leaf(tree: Tree, leaf: int, query: Floats, sign: float, limit: float, out: Floats) -> int:
    """Write sign * |x - q|^2 of a leaf's records; return a bit for each that is not above `limit`."""
    d = tree.coords.shape[1]
    row = leaf * d * LEAF
    a = b = c = e = splat(0.0)
    for j in range(d):
        q = splat(query[j])
        gap_a, gap_b = load(tree.coords, row) - q, load(tree.coords, row + 8) - q
        gap_c, gap_e = load(tree.coords, row + 16) - q, load(tree.coords, row + 24) - q
        a += gap_a * gap_a
        b += gap_b * gap_b
        c += gap_c * gap_c
        e += gap_e * gap_e
        row += LEAF
    signs, most = splat(sign), splat(limit)
    a, b, c, e = a * signs, b * signs, c * signs, e * signs
    store(out, 0, a)
    store(out, 8, b)
    store(out, 16, c)
    store(out, 24, e)
    return at_most(a, most) | at_most(b, most) << 8 | at_most(c, most) << 16 | at_most(e, most) << 24


@njit(**INNER)
def insert(search: Search, count: int, wanted: int, key: float, record: int) -> int:
    """Insert a record into the `wanted` best, by (key, id); return how many there are."""
    keys, ids = search.keys, search.ids
    if count == wanted:
        if key > keys[count - 1] or (key == keys[count - 1] and record > ids[count - 1]):
            return count
    else:
        count += 1
    place = count - 1
    while place > 0 and (keys[place - 1] > key or (keys[place - 1] == key and ids[place - 1] > record)):
        keys[place], ids[place] = keys[place - 1], ids[place - 1]
        place -= 1
    keys[place], ids[place] = key, record
    return count


@njit(**INNER)
def rank_children(tree: Tree, block: int, search: Search, sign: float, limit: float) -> int:
    """Rank the children that can hold a key up to `limit`, best first; return how many they are."""
    if sign > 0.0:
        hits = nearest_bounds(tree, block, search.query, limit, search.bound)
    else:
        hits = farthest_bounds(tree, block, search.query, limit, search.bound)
    bound, ranked = search.bound, search.ranked
    count = 0
    while hits:
        t = lowest_bit(hits)
        hits &= hits - 1
        place = count
        while place > 0 and bound[ranked[place - 1]] > bound[t]:
            ranked[place] = ranked[place - 1]
            place -= 1
        ranked[place] = t
        count += 1
    return count


@njit(**INNER)
def nearest_bounds(tree: Tree, block: int, query: Floats, limit: float, out: Floats) -> int:
    """Write the squared distance from the query to each child's box; return which matter."""
    d = tree.coords.shape[1]
    low = block * (2 * d + 1) * FAN
    high = low + d * FAN
    zero = splat(0.0)
    a = b = zero
    for j in range(d):
        q = splat(query[j])
        gap_a = larger(larger(load(tree.boxes, low) - q, q - load(tree.boxes, high)), zero)
        gap_b = larger(larger(load(tree.boxes, low + 8) - q, q - load(tree.boxes, high + 8)), zero)
        a += gap_a * gap_a
        b += gap_b * gap_b
        low += FAN
        high += FAN
    store(out, 0, a)
    store(out, 8, b)
    occupied = at_most(zero, load(tree.boxes, high)) | at_most(zero, load(tree.boxes, high + 8)) << 8
    most = splat(limit)
    return occupied & (at_most(a, most) | at_most(b, most) << 8)


@njit(**INNER)
def farthest_bounds(tree: Tree, block: int, query: Floats, limit: float, out: Floats) -> int:
    """Write minus an upper bound on |x - q|^2 over each child's records; return which matter.

    The smaller of two bounds: to the farthest corner of the box, and the lifted one, with p the
    pivot: |x - q|^2 = |x - p|^2 + |p - q|^2 + 2 (x - p).(p - q), whose last term is linear. That one
    is not monotone in its rounding, so its slack covers the roundings of all its terms.
    """
    d = tree.coords.shape[1]
    offset = 0.0
    for j in range(d):
        offset += (tree.pivot[j] - query[j]) ** 2
    slack = splat(1.0 + 2.3e-16 * (d + 3) * (np.sqrt(d) + 4.0))
    a, lifted_a = farthest_half(tree, block, query, np.int64(0))
    b, lifted_b = farthest_half(tree, block, query, np.int64(8))
    row = (block * (2 * d + 1) + 2 * d) * FAN
    reach_a, reach_b = load(tree.boxes, row), load(tree.boxes, row + 8)
    zero, minus, offsets = splat(0.0), splat(-1.0), splat(offset)
    a = minus * smaller(a, (reach_a + offsets) * slack + lifted_a)
    b = minus * smaller(b, (reach_b + offsets) * slack + lifted_b)
    store(out, 0, a)
    store(out, 8, b)
    most = splat(limit)
    near_a, near_b = at_most(a, most), at_most(b, most)
    return (at_most(zero, reach_a) & near_a) | (at_most(zero, reach_b) & near_b) << 8


@njit(**INNER)
def farthest_half(tree: Tree, block: int, query: Floats, part: int) -> tuple[Any, Any]:
    """Return for eight children the corner bound, and the linear term of the lifted one."""
    d = tree.coords.shape[1]
    low = block * (2 * d + 1) * FAN + part
    high = low + d * FAN
    corner = lifted = splat(0.0)
    two, tiny = splat(2.0), splat(1e-300)
    for j in range(d):
        q, p = splat(query[j]), splat(tree.pivot[j])
        lows, highs = load(tree.boxes, low), load(tree.boxes, high)
        gap = larger(q - lows, highs - q)
        corner += gap * gap
        away = p - q
        lifted += larger((lows - p) * away, (highs - p) * away)
        low += FAN
        high += FAN
    return corner, two * lifted + tiny  # tiny: products of the smallest numbers round to nothing


@njit(**COMPILE)
def outermost(tree: Tree, search: Search, at_least: float, out: NDArray[np.int32]) -> int:
    """Write the records whose squared distance to the query is at least so much; return how many."""
    count = 0
    for leaf in range(tree.state[LEAVES]):
        hits = measure_leaf(tree, leaf, search.query, FARTHEST, -at_least, search.distance)
        while hits:
            out[count] = tree.ids[leaf, lowest_bit(hits)]
            hits &= hits - 1
            count += 1
    return count
