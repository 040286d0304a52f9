"""Which block each record belongs to: cells, and what they are put together to.

Nothing here sees more than counts and sums over records, so that it does not matter where these lie.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from microagg.partition.cells import Cells, intervals, located
from microagg.partition.counting import Counter
from microagg.partition.fusing import fused
from microagg.partition.grid import Grid, Ints, halvings_at_once, halvings_of_longest
from microagg.partition.growth import grown
from microagg.partition.packing import leaf_limit, packed

Tree = Literal["median", "2^d", "univariate"]


class Layout(NamedTuple):
    """The blocks, and what belongs to which.

    The records of block b, in canonical order, are cut into pieces[b] parts as equal as can be, the larger
    ones first; the method is applied to each part by itself.
    """

    grid: Grid
    cells: Cells
    block: Ints  # of each leaf
    counts: Ints  # records in each block
    pieces: Ints
    leaves: int  # with records
    empty: int  # and without, which the tree has too
    fusions: int

    def block_of(self, codes: Ints) -> Ints:
        """Return the block of each record, from its codes."""
        return self.block[located(self.cells, codes)]


def layout(
    grid: Grid, records: int, k: int, most: int, tree: Tree, counter: Counter, *, hard_limit: bool = False
) -> Layout:
    """Return the blocks of so many records, which are counted by the counter, as often as it takes."""
    if tree == "median":
        return _median(grid, records, k, most, counter)
    if tree == "univariate":
        cells = intervals(grid, -(-records // most))
    else:
        cells = grown(grid, halvings_at_once(grid), records, most, counter)
    sums = counter.sums(cells)
    used = np.flatnonzero(sums.counts)
    joined = fused(sums.of(used), grid, k)
    block = np.full(len(sums.counts), -1)
    block[used] = joined.block
    empty = len(sums.counts) - len(used)
    if tree == "2^d":
        empty = cells.splits * (2 ** len(grid.columns) - 1) + 1 - len(used)
    counts = _totals(sums.counts[used], joined.block)
    heavy = np.zeros(len(counts), np.bool_)
    if tree == "2^d":
        heavy[block[cells.whole & (cells.leaves.counts > most)]] = True
    pieces = np.where(hard_limit | heavy, _pieces(counts, k, most), 1)
    return Layout(grid, cells, block, counts, pieces, len(used), empty, joined.fusions)


def _median(grid: Grid, records: int, k: int, most: int, counter: Counter) -> Layout:
    limit = most if records <= most else leaf_limit(most)
    cells = grown(grid, halvings_of_longest(grid), records, limit, counter)
    block = packed(cells.leaves, grid, k, most)
    counts = _totals(cells.leaves.counts, block)
    return Layout(grid, cells, block, counts, _pieces(counts, k, most), len(block), 0, 0)


def _totals(counts: Ints, block: Ints) -> Ints:
    totals = np.zeros(int(block.max()) + 1, np.int64)
    np.add.at(totals, block, counts)
    return totals


def _pieces(counts: Ints, k: int, most: int) -> Ints:
    """Return in how many pieces a block is cut so that none has more than `most`, nor fewer than k."""
    return np.minimum(-(-counts // most), np.maximum(counts // k, 1))


def piece_ends(count: int, pieces: int) -> Ints:
    """Return where each piece of a block ends, counted from the block's first record."""
    size, larger = divmod(count, pieces)
    return np.cumsum(np.where(np.arange(pieces) < larger, size + 1, size))
