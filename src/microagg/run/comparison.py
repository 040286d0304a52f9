"""The risk-utility map: methods by k, what each loses and risks, and which to choose."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Unpack

import microagg.tables as tables
from microagg.errors import Faults, InputError
from microagg.kernels.cores import cores
from microagg.partition.matrix import Method
from microagg.plan import Plan
from microagg.run.candidates import Candidate, choice, frontier_of
from microagg.run.grid import Grid, grid_of
from microagg.run.in_parallel import Progress, all_of
from microagg.run.request import Columns, Options, checked, plan_of
from microagg.run.trial import Trial, tried

if TYPE_CHECKING:
    from microagg.report.map import Map

METHODS = ("mdav", "vmdav", "refined")
SIZES = (3, 5, 10, 20)

_MOST_HANDS = 4
_ROOM = 2e9  # bytes that all who work at the same time may take together
_EACH = 100  # bytes that one of them takes for each value of a quasi-identifier, as measured


@dataclass(frozen=True)
class Comparison:
    """Candidates for a release, and the one to choose if a ceiling was stated.

    `candidates` stand method by method, and by k as it was asked for; `chosen` is the best of those
    within the ceilings, of which `loss_at_most` is in percent and `risk_at_most` a share; `reason` says
    why it is that one, or why there is none.
    """

    candidates: tuple[Candidate, ...]
    chosen: Candidate | None
    reason: str
    loss_at_most: float | None = None
    risk_at_most: float | None = None

    @cached_property
    def frontier(self) -> tuple[Candidate, ...]:
        """The candidates that no other beats in both loss and risk, the least loss first."""
        return frontier_of(self.candidates)

    @property
    def is_limited(self) -> bool:
        """Whether a ceiling was stated, within which one was to be chosen."""
        return self.loss_at_most is not None or self.risk_at_most is not None

    @property
    def faults(self) -> tuple[str, ...]:
        """Why candidates could not be made, those of one method and reason together."""
        found: dict[tuple[str, str], list[str]] = {}
        for of in self.candidates:
            if of.fault:
                found.setdefault((of.method, of.fault), []).append(str(of.k))
        return tuple(f"{method} with k = {', '.join(sizes)}: {why}" for (method, why), sizes in found.items())

    @property
    def figure(self) -> Map:
        """The risk-utility map, as plain data."""
        from microagg.report.map import Map, Mark

        marks = tuple(
            Mark(of.method, of.k, *of.place, of in self.frontier, of is self.chosen)
            for of in self.candidates
            if of.place is not None
        )
        return Map(marks, self.loss_at_most, self.risk_at_most, self.reason, self.faults)

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Draw the risk-utility map into a file: SVG, or a page (HTML) by the ending of its name.

        Raises InputError if there is nothing to draw, or the file cannot be written.
        """
        from microagg.report.map_page import save  # brings Jinja2, which only this needs

        save(self.figure, path)


def compare(
    data: Any,
    quasi_identifiers: Columns | None = None,
    *,
    methods: Sequence[str | Method] | str | Method = METHODS,
    k: Sequence[int] | int = SIZES,
    plan: Plan | str | os.PathLike[str] | None = None,
    loss_at_most: float | None = None,
    risk_at_most: float | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Try methods with several k on a table, and say what each loses and risks; nothing is released.

    Parameters
    ----------
    data
        What `protect` takes. It is read once.
    quasi_identifiers
        The columns to protect together.
    methods
        Names of methods, with options if need be, or methods themselves; or one.
    k
        The least numbers of records in a group to try each method with; or one.
    plan
        A plan, or the path of its file, for all but method and k. What is said beside it counts more.
    loss_at_most
        The most information that may be lost, in percent. Of the candidates within it the one with the
        least risk is chosen.
    risk_at_most
        The largest share of records that may be linked. Of the candidates within it, and within
        `loss_at_most` if that is stated too, the one with the least loss is chosen.
    progress
        Called with the steps done and in all; an exception raised in it stops the work.
    options
        All else that a `Plan` says, as for `protect`.

    Returns
    -------
    Comparison
        Every candidate with its figures, the efficient frontier, and the choice. What a method and k
        cannot do with these data is told by the candidate's `fault`.

    Raises
    ------
    InputError
        If the request or the data cannot be used as given: all faults at once, before work starts.

    Examples
    --------
    >>> import pyarrow as pa
    >>> firms = pa.table({"staff": [1, 3, 20, 25, 26, 40], "turnover": [5, 9, 80, 90, 99, 70]})
    >>> found = compare(firms, ["staff", "turnover"], methods="mdav", k=[2, 3], risk_at_most=0.4)
    >>> [(of.k, round(of.loss, 1), round(of.risk, 2)) for of in found.candidates]
    [(2, 8.3, 0.33), (3, 39.7, 0.33)]
    >>> found.chosen.plan.k
    2
    """
    grid = grid_of(methods, k, loss_at_most, risk_at_most)
    table, asked = ready(grid, data, plan, quasi_identifiers, options)
    trials = [Trial(table, asked, method, size) for method in grid.methods for size in grid.sizes]
    hands = min(_hands(table.records * len(asked.quasi_identifiers)), len(trials))
    candidates = all_of([partial(tried, trial) for trial in trials], hands, progress)
    return Comparison(tuple(candidates), *choice(candidates, grid.ceilings), *grid.ceilings)


def ready(
    grid: Grid,
    data: Any,
    plan: Plan | str | os.PathLike[str] | None,
    quasi_identifiers: Columns | None,
    options: Mapping[str, Any],
) -> tuple[tables.Table, Plan]:
    """Return the table and the plan for all but method and k, or raise one error with all faults."""
    faults = Faults(grid.faults())
    if "method" in options:
        faults.append("several methods are compared: name them as methods, not as method")
    said = {"method": METHODS[0], **options}
    asked = faults.attempt(plan_of, plan, grid.least, quasi_identifiers, None, said)
    table = faults.attempt(tables.read, data)
    if asked is None or table is None:
        raise InputError(dict.fromkeys(faults))
    job = faults.attempt(checked, table, asked, None, None)
    if faults or job is None:
        raise InputError(dict.fromkeys(faults))
    return job.table, job.plan


def _hands(values: int) -> int:
    """Return how many candidates are tried at the same time, for a table of so many values."""
    return max(1, min(cores(), _MOST_HANDS, int(_ROOM / (_EACH * max(1, values)))))
