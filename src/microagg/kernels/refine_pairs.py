"""Local search: relocate or swap records between two neighbouring groups while that lowers the loss."""

from __future__ import annotations

import numpy as np
from numba import njit

from microagg.kernels.lanes import WIDTH, load, smaller, smallest, splat, store
from microagg.kernels.refine_cell import (
    CALLED,
    FAILED,
    LOGGED,
    MASS,
    QUEUED,
    REACH,
    SEEN,
    SETTLED,
    SIZE,
    SPREAD,
    STAMP,
    VERSION,
    WAITS,
    WITHIN,
    Cell,
    K,
    index,
    is_own,
    join,
    leave,
    loss_of,
    measure,
)
from microagg.kernels.tree import INNER

TOLERANCE = 1e-9  # of the loss of both groups: a smaller gain may be rounding, and could go on forever


@njit(**WITHIN)
def settle_waiting(cell: Cell) -> None:
    """Look at the waiting groups until none waits, or the room for saved groups gives out."""
    state = cell.state
    while state[QUEUED] > 0:
        state[QUEUED] -= 1
        group = index(cell.queue[state[QUEUED]])
        cell.marks[group, WAITS] = 0
        if not state[FAILED] and cell.marks[group, SETTLED] != cell.marks[group, VERSION]:
            settle(cell, group)


@njit(**CALLED)
def settle(cell: Cell, group: int) -> None:
    """Exchange records of a group with its neighbours while that lowers the loss."""
    marks = cell.marks
    while marks[group, SIZE] > 0 and cell.state[LOGGED] + 3 <= len(cell.logged):
        other = helpful_neighbour(cell, group)
        if other < 0:
            marks[group, SETTLED] = marks[group, VERSION]
            return


@njit(**WITHIN)
def helpful_neighbour(cell: Cell, group: int) -> int:
    """Exchange with the first neighbour where that helps, and return it; -1 if it helps with none."""
    cell.state[STAMP] += 1
    seen = cell.state[STAMP]
    cell.marks[group, SEEN] = seen
    for slot in range(cell.marks[group, SIZE]):
        record = cell.members[group, slot]
        for t in range(cell.state[REACH]):
            other = index(cell.of[cell.near[record, t]])
            if not is_own(cell, other) or cell.marks[other, SEEN] == seen:
                continue
            cell.marks[other, SEEN] = seen
            if exchange(cell, min(group, other), max(group, other)):
                return other
    return index(-1)


@njit(**WITHIN)
def exchange(cell: Cell, a: int, b: int) -> bool:
    """Do the relocation or swap between two groups that lowers the loss most; return whether one does."""
    marks = cell.marks
    which = a << 32 | b
    state = marks[a, VERSION] << 32 ^ marks[b, VERSION]
    place = (which * 0x9E3779B97F4A7C1 >> 24) & (len(cell.pairs) - 1)
    if cell.pairs[place, 0] == which and cell.pairs[place, 1] == state:
        return False
    from_a, from_b = best_exchange(cell, a, b)
    if from_a < 0 and from_b < 0:
        cell.pairs[place, 0], cell.pairs[place, 1] = which, state
        return False
    if from_a >= 0:
        leave(cell, from_a)
    if from_b >= 0:
        leave(cell, from_b)
        join(cell, from_b, a)
    if from_a >= 0:
        join(cell, from_a, b)
    return True


@njit(**CALLED)
def best_exchange(cell: Cell, a: int, b: int) -> tuple[int, int]:
    """Return the records that should leave a and b for the other, -1 for none."""
    width, k = cell.members.shape[1], cell.state[K]
    p, q = cell.marks[a, SIZE], cell.marks[b, SIZE]
    measure_between(cell, a, b)
    now = loss_of(cell, a) + loss_of(cell, b)
    least = -(TOLERANCE * now + 1e-300)
    from_a, from_b = index(-1), index(-1)
    if p > k and q < 2 * k - 1:
        for slot in range(p):
            change = moved(cell, a, b, slot, index(0)) - now
            if change < least:
                least, from_a = change, slot
    if q > k and p < 2 * k - 1:
        for slot in range(q):
            change = moved(cell, b, a, slot, index(width)) - now
            if change < least:
                least, from_a, from_b = change, index(-1), slot
    if swap_all(cell, a, b) - now < least:
        least = np.inf
        for i in range(p):
            for j in range(q):
                if cell.change[i * width + j] < least:
                    least, from_a, from_b = cell.change[i * width + j], i, j
    return (
        index(cell.members[a, from_a]) if from_a >= 0 else from_a,
        index(cell.members[b, from_b]) if from_b >= 0 else from_b,
    )


@njit(**INNER)
def measure_between(cell: Cell, a: int, b: int) -> None:
    """Write all distances between two groups, and the pull of each group on the other's members."""
    d, width = cell.points.shape[1], cell.members.shape[1]
    p, q = cell.marks[a, SIZE], cell.marks[b, SIZE]
    of_b = width
    for part in range(0, q, WIDTH):
        store(cell.across, of_b + part, splat(0.0))
    for i in range(p):
        measure(cell, index(cell.members[a, i]), b, i)
        weight = splat(cell.block[a, d, i])
        for part in range(0, q, WIDTH):
            gaps = load(cell.gaps, i * width + part)
            store(cell.across, of_b + part, load(cell.across, of_b + part) + weight * gaps)
        total = 0.0
        for j in range(q):
            total += cell.block[b, d, j] * cell.gaps[i * width + j]
        cell.across[i] = total


@njit(**INNER)
def moved(cell: Cell, a: int, b: int, slot: int, row: int) -> float:
    """Return the loss of two groups after a member of the first has moved to the second."""
    weight = cell.block[a, -2, slot]
    left = (cell.sums[a, SPREAD] - weight * cell.block[a, -1, slot]) / (cell.sums[a, MASS] - weight)
    joined = (cell.sums[b, SPREAD] + weight * cell.across[row + slot]) / (cell.sums[b, MASS] + weight)
    return left + joined


@njit(**INNER)
def swap_all(cell: Cell, a: int, b: int) -> float:
    """Write the loss of two groups after each swap of a member for a member; return the least.

    With x of a and y of b swapped, the spread of a becomes
    spread - w_x pull_a(x) + w_y (pull_a(y) - w_x |x - y|^2), and that of b likewise.
    """
    d, width = cell.points.shape[1], cell.members.shape[1]
    first = (b * (d + 2) + d) * width
    least = splat(np.inf)
    for i in range(cell.marks[a, SIZE]):
        weight = splat(cell.block[a, d, i])
        spread_a = splat(cell.sums[a, SPREAD] - cell.block[a, d, i] * cell.block[a, d + 1, i])
        mass_a = splat(cell.sums[a, MASS] - cell.block[a, d, i])
        spread_b, mass_b = splat(cell.sums[b, SPREAD]), splat(cell.sums[b, MASS] + cell.block[a, d, i])
        pull_b = splat(cell.across[i])
        for part in range(0, cell.marks[b, SIZE], WIDTH):
            theirs, gaps = load(cell.block, first + part), load(cell.gaps, i * width + part)
            to_a = load(cell.across, width + part)
            of_a = (spread_a + theirs * (to_a - weight * gaps)) / (mass_a + theirs)
            in_b = spread_b - theirs * load(cell.block, first + width + part)
            of_b = (in_b + weight * (pull_b - theirs * gaps)) / (mass_b - theirs)
            loss = of_a + of_b
            store(cell.change, i * width + part, loss)
            least = smaller(loss, least)
    return smallest(least)
