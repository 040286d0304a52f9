"""Columns to matrix: the records in an order that does not depend on how they were given, and scaled."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.exact import exact_sum
from microagg.kernels.order import lexicographic_order

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Ranks = Callable[[Rows], Iterable[NDArray[np.int64]]]
"""Given some rows, the ranks of their values in each further column, one column after the other."""


def standardised(values: Floats) -> Floats:
    """Return each column minus its minimum, divided by its standard deviation (over n, not n - 1).

    The minimum rather than the mean, because that difference is exact wherever the data's own
    differences are: adding 1e9 to a column changes nothing. A constant column becomes zeros.
    """
    matrix = np.empty(values.shape)
    for j in range(values.shape[1]):
        matrix[:, j] = _standardised(values[:, j])
    return matrix


def _standardised(column: Floats) -> Floats:
    shifted: Floats = column - column.min()
    largest = float(shifted.max())
    if largest == 0.0:
        return shifted
    shifted = np.ldexp(shifted, -int(np.frexp(largest)[1]))  # exact; now squares neither overflow nor vanish
    mean = exact_sum(shifted) / shifted.size
    variance = exact_sum((shifted - mean) ** 2) / shifted.size
    scaled: Floats = shifted / np.sqrt(variance)
    return scaled


def canonical_order(values: Floats, ranks: Ranks) -> Rows:
    """Return the rows sorted by their values, then by the further columns, and only then by position.

    The further columns are asked for only the rows that are still tied, and only as long as there
    are any, so that data without ties pay for nothing.
    """
    order = lexicographic_order(values)
    ordered = values[order]
    run_of = np.cumsum(np.append(False, np.any(ordered[1:] != ordered[:-1], axis=1)))
    tied = _tied(run_of)
    if not tied.size:
        return order
    rows, run_of = order[tied], run_of[tied]
    place = np.arange(tied.size)  # the place in `rows` of what now stands at each tied place
    for rank in ranks(rows):
        place = place[np.lexsort((rank[place], run_of))]
        pair = np.column_stack((run_of, rank[place]))
        run_of = np.cumsum(np.append(False, np.any(pair[1:] != pair[:-1], axis=1)))
        if not _tied(run_of).size:
            break
    order[tied] = rows[place]
    return order


def _tied(run_of: NDArray[np.intp]) -> Rows:
    """Return the places that share their run with a neighbour."""
    same = run_of[1:] == run_of[:-1]
    return np.flatnonzero(np.append(same, False) | np.append(False, same))
