"""The end of the search: integer programmes over the groups that can be in a better partition."""

from __future__ import annotations

import numpy as np

from microagg.certificate.master import Programme, solve_integer
from microagg.certificate.pricing import NO_LIMIT, Priced, price_groups
from microagg.certificate.problem import Group
from microagg.certificate.search import NOTHING, TOLERANCE, Search

_OF_POOL = (3_000, 12_000)  # groups of the pool from which good partitions are made
_OF_ALL = (3_000, 200_000)  # groups with which the bound is raised: the first list and the longest
_SHARE = 0.4  # of the time that is left, for a programme that cannot settle everything
_HOPELESS = 64  # times the limit, a gap that will not be closed this way


def improve(search: Search) -> None:
    """Make good partitions of the groups found so far, those of least reduced cost."""
    for most in _OF_POOL:
        if search.closed or search.out_of_time():
            return
        places = np.argsort(search.reduced, kind="stable")[:most]
        _solve(search, [search.pool.groups[place] for place in places], _SHARE)


def finish(search: Search) -> None:
    """Raise the bound, and find better partitions, until the two meet or it takes too long.

    Let L be the Lagrangian bound and g > 0. A partition with a group whose reduced cost is g or more
    costs at least L + g, since the other groups cannot make up for it. All others are made of the groups
    below g, which pricing can list. So no partition costs less than the best of those groups, which an
    integer programme finds, or than L + g. With a short list g is small; what it finds narrows the gap,
    so that a list with g as large as the gap, which settles all, becomes short enough.
    """
    if search.proven == NOTHING:
        return
    most, longest = _OF_ALL
    below = search.best_cost - search.proven + 1
    while most <= longest and not search.closed and not search.out_of_time():
        gap = search.best_cost - search.proven + 1
        below = min(below, gap)
        while not (near := _groups_below(search, below, most)).complete:
            below //= 2
            if search.out_of_time() or _HOPELESS * below < gap:
                return
        found = _solve(search, near.groups, 1.0 if below == gap else _SHARE)
        safe = (found.bound - TOLERANCE * abs(found.value)) * search.scale
        if np.isfinite(safe):
            bound = min(int(safe), search.proven + below, search.best_cost)
            search.raise_bound(bound, "integer programme")
        most, below = 2 * most, 4 * below


def _groups_below(search: Search, below: int, most: int) -> Priced:
    """Return the groups of reduced cost below a limit; incomplete if they are more than so many."""
    records, penalties = search.proven_at
    duals = search.duals(records, penalties)
    cuts = search.master.cuts[: len(penalties)]
    return price_groups(
        search.problem, duals, cuts, below=below, keep=NO_LIMIT, capacity=most, pause=search.out_of_time
    )


def _solve(search: Search, groups: list[Group], share: float) -> Programme:
    """Solve the programme over these groups and those of the best partition, and offer what it finds."""
    candidates = sorted({*groups, *search.best})
    costs = np.array([search.problem.cost(group) for group in candidates]) / search.scale
    n = len(search.problem.distances)
    seconds = share * search.clock.left
    found = solve_integer(n, candidates, costs, search.master.cuts, search.best, seconds)
    if sorted(record for group in found.groups for record in group) == list(range(n)):
        search.offer(found.groups)
    return found
