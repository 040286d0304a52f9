"""Protect a table: the one place that calls the stages in their order."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

import microagg.tables as tables
from microagg.aggregate import centres_of
from microagg.columns import Centres, Floats, Unit
from microagg.edits import with_edits
from microagg.fingerprints import Fingerprints
from microagg.measures import Released, information_loss
from microagg.outcome import Loss
from microagg.partition.matrix import Method, Progress
from microagg.plan import CENTRES, Plan
from microagg.prepare import canonical_order, matrix_of, unit_of
from microagg.result import Result
from microagg.run.engines import EngineName, protected_larger
from microagg.run.evidence import evidence_of
from microagg.run.grouping import Grouping, grouped
from microagg.run.notes import notes_of
from microagg.run.release import Safe, checked_release, replaced_columns
from microagg.run.request import Columns, Job, Options, checked, plan_of
from microagg.run.timing import timed, versions

Labels = NDArray[np.int32]


def protect(
    data: Any,
    k: int | None = None,
    quasi_identifiers: Columns | None = None,
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    method: str | Method | None = None,
    to: str | os.PathLike[str] | tables.Destination | None = None,
    progress: Progress | None = None,
    engine: EngineName = "auto",
    memory_limit: str | int | None = None,
    temporary: str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> Result:
    """Replace the quasi-identifiers of each record by the centre of its group of at least k records.

    An independent check counts the values as they will be written before anything is. Neither the
    order of the rows nor that of the columns changes what a record's released values are.

    Parameters
    ----------
    data
        The path of a file, the address of a database, a `Source` that says more of either, an Arrow
        table, or a data frame of pandas, Polars, DuckDB, Spark or anything else that offers Arrow's C stream.
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
    engine
        Where the work is done: in "memory", on disk by "duckdb", or by "auto" in memory as long as that
        would take no more than half of what is free. The released values are the same. A data frame of
        "spark" stays on its cluster, unless "memory" is asked for.
    memory_limit
        How much memory the work on disk may take, as in "4GB"; half of what is free if nothing is said.
    temporary
        The folder in which the work on disk puts its temporary files; that of the file to write if
        nothing is said.
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
    asked = plan_of(plan, k, quasi_identifiers, method, options)
    larger = protected_larger(data, asked, method, to, progress, engine, memory_limit, temporary)
    return _protected(data, asked, method, to, progress) if larger is None else larger


def _protected(
    data: Any, plan: Plan, method: str | Method | None, to: Any, progress: Progress | None
) -> Result:
    """Protect a table that is held in memory, stage by stage."""
    seconds: dict[str, float] = {}
    with timed(seconds, "read"):
        job = checked(data, plan, method, to)
        given = tables.digest_of(data, job.table)
    with timed(seconds, "prepare"):
        units = {name: unit_of(of.column, job.plan.scale) for name, of in job.columns.items()}
        order, X = _matrix(job, units)
    with timed(seconds, "partition"):
        grouping = grouped(job, X, order, progress)
        del X, order  # as large as the table itself, and half as large
    with timed(seconds, "aggregate"):
        centres, edit_notes = _centres(job, grouping)
        replaced = replaced_columns(job, centres, grouping)
        released = job.table.released(job.plan.released(job.table.names), replaced)
    with timed(seconds, "check"):
        safe = checked_release(job, released, list(replaced))
    with timed(seconds, "measure"):
        loss = _loss(job, units, centres, grouping)
        notes = (*notes_of(job, grouping, centres), *edit_notes, *safe.notes)
    with timed(seconds, "write"):
        shown = tables.like(data, safe.released, safe.replaced)
        output = _written(job, safe)  # last of all: what is interrupted before has changed nothing
    return Result(
        data=shown,
        labels=grouping.labels,
        plan=replace(job.plan, method=grouping.method),
        loss=loss,
        classes=safe.classes,
        notes=notes,
        account=grouping.account,
        seconds=seconds,
        versions=versions(),
        fingerprints=Fingerprints.of(given, output),
        written=job.target.written if job.target else None,
        evidence=evidence_of(data, job, centres, grouping),
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


def _written(job: Job, safe: Safe) -> bytes:
    """Write the released table, if it is to be written; return its fingerprint."""
    if job.target:
        return tables.write(safe.written, job.table, job.target, safe.replaced)
    return tables.digest_of_table(safe.released)
