"""What was lost and what can be found out, from an original and its release, whoever made it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import microagg.tables as tables
from microagg.aggregate import Entities
from microagg.check import Codes, class_of_each, classes
from microagg.columns import Floats
from microagg.errors import Faults, InputError
from microagg.kernels.exact import EQUAL
from microagg.measures import NO_STRATA, Compared, Evaluation
from microagg.plan import Plan
from microagg.run.comparing import loss_of, pairs_of, points_of, watched
from microagg.run.judging import Judged, Said, judged
from microagg.run.request import Columns, entities_of, weights_of

Progress = Callable[[int, int], None]


def evaluate(
    original: Any,
    released: Any,
    quasi_identifiers: Columns | None = None,
    *,
    k: int | None = None,
    plan: Plan | str | os.PathLike[str] | None = None,
    match_by: str | None = None,
    models: Sequence[str] | str = (),
    report: str | os.PathLike[str] | None = None,
    external_report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **said: Unpack[Said],
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
    said
        What else a `Plan` says: `sensitive` columns, which are watched, the `weight` by which records
        count in the loss, the `entity` to whom they belong, which classes then count, `strata`, by which
        everybody can tell records apart, `kinds`, `orders`, `importance`, `scale`, and the `seed` of
        measures that draw a sample. All are columns of the original but strata, which are of the release.

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

    models = (models,) if isinstance(models, str) else tuple(models)
    ready = judged(original, released, quasi_identifiers, k=k, plan=plan, match_by=match_by, **said)
    columns, weights, entities = _columns(ready)
    compared = _compared(ready, columns, weights)
    counted = classes([compared.classes], 2 if ready.k is None else ready.k, entities)
    found = evaluation(
        compared,
        loss_of(compared),
        counted,
        ready.k,
        models,
        ready.plan.seed,
        progress,
        of_entities=entities is not None,
    )
    found = replace(found, notes=(*ready.notes, *found.notes))
    if report is not None or external_report is not None:
        from microagg.report import write  # which brings Jinja2
        from microagg.run.provenance import provenance_of_tables

        levels = {name: of.levels for name, of in columns.items()}
        provenance = provenance_of_tables(original, released, ready, models, levels)
        if report is not None:
            write(report, compared, found, provenance, "internal")
        if external_report is not None:
            write(external_report, compared, found, provenance, "external")
    return found


def _columns(ready: Judged) -> tuple[dict[str, tables.Paired], Floats, Entities | None]:
    """Return the quasi-identifiers of both tables in the same numbers, the weights, and whose records are.

    Raises one error with all that is wrong with them.
    """
    plan, before, after, faults = ready.plan, ready.original, ready.released, Faults()
    columns = {}
    for name in sorted(plan.quasi_identifiers):
        kind = plan.kinds.get(name) or ("ordinal" if name in plan.orders else before.kind(name).kind)
        both = faults.attempt(tables.paired, name, before, after, kind, plan.orders.get(name, ()))
        if both:
            columns[name] = both.of_rows(ready.rows)
    weights = faults.attempt(weights_of, before, plan)
    entities = faults.attempt(entities_of, before, plan)
    InputError.raise_any(faults)
    assert weights is not None
    kept = ready.rows.original
    return columns, weights[kept] if weights.size else EQUAL, None if entities is None else entities[kept]


def _compared(ready: Judged, columns: Mapping[str, tables.Paired], weights: Floats) -> Compared:
    """Return the tables as measures look at them."""
    plan, rows = ready.plan, ready.rows
    pairs = pairs_of({name: (of.original, of.released) for name, of in columns.items()}, plan)
    sensitive = [watched(ready.original, name, plan) for name in plan.sensitive]
    strata = _seen(ready, plan.strata)
    return Compared(
        pairs,
        class_of_each([*_seen(ready, columns), *strata, *_seen_weights(ready)]),
        *points_of(pairs),
        weights=weights,
        sensitive=tuple(of._replace(places=of.places[rows.original]) for of in sensitive),
        strata=class_of_each(strata) if strata else NO_STRATA,
    )


def _seen(ready: Judged, names: Iterable[str]) -> list[Codes]:
    """Return columns of the release as an observer tells their values apart."""
    return [tables.codes(ready.released.data.column(name))[ready.rows.released] for name in names]


def _seen_weights(ready: Judged) -> list[Codes]:
    """Return the weights of the release, if they are not those of the original, which are kept for users."""
    name = ready.plan.weight
    if name is None or ready.released.names.count(name) != 1:
        return []
    given = tables.differ(name, ready.original, ready.released, ready.rows)
    return _seen(ready, [name]) if given else []
