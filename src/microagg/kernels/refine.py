"""Iterated local search on a cell of groups: kick a few, settle those touched, keep or undo."""

from __future__ import annotations

import numpy as np
from numba import njit

from microagg.kernels.refine_cell import (
    AGE,
    AGEING,
    BEST,
    CHANGED,
    CURRENT,
    DONE,
    FAILED,
    HEAT,
    LOGGED,
    QUEUED,
    SIZE,
    TOUCHED,
    WAITS,
    WITHIN,
    Cell,
    add_up,
    chance,
    clear_slot,
    index,
    loss_of,
    seat,
    undo,
)
from microagg.kernels.refine_kicks import kick
from microagg.kernels.refine_pairs import settle, settle_waiting
from microagg.kernels.tree import COMPILE


@njit(**COMPILE)
def refine(cell: Cell, iterations: int) -> None:
    """Do so many iterations: look at a group that waits from the beginning, or else kick and settle.

    A change for the worse by c is kept with a probability of about exp(-c / T). The temperature T is
    a share of the loss of the groups touched, which falls as iterations go by, no matter how many
    there will be. So a run that is stopped is the beginning of a longer one.
    """
    state, level = cell.state, cell.level
    for _ in range(iterations):
        state[DONE] += 1
        state[LOGGED] = state[FAILED] = 0
        if state[QUEUED] > 0:
            state[QUEUED] -= 1
            group = index(cell.queue[state[QUEUED]])
            cell.marks[group, WAITS] = 0
            settle(cell, group)
        else:
            kick(cell)
            settle_waiting(cell)
        before, after = losses(cell)
        level[AGE] += level[AGEING]
        temperature = level[HEAT] / (1.0 + level[AGE]) * before / max(state[LOGGED], 1)
        worse = after - before
        if state[FAILED] or not (worse <= 0.0 or worse < temperature * lenience(cell)):
            undo(cell)
        else:
            level[CURRENT] += worse
            if level[CURRENT] < level[BEST] - 1e-12 * before:
                remember(cell)


@njit(**WITHIN)
def losses(cell: Cell) -> tuple[float, float]:
    """Return the loss of the groups touched, before and after this iteration."""
    before = after = 0.0
    for place in range(cell.state[LOGGED]):
        if cell.old_size[place, 0] > 1:
            before += cell.old_sums[place, 0] / cell.old_sums[place, 1]
        after += loss_of(cell, index(cell.logged[place]))
    return before, after


@njit(**WITHIN)
def lenience(cell: Cell) -> float:
    """Draw a number about as -log(u) would be, but of exact operations, alike on every machine."""
    root = np.sqrt(chance(cell))
    return 2.0 * (1.0 - root) / np.sqrt(root)


@njit(**WITHIN)
def remember(cell: Cell) -> None:
    """Note that no partition was better than this one."""
    cell.level[BEST] = cell.level[CURRENT]
    for place in range(cell.state[TOUCHED]):
        group = index(cell.changed[place])
        cell.marks[group, CHANGED] = 0
        for slot in range(cell.marks[group, SIZE]):
            cell.best[cell.members[group, slot]] = group
    cell.state[TOUCHED] = 0


@njit(**COMPILE)
def restore(cell: Cell) -> None:
    """Go back to the best partition, and sum the groups that were changed since then anew."""
    count = 0
    for place in range(cell.state[TOUCHED]):
        group = index(cell.changed[place])
        for slot in range(cell.marks[group, SIZE]):
            cell.between[count] = cell.members[group, slot]
            count += 1
            clear_slot(cell, group, index(slot))
        cell.marks[group, SIZE] = 0
    for place in range(count):
        record = index(cell.between[place])
        seat(cell, record, index(cell.best[record]), 0.0)
    for place in range(cell.state[TOUCHED]):
        add_up(cell, index(cell.changed[place]))
        cell.marks[cell.changed[place], CHANGED] = 0
    cell.level[CURRENT] = cell.level[BEST]
    cell.state[TOUCHED] = 0


@njit(**COMPILE)
def fill(cell: Cell) -> None:
    """Put every record of the cell into the group that `best` names, where there are none so far."""
    for place in range(len(cell.records)):
        record = index(cell.records[place])
        seat(cell, record, index(cell.best[record]), 0.0)
    for place in range(cell.state[QUEUED]):
        add_up(cell, index(cell.queue[place]))
