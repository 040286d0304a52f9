"""Protect a table: the one place that calls the stages in their order."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg import __version__, tables
from microagg.aggregate import centres
from microagg.check import classes, require_safe
from microagg.errors import Faults, InputError
from microagg.measures import information_loss
from microagg.partition.matrix import Explained, Method, Progress, explained
from microagg.partition.registry import method_of
from microagg.plan import Names, Plan
from microagg.prepare import canonical_order, standardised
from microagg.result import Classes, Result

_PAIRS = "with k = 2 each member of a pair can compute the other's values from the mean"
_KEPT = "kept columns are released as they are, and can still identify: {}"
_CONSTANT = "the same value throughout, so without weight in the grouping: {}"


class _Job(NamedTuple):
    """A request without faults. The quasi-identifiers stand in alphabetical order."""

    plan: Plan
    method: Method
    table: tables.Table
    names: list[str]
    values: NDArray[np.float64]
    target: tables.Target | tables.TableTarget | None


def protect(
    data: Any,
    k: int,
    quasi_identifiers: Sequence[str] | str,
    *,
    keep: Sequence[str] | Literal["rest"] = (),
    drop: Sequence[str] | Literal["rest"] = (),
    method: str | Method = "mdav",
    seed: int = 0,
    to: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Replace the quasi-identifiers of each record by the means of its group of at least k records.

    An independent check counts the values as they will be written before anything is. Neither the
    order of the rows nor that of the columns changes what a record's released values are.

    Parameters
    ----------
    data
        The path of a CSV or Parquet file, an Arrow table, or any object that offers Arrow's C
        stream, as the data frames of pandas and Polars do. A pandas index of unnamed whole numbers
        stays as it is; every other index needs a role, like a column.
    k
        The least number of records in a group, from 2.
    quasi_identifiers
        The columns of numbers to protect together.
    keep, drop
        The columns to release as they are, and those to leave out; either may be the word "rest",
        for every column not named. A column without a role is an error.
    method
        The name of a method, with options if need be, as in "vmdav(gamma=0.2)", or a method itself.
    seed
        Where the chance of methods that draw starts.
    to
        The file to write, ending in .csv or .parquet; the input is never touched.
    progress
        Called with the records done and in all; an exception raised in it stops the work.

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
    >>> firms = pa.table({"name": ["a", "b", "c", "d"], "staff": [1, 3, 20, 24]})
    >>> result = protect(firms, k=2, quasi_identifiers=["staff"], drop=["name"])
    >>> result.data["staff"].to_pylist()
    [2.0, 2.0, 22.0, 22.0]
    """
    seconds: dict[str, float] = {}
    plan = Plan(k, _names(quasi_identifiers), _names_or_rest(keep), _names_or_rest(drop), _text(method), seed)
    with _timed(seconds, "read"):
        job = _checked(data, plan, method, to)
    with _timed(seconds, "prepare"):
        order = canonical_order(job.values, lambda rows: job.table.ranks_apart_from(job.names, rows))
        X = standardised(job.values[order])
    with _timed(seconds, "partition"):
        labels, account, sentence = _partition(job, X, order, progress)
    with _timed(seconds, "aggregate"):
        means = dict(zip(job.names, centres(job.values, labels).T, strict=True))
        released = job.table.released(job.plan.released(job.table.names), means)
    with _timed(seconds, "check"):
        written, found = _checked_release(job, released)
    with _timed(seconds, "measure"):
        loss = information_loss(X, labels[order], job.names)
    with _timed(seconds, "write"):
        if job.target:
            tables.write(written, job.table, job.target, job.names)
    return Result(
        data=tables.like(data, released, job.names),
        labels=labels,
        plan=job.plan,
        loss=loss,
        classes=found,
        notes=(*_notes(job), *([sentence] if sentence else [])),
        account=account,
        seconds=seconds,
        versions=_versions(),
        written=job.target.written if job.target else None,
    )


def _checked(data: Any, plan: Plan, method: str | Method, to: str | os.PathLike[str] | None) -> _Job:
    """Return the request made ready, or raise one error with all that is wrong with it."""
    faults = Faults(plan.faults())
    chosen = faults.attempt(method_of, method)
    target = None if to is None else faults.attempt(tables.target_of, to, data)
    table = faults.attempt(tables.read, data)
    names = sorted(set(plan.quasi_identifiers))
    values = None
    if table:
        faults += plan.faults_for(table.names, table.records)
        values = faults.attempt(table.numbers, names)
        if target:
            faults.attempt(
                tables.as_written, table.only(plan.released(table.names)).slice(0, 0), table, target
            )
    InputError.raise_any(faults)
    assert chosen is not None
    assert table is not None
    assert values is not None
    return _Job(plan, chosen, table, names, values, target)


def _partition(
    job: _Job, X: NDArray[np.float64], order: NDArray[np.intp], progress: Progress | None
) -> Explained:
    """Return the group of each row; the method itself sees the records in canonical order."""
    tell = progress or (lambda done, total: None)
    tell(0, len(X))
    found = explained(job.method, X, job.plan.k, seed=job.plan.seed, progress=progress)
    labels = np.empty(len(X), dtype=np.int32)
    labels[order] = found.labels
    tell(len(X), len(X))
    return found._replace(labels=labels)


def _checked_release(job: _Job, released: Any) -> tuple[Any, Classes]:
    """Return the table as it will be written and what an observer can tell apart in it."""
    written = tables.as_written(released, job.table, job.target, job.names)
    found = classes([tables.codes(written.column(name)) for name in job.names], job.plan.k)
    require_safe(found, job.plan.k)
    return written, found


def _names(given: Sequence[str] | str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    InputError.raise_any(
        f"expected the name of a column, found {name!r}" for name in names if not isinstance(name, str)
    )
    return names


def _names_or_rest(given: Sequence[str] | str) -> Names:
    return "rest" if isinstance(given, str) and given == "rest" else _names(given)


def _text(method: str | Method) -> str:
    return method if isinstance(method, str) else repr(method)


def _notes(job: _Job) -> tuple[str, ...]:
    kept = [name for name in job.plan.released(job.table.names) if name not in job.names]
    constant = [name for name, column in zip(job.names, job.values.T, strict=True) if np.ptp(column) == 0.0]
    return tuple(
        note
        for note, applies in (
            (_PAIRS, job.plan.k == 2),
            (_KEPT.format(", ".join(kept)), kept),
            (_CONSTANT.format(", ".join(constant)), constant),
        )
        if applies
    )


def _versions() -> dict[str, str]:
    """Return what this result came to be with; numba is in it only where something was compiled."""
    modules = {name: sys.modules.get(name) for name in ("numpy", "numba", "pyarrow")}
    others = {name: str(module.__version__) for name, module in modules.items() if module}
    return {"microagg": __version__, "python": platform.python_version(), **others}


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    start = perf_counter()
    yield
    seconds[stage] = perf_counter() - start
