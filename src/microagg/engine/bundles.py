"""Blocks that are kept together where records are put in the order of their blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.engine.contract import Ints

_BUNDLE = 100_000  # records, below which blocks are kept together


class Bundles(NamedTuple):
    """Blocks that are next to each other, so that no piece is too small."""

    of: Ints  # the bundle of each block
    counts: Ints  # records in each bundle
    first: Ints  # the first block of each, and how many blocks there are


def bundles_of(counts: Ints) -> Bundles:
    """Return the blocks in bundles of enough records, or of one block.

    >>> bundles_of(np.array([60_000, 60_000, 250_000, 10])).of.tolist()
    [0, 0, 1, 2]
    """
    of, held, number = np.empty(len(counts), np.int64), 0, -1
    for block, count in enumerate(counts.tolist()):
        if number < 0 or held >= _BUNDLE or held + count > 2 * _BUNDLE:
            number, held = number + 1, 0
        of[block] = number
        held += count
    return Bundles(
        of, np.bincount(of, weights=counts).astype(np.int64), np.searchsorted(of, np.arange(number + 2))
    )


def blocks_in(of: Ints, first: int, end: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield each block of a bundle, and which of its records belong to it.

    >>> [(block, records.tolist()) for block, records in blocks_in(np.array([8, 7, 8]), 7, 9)]
    [(7, [1]), (8, [0, 2])]
    """
    order = np.argsort(of, kind="stable")
    ends = np.searchsorted(of[order], np.arange(first + 1, end))
    yield from enumerate(np.split(order, ends), first)
