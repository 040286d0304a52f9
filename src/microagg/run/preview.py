"""What a request would do, and about what it would take, without doing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

from microagg.partition.choice import chosen, is_compiled, seconds_of
from microagg.plan import Kind, Plan
from microagg.prepare import width_of
from microagg.run.request import Columns, Options, checked, plan_of

_BASE = 220e6  # bytes of Python and its libraries
_COPIES = 6  # of the matrix, while the groups are formed


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
    notes: tuple[str, ...]


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
    notes: tuple[str, ...] = ()
    text = job.plan.method
    if job.method is None:
        text, why = chosen(records, dimensions, job.plan.k, job.plan.budget)
        notes = (f"the method is {why}",)
    return Preview(
        plan=job.plan,
        records=records,
        kinds={name: of.column.kind for name, of in job.columns.items()},
        dimensions=dimensions,
        seconds=seconds_of(text, records, dimensions, job.plan.k),
        memory=_BASE + job.table.data.nbytes + 8.0 * records * dimensions * _COPIES,
        compiles=is_compiled(records),
        notes=notes,
    )
