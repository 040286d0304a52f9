"""Whether what was found or fetched is the very set that was published."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.datasets.sources import Source

Table = Mapping[str, NDArray[Any]]


def require_published(content: bytes, source: Source) -> None:
    """Raise ValueError if these bytes are not the published file."""
    if len(content) > source.size:
        raise ValueError(f"it is larger than the {source.size:,} bytes expected")
    if len(content) < source.size:
        raise ValueError(f"it has {len(content):,} bytes, expected {source.size:,}")
    found = hashlib.sha256(content).hexdigest()
    if found != source.sha256:
        raise ValueError(f"its SHA-256 is {found}, expected {source.sha256}")


def verified_table(columns: Mapping[str, ArrayLike], source: Source) -> Table:
    """Return the table with its numbers as int64, or raise ValueError if it is not the published one."""
    if tuple(columns) != source.columns:
        raise ValueError(f"its columns are {', '.join(columns)}; expected {', '.join(source.columns)}")
    table = {name: _typed(name, np.asarray(column), source) for name, column in columns.items()}
    records = len(table[source.columns[0]])
    if records != source.records:
        raise ValueError(f"it has {records:,} records, expected {source.records:,}")
    if values_digest(table) != source.values_sha256:
        raise ValueError("it has the right columns, but some values differ from those published")
    return table


def _typed(name: str, column: NDArray[Any], source: Source) -> NDArray[Any]:
    """Return a column as text or as the whole numbers that all three sets consist of."""
    if name in source.texts:
        return column.astype(np.str_)
    try:
        return column.astype(np.int64)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"column {name} holds something else than whole numbers: {error}") from error


def values_digest(table: Table) -> str:
    """Return the SHA-256 of a table's names and values, however it was stored."""
    digest = hashlib.sha256()
    for name, column in table.items():
        is_text = column.dtype.kind == "U"
        values = "\n".join(column.tolist()).encode() if is_text else column.astype("<i8").tobytes()
        digest.update(name.encode() + b"\0" + values + b"\0")
    return digest.hexdigest()
