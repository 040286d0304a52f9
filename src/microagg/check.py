"""The last look before a release: how many records share each combination of quasi-identifiers.

It counts what an observer sees, and knows nothing of how the groups were made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.errors import UnsafeReleaseError
from microagg.outcome import Classes

Codes = NDArray[np.int64]
"""One number for each record of a column; equal numbers are values that cannot be told apart."""

_ODD = np.uint64(0x9E3779B97F4A7C15)


def classes(columns: Sequence[Codes], k: int, entities: Codes | None = None) -> Classes:
    """Count the classes of records that are equal in every column.

    Where several records belong to one entity, a class is as large as the number of its entities.
    """
    order, is_first = _sorted_rows(columns)
    records = np.diff(np.append(np.flatnonzero(is_first), order.size))
    sizes = records if entities is None else _distinct(np.cumsum(is_first) - 1, entities[order])
    found, times = np.unique(sizes, return_counts=True)
    return Classes(
        records=order.size,
        count=sizes.size,
        smallest=int(sizes.min(initial=order.size)),
        largest=int(sizes.max(initial=0)),
        records_below_k=int(records[sizes < k].sum()),
        sizes={int(size): int(count) for size, count in zip(found, times, strict=True)},
    )


def class_of_each(columns: Sequence[Codes]) -> Codes:
    """Return the class of each record, numbered from 0."""
    order, is_first = _sorted_rows(columns)
    class_of = np.empty(order.size, dtype=np.int64)
    class_of[order] = np.cumsum(is_first) - 1
    return class_of


def linked_safely(columns: Sequence[Codes], k: int, entities: Codes) -> bool:
    """Say whether the records of one entity, taken together, are like those of at least k - 1 others."""
    class_of = class_of_each(columns)
    by_entity = np.lexsort((class_of, entities))
    ends = np.flatnonzero(np.diff(entities[by_entity])) + 1
    sequences = Counter(tuple(part.tolist()) for part in np.split(class_of[by_entity], ends))
    return min(sequences.values()) >= k


def _distinct(class_of: NDArray[np.intp], entities: Codes) -> NDArray[np.intp]:
    """Return how many entities each class holds."""
    pairs = np.lexsort((entities, class_of))
    of, who = class_of[pairs], entities[pairs]
    is_new = np.append(True, (of[1:] != of[:-1]) | (who[1:] != who[:-1]))[: of.size]
    return np.bincount(of[is_new])


def require_safe(found: Classes, k: int, of: str = "record") -> None:
    """Raise if a class stands for fewer than k records, or entities."""
    if found.records_below_k:
        raise UnsafeReleaseError(
            f"not safe for k = {k}: {found.records_below_k} of {found.records} records share their "
            f"quasi-identifiers with fewer than {k - 1} other {of}s; the smallest of {found.count} classes "
            f"holds {found.smallest} {of}(s)"
        )


def _sorted_rows(columns: Sequence[Codes]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the records with equal ones side by side, and whether each is the first of its kind.

    Sorting by one mixed number a record is faster than by all columns. Two different records may
    share that number, though hardly ever: this shows as neighbours that differ, and then all
    columns are sorted.
    """
    mixed = _mixed(columns)
    order = np.argsort(mixed)
    is_first = _differs(columns, order)
    if np.any(is_first[1:] & (mixed[order[1:]] == mixed[order[:-1]])):
        order = np.lexsort(tuple(columns))
        is_first = _differs(columns, order)
    return order, is_first


def _mixed(columns: Sequence[Codes]) -> NDArray[np.uint64]:
    mixed = np.zeros(columns[0].size, dtype=np.uint64)
    for column in columns:
        mixed ^= column.view(np.uint64)
        mixed ^= mixed >> np.uint64(32)
        mixed *= _ODD
        mixed ^= mixed >> np.uint64(32)
    return mixed


def _differs(columns: Sequence[Codes], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say of each place in the order whether its record differs from the one before."""
    differs = np.zeros(order.size, dtype=np.bool_)
    differs[:1] = True
    for column in columns:
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    return differs
