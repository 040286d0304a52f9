"""How small the loss of any partition can be: the one function of this folder for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from microagg.certificate.bound import Bound
from microagg.certificate.master import highs
from microagg.certificate.near import nearest_sse
from microagg.certificate.pool import first_groups
from microagg.certificate.problem import Floats, Group, problem_of, scale_of
from microagg.certificate.programme import finish, improve
from microagg.certificate.report import Clock, Report
from microagg.certificate.search import Search
from microagg.certificate.start import checked_labels, first_partition, searched_labels
from microagg.errors import Faults, InputError
from microagg.partition.matrix import Canonical, Labels, canonical

Method = Literal["auto", "exact", "cheap"]

LARGEST_K, MOST_RECORDS = 5, 5_000
"""How far the exact bound reaches."""

_RESERVE = 0.3  # of the time, for the integer programmes
_OF_SEARCH = 0.1  # of the time, for a partition to begin with
_SEARCHED = 200  # records from which such a search pays for being compiled


def lower_bound(
    X: ArrayLike,
    k: int,
    *,
    method: Method = "auto",
    labels: ArrayLike | None = None,
    seconds: float = 60.0,
    progress: Callable[[Bound], None] | None = None,
) -> Bound:
    """Return a loss that no k-partition of X is below, and the best partition known.

    The exact method treats the choice of groups as a linear programme over all groups of k to 2k - 1
    records, of which it generates those that matter, adds cuts, and in the end solves an integer
    programme over the groups that can be in a better partition. Larger groups need not be looked at:
    splitting one never adds to the loss. The bound is valid whenever the work stops: it comes from dual
    values by arithmetic in whole numbers (`lagrangian_bound` in pricing.py has the argument), so that
    neither rounding nor the tolerances of the solver can make it too high. Only a bound whose `proof` is
    "integer programme" rests on the solver, with a margin for its tolerances.

    What it costs: memory for three n x n matrices; time that depends on the data, for 1,000 records from
    seconds at k = 3 to minutes at k = 5, and about with the square of their number.

    Parameters
    ----------
    X
        The records, n x d, finite numbers on comparable scales.
    k
        The least number of records in a group, from 2 to n.
    method
        "exact", for k up to 5 and up to 5,000 records; "cheap", from nearest neighbours, for any size but
        far below the least loss as a rule; "auto", exact where that is in reach.
    labels
        A partition to begin with and to be judged, the better the sooner it ends; without it that of a
        search which takes a tenth of the time.
    seconds
        After about so many the bound is returned as it then is.
    progress
        Called with the bound so far; an exception raised in it stops the work.

    Raises
    ------
    InputError
        If X, k, the labels or the time cannot be used, or the exact bound is out of reach; all faults at
        once.

    Examples
    --------
    >>> bound = lower_bound([[0.0], [0.2], [1.0], [5.0], [5.1], [9.0], [9.2], [9.6]], k=2)
    >>> bound.labels.tolist(), bound.is_optimal
    ([0, 0, 0, 1, 1, 2, 2, 2], True)
    >>> print(bound)
    loss 0.63299 %, the best possible
    """
    records, given, way = _checked(X, k, method, labels, seconds)
    clock = Clock(seconds)
    matrix = np.asarray(X, np.float64).take(records.order, axis=0)
    report = Report(matrix, records.order, clock)
    if given is None and way == "exact" and len(matrix) >= _SEARCHED:
        given = searched_labels(matrix, int(k), _OF_SEARCH * seconds)
    partition = first_partition(matrix, int(k), given)
    if way == "exact":
        return _exact(matrix, int(k), partition, report, progress)
    least = np.ldexp(nearest_sse(records.points, int(k)), -2 * scale_of(records.points))
    bound = report.bound(float(least), "distances", partition)
    if progress is not None:
        progress(bound)
    return bound


def _exact(
    matrix: Floats, k: int, partition: list[Group], report: Report, progress: Callable[[Bound], None] | None
) -> Bound:
    """Generate groups, then solve integer programmes, until the gap is closed or the time is up."""
    problem = problem_of(matrix, k)

    def told(search: Search) -> Bound:
        sse = problem.scaled(search.bound)
        return report.bound(sse, search.proof, search.best, search.rounds)

    def tell(search: Search) -> None:
        if progress is not None and report.is_due():
            progress(told(search))

    search = Search(problem, partition, first_groups(problem.distances, k), report.clock, tell)
    search.run(_RESERVE * report.clock.left)
    improve(search)
    finish(search)
    bound = told(search)
    if progress is not None:
        progress(bound)
    return bound


def _checked(
    X: ArrayLike, k: int, method: str, labels: ArrayLike | None, seconds: float
) -> tuple[Canonical, Labels | None, str]:
    """Return the records in order, the partition given in that order, and the method; or name all faults."""
    faults = Faults()
    records = faults.attempt(canonical, X, k)
    if method not in get_args(Method):
        faults.append(f"method must be one of {', '.join(get_args(Method))}: found {method!r}")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        faults.append(f"seconds must be a number above zero, found {seconds!r}")
    given = None
    if records is not None:
        n = len(records.points)
        beyond = _out_of_reach(n, int(k))
        if method == "exact" and beyond:
            faults.append(beyond)
        if method == "auto":
            method = "cheap" if beyond else "exact"
        if labels is not None:
            given = faults.attempt(checked_labels, labels, n, int(k))
    if method == "exact" and not faults:
        faults.attempt(highs)
    InputError.raise_any(faults)
    assert records is not None
    return records, None if given is None else given[records.order], method


def _out_of_reach(records: int, k: int) -> str:
    """Say why the exact bound cannot be had for so many records and this k, and what can; or nothing."""
    if k <= LARGEST_K and records <= MOST_RECORDS:
        return ""
    minutes = 5.0 * (records / 1000) ** 2 * 4.0 ** (k - 5)
    time = f"{minutes:,.0f} minutes" if minutes < 120 else f"{minutes / 60:,.0f} hours"
    memory = 24 * records**2 / 2**30
    return (
        f"an exact bound for {records:,} records and k = {k} would take {memory:,.1f} GiB and, guessed from "
        f"smaller ones, {time}: it is made for k up to {LARGEST_K} and {MOST_RECORDS:,} records; "
        'method="cheap" bounds any table, from farther below'
    )
