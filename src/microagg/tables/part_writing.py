"""Tables that are written part by part, the same as if they were whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from microagg.errors import InputError
from microagg.tables.csv_dialect import Dialect
from microagg.tables.csv_file import CsvFile
from microagg.tables.csv_writing import write_header, write_lines
from microagg.tables.files import Target
from microagg.tables.formats import PARQUET
from microagg.tables.forms import Spelling, as_text, with_type
from microagg.tables.streams import Stream

_ROW_GROUP = 1 << 19  # records


class CsvParts:
    """A CSV file that grows."""

    def __init__(self, stream: BinaryIO, schema: pa.Schema, dialect: Dialect) -> None:
        self.stream, self.dialect = stream, dialect
        write_header(schema.names, stream, dialect)

    def add(self, part: pa.Table) -> None:
        """Write some records."""
        write_lines(part, self.stream, self.dialect)

    def end(self) -> None:
        """Write what is left."""
        self.stream.flush()

    def close(self) -> None:
        """Let go of a file that is whole, or is not to be."""


class ParquetParts:
    """A Parquet file that grows."""

    def __init__(self, stream: BinaryIO, schema: pa.Schema) -> None:
        texts = [field.name for field in schema if not _is_number(field.type)]
        self.writer = pq.ParquetWriter(stream, schema, use_dictionary=texts or False)
        self.stream = stream
        self.waiting: list[pa.Table] = []

    def add(self, part: pa.Table) -> None:
        """Write some records, once there are enough for a row group."""
        self.waiting.append(part)
        if sum(part.num_rows for part in self.waiting) >= _ROW_GROUP:
            self._write()

    def _write(self) -> None:
        self.writer.write_table(pa.concat_tables(self.waiting))
        self.waiting = []

    def end(self) -> None:
        """Write what is left, and what tells where everything is."""
        if self.waiting:
            self._write()
        self.writer.close()
        self.stream.flush()

    def close(self) -> None:
        """Let go of a file that is whole, or is not to be."""
        self.writer.close()


def _is_number(form: Any) -> bool:
    return bool(pa.types.is_floating(form) or pa.types.is_integer(form))


def schema_of(origin: Stream, names: Sequence[str], types: Mapping[str, Any]) -> pa.Schema:
    """Return the columns of these names, with other types where their values are new."""
    return pa.schema(
        [pa.field(name, types[name]) if name in types else origin.schema.field(name) for name in names]
    )


def types_of_text(
    origin: Stream, names: Sequence[str], used: Mapping[str, Any], watch: Callable[[], None]
) -> dict[str, Any]:
    """Return the types that spell the columns of a CSV file that are kept, and the levels that are used."""
    found = {name: Spelling() for name in (*names, *used)}
    for name, values in used.items():
        found[name].add(values, origin.csv)
    if names:
        for part in origin.parts(names):
            watch()
            for name in names:
                found[name].add(part.column(name), origin.csv)
    return {name: spelling.form for name, spelling in found.items()}


def put_together(
    schema: pa.Schema, kept: pa.Table | None, new: Mapping[str, Any], csv: CsvFile | None
) -> pa.Table:
    """Return some records with their new columns and those that are kept."""
    columns = [new[name] if name in new or kept is None else kept.column(name) for name in schema.names]
    typed = [
        with_type(column, form, csv) if column.type == pa.string() else column
        for column, form in zip(columns, schema.types, strict=True)
    ]
    return pa.Table.from_arrays(typed, schema=schema)


@contextmanager
def whole_or_nothing(path: Path) -> Iterator[None]:
    """Turn what is against a file that is written into an InputError: it is as it was."""
    try:
        yield
    except (OSError, UnicodeError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} could not be written: {reason}; nothing was changed") from error


def require_writable_in_parts(target: Any, origin: Stream, names: Sequence[str]) -> None:
    """Raise InputError if no table of these columns can be written there part by part."""
    if not isinstance(target, Target) or target.format.name not in ("CSV", "Parquet"):
        raise InputError(
            f"{target.written} is no CSV file and no Parquet: to write others larger than memory is not yet "
            "done: take engine='memory', or another file"
        )
    if target.format.name == "CSV":
        as_text(schema_of(origin, names, {}).empty_table())


@contextmanager
def parts_written(
    stream: BinaryIO, target: Target, schema: pa.Schema, origin: Stream
) -> Iterator[CsvParts | ParquetParts]:
    """Give what writes a table part by part to a file of this kind; it is whole at the end."""
    if target.format is PARQUET:
        writer: CsvParts | ParquetParts = ParquetParts(stream, schema)
    else:
        writer = CsvParts(stream, schema, origin.csv.dialect if origin.csv else Dialect())
    try:
        yield writer
        writer.end()
    finally:
        writer.close()
