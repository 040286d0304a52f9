"""All that was lost, and what could not be told of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from microagg.columns import Floats
from microagg.kernels.exact import exact_sum
from microagg.measures.amounts import Both, amounts_of, any_there, complete_records, varies
from microagg.measures.columns import both_there, column_loss
from microagg.measures.compared import AMOUNTS, Compared, Pair
from microagg.measures.eigenvalues import eigenvalues_of
from microagg.measures.found import ColumnLoss, LossMeasures
from microagg.measures.holdout import MOST
from microagg.measures.model_text import read_models
from microagg.measures.models import model_effect, parted
from microagg.measures.moments import moments_of
from microagg.measures.pil import probabilistic_of
from microagg.measures.scales import steady


def loss_measures(
    compared: Compared, percent: float, by_column: Mapping[str, float], models: Sequence[str] = ()
) -> tuple[LossMeasures, list[str]]:
    """Return what was lost, and sentences about what could not be had and why.

    Parameters
    ----------
    compared
        The original and its release.
    percent, by_column
        100 SSE/SST of all columns and of each, which are known already.
    models
        Regressions or classifiers to fit on both, see `measures.model_text`.

    Raises
    ------
    InputError
        If a model cannot be read or names a column that is not there, before any work.
    """
    names = [pair.name for pair in compared.pairs]
    asked = read_models(models, names, [watched.name for watched in compared.sensitive])
    columns = {
        pair.name: column_loss(pair, compared.weights, by_column[pair.name]) for pair in compared.pairs
    }
    both = amounts_of(compared)
    moments = None if both is None else moments_of(both)
    rows = parted(compared) if asked else None
    effects = {text: model_effect(compared, model, rows) for text, model in zip(models, asked, strict=True)}
    found = LossMeasures(
        percent,
        _shift(compared, columns),
        columns,
        moments,
        None if both is None else probabilistic_of(both),
        None if moments is None else eigenvalues_of(moments.before, moments.after),
        tuple(effect for effect in effects.values() if effect is not None),
    )
    unjudged = [text for text, effect in effects.items() if effect is None]
    return found, [*_of_amounts(compared, both), *_of_models(compared, models, unjudged)]


def _shift(compared: Compared, columns: Mapping[str, ColumnLoss]) -> float | None:
    """Return IL1s over all cells of the amounts that vary, divided by their number, or their weights."""
    weights = steady(compared.weights)
    cells = [
        (shift, _mass(pair, weights))
        for pair in compared.of_kinds(AMOUNTS)
        if (shift := columns[pair.name].shift) is not None and varies(pair.original)
    ]
    shifts, masses = np.array(cells).reshape(-1, 2).T
    return exact_sum(shifts * (masses / exact_sum(masses))) if cells else None


def _mass(pair: Pair, weights: Floats) -> float:
    """Return how many records have the column before and after, or how much they weigh."""
    both = both_there(pair)
    return exact_sum(weights[both]) if weights.size else float(pair.original.values[both].size)


def _of_amounts(compared: Compared, both: Both | None) -> Iterator[str]:
    """Yield what could not be told of the moments of amounts."""
    amounts = compared.of_kinds(AMOUNTS)
    if not amounts:
        yield "no column of amounts is compared: there are no moments, eigenvalues and probabilistic loss"
        return
    there = [pair for pair in amounts if any_there(pair)]
    known = both.names if both else ()
    constant = [pair.name for pair in there if not varies(pair.original)]
    flat = [pair.name for pair in there if pair.name in known and not varies(pair.released)]
    empty = [pair.name for pair in amounts if not any_there(pair)]
    if empty:
        yield f"no value at all before or after, so left out of moments: {_listed(empty)}"
    if constant:
        yield f"the same value throughout the original, so left out of moments: {_listed(constant)}"
    if flat:
        yield f"the same value throughout the release, so its correlations count as 0: {_listed(flat)}"
    if there:
        yield from _of_records(compared, both)
    elsewhere = [pair.name for pair in there if pair.name not in (*known, *constant)]
    if both and elsewhere:
        yield (
            "without variation in the records that have all amounts, or next to none beside the values of "
            f"the release, so left out of moments: {_listed(elsewhere)}"
        )


def _of_records(compared: Compared, both: Both | None) -> Iterator[str]:
    """Yield how many records were left out for want of an amount."""
    before, after = (compared.records - int(complete.sum()) for complete in complete_records(compared))
    if both is None:
        yield "no moments could be compared: fewer than 2 records have all amounts, or no amount varies"
    elif before or after:
        yield f"left out of moments for want of an amount: {before:,} original and {after:,} released records"


def _of_models(compared: Compared, models: Iterable[str], unjudged: Sequence[str]) -> Iterator[str]:
    """Yield what could not be told by models, and how many records they are fitted on if not all."""
    for text in unjudged:
        yield f"the model {text!r} cannot be judged: its target does not vary, or too few records have it"
    if any(text not in unjudged for text in models) and compared.records * 0.7 > MOST:
        yield f"models are fitted on {MOST:,} records at most, and judged by as many others"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
