"""The independent check of a file that was written, by DuckDB: it knows nothing of how groups were made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from microagg.engine.database import database
from microagg.outcome import Classes
from microagg.tables.streams import Stream

_SIZES = """
    SELECT size, count(*) FROM (SELECT count(*) AS size FROM seen GROUP BY ALL_COLUMNS) GROUP BY size
    ORDER BY size
"""


def classes_in(
    written: Stream, names: Sequence[str], k: int, folder: Path, memory: int, watch: Callable[[], None]
) -> Classes:
    """Count the records of a table that are equal in every one of these columns."""
    columns = [f"c{place}" for place in range(len(names))]
    parts = _parts(written, names, columns, watch)
    first = next(parts)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from first.to_batches()
        for part in parts:
            yield from part.to_batches()

    with database(folder, memory) as connection:
        seen = pa.RecordBatchReader.from_batches(first.schema, batches())
        connection.register("seen", seen)
        rows = connection.execute(_SIZES.replace("ALL_COLUMNS", ", ".join(columns))).fetchall()
    return Classes.of_sizes({int(size): int(count) for size, count in rows}, k)


def _parts(
    written: Stream, names: Sequence[str], columns: list[str], watch: Callable[[], None]
) -> Iterator[pa.Table]:
    for part in written.parts(names):
        watch()
        yield pa.table([_looks(part.column(name)) for name in names], names=columns)


def _looks(column: Any) -> Any:
    """Return a column whose values are equal just where they look the same: zero and minus zero do not."""
    form = column.type
    if pa.types.is_float64(form):
        return pa.chunked_array([chunk.view(pa.int64()) for chunk in column.chunks], pa.int64())
    if pa.types.is_float32(form):
        return pa.chunked_array([chunk.view(pa.int32()) for chunk in column.chunks], pa.int32())
    if pa.types.is_float16(form):
        return pa.chunked_array([chunk.view(pa.int16()) for chunk in column.chunks], pa.int16())
    return column
