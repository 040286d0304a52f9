"""CSV files out: lines are made and written batch by batch, so that no second table stands in memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microagg.tables.csv_dialect import DELIMITERS, Dialect
from microagg.tables.csv_file import text_scalar
from microagg.tables.forms import as_text
from microagg.tables.table import Table

_LINES_AT_ONCE = 1 << 16


def held(table: pa.Table, origin: Table, replaced: object) -> pa.Table:
    """Return the table, whose values differ just where their texts will.

    Raises InputError for columns that have no text.
    """
    as_text(table.slice(0, 0))
    return table


def write(table: pa.Table, stream: BinaryIO, origin: Table, replaced: object) -> None:
    """Write a table as the CSV file that it came from was written."""
    write_csv(table, stream, origin.csv.dialect if origin.csv else Dialect())


def write_csv(table: pa.Table, stream: BinaryIO, dialect: Dialect) -> None:
    """Write a table; values are quoted only where they must be."""
    write_header(table.column_names, stream, dialect)
    write_lines(table, stream, dialect)


def write_header(columns: Sequence[str], stream: BinaryIO, dialect: Dialect) -> None:
    """Write the line with the names of the columns."""
    names = dialect.delimiter.join(_quoted_name(name, dialect.delimiter) for name in columns)
    stream.write(f"{dialect.mark}{names}{dialect.line_end}".encode(dialect.encoding))


def write_lines(table: pa.Table, stream: BinaryIO, dialect: Dialect) -> None:
    """Write some records, of which there may be more."""
    for batch in table.to_batches(max_chunksize=_LINES_AT_ONCE):
        lines = _lines(_texts(batch, dialect), dialect)
        stream.write(lines if dialect.encoding == "utf-8" else str(lines, "utf-8").encode(dialect.encoding))


def _texts(batch: Any, dialect: Dialect) -> list[Any]:
    """Return the columns of some records as text, with the decimal mark of the file."""
    texts = as_text(pa.Table.from_batches([batch])).columns
    return [
        pc.replace_substring(text, ".", dialect.decimal)
        if dialect.decimal != "." and _may_have_point(field.type)
        else text
        for field, text in zip(batch.schema, texts, strict=True)
    ]


def _may_have_point(kind: Any) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _quoted_name(name: str, delimiter: str) -> str:
    """Return a name with quotes if it is empty or holds any delimiter, lest a reader guess the wrong one."""
    if name and not re.search(f'["\r\n{DELIMITERS}{re.escape(delimiter)}]', name):
        return name
    return '"' + name.replace('"', '""') + '"'


def _lines(columns: list[Any], dialect: Dialect) -> memoryview:
    """Return the lines of some records, straight from the memory in which Arrow joined them."""
    quoted = [_quoted(column, dialect.delimiter) for column in columns]
    lines = pc.binary_join_element_wise(*quoted, text_scalar(dialect.delimiter))
    ended = pc.binary_join_element_wise(lines, text_scalar(""), text_scalar(dialect.line_end))
    whole = ended.combine_chunks() if isinstance(ended, pa.ChunkedArray) else ended
    _, offsets, content = whole.buffers()
    start, *_, end = np.frombuffer(offsets, dtype=np.int32)[whole.offset : whole.offset + len(whole) + 1]
    return memoryview(content)[start:end]


def _quoted(text: Any, delimiter: str) -> Any:
    unsafe = pc.match_substring_regex(text, f'["\r\n{re.escape(delimiter)}]')
    if not pc.any(unsafe).as_py():
        return text
    mark = text_scalar('"')
    doubled = pc.replace_substring(text, '"', '""')
    return pc.if_else(unsafe, pc.binary_join_element_wise(mark, doubled, mark, text_scalar("")), text)
