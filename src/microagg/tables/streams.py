"""Tables that are read in parts, as often as need be, so that none is ever whole in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from microagg.errors import InputError
from microagg.tables import csv_file, duckdb_file
from microagg.tables.csv_dialect import Dialect
from microagg.tables.csv_file import CsvFile
from microagg.tables.digest import digest_of_parts
from microagg.tables.files import Target, files_of
from microagg.tables.formats import PARQUET, format_of
from microagg.tables.mixed import counted_from_one
from microagg.tables.source import Source, is_database, is_place, source_of, without_secrets
from microagg.tables.table import Table

PART = 1 << 17
"""Records that are looked at together."""

_READ_AHEAD = 1 << 20  # bytes of a column that are read at once
_OF_TEXT = 3.0  # bytes in memory for each byte of a CSV file

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, eq=False)
class Stream:
    """A table that can be read from its first record to its last, again and again, in the same order."""

    schema: pa.Schema
    opened: Callable[[list[str]], Batches]  # the records with only these columns, in the order of the table
    size: float  # in memory it would take about so many bytes
    csv: CsvFile | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns, in the order of the table."""
        return list(self.schema.names)

    def where(self, record: int) -> str:
        """Say where a record stands, counted as its owner sees it."""
        return self.csv.where(record) if self.csv else counted_from_one(record)

    def parts(self, names: Sequence[str] | None = None, records: int = PART) -> Iterator[pa.Table]:
        """Yield the records, so many at a time and then the rest, each column of a part in one piece."""
        wanted = self.names if names is None else list(names)
        waiting: list[pa.RecordBatch] = []
        held = 0
        for batch in self.opened(wanted):
            waiting.append(batch.select(wanted))
            held += batch.num_rows
            while held >= records:
                together = pa.Table.from_batches(waiting)
                yield together.slice(0, records).combine_chunks()
                rest = together.slice(records)
                waiting, held = rest.to_batches(), rest.num_rows
        if held:
            yield pa.Table.from_batches(waiting).combine_chunks()

    def digest(self) -> bytes:
        """Return the SHA-256 of the names, types and values."""
        return digest_of_parts(self.schema, self.parts)

    def read(self) -> pa.Table:
        """Return the whole table, which must fit into memory."""
        return pa.Table.from_batches(self.opened(self.names), self.schema)


def stream_of(data: Any) -> Stream:
    """Return a table to be read in parts; raises InputError for what can only be read as a whole."""
    if isinstance(data, Table):
        return _of_table(data.data)
    if isinstance(data, pa.Table):
        return _of_table(data)
    if not is_place(data):
        return _of_dataset(data)
    source = source_of(data)
    if duckdb_file.is_duckdb(source.place):
        found = duckdb_file.opened(source)
        if not found.is_stored:
            raise InputError(
                "a query or view can give its records in another order at each look, and larger than memory "
                "there are several: save it as a table first, or take engine='memory'"
            )
        return Stream(found.schema, found.batches, found.size)
    if is_database(source.place):
        raise _only_as_a_whole(without_secrets(source.place))
    return _of_files(source)


def size_of(data: Any) -> float:
    """Return about how many bytes of memory a table that can be read in parts would take; it is not read."""
    source = source_of(data)
    if is_database(source.place) or duckdb_file.is_duckdb(source.place):
        return duckdb_file.opened(source).size if duckdb_file.is_duckdb(source.place) else 0.0
    path = Path(source.place)
    paths = [file for file in files_of(path) if file.is_file()]
    if all(file.suffix.lower() == ".parquet" for file in paths):
        return sum(_size_of_parquet(file) for file in paths)
    return sum(_OF_TEXT * file.stat().st_size for file in paths if file.suffix.lower() == ".csv")


def _size_of_parquet(path: Path) -> float:
    with _as_parquet(path):
        known = pq.read_metadata(path)
    return float(sum(known.row_group(group).total_byte_size for group in range(known.num_row_groups)))


def stream_of_written(path: Path, target: Target, origin: Stream) -> Stream:
    """Return a file that was written for a target from this origin, whatever its name is so far."""
    if target.format is PARQUET:
        return _of_parquet([path], several=False)
    dialect = origin.csv.dialect if origin.csv else Dialect()
    said = {"delimiter": dialect.delimiter, "encoding": dialect.encoding, "decimal": dialect.decimal}
    return _of_csv(path, Source(path, **said))


def _only_as_a_whole(told: str) -> InputError:
    return InputError(
        f"{told} cannot be read in parts, which larger than memory is not yet done for: take "
        "engine='memory', or a CSV file, Parquet, Arrow or a DuckDB database"
    )


def _of_table(table: pa.Table) -> Stream:
    return Stream(
        table.schema.remove_metadata(),
        lambda names: iter(table.select(names).to_batches(max_chunksize=PART)),
        table.nbytes,
    )


def _of_dataset(data: Any) -> Stream:
    import pyarrow.dataset as ds

    if not isinstance(data, ds.Dataset):
        raise _only_as_a_whole(f"a {type(data).__name__}")
    return Stream(data.schema.remove_metadata(), lambda names: _scanned(data, names), 0.0)


def _of_files(source: Source) -> Stream:
    path = Path(source.place)
    try:
        paths = files_of(path)
        kind = PARQUET if len(paths) > 1 else format_of(paths[0])
        source.require_only(kind.options, kind.name)
        if paths[0].stat().st_size == 0:
            raise InputError(f"{paths[0]} is empty: expected a table")
        if kind.name == "CSV":
            return _of_csv(path, source)
        if kind is not PARQUET:
            raise _only_as_a_whole(f"{path}, which is {kind.name},")
        return _of_parquet(paths, several=len(paths) > 1 or paths[0] != path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def _of_csv(path: Path, source: Source) -> Stream:
    names, file = csv_file.opened(path, source)
    schema = pa.schema([(name, pa.string()) for name in names])
    size = _OF_TEXT * path.stat().st_size
    return Stream(schema, partial(csv_file.in_parts, file, names), size, file)


def _of_parquet(paths: list[Path], *, several: bool) -> Stream:
    size = sum(_size_of_parquet(path) for path in paths)
    if not several:
        with _as_parquet(paths[0]):
            schema = pq.read_schema(paths[0]).remove_metadata()
        return Stream(schema, partial(_of_one, paths[0]), size)
    from microagg.tables.parquet_file import dataset_of

    whole = dataset_of(paths)
    return Stream(whole.schema.remove_metadata(), lambda names: _of_several(whole, names), size)


def _of_one(path: Path, names: list[str]) -> Batches:
    with _as_parquet(path), pq.ParquetFile(path, buffer_size=_READ_AHEAD, pre_buffer=False) as file:
        # with threads, or all groups at once, Arrow would hold as much of the file as it has read
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(PART, row_groups=[group], columns=names, use_threads=False):
                yield batch.replace_schema_metadata()


def _of_several(whole: Any, names: list[str]) -> Batches:
    """Yield the records of the files of a dataset, one after the other, with what their folders tell."""
    import pyarrow.dataset as ds

    for fragment in whole.get_fragments():
        told = ds.get_partition_keys(fragment.partition_expression)
        stored = [name for name in names if name not in told]
        schema = pa.schema([whole.schema.field(name) for name in names])
        for batch in _of_one(Path(fragment.path), stored or fragment.physical_schema.names[:1]):
            columns = [
                pa.array([told[name]], schema.field(name).type).take(pa.array(np.zeros(len(batch), np.int64)))
                if name in told
                else batch.column(name)
                for name in names
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _scanned(data: Any, names: list[str]) -> Batches:
    import pyarrow.dataset as ds

    options: dict[str, Any] = {}
    if getattr(getattr(data, "format", None), "default_extname", "") == "parquet":
        options["fragment_scan_options"] = ds.ParquetFragmentScanOptions(
            use_buffered_stream=True, buffer_size=_READ_AHEAD, pre_buffer=False
        )
    try:
        yield from data.scanner(
            columns=names, batch_size=PART, batch_readahead=2, fragment_readahead=1, **options
        ).to_batches()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"the files cannot be read: {error}") from None


@contextmanager
def _as_parquet(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise InputError(f"{path} cannot be read as Parquet: {error}") from None
