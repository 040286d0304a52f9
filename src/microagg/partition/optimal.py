"""The best groups there are, of a very few records, by looking at all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.errors import Faults, InputError
from microagg.partition.matrix import Floats, Labels, Progress, canonical

MOST = 16  # records; each more makes three times the work
SECONDS_OF_MOST = 1.5  # measured at the k of most work


@dataclass(frozen=True)
class Optimal:
    """The partition of least loss, for up to 16 records: exact, whatever the number of columns.

    In a best partition all groups hold k to 2k - 1 records, since a larger one can be split without
    loss. With f(M) the least SSE of a set M of records, and r the first record of M,

        f(M) = min over groups S of M with r in S  of  SSE(S) + f(M without S)

    and f is computed for the sets of the last record, then the last two, and so on: about 3**n steps.
    Of equally good partitions the same one comes out always, whatever the order of the rows.

    It is the measure of the other methods, in tests and lessons, rather than a method for tables.

    Research interface: labels only. `protect` checks what it releases.

    Examples
    --------
    >>> Optimal().partition([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.2]], k=2).tolist()
    [0, 0, 0, 1, 1, 2, 2]
    """

    def partition(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Labels:
        """Return the group of each record; parameters are those of `MDAV.partition`.

        Raises InputError as that does, and for more than 16 records.
        """
        faults = Faults()
        records = faults.attempt(canonical, X, k, weights)
        faults.attempt(_check_size, np.shape(X)[0] if np.ndim(X) else 0)
        InputError.raise_any(faults)
        assert records is not None
        search = _Search(records.points, records.weights, int(k))
        for first in reversed(range(len(records.points))):
            search.settle(first)
            if progress is not None:
                progress(_share(len(records.points), first), len(records.points))
        return records.restore(search.labels())


class _Search:
    """The least loss of sets of records, and the group of their first record that it takes.

    A set is a whole number: bit i stands for record i.
    """

    def __init__(self, points: Floats, weights: Floats, k: int) -> None:
        self.n = len(points)
        self.least = np.full(1 << self.n, np.inf)
        self.least[0] = 0.0
        self.taken = np.zeros(1 << self.n, np.int64)
        self.groups: list[list[tuple[int, float]]] = [[] for _ in range(self.n)]  # by first record
        for size in range(k, min(2 * k - 1, self.n) + 1):
            members = np.array(list(combinations(range(self.n), size)))
            sets = (1 << members).sum(axis=1)
            losses = _squares_within(points, weights, members)
            for first, group, loss in zip(members[:, 0], sets.tolist(), losses.tolist(), strict=True):
                self.groups[first].append((group, loss))

    def settle(self, first: int) -> None:
        """Find the least loss of all sets with this first record; those without it are settled."""
        later: NDArray[np.int64] = np.arange(1 << (self.n - first - 1), dtype=np.int64) << (first + 1)
        later = later[np.isfinite(self.least[later])]  # sets of too few records have no partition
        for group, loss in self.groups[first]:
            rest = later[(later & group) == 0]
            cost = self.least[rest] + loss
            whole = rest | group
            better = cost < self.least[whole]
            self.least[whole[better]] = cost[better]
            self.taken[whole[better]] = group

    def labels(self) -> Labels:
        """Return the groups of the set of all records, numbered by their first records."""
        labels = np.empty(self.n, np.int32)
        left, number = (1 << self.n) - 1, 0
        while left:
            group = int(self.taken[left])
            labels[[record for record in range(self.n) if group >> record & 1]] = number
            left, number = left & ~group, number + 1
        return labels


def _squares_within(points: Floats, weights: Floats, members: NDArray[np.intp]) -> Floats:
    """Return the SSE of groups of one size, each a row of members."""
    x = points[members]  # group x member x column
    w = weights[members][:, :, None] if weights.size else np.ones((1, 1, 1))
    mean = (w * x).sum(axis=1, keepdims=True) / (w * np.ones_like(x[:, :, :1])).sum(axis=1, keepdims=True)
    squares: Floats = (w * (x - mean) ** 2).sum(axis=(1, 2))
    return squares


def _check_size(records: int) -> None:
    if records > MOST:
        raise InputError(
            f"{records:,} records are too many for all partitions to be looked at: expected at most {MOST}. "
            f"That would take about {_told(records)}: take Refined(), or another method"
        )


def _told(records: int) -> str:
    """Tell about how long so many records would take."""
    seconds = SECONDS_OF_MOST * 3.0 ** min(records - MOST, 60)
    if seconds > 3e9:
        return "more than a lifetime"
    return f"{seconds:,.0f} seconds" if seconds < 3600 else f"{seconds / 3600:,.0f} hours"


def _share(records: int, first: int) -> int:
    """Return how many records' worth of work is done: the last of them is two thirds."""
    return int(records * 3.0**-first)
