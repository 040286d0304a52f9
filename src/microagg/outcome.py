"""The two figures that every release has: what was lost, and how many records look alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Loss:
    """The information loss in percent: 100 SSE/SST, of all quasi-identifiers and of each."""

    percent: float
    by_column: Mapping[str, float]


@dataclass(frozen=True)
class Classes:
    """What an observer can tell apart: the classes of records with equal quasi-identifiers.

    `smallest`, `largest` and `sizes`, how many classes there are of each size, count records, or
    entities where several records belong to one.
    """

    records: int
    count: int
    smallest: int
    largest: int
    records_below_k: int
    sizes: Mapping[int, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of_sizes(cls, sizes: Mapping[int, int], k: int) -> Classes:
        """Return the classes of which so many are of each size.

        >>> Classes.of_sizes({2: 1, 3: 2}, k=3)
        Classes(records=8, count=3, smallest=2, largest=3, records_below_k=2)
        """
        return cls(
            records=sum(size * count for size, count in sizes.items()),
            count=sum(sizes.values()),
            smallest=min(sizes),
            largest=max(sizes),
            records_below_k=sum(size * count for size, count in sizes.items() if size < k),
            sizes=sizes,
        )
