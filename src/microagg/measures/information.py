"""What the protection costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Centres, Column, Floats, Unit
from microagg.kernels.exact import EQUAL, exact_group_means, exact_sum
from microagg.plan import Kind
from microagg.result import Loss

Labels = NDArray[np.int32]


class Released(NamedTuple):
    """A column, its unit of distance, how much it weighs, and what stands for its groups."""

    column: Column
    unit: Unit
    importance: float
    centres: Centres
    centre_of_all: Centres


def information_loss(columns: Mapping[str, Released], labels: Labels, weights: Floats = EQUAL) -> Loss:
    """Return 100 SSE/SST: squared distances to what stands for the group, in percent of those to the centre.

    The distances are those by which the records were grouped; the centre is the mean of all records,
    or their mode where there is no mean. A column that does not vary has nothing to lose: 0.
    """
    whole = np.zeros_like(labels)
    within = {name: _squares(of, of.centres, labels, weights) for name, of in columns.items()}
    total = {
        name: _squares(
            of, middle(of.column.kind, _mean(of.column, weights), of.centre_of_all), whole, weights
        )
        for name, of in columns.items()
    }
    return loss_of_squares(within, total, {name: of.importance for name, of in columns.items()})


def loss_of_squares(
    within: Mapping[str, float], total: Mapping[str, float], importance: Mapping[str, float]
) -> Loss:
    """Return the loss from the sums of squares of each column, within the groups and in all."""
    return Loss(
        percent=_percent(*(sum(of[name] * importance[name] for name in within) for of in (within, total))),
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


def _squares(of: Released, centres: Centres, labels: Labels, weights: Floats) -> float:
    """Return the sum of the (weighted) squared distances of the records to their centres."""
    mean = _mean(of.column, EQUAL) if of.column.missing.size or centres.missing.size else 0.0
    squares = squared_distances_to(of.column, of.unit, mean, centres, labels)
    return exact_sum(squares * weights if weights.size else squares)


def squared_distances_to(column: Column, unit: Unit, mean: float, centres: Centres, labels: Labels) -> Floats:
    """Return the squared distance of each record to its centre; what is missing lies at the mean of all."""
    given, released = column.values, centres.values[labels]
    gone, away = column.missing, centres.missing[labels] if centres.missing.size else centres.missing
    is_level = column.kind in ("nominal", "boolean")
    if (gone.size or away.size) and not is_level:
        given = np.where(gone, mean, given) if gone.size else given
        released = np.where(away, mean, released) if away.size else released
    if is_level:
        squares: Floats = (given != released).astype(np.float64)
    else:
        squares = unit.of(given - released)
        squares *= squares
    if gone.size or away.size:
        nothing = np.zeros(labels.size, dtype=np.bool_)
        gone, away = (gone if gone.size else nothing), (away if away.size else nothing)
        if is_level:
            squares[gone | away] = 0.0
        squares[gone != away] += unit.from_missing**2
    return squares


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
