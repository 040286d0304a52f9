"""Records that no quasi-identifier parts: their order by all else that the table holds, found by DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.engine.contract import Ints
from microagg.engine.database import database
from microagg.engine.words import Sorted, Words
from microagg.kernels.order import lexicographic_order
from microagg.tables import array_of
from microagg.tables.duckdb_file import read_in_batches

_MISSING = 2.0**1000  # stands for a missing number where equal ones are looked for


class Others(NamedTuple):
    """The further columns, in the order in which they part records, and how to read them again."""

    names: list[str]
    parts: Callable[[], Iterator[pa.Table]]


class Ties(NamedTuple):
    """The rows of tied records, bundle by bundle, in the order that parts them."""

    rows: Words | None
    ends: Ints  # of each bundle

    def rank(self, bundle: int, rows: Ints) -> Ints:
        """Return the rank of each of these rows among those it is tied with; nothing if none is tied."""
        start, end = (
            (int(self.ends[bundle - 1]) if bundle else 0, int(self.ends[bundle])) if self.rows else (0, 0)
        )
        if self.rows is None or start == end:
            return np.empty(0, np.int64)
        tied = self.rows.read(start, end)[:, 0]
        by_row = np.argsort(tied)
        rank = np.zeros(len(rows), np.int64)
        place = np.searchsorted(tied[by_row], rows)
        place[place == len(tied)] = 0
        there = tied[by_row[place]] == rows
        rank[there] = by_row[place[there]]
        return rank


NO_TIES = Ties(None, np.empty(0, np.int64))


def ties_of(by_block: Sorted, small: Sequence[int], others: Others, folder: Path, memory: int) -> Ties:
    """Return the tied records of each bundle, in the order of the further columns and then of the rows.

    Only small bundles are looked at: in others all records are alike, and no order is needed.
    """
    with database(folder, memory) as connection:
        connection.execute("CREATE TABLE tied (run BIGINT, row BIGINT)")
        records = int(by_block.ends[-1])
        bitmap, ends, runs = np.zeros(records // 8 + 1, np.uint8), np.zeros(len(by_block.ends), np.int64), 0
        for bundle in small:
            words = by_block.read(bundle)
            run, tied = tied_in(words[:, 1:].view(np.float64))
            ends[bundle] = len(tied)
            rows = words[tied, 0]
            np.bitwise_or.at(bitmap, rows >> 3, (1 << (rows & 7)).astype(np.uint8))
            found = pa.table({"run": array_of(run + runs), "row": array_of(rows)})  # noqa: F841 - named in SQL
            connection.execute("INSERT INTO tied SELECT run, row FROM found")
            runs += int(run.max(initial=-1)) + 1
        ends = np.cumsum(ends)
        if not ends[-1]:
            return NO_TIES
        rows_of = Words(folder / "ties", 1)
        written = 0
        for row in _in_order(connection, others, bitmap):
            rows_of.write(written, row)
            written += len(row)
        return Ties(rows_of, ends)


def tied_in(numbers: Floats) -> tuple[Ints, NDArray[np.intp]]:
    """Return the records that share all their numbers with others, and the number of what they share."""
    filled = [np.where(np.isnan(column), _MISSING, column) for column in numbers.T]
    order = lexicographic_order(filled)
    differs = np.ones(len(order) + 1, dtype=np.bool_)
    differs[1:-1] = False
    for column in filled:
        ordered = column[order]
        differs[1:-1] |= ordered[1:] != ordered[:-1]
    tied = np.flatnonzero(~(differs[1:] & differs[:-1]))
    return np.cumsum(differs[:-1][tied]) - 1, order[tied]


def _in_order(connection: Any, others: Others, bitmap: NDArray[np.uint8]) -> Iterator[Ints]:
    """Yield the tied rows, run by run, in the order of the other columns and then of the rows."""
    parts = _tied_parts(others, bitmap)
    first = next(parts)
    source = pa.RecordBatchReader.from_batches(  # noqa: F841 - named in the query
        first.schema, (batch for part in _with_first(first, parts) for batch in part.to_batches())
    )
    order = ", ".join(f"c{place}" for place in range(len(others.names)))
    query = f"SELECT row FROM source JOIN tied USING (row) ORDER BY run, {order}, row"
    for batch in read_in_batches(connection.sql(query)):
        yield np.from_dlpack(batch.column(0)).astype(np.int64)


def _with_first(first: pa.Table, rest: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from rest


def _tied_parts(others: Others, bitmap: NDArray[np.uint8]) -> Iterator[pa.Table]:
    """Yield the further columns of those records that are tied, with their rows."""
    start = 0
    for part in others.parts():
        rows = np.arange(start, start + part.num_rows)
        tied = np.flatnonzero(bitmap[rows >> 3] >> (rows & 7) & 1)
        start += part.num_rows
        chosen = part.take(array_of(tied))
        columns = [_plain(chosen.column(name)) for name in others.names]
        names = ["row", *(f"c{place}" for place in range(len(columns)))]
        yield pa.table([array_of(rows[tied]), *columns], names=names)


def _plain(column: Any) -> Any:
    """Return categories as their values."""
    form = column.type
    return column.cast(form.value_type) if pa.types.is_dictionary(form) else column
