"""The records in an order that does not depend on how they were given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column
from microagg.kernels.order import lexicographic_order

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Ranks = Callable[[Rows], Iterable[NDArray[np.int64]]]
"""Given some rows, the ranks of their values in each further column, one column after the other."""


def canonical_order(columns: Sequence[Column], ranks: Ranks) -> Rows:
    """Return the rows sorted by these columns, then by the further ones, and only then by position.

    The further columns are asked for only the rows that are still tied, and only as long as there
    are any, so that data without ties pay for nothing.
    """
    keys = [key for column in columns for key in _keys(column)]
    order = lexicographic_order(keys)
    run_of: Rows = np.cumsum(_starts(keys, order), dtype=np.intp)
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


def _keys(column: Column) -> list[Floats]:
    """Return what tells the values of a column apart: a missing one is not the least."""
    return [column.values, column.missing.astype(np.float64)] if column.missing.size else [column.values]


def _starts(keys: Sequence[Floats], order: Rows) -> NDArray[np.bool_]:
    """Say of each place in the order whether its record differs from the one before."""
    starts = np.zeros(order.size, dtype=np.bool_)
    for key in keys:
        ordered = key[order]
        starts[1:] |= ordered[1:] != ordered[:-1]
    return starts


def _tied(run_of: NDArray[np.intp]) -> Rows:
    """Return the places that share their run with a neighbour."""
    same = run_of[1:] == run_of[:-1]
    return np.flatnonzero(np.append(same, False) | np.append(False, same))
