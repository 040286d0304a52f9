"""Leaves put together into blocks of about the same size: cut at the median, again and again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from microagg.partition.cells import Boxes
from microagg.partition.grid import BITS, Grid, Ints
from microagg.partition.matrix import Floats

FINE = 64  # leaves that make up a full block, at least
SPARE = 2  # leaves for which a block is to have room: no cut is quite where it should be


def leaf_limit(most: int) -> int:
    """Return the most records in a leaf."""
    return max(1, most // FINE)


def packed(boxes: Boxes, grid: Grid, k: int, most: int) -> Ints:
    """Return the block of each leaf, so that few blocks have more than `most` records and none fewer than k.

    A leaf whose records are all the same is a block by itself, if they are k at least: they lose nothing
    among themselves. The others are cut in two along the column in which their middles vary most, where
    the numbers of records come nearest to whole blocks on either side; then each part, and so on. A block
    keeps more than `most` records only if no cut leaves k on both sides.
    """
    alone = (boxes.free == 0).all(axis=0) & (boxes.counts >= k)
    if 0 < boxes.counts[~alone].sum() < k:
        alone[alone.nonzero()[0][boxes.counts[alone].argmin()]] = False  # the few others must go somewhere
    block = np.full(len(boxes.counts), -1)
    block[alone] = np.arange(np.count_nonzero(alone))
    blocks = np.count_nonzero(alone)
    for leaves in _parts(middles_of(boxes, grid), boxes.counts, np.flatnonzero(~alone), k, most):
        block[leaves] = blocks
        blocks += 1
    return block


def _parts(middles: Floats, counts: Ints, leaves: Ints, k: int, most: int) -> Iterator[Ints]:
    """Yield the leaves of each block, those that lie together one after the other."""
    aim = most - SPARE * (leaf_limit(most) - 1)
    waiting = [(leaves, -(-int(counts[leaves].sum()) // aim))] if leaves.size else []
    while waiting:
        leaves, wanted = waiting.pop()
        records = int(counts[leaves].sum())
        wanted = max(wanted, 2, -(-records // most))
        cut = None if records <= most else _cut(middles[:, leaves], counts[leaves], wanted, k)
        if cut is None:
            yield leaves
            continue
        order, place = cut
        left = round(wanted * int(counts[leaves[order[:place]]].sum()) / records)
        left = min(max(left, 1), wanted - 1)
        waiting += [(leaves[order[place:]], wanted - left), (leaves[order[:place]], left)]


def middles_of(boxes: Boxes, grid: Grid) -> Floats:
    """Return the middle of each cell, columns x cells, from the low end of the grid."""
    half = np.where(boxes.free > 0, np.ldexp(0.5, boxes.free), 0.0)
    middles: Floats = (boxes.low + half) * 2.0**-BITS * grid.span[:, np.newaxis]
    return middles


def _cut(middles: Floats, counts: Ints, wanted: int, k: int) -> tuple[Ints, int] | None:
    """Return an order of the leaves and the place to cut it; None if either side would have fewer than k."""
    mass = counts / counts.sum()
    apart = middles - (middles * mass).sum(axis=1, keepdims=True)
    widest = int((apart * apart * mass).sum(axis=1).argmax())
    order = np.argsort(middles[widest], kind="stable")
    before = np.cumsum(counts[order])
    possible = np.flatnonzero((before >= k) & (before[-1] - before >= k))
    if not possible.size:
        return None
    aim = before[-1] * (wanted // 2 / wanted)
    return order, int(possible[np.abs(before[possible] - aim).argmin()]) + 1
