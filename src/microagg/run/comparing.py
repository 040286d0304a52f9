"""An original and its release made ready for the measures: pairs of columns, points, watched columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

import microagg.tables as tables
from microagg.aggregate import centres_of
from microagg.columns import NONE_MISSING, Centres, Column, Floats, Mask
from microagg.errors import Faults, InputError
from microagg.measures import Compared, Pair, Released, Watched, information_loss
from microagg.outcome import Loss
from microagg.plan import CENTRES, Plan
from microagg.prepare import matrix_of, unit_of


def pairs_of(columns: Mapping[str, Sequence[Column]], plan: Plan) -> tuple[Pair, ...]:
    """Return the columns before and after, with the unit of distance that the plan gives them."""
    return tuple(
        Pair(original, released, unit_of(original, plan.scale), plan.importance.get(name, 1.0))
        for name, (original, released) in columns.items()
    )


def points_of(pairs: Sequence[Pair]) -> tuple[Floats, Floats]:
    """Return both tables as points of one space, in which the records were grouped, or could have been.

    Raises InputError where no number can tell how far apart both lie.
    """
    _require_near(pair.name for pair in pairs if not np.isfinite(_reach(pair)))
    stacked = [_stacked(pair.original, pair.released) for pair in pairs]
    records = pairs[0].original.values.size
    matrix = matrix_of(
        stacked,
        [pair.unit for pair in pairs],
        [pair.importance for pair in pairs],
        np.arange(2 * records),
    )
    return matrix[:records], matrix[records:]


def _reach(pair: Pair) -> float:
    """Return more than any sum of distances between the records of both tables."""
    parts = [of.values for of in (pair.original, pair.released)]
    least, most = min(part.min() for part in parts), max(part.max() for part in parts)
    with np.errstate(over="ignore"):
        return float(pair.unit.of(np.array([most - least]))[0] * 2.0 * parts[0].size)


def _require_near(far: Iterable[str]) -> None:
    """Raise if there are columns in which the tables lie too far apart."""
    InputError.raise_any(
        f"column {name!r} of the {tables.RELEASED} lies so far from the {tables.ORIGINAL} that no loss can "
        "be computed: are the units the same?"
        for name in far
    )


def _stacked(one: Column, other: Column) -> Column:
    values = np.concatenate((one.values, other.values))
    if not (one.missing.size or other.missing.size):
        return one._replace(values=values)
    return one._replace(values=values, missing=np.concatenate((_mask(one), _mask(other))))


def _mask(column: Column) -> Mask:
    return column.missing if column.missing.size else np.zeros(column.values.size, dtype=np.bool_)


def watched(table: tables.Table, name: str, plan: Plan) -> Watched:
    """Return a sensitive column as places in the order of its values; a missing value comes last."""
    kind = plan.kinds.get(name) or ("ordinal" if name in plan.orders else table.kind(name).kind)
    found = Faults().attempt(table.encoded, name, kind, plan.orders.get(name, ()))
    if found is None:  # a column that is kept as it is may hold anything
        kind, found = "nominal", table.encoded(name, "nominal")
    column = found.column
    missing = _mask(column)
    places = np.unique(column.values, return_inverse=True)[1].astype(np.int64)
    levels = int(places.max(initial=-1)) + 1
    if missing.any():  # those stood at the place of the least value
        present = np.unique(places[~missing], return_inverse=True)[1]
        levels = int(present.max(initial=-1)) + 2
        places = np.full(places.size, levels - 1)
        places[~missing] = present
    return Watched(name, places, levels, kind not in ("nominal", "boolean"), bool(missing.any()))


def loss_of(compared: Compared) -> Loss:
    """Return 100 SSE/SST of a release of which the groups are not known: each record stands for itself."""
    whole = np.zeros(compared.records, dtype=np.int32)
    found = information_loss(
        {
            pair.name: Released(
                pair.original,
                pair.unit,
                pair.importance,
                Centres(pair.released.values, pair.released.missing),
                centres_of(pair.original, whole, 1, CENTRES[pair.kind][0], compared.weights),
            )
            for pair in compared.pairs
        },
        np.arange(compared.records, dtype=np.int32),
        compared.weights,
    )
    _require_near(name for name, percent in found.by_column.items() if not np.isfinite(percent))
    if not np.isfinite(found.percent):  # of a column that did not vary before, which alone has no loss
        _require_near([max(compared.pairs, key=_reach).name])
    return found


def spread(column: Column, centres: Centres, labels: np.ndarray) -> Column:
    """Return a column with what stands for each group in the place of its records' values."""
    missing = centres.missing[labels] if centres.missing.any() else NONE_MISSING
    return column._replace(values=centres.values[labels], missing=missing)
