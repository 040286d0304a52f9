"""Protect a table: the one place that calls the stages in their order."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

import microagg.tables as tables
from microagg.aggregate import centres_of
from microagg.check import classes, linked_safely, require_safe
from microagg.columns import Centres, Floats, Unit
from microagg.edits import with_edits
from microagg.errors import UnsafeReleaseError
from microagg.fingerprints import Fingerprints
from microagg.kernels.exact import exact_group_means
from microagg.measures import Released, information_loss
from microagg.partition.matrix import Method, Progress
from microagg.plan import CENTRES, Plan
from microagg.prepare import canonical_order, matrix_of, unit_of
from microagg.result import Classes, Loss, Result
from microagg.run.grouping import Grouping, grouped
from microagg.run.notes import notes_of
from microagg.run.request import Columns, Job, Options, checked, plan_of

Labels = NDArray[np.int32]


class _Safe(NamedTuple):
    """What passed the check: the columns, their form in what is written, and what is told of it."""

    released: Any
    written: Any
    replaced: list[str]
    classes: Classes
    notes: list[str]


def protect(
    data: Any,
    k: int | None = None,
    quasi_identifiers: Columns | None = None,
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    method: str | Method | None = None,
    to: str | os.PathLike[str] | tables.Destination | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Result:
    """Replace the quasi-identifiers of each record by the centre of its group of at least k records.

    An independent check counts the values as they will be written before anything is. Neither the
    order of the rows nor that of the columns changes what a record's released values are.

    Parameters
    ----------
    data
        The path of a file, the address of a database, a `Source` that says more of either, an Arrow
        table, or a data frame of pandas, Polars, DuckDB or anything else that offers Arrow's C stream.
        A pandas index of unnamed whole numbers stays as it is; every other index needs a role, like a
        column.
    k
        The least number of records in a group, from 2.
    quasi_identifiers
        The columns to protect together.
    plan
        A plan, or the path of its file. What is said beside it counts more than what it says.
    method
        The name of a method, with options if need be, as in "vmdav(gamma=0.2)", a method itself, or
        "auto": the method that loses least within the time budget of the plan.
    to
        The file or table of a database to write; the input is never touched.
    progress
        Called with the records done and in all; an exception raised in it stops the work.
    options
        All else that a `Plan` says: `keep`, `drop`, `sensitive`, `weight`, `strata`, `entity`, `kinds`,
        `orders`, `centres`, `importance`, `scale`, `missing` and more.

    Returns
    -------
    Result
        The released table, a data frame of the kind given or else an Arrow table, and its account.

    Raises
    ------
    InputError
        If the request or the data cannot be used as given: all faults at once, before work starts.
    UnsafeReleaseError
        If the check finds records that share their released values with fewer than k - 1 others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> firms = pa.table({"name": ["a", "b", "c", "d"], "staff": [1, 3, 20, 25]})
    >>> result = protect(firms, k=2, quasi_identifiers=["staff"], drop=["name"])
    >>> result.data["staff"].to_pylist()
    [2, 2, 22, 22]
    """
    seconds: dict[str, float] = {}
    with _timed(seconds, "read"):
        job = checked(data, plan_of(plan, k, quasi_identifiers, method, options), method, to)
        given = tables.digest_of(data, job.table)
    with _timed(seconds, "prepare"):
        units = {name: unit_of(of.column, job.plan.scale) for name, of in job.columns.items()}
        order, X = _matrix(job, units)
    with _timed(seconds, "partition"):
        grouping = grouped(job, X, order, progress)
        del X, order  # as large as the table itself, and half as large
    with _timed(seconds, "aggregate"):
        centres, edit_notes = _centres(job, grouping)
        replaced = _replaced(job, centres, grouping)
        released = job.table.released(job.plan.released(job.table.names), replaced)
    with _timed(seconds, "check"):
        safe = _checked_release(job, released, list(replaced))
    with _timed(seconds, "measure"):
        loss = _loss(job, units, centres, grouping)
        notes = (*notes_of(job, grouping, centres), *edit_notes, *safe.notes)
    with _timed(seconds, "write"):
        shown = tables.like(data, safe.released, safe.replaced)
        if job.target:  # last of all: what is interrupted before has changed nothing
            output = tables.write(safe.written, job.table, job.target, safe.replaced)
        else:
            output = tables.digest_of_table(safe.released)
    return Result(
        data=shown,
        labels=grouping.labels,
        plan=replace(job.plan, method=grouping.method),
        loss=loss,
        classes=safe.classes,
        notes=notes,
        account=grouping.account,
        seconds=seconds,
        versions=_versions(),
        fingerprints=Fingerprints.of(given, output),
        written=job.target.written if job.target else None,
    )


def _matrix(job: Job, units: dict[str, Unit]) -> tuple[NDArray[np.intp], Floats]:
    """Return the canonical order of the records, and their matrix in this order."""
    columns = [of.column for of in job.columns.values()]
    order = canonical_order(columns, lambda rows: job.table.ranks_apart_from(list(job.columns), rows))
    importance = [job.plan.importance.get(name, 1.0) for name in job.columns]
    return order, matrix_of(columns, list(units.values()), importance, order)


def _centres(job: Job, grouping: Grouping) -> tuple[dict[str, Centres], list[str]]:
    """Return what stands for each group in each column, and which edits are not kept."""
    columns = {name: of.column for name, of in job.columns.items()}
    centres = {
        name: centres_of(
            column,
            grouping.labels,
            grouping.groups,
            job.plan.centres.get(name, CENTRES[column.kind][0]),
            job.weights,
            job.parts.entities,
        )
        for name, column in columns.items()
    }
    return with_edits(job.edits, columns, centres, grouping.labels)


def _replaced(job: Job, centres: dict[str, Centres], grouping: Grouping) -> dict[str, Any]:
    """Return the columns that are released with other values than they had."""
    plan, table, parts = job.plan, job.table, job.parts
    found = {
        name: tables.for_each(of.back(centres[name]), grouping.labels) for name, of in job.columns.items()
    }
    if plan.weight and plan.weight_release == "mean" and job.weights.size:
        means = exact_group_means(job.weights, grouping.labels, grouping.groups)
        found[plan.weight] = tables.for_each(tables.array_of(means), grouping.labels)
    if np.any(parts.merged != np.arange(parts.merged.size)):
        for name in plan.strata:
            names = tables.joined(table.data.column(name), parts.strata.record, parts.merged)
            found[name] = tables.for_each(names, parts.strata.of)
    if parts.linked and parts.entities is not None and plan.entity:
        found[plan.entity] = tables.array_of(_pseudonyms(parts.entities))
    return found


def _pseudonyms(entities: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers from 1 in the place of entities, in the order of their first records."""
    _, first, of = np.unique(entities, return_index=True, return_inverse=True)
    return (np.argsort(np.argsort(first)) + 1)[of]


def _checked_release(job: Job, released: Any, replaced: list[str]) -> _Safe:
    """Return the table and what an observer can tell apart in it, as it will be written."""
    plan, parts = job.plan, job.parts
    notes: list[str] = []
    if plan.link_entities and not parts.linked:
        released, notes = _without_entity(job, released)
    written = tables.as_written(released, job.table, job.target, replaced)
    seen = [tables.codes(written.column(name)) for name in _seen_together(plan, replaced)]
    if parts.linked and parts.entities is not None and not linked_safely(seen, plan.k, parts.entities):
        released, notes = _without_entity(job, released)
        replaced = [name for name in replaced if name != plan.entity]
        written = tables.as_written(released, job.table, job.target, replaced)
    found = classes(seen, plan.k, parts.entities)
    require_safe(found, plan.k, "record" if parts.entities is None else "entity")
    if written.num_rows != job.table.records:
        raise UnsafeReleaseError("the released table has other records than the one that was read")
    return _Safe(released, written, replaced, found, notes)


def _seen_together(plan: Plan, replaced: list[str]) -> list[str]:
    """Return the columns by which an observer may tell records apart: they are checked together."""
    return [
        *sorted(plan.quasi_identifiers),
        *plan.strata,
        *([plan.weight] if plan.weight in replaced else []),
    ]


def _without_entity(job: Job, released: Any) -> tuple[Any, list[str]]:
    """Return the table without the column that tells which records belong together."""
    name = job.plan.entity
    kept = [other for other in released.column_names if other != name]
    return released.select(kept), [
        f"the entity {name!r} is dropped: what its records show together is shared by fewer than "
        f"{job.plan.k} of them"
    ]


def _loss(job: Job, units: dict[str, Unit], centres: dict[str, Centres], grouping: Grouping) -> Loss:
    """Return the loss of information, measured with the distances by which the records were grouped."""
    whole = np.zeros_like(grouping.labels)
    return information_loss(
        {
            name: Released(
                of.column,
                units[name],
                job.plan.importance.get(name, 1.0),
                centres[name],
                centres_of(of.column, whole, 1, CENTRES[of.column.kind][0], job.weights),
            )
            for name, of in job.columns.items()
        },
        grouping.labels,
        job.weights,
    )


def _versions() -> dict[str, str]:
    """Return what this result came to be with; numba is in it only where something was compiled."""
    modules = {name: sys.modules.get(name) for name in ("microagg", "numpy", "numba", "pyarrow")}
    found = {name: str(module.__version__) for name, module in modules.items() if module}
    return {"python": platform.python_version(), **found}


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = perf_counter()
    yield
    seconds[stage] = perf_counter() - start
