"""What the protection costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Centres, Column, Floats, Unit
from microagg.kernels.exact import EQUAL, exact_group_means, exact_sum
from microagg.measures.scales import steady
from microagg.outcome import Loss

Labels = NDArray[np.int32]


class Released(NamedTuple):
    """A column, its unit of distance, how much it weighs, and what stands for its groups."""

    column: Column
    unit: Unit
    importance: float
    centres: Centres
    centre_of_all: Centres


class _Squares(NamedTuple):
    """A sum of squares in a unit of its own, lest it overflow or vanish: `scaled` times 4**exponent."""

    scaled: float
    exponent: int = 0


def information_loss(columns: Mapping[str, Released], labels: Labels, weights: Floats = EQUAL) -> Loss:
    """Return 100 SSE/SST: squared distances to what stands for the group, in percent of those to the centre.

    The distances are those by which the records were grouped; the centre is the mean of all records,
    or their mode where there is no mean. A column that does not vary has nothing to lose: 0. Where values
    are replaced by others so far away that no number can hold their loss it is infinite.
    """
    whole, weights = np.zeros_like(labels), steady(weights)
    within = {name: _squares(of, of.centres, labels, weights) for name, of in columns.items()}
    total = {name: _squares(of, _middle(of, weights), whole, weights) for name, of in columns.items()}
    return Loss(
        percent=_percent(*(_sum(of, [columns[name].importance for name in of]) for of in (within, total))),
        by_column={name: _percent(within[name], total[name]) for name in columns},
    )


def _middle(of: Released, weights: Floats) -> Centres:
    """Return the centre of all records: of numbers the mean itself, not rounded."""
    if of.column.kind in ("nominal", "boolean"):
        return of.centre_of_all
    return Centres(np.array([_mean(of.column, weights)]), of.centre_of_all.missing)


def _mean(column: Column, weights: Floats) -> float:
    """Return the mean of the values that are there, which is where the missing ones count as lying."""
    there = ~column.missing if column.missing.size else slice(None)
    values = column.values[there]
    if not values.size:
        return 0.0
    mass = weights[there] if weights.size else weights
    return float(exact_group_means(values, np.zeros(values.size, dtype=np.intp), 1, mass)[0])


def _squares(of: Released, centres: Centres, labels: Labels, weights: Floats) -> _Squares:
    """Return the sum of the (weighted) squared distances of the records to their centres."""
    column, given, released = of.column, of.column.values, centres.values[labels]
    gone, away = column.missing, centres.missing[labels] if centres.missing.size else centres.missing
    is_level = column.kind in ("nominal", "boolean")
    if (gone.size or away.size) and not is_level:
        mean = _mean(column, EQUAL)
        given = np.where(gone, mean, given) if gone.size else given
        released = np.where(away, mean, released) if away.size else released
    if is_level:
        squares, exponent = (given != released).astype(np.float64), 0
    else:
        with np.errstate(over="ignore"):  # then it is infinite
            squares = of.unit.of(given - released)
        exponent = _exponent(squares, of.unit.from_missing if gone.size or away.size else 0.0)
        squares = np.ldexp(squares, -exponent)
        squares *= squares
    if gone.size or away.size:
        nothing = np.zeros(labels.size, dtype=np.bool_)
        gone, away = (gone if gone.size else nothing), (away if away.size else nothing)
        if is_level:
            squares[gone | away] = 0.0
        squares[gone != away] += math.ldexp(of.unit.from_missing, -exponent) ** 2
    if np.isinf(squares).any():
        return _Squares(math.inf)
    return _Squares(exact_sum(squares * weights if weights.size else squares), exponent)


def _exponent(distances: Floats, from_missing: float) -> int:
    """Return the power of two beside which no distance is larger than 1."""
    largest = max(-distances.min(initial=0.0), distances.max(initial=0.0), from_missing)
    return math.frexp(largest)[1]


def _sum(squares: Mapping[str, _Squares], importance: Sequence[float]) -> _Squares:
    """Return the sum over the columns, in the unit of the largest."""
    exponent = max((of.exponent for of in squares.values() if of.scaled), default=0)
    parts = (math.ldexp(of.scaled, 2 * (of.exponent - exponent)) for of in squares.values())
    return _Squares(sum(part * times for part, times in zip(parts, importance, strict=True)), exponent)


def _percent(part: _Squares, whole: _Squares) -> float:
    if not whole.scaled:
        return 0.0
    try:
        return math.ldexp(100.0 * part.scaled / whole.scaled, 2 * (part.exponent - whole.exponent))
    except OverflowError:
        return math.inf
