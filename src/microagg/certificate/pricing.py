"""Runs the compiled pricing in short slices, and says what bound follows from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from microagg.certificate.master import Cut
from microagg.certificate.problem import Floats, Group, Ints, Problem
from microagg.kernels.pricing import FOUND, FULL, Prices, new_walk, price

SLICE_SECONDS = 0.05
FIRST_SLICE = 20_000  # candidates
NO_LIMIT = 2**61
"""To keep of each record as many groups as there are."""

_MOST_DUAL = 2**48  # four times the SST, beyond which sums might not fit
_MOST_PENALTIES = 2**55  # together


class Duals(NamedTuple):
    """Prices of the records and penalties of the cuts, in whole units."""

    records: Ints
    penalties: Ints


class Priced(NamedTuple):
    """The groups found, and the least reduced cost of the groups of each record."""

    groups: list[Group]
    cheapest: Ints
    complete: bool  # whether all records and all their groups were looked at

    @property
    def least(self) -> int:
        """The least reduced cost there is, rounded down; 0 if none is below."""
        return int(self.cheapest.min(initial=0))


def lagrangian_bound(problem: Problem, duals: Duals, priced: Priced) -> int:
    """Return what no partition costs less than, in units: exact, since all of it is whole numbers.

    Let c(S) be the cost of a group, u the duals of the records, v >= 0 the penalties of the cuts, and
    r(S) = c(S) - sum of u(i) over S + sum of v(T) over the cuts T of which S holds two records or three,
    its reduced cost. Take any partition. It holds every record once, and at most one of its groups holds
    two records or three of a cut. So

        cost  =  sum of c(S)  >=  sum of all u  -  sum of all v  +  sum of r(S) over its groups,

    whatever u and v >= 0 are: those of HiGHS need not be right, only near. Each group belongs to its first
    record, in some order of the records, and each record is the first of at most one group: so the last
    sum is no less than the sum, over the records, of the least reduced cost of their groups or 0. And as
    there are at most n/k groups, no less than n/k times the least of all.
    """
    cheapest = np.minimum(priced.cheapest, 0)
    groups = len(problem.distances) // problem.k
    rest = max(sum(cheapest.tolist()), groups * min(cheapest.tolist()))
    bound: int = sum(duals.records.tolist()) - sum(duals.penalties.tolist()) + rest
    return bound


def whole_duals(records: Floats, penalties: Floats, scale: float) -> Duals:
    """Return duals in the scale of the linear programme as whole units, such that no sum overflows."""
    most = min(_MOST_DUAL, _MOST_PENALTIES // max(len(penalties), 1))
    return Duals(
        np.clip(np.rint(records * scale), -_MOST_DUAL, _MOST_DUAL).astype(np.int64),
        np.clip(np.rint(penalties * scale), 0, most).astype(np.int64),
    )


def price_groups(
    problem: Problem,
    duals: Duals,
    cuts: Sequence[Cut],
    *,
    below: int = 0,
    keep: int = 2,
    capacity: int | None = None,
    pause: Callable[[], bool],
) -> Priced:
    """Return the groups of reduced cost below a limit, of each record at most `keep`.

    `pause` is called between slices; if it says True the search ends there, incomplete.
    """
    n, k = len(problem.distances), problem.k
    prices = _prices(problem, duals, cuts)
    walk = new_walk(n, k, len(cuts), n * keep if capacity is None else capacity)
    budget, done, stopped = FIRST_SLICE, False, False
    while not (done or stopped):
        began = perf_counter()
        done = price(prices, walk, k, below, keep, budget)
        ratio = SLICE_SECONDS / max(perf_counter() - began, 1e-3)
        budget = int(budget * min(max(ratio, 0.5), 2.0)) + 1
        stopped = not done and pause()
    found = int(walk.state[FOUND])
    rows, sizes = walk.groups[:found].tolist(), walk.sizes[:found].tolist()
    groups = [tuple(sorted(row[:size])) for row, size in zip(rows, sizes, strict=True)]
    return Priced(groups, walk.cheapest, done and not walk.state[FULL])


def _prices(problem: Problem, duals: Duals, cuts: Sequence[Cut]) -> Prices:
    """Return what the search reads; cuts without a penalty are left out."""
    n = len(problem.distances)
    charged = np.flatnonzero(duals.penalties > 0)
    triples = np.array(cuts, np.int64).reshape(-1, 3)[charged]
    records = triples.ravel()
    order = np.argsort(records, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(records, minlength=n)))).astype(np.int64)
    return Prices(
        problem.distances,
        problem.near,
        duals.records,
        np.argsort(duals.records, kind="stable").astype(np.int64),
        starts,
        np.repeat(charged, 3)[order].astype(np.int64),
        duals.penalties,
    )
