"""The partition being refined: what a cell of neighbouring groups holds, and how one record moves.

The loss of a group is the sum of w_i w_j |x_i - x_j|^2 over its pairs, its spread, by its mass, the
sum of w_i. So a move needs distances within and between the groups it touches and nothing else, and
they are differences of records, which no common offset can spoil.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.lanes import WIDTH, load, splat, store
from microagg.kernels.tree import COMPILE, INNER, Floats, Ints

Numbers = NDArray[np.int32]
index: Any = np.int64
"""A whole number of the one type that loops are compiled for; its type is left open for the checker."""

# Columns of `marks`: how many members; a number for each state a group was ever in; the scan that saw it
# last; the iteration that saved it last; whether it waits to be looked at; whether it changed since the
# best partition; whether it is among the free; the state in which no exchange helped; the cell it is in.
SIZE, VERSION, SEEN, SAVED, WAITS, CHANGED, LISTED, SETTLED, OWNER = range(9)
# Places in `state`: group size, lists looked at, own number, numbers given out, groups saved, waiting, free,
# changed, whether the room for saved groups gave out, iterations done.
K, REACH, CELL, STAMP, LOGGED, QUEUED, FREE, TOUCHED, FAILED, DONE = range(10)
CURRENT, BEST, HEAT, AGE, AGEING = range(5)  # places in `level`
SPREAD, MASS = range(2)  # columns of `sums`

FADED = 2.0**-10
"""To what share of itself a kept sum may fall before it is summed anew, since it then begins to show
the rounding errors of what was taken out of it."""

WITHIN: dict[str, Any] = {**COMPILE, "inline": "always"}
CALLED: dict[str, Any] = {**COMPILE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class Cell(NamedTuple):
    """Some neighbouring groups, in the arrays of all groups, and room to work.

    Kernels write all of it but the first three. A cell only ever touches its own groups, so that
    several can be worked on at a time.
    """

    points: Floats  # record x column
    weights: Floats  # record
    near: Numbers  # record x place: the records nearest to it
    of: Numbers  # the group of each record, -1 while it is between groups
    best: Numbers  # the same, in the best partition so far
    members: Numbers  # group x slot
    block: Floats  # group x (d columns, weight, pull) x slot; columns NaN beyond the members
    sums: Floats  # group x (spread, mass)
    marks: Ints  # group x mark
    records: Numbers  # those of the cell
    state: Ints
    level: Floats  # loss now and at best, both less the loss at the beginning; temperature
    random: NDArray[np.uint64]
    gaps: Floats  # member x slot: squared distances between two groups
    change: Floats  # member x slot: what swapping them would do
    across: Floats  # two rows of slots: each member's weighted distances to the other group
    queue: Numbers  # groups to be looked at
    free: Numbers  # groups without members
    changed: Numbers  # groups changed since the best partition
    logged: Numbers  # groups changed in this iteration, and then all they were before
    old_members: Numbers
    old_block: Floats
    old_sums: Floats
    old_size: Ints
    pairs: Ints  # pairs of groups known to be settled with each other: which, in which state
    pool: Numbers  # three rows of records between groups
    between: Numbers  # records of the cell, for the way back to the best partition


@njit(**INNER)
def draw(cell: Cell, below: int) -> int:
    """Return a whole number from 0, less than `below`."""
    x = cell.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    cell.random[0] = x
    return index(x >> np.uint64(33)) % below


@njit(**INNER)
def chance(cell: Cell) -> float:
    """Return a number above 0 and at most 1."""
    return (draw(cell, index(1 << 30)) + 1) * 2.0**-30


@njit(**INNER)
def loss_of(cell: Cell, group: int) -> float:
    """Return the loss of a group."""
    return cell.sums[group, SPREAD] / cell.sums[group, MASS] if cell.marks[group, SIZE] > 1 else 0.0


@njit(**INNER)
def is_own(cell: Cell, group: int) -> bool:
    """Say whether this is a group, and one of the cell."""
    return group >= 0 and cell.marks[group, OWNER] == cell.state[CELL]


@njit(**INNER)
def measure(cell: Cell, record: int, group: int, row: int) -> None:
    """Write the squared distances from a record to the members of a group; NaN beyond them."""
    d, width = cell.points.shape[1], cell.members.shape[1]
    first = group * (d + 2) * width
    for part in range(0, cell.marks[group, SIZE], WIDTH):
        total = splat(0.0)
        for j in range(d):
            gap = load(cell.block, first + j * width + part) - splat(cell.points[record, j])
            total += gap * gap
        store(cell.gaps, row * width + part, total)


@njit(**INNER)
def pull_of(cell: Cell, record: int, group: int) -> float:
    """Return the sum of w |x - y|^2 over the members y of a group; distances stay in the first row."""
    measure(cell, record, group, index(0))
    total = 0.0
    for slot in range(cell.marks[group, SIZE]):
        total += cell.block[group, -2, slot] * cell.gaps[slot]
    return total


@njit(**INNER)
def cost_of_joining(cell: Cell, record: int, group: int) -> float:
    """Return by how much the loss of a group would rise with this record."""
    weight = cell.weights[record]
    spread = cell.sums[group, SPREAD] + weight * pull_of(cell, record, group)
    return spread / (cell.sums[group, MASS] + weight) - loss_of(cell, group)


@njit(**CALLED)
def save(cell: Cell, group: int) -> bool:
    """Keep what a group was before this iteration; return False if there is no room for it."""
    marks, state = cell.marks, cell.state
    if marks[group, SAVED] == state[DONE]:
        return True
    place = state[LOGGED]
    if place == len(cell.logged):
        state[FAILED] = 1
        return False
    state[LOGGED] = place + 1
    marks[group, SAVED] = state[DONE]
    cell.logged[place] = group
    size = marks[group, SIZE]
    cell.old_size[place, 0], cell.old_size[place, 1] = size, marks[group, VERSION]
    cell.old_sums[place, SPREAD], cell.old_sums[place, MASS] = (
        cell.sums[group, SPREAD],
        cell.sums[group, MASS],
    )
    for slot in range(size):
        cell.old_members[place, slot] = cell.members[group, slot]
    for row in range(cell.block.shape[1]):
        for slot in range(size):
            cell.old_block[place, row, slot] = cell.block[group, row, slot]
    if not marks[group, CHANGED]:
        marks[group, CHANGED] = 1
        cell.changed[state[TOUCHED]] = group
        state[TOUCHED] += 1
    return True


@njit(**CALLED)
def undo(cell: Cell) -> None:
    """Make every group what it was before this iteration."""
    marks = cell.marks
    for place in range(cell.state[LOGGED]):
        group = index(cell.logged[place])
        size = cell.old_size[place, 0]
        for slot in range(size):
            cell.members[group, slot] = cell.old_members[place, slot]
            cell.of[cell.old_members[place, slot]] = group
        for row in range(cell.block.shape[1]):
            for slot in range(size):
                cell.block[group, row, slot] = cell.old_block[place, row, slot]
        for slot in range(size, marks[group, SIZE]):
            clear_slot(cell, group, slot)
        marks[group, SIZE], marks[group, VERSION] = size, cell.old_size[place, 1]
        cell.sums[group, SPREAD], cell.sums[group, MASS] = (
            cell.old_sums[place, SPREAD],
            cell.old_sums[place, MASS],
        )
        if size == 0:
            list_free(cell, group)


@njit(**INNER)
def clear_slot(cell: Cell, group: int, slot: int) -> None:
    """Leave nothing in a slot that anything could be near to."""
    d = cell.points.shape[1]
    for j in range(d):
        cell.block[group, j, slot] = np.nan
    cell.block[group, d, slot] = cell.block[group, d + 1, slot] = 0.0


@njit(**INNER)
def list_free(cell: Cell, group: int) -> None:
    """Note that a group has no members; by the time it is needed it may have some again."""
    if not cell.marks[group, LISTED]:
        cell.marks[group, LISTED] = 1
        cell.free[cell.state[FREE]] = group
        cell.state[FREE] += 1


@njit(**CALLED)
def take_free(cell: Cell) -> int:
    """Return a group without members; if there is none, the iteration fails."""
    state = cell.state
    while state[FREE] > 0:
        state[FREE] -= 1
        group = index(cell.free[state[FREE]])
        cell.marks[group, LISTED] = 0
        if cell.marks[group, SIZE] == 0:
            return group
    state[FAILED] = 1
    return index(-1)


@njit(**INNER)
def note_change(cell: Cell, group: int) -> None:
    """Give the group's new state a number, and let it be looked at."""
    cell.state[STAMP] += 1
    cell.marks[group, VERSION] = cell.state[STAMP]
    wait(cell, group)


@njit(**INNER)
def wait(cell: Cell, group: int) -> None:
    """Put a group among those to be looked at."""
    if not cell.marks[group, WAITS]:
        cell.marks[group, WAITS] = 1
        cell.queue[cell.state[QUEUED]] = group
        cell.state[QUEUED] += 1


@njit(**CALLED)
def join(cell: Cell, record: int, group: int) -> None:
    """Put a record that is in no group into one."""
    if cell.state[FAILED] or group < 0 or not save(cell, group):
        return
    block, d, size = cell.block, cell.points.shape[1], cell.marks[group, SIZE]
    if size == cell.members.shape[1]:
        cell.state[FAILED] = 1
        return
    weight = cell.weights[record]
    pull = pull_of(cell, record, group)
    for slot in range(size):
        block[group, d + 1, slot] += weight * cell.gaps[slot]
    seat(cell, record, group, pull)
    cell.sums[group, SPREAD] += weight * pull
    cell.sums[group, MASS] += weight
    note_change(cell, group)


@njit(**INNER)
def seat(cell: Cell, record: int, group: int, pull: float) -> None:
    """Write a record into the first free slot of a group."""
    d, slot = cell.points.shape[1], cell.marks[group, SIZE]
    for j in range(d):
        cell.block[group, j, slot] = cell.points[record, j]
    cell.block[group, d, slot], cell.block[group, d + 1, slot] = cell.weights[record], pull
    cell.members[group, slot] = record
    cell.of[record] = group
    cell.marks[group, SIZE] = slot + 1


@njit(**CALLED)
def leave(cell: Cell, record: int) -> None:
    """Take a record out of its group."""
    group = index(cell.of[record])
    if cell.state[FAILED] or group < 0 or not save(cell, group):
        return
    block, d, last = cell.block, cell.points.shape[1], cell.marks[group, SIZE] - 1
    weight, place, stale = cell.weights[record], last, False
    measure(cell, record, group, index(0))
    for slot in range(last + 1):
        pull = block[group, d + 1, slot]
        if cell.members[group, slot] == record:
            place = slot
        else:
            block[group, d + 1, slot] = pull - weight * cell.gaps[slot]
            stale |= block[group, d + 1, slot] < FADED * pull
    spread = cell.sums[group, SPREAD]
    cell.sums[group, SPREAD] = spread - weight * block[group, d + 1, place]
    stale |= cell.sums[group, SPREAD] < FADED * spread
    cell.sums[group, MASS] -= weight
    for row in range(d + 2):
        block[group, row, place] = block[group, row, last]
    cell.members[group, place] = cell.members[group, last]
    clear_slot(cell, group, last)
    cell.of[record] = -1
    cell.marks[group, SIZE] = last
    if last == 0:
        list_free(cell, group)
    if stale or last <= 1:
        add_up(cell, group)
    note_change(cell, group)


@njit(**CALLED)
def add_up(cell: Cell, group: int) -> None:
    """Sum a group's pulls, spread and mass anew."""
    d, spread, mass = cell.points.shape[1], 0.0, 0.0
    for slot in range(cell.marks[group, SIZE]):
        pull = pull_of(cell, index(cell.members[group, slot]), group)
        cell.block[group, d + 1, slot] = pull
        spread += 0.5 * cell.block[group, d, slot] * pull
        mass += cell.block[group, d, slot]
    cell.sums[group, SPREAD], cell.sums[group, MASS] = spread, mass
