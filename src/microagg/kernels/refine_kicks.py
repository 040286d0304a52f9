"""Kicks: changes to a few neighbouring groups that local search would not make, since they cost at first."""

from __future__ import annotations

import numpy as np
from numba import njit

from microagg.kernels.refine_cell import (
    CALLED,
    FAILED,
    MASS,
    SEEN,
    SIZE,
    SPREAD,
    STAMP,
    WITHIN,
    Cell,
    K,
    chance,
    cost_of_joining,
    draw,
    index,
    is_own,
    join,
    leave,
    loss_of,
    measure,
    pull_of,
    take_free,
)
from microagg.kernels.tree import INNER

DISSOLVED, DONORS, HALVES = range(3)  # rows of `pool`, for what goes on at the same time
CHAIN, NEIGHBOURHOOD = 4, 4  # most records in a chain, most groups formed anew at once
CROWD = 14  # groups that are asked whether a record may join


@njit(**WITHIN)
def kick(cell: Cell) -> None:
    """Change a few groups around a record drawn from the cell, in one of four ways."""
    record = index(cell.records[draw(cell, index(len(cell.records)))])
    way = draw(cell, index(100))
    if way < 35:
        eject(cell, record)
    elif way < 55:
        create(cell, record)
    elif way < 75:
        dissolve(cell, index(cell.of[record]), 0.3 * draw(cell, index(2)))
    else:
        form_anew(cell, record)


@njit(**CALLED)
def eject(cell: Cell, record: int) -> None:
    """Let a record push one out of a group beside it, that one the next, and the last come home or stay."""
    home = index(cell.of[record])
    last = home
    leave(cell, record)
    for _ in range(1 + draw(cell, index(CHAIN))):
        group = group_beside(cell, record, home, last)
        if group < 0:
            break
        pushed = index(cell.members[group, draw(cell, cell.marks[group, SIZE])])
        leave(cell, pushed)
        join(cell, record, group)
        record, last = pushed, group
    stays = last != home and draw(cell, index(2)) == 1
    join(cell, record, last if stays else home)
    if stays:
        mend(cell, last)
        mend(cell, home)


@njit(**CALLED)
def group_beside(cell: Cell, record: int, home: int, last: int) -> int:
    """Draw a group near a record that is neither of two, -1 if none is found."""
    reach = min(index(cell.near.shape[1]), 2 * cell.state[K] + 6)
    for _ in range(8):
        group = index(cell.of[cell.near[record, draw(cell, reach)]])
        if is_own(cell, group) and group != home and group != last:
            return group
    return index(-1)


@njit(**CALLED)
def mend(cell: Cell, group: int) -> None:
    """Split a group that has become too large, dissolve one that has become too small."""
    size = cell.marks[group, SIZE]
    if size >= 2 * cell.state[K]:
        split(cell, group)
    elif 0 < size < cell.state[K]:
        dissolve(cell, group, 0.0)


@njit(**CALLED)
def dissolve(cell: Cell, group: int, noise: float) -> None:
    """Let each member of a group join another beside it."""
    size = cell.marks[group, SIZE]
    pool = cell.pool[DISSOLVED]
    for slot in range(size):
        pool[slot] = cell.members[group, slot]
    for slot in range(size - 1, 0, -1):
        other = draw(cell, index(slot + 1))
        pool[slot], pool[other] = pool[other], pool[slot]
    for slot in range(size):
        leave(cell, index(pool[slot]))
    for slot in range(size):
        house(cell, index(pool[slot]), group, noise)


@njit(**CALLED)
def house(cell: Cell, record: int, not_in: int, noise: float) -> None:
    """Let a record join the group beside it where it costs least, and split that if it grew too large.

    The iteration fails if there is none.
    """
    if cell.state[FAILED]:
        return
    cell.state[STAMP] += 1
    seen, asked, best, least = cell.state[STAMP], 0, index(-1), np.inf
    for t in range(cell.near.shape[1]):
        group = index(cell.of[cell.near[record, t]])
        if not is_own(cell, group) or group == not_in or cell.marks[group, SEEN] == seen:
            continue
        cell.marks[group, SEEN] = seen
        if cell.marks[group, SIZE] >= 2 * cell.state[K]:
            continue
        cost = cost_of_joining(cell, record, group) * (1.0 + noise * chance(cell))
        if cost < least:
            least, best = cost, group
        asked += 1
        if asked == CROWD:
            break
    if best < 0:
        cell.state[FAILED] = 1
        return
    join(cell, record, best)
    if cell.marks[best, SIZE] >= 2 * cell.state[K]:
        split(cell, best)


@njit(**CALLED)
def split(cell: Cell, group: int) -> None:
    """Split a group in halves, along the line between its two members farthest apart."""
    size, half = cell.marks[group, SIZE], cell.marks[group, SIZE] // 2
    farthest, a, b = -1.0, index(0), index(0)
    for slot in range(size):
        measure(cell, index(cell.members[group, slot]), group, index(slot))
        for other in range(slot):
            gap = cell.gaps[slot * cell.members.shape[1] + other]
            if gap > farthest:
                farthest, a, b = gap, index(slot), index(other)
    pool, width = cell.pool[HALVES], cell.members.shape[1]
    for slot in range(size):
        pool[slot] = cell.members[group, slot]
        cell.across[slot] = cell.gaps[slot * width + a] - cell.gaps[slot * width + b]
    new = take_free(cell)
    for place in range(half):
        first = place
        for slot in range(place + 1, size):
            if cell.across[slot] < cell.across[first]:
                first = slot
        pool[place], pool[first] = pool[first], pool[place]
        cell.across[place], cell.across[first] = cell.across[first], cell.across[place]
        leave(cell, index(pool[place]))
        join(cell, index(pool[place]), new)


@njit(**CALLED)
def create(cell: Cell, record: int) -> None:
    """Form a new group around a record, of those near it whose own groups miss them least."""
    k, donors, given = cell.state[K], cell.pool[DONORS], 0
    noise = 0.5 if draw(cell, index(2)) else 0.1
    new = take_free(cell)
    joining = record
    while joining >= 0 and not cell.state[FAILED]:
        donors[given] = cell.of[joining]
        given += 1
        leave(cell, joining)
        join(cell, joining, new)
        joining = next_to_join(cell, record, new, noise) if given < k else index(-1)
    for t in range(given):
        mend(cell, index(donors[t]))
    mend(cell, new)


@njit(**WITHIN)
def next_to_join(cell: Cell, record: int, new: int, noise: float) -> int:
    """Return the record near another that costs a new group least and its own group misses least."""
    best, least = index(-1), np.inf
    for t in range(min(index(cell.near.shape[1]), 3 * cell.state[K] + 6)):
        other = index(cell.near[record, t])
        group = index(cell.of[other])
        if not is_own(cell, group) or group == new:
            continue
        cost = cost_of_joining(cell, other, new)
        share = 1.0 if cell.marks[group, SIZE] > cell.state[K] else 0.3  # of smaller ones little will stay
        value = cost * (1.0 + noise * chance(cell)) - share * relief(cell, other, group)
        if value < least:
            best, least = other, value
    return best


@njit(**WITHIN)
def relief(cell: Cell, record: int, group: int) -> float:
    """Return by how much the loss of a group would fall without one of its members."""
    for slot in range(cell.marks[group, SIZE]):
        if cell.members[group, slot] == record:
            weight = cell.block[group, -2, slot]
            mass = cell.sums[group, MASS] - weight
            left = (
                (cell.sums[group, SPREAD] - weight * cell.block[group, -1, slot]) / mass
                if mass > 0.0
                else 0.0
            )
            return loss_of(cell, group) - left
    return 0.0


@njit(**CALLED)
def form_anew(cell: Cell, record: int) -> None:
    """Dissolve two or more groups around a record, and form new ones as MDAV would, but with some chance."""
    k, pool = cell.state[K], cell.pool[DISSOLVED]
    remaining = gather(cell, record, 2 + draw(cell, index(NEIGHBOURHOOD - 1)))
    while remaining >= 2 * k and not cell.state[FAILED]:
        seed = farthest_of_pool(cell, remaining)
        new = take_free(cell)
        for size in range(k):
            place = seed if size == 0 else nearest_of_pool(cell, new, remaining)
            remaining -= 1
            joining = index(pool[place])
            pool[place] = pool[remaining]
            join(cell, joining, new)
    if remaining >= k:
        new = take_free(cell)
        for place in range(remaining):
            join(cell, index(pool[place]), new)
    else:
        for place in range(remaining):
            house(cell, index(pool[place]), index(-1), 0.0)


@njit(**WITHIN)
def gather(cell: Cell, record: int, groups: int) -> int:
    """Dissolve up to so many groups around a record into the pool; return how many records are there."""
    count, reach = index(0), min(index(cell.near.shape[1]), 2 * cell.state[K] + 4)
    around, group = record, index(cell.of[record])
    for _ in range(groups):
        while group >= 0 and cell.marks[group, SIZE] > 0 and not cell.state[FAILED]:
            cell.pool[DISSOLVED, count] = cell.members[group, cell.marks[group, SIZE] - 1]
            leave(cell, index(cell.pool[DISSOLVED, count]))
            count += 1
        for _ in range(8):
            group = index(cell.of[cell.near[around, draw(cell, reach)]])
            if is_own(cell, group):
                break
            group = index(-1)
        around = index(cell.pool[DISSOLVED, draw(cell, count)])
    return count


@njit(**INNER)
def farthest_of_pool(cell: Cell, remaining: int) -> int:
    """Return the place of about the farthest record from one drawn, or now and then of any."""
    pool = cell.pool[DISSOLVED]
    drawn = draw(cell, remaining)
    if draw(cell, index(3)) == 0:
        return drawn
    best, most = drawn, -1.0
    for place in range(remaining):
        gap = 0.0
        for j in range(cell.points.shape[1]):
            gap += (cell.points[pool[place], j] - cell.points[pool[drawn], j]) ** 2
        gap *= 1.0 + 0.3 * chance(cell)
        if gap > most:
            most, best = gap, index(place)
    return best


@njit(**WITHIN)
def nearest_of_pool(cell: Cell, group: int, remaining: int) -> int:
    """Return the place of about the record nearest to the members of a group."""
    best, least = index(0), np.inf
    for place in range(remaining):
        pull = pull_of(cell, index(cell.pool[DISSOLVED, place]), group) * (1.0 + 0.15 * chance(cell))
        if pull < least:
            least, best = pull, index(place)
    return best
