"""What a request would do, and about what it would take, without doing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

from microagg.partition.choice import chosen, expected
from microagg.plan import Kind, Plan
from microagg.prepare import width_of
from microagg.run.request import Columns, Options, checked, plan_of

# Measured from 10,000 to 10 million records of 2 to 10 columns; memory of the whole process, at its peak.
_BASE = 240e6  # bytes of Python and its libraries
_MATRICES = 3  # the columns as numbers, the matrix, and the tree over it
_BESIDE = 48  # bytes for each record: its place in the order and in the tree, its group
_LOADING = 0.6  # seconds until compiled loops are there, if they were compiled before
_OTHERS = 0.3e-6  # seconds for each value in all stages but the partition


@dataclass(frozen=True)
class Preview:
    """A request without faults: what it would do, and about what time and memory it would take."""

    plan: Plan
    records: int
    kinds: Mapping[str, Kind]
    dimensions: int
    seconds: float
    memory: float  # bytes
    compiles: bool  # whether loops are used that must be compiled the first time on a machine
    choice: str  # why it is this method, if that was left open


def preview(
    data: Any,
    k: int | None = None,
    quasi_identifiers: Columns | None = None,
    *,
    plan: Any = None,
    method: Any = None,
    to: Any = None,
    **options: Unpack[Options],
) -> Preview:
    """Return what `protect` would do with the same arguments; raises the same InputError."""
    job = checked(data, plan_of(plan, k, quasi_identifiers, method, options), method, to)
    records = job.table.records
    dimensions = sum(width_of(of.column) for of in job.columns.values())
    sizes = (records, dimensions, job.plan.k)
    best = chosen(*sizes, job.plan.budget) if job.method is None else expected(job.plan.method, *sizes)
    return Preview(
        plan=replace(job.plan, method=best.method),
        records=records,
        kinds={name: of.column.kind for name, of in job.columns.items()},
        dimensions=dimensions,
        seconds=best.seconds + _OTHERS * records * dimensions + _LOADING * best.compiles,
        memory=memory_of(job.table.data.nbytes, records, dimensions),
        compiles=best.compiles,
        choice=best.why,
    )


def memory_of(table: int, records: int, dimensions: int) -> float:
    """Return about how many bytes the whole process takes at its peak, with a table of so many."""
    return _BASE + table + records * (8.0 * dimensions * _MATRICES + _BESIDE)
