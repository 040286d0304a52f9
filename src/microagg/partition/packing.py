"""Leaves put together into blocks of about the same size: cut at the median, again and again."""

from __future__ import annotations

import numpy as np

from microagg.partition.cells import Boxes
from microagg.partition.grid import BITS, Grid, Ints
from microagg.partition.matrix import Floats

FINE = 64  # leaves that make up a full block, at least
SPARE = 32  # a block is to have room for so large a part more: no cut is quite where it should be


def packed(boxes: Boxes, grid: Grid, k: int, most: int) -> Ints:
    """Return the block of each leaf, so that few blocks have more than `most` records and none fewer than k.

    All leaves are cut in two along the column in which their middles vary most, where the numbers of
    records come nearest to whole blocks on either side; then each part, and so on. A block keeps more
    than `most` records only if no cut leaves k on both sides, as with many records at one place.
    """
    middles, counts = middles_of(boxes, grid), boxes.counts
    block = np.empty(len(counts), np.int64)
    waiting = [(np.arange(len(counts)), -(-int(counts.sum()) // (most - most // SPARE)))]
    blocks = 0
    while waiting:
        leaves, wanted = waiting.pop()
        records = int(counts[leaves].sum())
        wanted = max(wanted, 2, -(-records // most))
        cut = None if records <= most else _cut(middles[:, leaves], counts[leaves], wanted, k)
        if cut is None:
            block[leaves] = blocks
            blocks += 1
            continue
        order, place = cut
        left = round(wanted * int(counts[leaves[order[:place]]].sum()) / records)
        left = min(max(left, 1), wanted - 1)
        waiting += [(leaves[order[place:]], wanted - left), (leaves[order[:place]], left)]
    return block


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
