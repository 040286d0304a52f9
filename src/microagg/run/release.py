"""What is released, and the check of it in the form in which it will be written."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import microagg.tables as tables
from microagg.check import classes, linked_safely, require_safe
from microagg.columns import Centres
from microagg.errors import UnsafeReleaseError
from microagg.kernels.exact import exact_group_means
from microagg.outcome import Classes
from microagg.plan import Plan
from microagg.run.grouping import Grouping
from microagg.run.request import Job


class Safe(NamedTuple):
    """What passed the check: the columns, their form in what is written, and what is told of it."""

    released: Any
    written: Any
    replaced: list[str]
    classes: Classes
    notes: list[str]


def replaced_columns(job: Job, centres: dict[str, Centres], grouping: Grouping) -> dict[str, Any]:
    """Return the columns that are released with other values than they had."""
    plan, table, parts = job.plan, job.table, job.parts
    found = {
        name: tables.for_each(of.back(centres[name]), grouping.labels) for name, of in job.columns.items()
    }
    if plan.weight and plan.weight_release == "mean":
        weights = table.encoded(plan.weight, "continuous").column.values
        means = exact_group_means(weights, grouping.labels, grouping.groups)
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


def checked_release(job: Job, released: Any, replaced: list[str]) -> Safe:
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
    return Safe(released, written, replaced, found, notes)


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
