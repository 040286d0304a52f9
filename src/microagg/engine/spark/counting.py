"""What Spark itself counts of a data frame: classes for the independent check, and a fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from microagg.outcome import Classes

_HASHES = 4  # of 64 bits each
_FRACTIONAL = ("float", "double")


def classes_of(
    released: Any, names: Sequence[str], k: int, sensitive: Sequence[str] = ()
) -> tuple[Classes, dict[str, int]]:
    """Count the records of a data frame that are equal in every one of these columns.

    It knows nothing of how groups were made. Counted too are the classes whose records all have the same
    value of a sensitive column.
    """
    from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

    seen = released.toDF(*(f"c{place}" for place in range(len(released.columns))))
    kinds = dict(seen.dtypes)
    places = [f"c{released.columns.index(name)}" for name in names]
    keys = [key for place in places for key in _looks(place, kinds[place], F)]
    keys = [key.alias(f"k{at}") for at, key in enumerate(keys)]
    watched = {name: f"c{released.columns.index(name)}" for name in sensitive}
    alike = [_alike(F.col(place), F).alias(f"alike_{place}") for place in watched.values()]
    of_each = seen.groupBy(*keys).agg(F.count("*").alias("size"), *alike)
    many = [F.count_if(F.col(f"alike_{place}")).alias(place) for place in watched.values()]
    rows = of_each.groupBy("size").agg(F.count("*").alias("classes"), *many).orderBy("size").collect()
    given_away = {name: sum(int(row[place]) for row in rows) for name, place in watched.items()}
    return Classes.of_sizes({int(row["size"]): int(row["classes"]) for row in rows}, k), given_away


def _alike(column: Any, F: Any) -> Any:
    """Return whether all values of a class are the same, or all are missing."""
    there = F.count(column)
    return (there == 0) | ((there == F.count("*")) & (F.min(column) == F.max(column)))


def _looks(name: str, kind: str, F: Any) -> Iterator[Any]:
    """Yield what is equal just where values look the same."""
    column = F.col(name)
    if kind in _FRACTIONAL:
        yield column
        yield F.when(column == 0.0, column.cast("string"))  # minus zero, which Spark takes for zero
    elif kind.startswith("string"):
        yield column.cast("binary")  # a collation may take different texts for one
    else:
        yield column


def digest_of(data: Any) -> bytes:
    """Return a SHA-256 of the names, types and rows of a data frame, whatever their order.

    Of the rows it takes sums of hashes: whatever changes by accident shows, not what somebody forges.
    """
    from pyspark.sql import functions as F  # noqa: N812

    rows = data.toDF(*(f"c{place}" for place in range(len(data.columns))))
    values = [F.col(name) if "map<" not in kind else F.to_json(name) for name, kind in rows.dtypes]
    halves = []
    for salt in range(_HASHES):
        hashed = F.xxhash64(F.lit(salt), *values)
        halves += [F.shiftrightunsigned(hashed, 32), hashed.bitwiseAND(0xFFFFFFFF)]
    (sums,) = rows.agg(F.count("*"), *(F.sum(half) for half in halves)).collect()
    return hashlib.sha256(repr((data.dtypes, [int(found or 0) for found in sums])).encode()).digest()
