"""What parts the records: no group reaches over two strata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]


class Strata(NamedTuple):
    """The stratum of each record, numbered in the order of the values that make them."""

    of: Ints
    record: Ints  # a record of each stratum, to show its values

    def sizes(self, units: Ints | None = None) -> Ints:
        """Return how many records each stratum holds, or how many units if several records make one."""
        if units is None:
            return np.bincount(self.of, minlength=self.record.size)
        pairs = np.unique(np.column_stack((self.of, units)), axis=0)
        return np.bincount(pairs[:, 0], minlength=self.record.size)


def parted(values: Sequence[NDArray[np.integer]], records: int) -> Strata:
    """Return the strata of records that are equal in all of these columns, given as ranks."""
    of = np.zeros(records, dtype=np.intp)
    if not values:  # without sorting them: the zeros of a large table take no memory until they are used
        return Strata(of, np.zeros(min(records, 1), dtype=np.intp))
    for ranks in values:
        of = np.unique(of * (int(ranks.max(initial=0)) + 1) + ranks, return_inverse=True)[1]
    _, record = np.unique(of, return_index=True)
    return Strata(of, record)


def with_small_merged(sizes: Ints, k: int) -> Ints:
    """Return for each stratum the first of those that it is merged with, or itself.

    All that are smaller than k become one; if that is still too small, the next smallest joins them.

    >>> with_small_merged(np.array([9, 1, 2, 5, 7]), k=5).tolist()
    [0, 1, 1, 1, 4]
    """
    by_size = np.lexsort((np.arange(sizes.size), sizes))
    needed = int(np.count_nonzero(sizes < k))
    merged = np.arange(sizes.size)
    if needed:
        total = np.cumsum(sizes[by_size])
        needed = max(needed, int(np.searchsorted(total, k)) + 1)
        together = by_size[:needed]
        merged[together] = together.min()
    return merged
