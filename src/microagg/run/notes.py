"""What whoever releases a table should know of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Centres, Column
from microagg.prepare import parted
from microagg.run.grouping import Grouping
from microagg.run.request import Job

_NEARLY_UNIQUE = 0.9  # share of different values from which a column tells records apart


def notes_of(job: Job, grouping: Grouping, centres: Mapping[str, Centres]) -> list[str]:
    """Return what is to be known before the table is handed on."""
    return [
        *_of_k(job),
        *_of_kept(job),
        *_of_columns(job, centres, grouping),
        *_of_combinations(job, centres),
        *_of_sensitive(job, grouping),
        *_of_strata(job),
        *grouping.sentences,
    ]


def _of_k(job: Job) -> Iterator[str]:
    if job.plan.k == 2:
        yield "with k = 2 each member of a pair can compute the other's values from the mean"


def _of_kept(job: Job) -> Iterator[str]:
    table, plan = job.table, job.plan
    kept = [name for name in table.names if plan.role_of(name) in ("other", "sensitive")]
    if plan.weight and plan.weight_release == "keep":
        kept.append(plan.weight)
    if kept:
        yield f"kept columns are released as they are, and can still identify: {', '.join(kept)}"
    unique = [name for name in kept if table.distinct(name) > max(_NEARLY_UNIQUE * table.records, job.plan.k)]
    if unique:
        yield (
            "nearly every record has its own value, which undoes the protection, in the kept "
            f"{'column' if len(unique) == 1 else 'columns'}: {', '.join(unique)}"
        )


def _of_columns(job: Job, centres: Mapping[str, Centres], grouping: Grouping) -> Iterator[str]:
    columns = {name: of.column for name, of in job.columns.items()}
    constant = [name for name, of in columns.items() if not of.missing.any() and not np.ptp(of.values)]
    if constant:
        yield f"the same value throughout, so without weight in the grouping: {', '.join(constant)}"
    for name, of in columns.items():
        if of.kind == "nominal" and of.levels > _NEARLY_UNIQUE * of.values.size:
            yield f"hardly two records share a value of {name!r}, so that its mode is the value of only one"
        if of.missing.size:
            missing = centres[name].missing[grouping.labels]
            gone, come = np.count_nonzero(missing & ~of.missing), np.count_nonzero(~missing & of.missing)
            if gone or come:
                yield (
                    f"of {name!r}, {gone:,} values are released as missing and {come:,} missing ones as "
                    "values, as in the greater part of their group"
                )


def _of_combinations(job: Job, centres: Mapping[str, Centres]) -> Iterator[str]:
    """Tell of groups whose modes, taken column by column, never stood together in one record."""
    names = [name for name, of in job.columns.items() if of.column.kind in ("nominal", "boolean", "ordinal")]
    if len(names) < 2:
        return
    records = job.table.records
    given = [_levels(job.columns[name].column) for name in names]
    released = [_levels(centres[name]) for name in names]
    of = parted(
        [np.append(*pair) for pair in zip(given, released, strict=True)], records + released[0].size
    ).of
    invented = ~np.isin(of[records:], of[:records])
    if invented.any():
        yield (
            f"{np.count_nonzero(invented):,} of {invented.size:,} groups show a combination of "
            f"{', '.join(names)} "
            "that no record had: each column has its own mode"
        )


def _levels(of: Column | Centres) -> NDArray[np.int64]:
    levels = of.values.astype(np.int64) + 1
    return np.where(of.missing, 0, levels) if of.missing.size else levels


def _of_sensitive(job: Job, grouping: Grouping) -> Iterator[str]:
    for name in job.plan.sensitive:
        ranks = job.table.ranks(name)
        least = np.full(grouping.groups, ranks.size)
        greatest = np.full(grouping.groups, -1)
        np.minimum.at(least, grouping.labels, ranks)
        np.maximum.at(greatest, grouping.labels, ranks)
        alike = np.count_nonzero(least == greatest)
        if alike:
            yield (
                f"in {alike:,} of {grouping.groups:,} groups all records share their value of {name!r}: it "
                "is "
                "disclosed to who knows that someone is in the group"
            )


def _of_strata(job: Job) -> Iterator[str]:
    sizes = np.bincount(job.parts.merged)
    joined = int(sizes[sizes > 1].sum())
    if joined:
        yield (
            f"{joined:,} strata are merged into {np.count_nonzero(sizes > 1):,}, since fewer than k = "
            f"{job.plan.k} "
            "records were in some"
        )
