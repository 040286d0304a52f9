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
from microagg.plan import Kind

Labels = NDArray[np.int32]


class Released(NamedTuple):
    """A column, its unit of distance, how much it weighs, and what stands for its groups."""

    column: Column
    unit: Unit
    importance: float
    centres: Centres
    centre_of_all: Centres


class Squares(NamedTuple):
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
    total = {
        name: _squares(
            of, middle(of.column.kind, _mean(of.column, weights), of.centre_of_all), whole, weights
        )
        for name, of in columns.items()
    }
    return loss_of_squares(within, total, {name: of.importance for name, of in columns.items()})


def loss_of_squares(
    within: Mapping[str, Squares], total: Mapping[str, Squares], importance: Mapping[str, float]
) -> Loss:
    """Return the loss from the sums of squares of each column, within the groups and in all."""
    return Loss(
        percent=_percent(*(_sum(of, [importance[name] for name in of]) for of in (within, total))),
        by_column={name: _percent(within[name], total[name]) for name in within},
    )


def middle(kind: Kind, mean: float, centre_of_all: Centres) -> Centres:
    """Return the centre of all records: of numbers the mean itself, not rounded."""
    if kind in ("nominal", "boolean"):
        return centre_of_all
    return Centres(np.array([mean]), centre_of_all.missing)


def _mean(column: Column, weights: Floats) -> float:
    """Return the mean of the values that are there, which is where the missing ones count as lying."""
    there = ~column.missing if column.missing.size else slice(None)
    values = column.values[there]
    if not values.size:
        return 0.0
    mass = weights[there] if weights.size else weights
    return float(exact_group_means(values, np.zeros(values.size, dtype=np.intp), 1, mass)[0])


def _squares(of: Released, centres: Centres, labels: Labels, weights: Floats) -> Squares:
    """Return the sum of the (weighted) squared distances of the records to their centres."""
    gaps = bool(of.column.missing.size or centres.missing.size)
    distances = _distances(of.column, of.unit, _mean(of.column, EQUAL) if gaps else 0.0, centres, labels)
    exponent = _exponent(distances, of.unit.from_missing if gaps else 0.0)
    squares = _squared(np.ldexp(distances, -exponent), of.column, of.unit, centres, labels, exponent)
    if np.isinf(squares).any():
        return Squares(math.inf)
    return Squares(exact_sum(squares * weights if weights.size else squares), exponent)


def squared_distances_to(column: Column, unit: Unit, mean: float, centres: Centres, labels: Labels) -> Floats:
    """Return the squared distance of each record to its centre; what is missing lies at the mean of all."""
    return _squared(_distances(column, unit, mean, centres, labels), column, unit, centres, labels)


def _distances(column: Column, unit: Unit, mean: float, centres: Centres, labels: Labels) -> Floats:
    """Return how far each record is from its centre, as far as both are there; other levels are 1 away."""
    given, released = column.values, centres.values[labels]
    if column.kind in ("nominal", "boolean"):
        apart: Floats = (given != released).astype(np.float64)
        return apart
    if column.missing.size:
        given = np.where(column.missing, mean, given)
    if centres.missing.size:
        released = np.where(centres.missing[labels], mean, released)
    with np.errstate(over="ignore"):  # then it is infinite
        distances: Floats = unit.of(given - released)
    return distances


def _squared(
    distances: Floats, column: Column, unit: Unit, centres: Centres, labels: Labels, exponent: int = 0
) -> Floats:
    """Return squared distances, with what is missing on one side only, in a unit of 4**exponent."""
    squares = distances * distances
    if not (column.missing.size or centres.missing.size):
        return squares
    nothing = np.zeros(labels.size, dtype=np.bool_)
    gone = column.missing if column.missing.size else nothing
    away = centres.missing[labels] if centres.missing.size else nothing
    if column.kind in ("nominal", "boolean"):
        squares[gone | away] = 0.0
    squares[gone != away] += math.ldexp(unit.from_missing, -exponent) ** 2
    return squares


def _exponent(distances: Floats, from_missing: float) -> int:
    """Return the power of two beside which no distance is larger than 1."""
    largest = max(-distances.min(initial=0.0), distances.max(initial=0.0), from_missing)
    return math.frexp(largest)[1]


def _sum(squares: Mapping[str, Squares], importance: Sequence[float]) -> Squares:
    """Return the sum over the columns, in the unit of the largest."""
    exponent = max((of.exponent for of in squares.values() if of.scaled), default=0)
    parts = (math.ldexp(of.scaled, 2 * (of.exponent - exponent)) for of in squares.values())
    return Squares(sum(part * times for part, times in zip(parts, importance, strict=True)), exponent)


def _percent(part: Squares, whole: Squares) -> float:
    if not whole.scaled:
        return 0.0
    try:
        return math.ldexp(100.0 * part.scaled / whole.scaled, 2 * (part.exponent - whole.exponent))
    except OverflowError:
        return math.inf
