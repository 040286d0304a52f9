"""What was lost and what can be found out, from an original and its release, whoever made it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import microagg.tables as tables
from microagg.check import class_of_each, classes
from microagg.errors import Faults, InputError
from microagg.kernels.exact import EQUAL
from microagg.measures import Compared, Evaluation
from microagg.outcome import Classes
from microagg.plan import Plan
from microagg.run.comparing import loss_of, pairs_of, points_of, watched
from microagg.run.judging import Judged, judged
from microagg.run.request import Columns, Options, weights_of

Progress = Callable[[int, int], None]


def evaluate(
    original: Any,
    released: Any,
    quasi_identifiers: Columns | None = None,
    *,
    k: int | None = None,
    plan: Plan | str | os.PathLike[str] | None = None,
    match_by: str | None = None,
    models: Sequence[str] = (),
    report: str | os.PathLike[str] | None = None,
    external_report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Evaluation:
    """Judge a release beside its original: what was lost, and what can be found out.

    Any program may have made the release. Row by row the tables must hold the same records, or else have
    a column by which rows can be matched.

    Parameters
    ----------
    original, released
        What `protect` takes: paths of files, addresses of databases, data frames.
    quasi_identifiers
        The columns to compare, by which records may be told apart. If none are named, those that differ.
    k
        The least size of a class that was asked for, if it is known.
    plan
        A plan, or the path of its file, that says what columns are; what is said beside it counts more.
    match_by
        A column of both tables that names the record, where rows stand in another order or some are left
        out of the release.
    models
        Regressions or classifiers to fit on both, as in "turnover ~ wages + assets", or only a target.
    report, external_report
        Files to write a page to (HTML): the one tells all, the other nothing that helps an attacker.
    progress
        Called with the steps done and in all; an exception raised in it stops the work.
    options
        What else a `Plan` says: `sensitive` columns, which are watched, the `weight` by which records
        count in the loss, `strata`, `kinds`, `orders`, `importance`, `scale`, and the `seed` of measures
        that draw a sample. All are columns of the original but strata, which are of the release.

    Returns
    -------
    Evaluation
        Losses and risks, and in `notes` what should be known of them.

    Raises
    ------
    InputError
        If the tables cannot be read or compared, with all faults at once.

    Examples
    --------
    >>> import pyarrow as pa
    >>> before = pa.table({"staff": [1, 3, 20, 26], "town": ["x", "x", "y", "z"]})
    >>> after = pa.table({"staff": [2, 2, 23, 23], "town": ["x", "x", "y", "z"]})
    >>> found = evaluate(before, after)
    >>> round(found.loss.percent, 2), found.risk.classes.smallest
    (4.34, 2)
    """
    from microagg.measures.evaluation import evaluation  # all measures, which few runs need

    ready = judged(original, released, quasi_identifiers, k=k, plan=plan, match_by=match_by, **options)
    columns = _columns(ready)
    compared, counted = _compared(ready, columns)
    found = evaluation(compared, loss_of(compared), counted, ready.k, models, ready.plan.seed, progress)
    found = replace(found, notes=(*ready.notes, *found.notes))
    if report is not None or external_report is not None:
        from microagg.report import write  # which brings Jinja2
        from microagg.run.provenance import provenance_of_tables

        levels = {name: of.levels for name, of in columns.items()}
        provenance = provenance_of_tables(original, released, ready.plan, levels)
        if report is not None:
            write(report, compared, found, provenance, "internal")
        if external_report is not None:
            write(external_report, compared, found, provenance, "external")
    return found


def _columns(ready: Judged) -> dict[str, tables.Paired]:
    """Return the quasi-identifiers of both tables in the same numbers, or raise one error with all faults."""
    plan, before, after, faults = ready.plan, ready.original, ready.released, Faults()
    columns = {}
    for name in sorted(plan.quasi_identifiers):
        kind = plan.kinds.get(name) or ("ordinal" if name in plan.orders else before.kind(name).kind)
        both = faults.attempt(tables.paired, name, before, after, kind, plan.orders.get(name, ()))
        if both:
            columns[name] = both.of_rows(ready.rows)
    InputError.raise_any(faults)
    return columns


def _compared(ready: Judged, columns: Mapping[str, tables.Paired]) -> tuple[Compared, Classes]:
    """Return the tables as measures look at them, and the classes of the release."""
    plan, before, rows = ready.plan, ready.original, ready.rows
    weights = weights_of(before, plan)
    pairs = pairs_of({name: (of.original, of.released) for name, of in columns.items()}, plan)
    seen = [
        tables.codes(ready.released.data.column(name))[rows.released] for name in (*columns, *plan.strata)
    ]
    sensitive = [watched(before, name, plan) for name in plan.sensitive]
    compared = Compared(
        pairs,
        class_of_each(seen),
        *points_of(pairs),
        weights=weights[rows.original] if weights.size else EQUAL,
        sensitive=tuple(of._replace(places=of.places[rows.original]) for of in sensitive),
    )
    return compared, classes(seen, ready.k or 2)
