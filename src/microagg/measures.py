"""What the protection costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Centres, Column, Floats, Unit
from microagg.kernels.exact import EQUAL, exact_group_means, exact_sum
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
    total = {name: _squares(of, _middle(of, weights), whole, weights) for name, of in columns.items()}
    return Loss(
        percent=_percent(
            *(sum(of[name] * columns[name].importance for name in columns) for of in (within, total))
        ),
        by_column={name: _percent(within[name], total[name]) for name in columns},
    )


def _middle(of: Released, weights: Floats) -> Centres:
    """Return the centre of all records: of numbers the mean itself, not rounded."""
    if of.column.kind in ("nominal", "boolean") or of.centre_of_all.missing.any():
        return of.centre_of_all
    there = ~of.column.missing if of.column.missing.size else slice(None)
    values = of.column.values[there]
    mass = weights[there] if weights.size else weights
    return Centres(exact_group_means(values, np.zeros(values.size, dtype=np.intp), 1, mass))


def _squares(of: Released, centres: Centres, labels: Labels, weights: Floats) -> float:
    """Return the sum of the (weighted) squared distances of the records to their centres."""
    column = of.column
    centre = centres.values[labels]
    if column.kind in ("nominal", "boolean"):
        squares = (column.values != centre).astype(np.float64)
    else:
        squares = of.unit.of(column.values - centre)
        squares *= squares
    if column.missing.size or centres.missing.size:
        missing = column.missing if column.missing.size else np.zeros(labels.size, dtype=np.bool_)
        released_missing = centres.missing[labels] if centres.missing.size else np.zeros_like(missing)
        squares[missing | released_missing] = 0.0
        squares[missing != released_missing] = of.unit.from_missing**2
    return exact_sum(squares * weights if weights.size else squares)


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
