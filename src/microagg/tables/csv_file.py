"""CSV files: every value is read as the text that stands there, so that what is kept stays as it was."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from microagg.errors import InputError

_DELIMITERS = ",;\t"
_HEADER_SEARCHED = 1 << 22  # characters in which the header must end
_BLOCK = 1 << 22  # bytes; no record may be longer
_LINES_AT_ONCE = 1 << 16


class CsvFile(NamedTuple):
    """A CSV file and how it is written."""

    path: Path
    delimiter: str
    width: int

    def row_of(self, record: int) -> int:
        """Return the row in which a spreadsheet shows a record; the header, the first record's, is 1.

        Blank lines count as rows but hold no record, and a line break in quotes starts no row.
        """
        with _rows(self) as rows:
            filled = (number for number, row in enumerate(rows, 1) if row or self.width == 1)
            return next(islice(filled, record + 1, None), record + 2)


def read_csv(path: Path) -> tuple[pa.Table, CsvFile]:
    """Return the records of a CSV file, every column as text.

    The delimiter is a comma, or else the semicolon or tab that the header uses instead.
    """
    delimiter, names = _header(path)
    file = CsvFile(path, delimiter, len(names))
    try:
        table = pa_csv.read_csv(
            path,
            read_options=pa_csv.ReadOptions(block_size=_BLOCK),
            parse_options=pa_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1
            ),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise InputError(_why_unreadable(file, error)) from None
    if table.column_names != names:
        raise InputError(f"{path}: the header cannot be read; check its quotation marks")
    return table, file


def _header(path: Path) -> tuple[str, list[str]]:
    """Return the delimiter and the names of the columns."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            start = stream.read(_HEADER_SEARCHED).lstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError(_not_utf8(path)) from None
    if not start:
        raise InputError(f"{path} is empty: expected a header and records")
    delimiter = _delimiter(start)
    return delimiter, next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter))


def _delimiter(start: str) -> str:
    """Return the one delimiter that stands in the header outside quotes, else the comma."""
    header = re.match(r'(?:[^"\r\n]|"[^"]*")*', start)
    bare = re.sub(r'"[^"]*"', "", header[0] if header else "")
    found = [delimiter for delimiter in _DELIMITERS if delimiter in bare]
    return found[0] if len(found) == 1 else ","


@contextmanager
def _rows(file: CsvFile) -> Iterator[Iterator[list[str]]]:
    with file.path.open(encoding="utf-8-sig", newline="") as stream:
        yield csv.reader(stream, delimiter=file.delimiter)


def _why_unreadable(file: CsvFile, error: Exception) -> str:
    """Say what a person can mend; the fast reader does not tell the row."""
    try:
        with _rows(file) as rows:
            ragged = [
                (number, len(row)) for number, row in enumerate(rows, 1) if row and len(row) != file.width
            ]
    except UnicodeDecodeError:
        return _not_utf8(file.path)
    except csv.Error:
        ragged = []
    if not ragged:
        return f"{file.path} cannot be read as CSV: {error}"
    number, width = ragged[0]
    more = f"; {len(ragged)} rows differ from it in all" if len(ragged) > 1 else ""
    return (
        f"{file.path}: row {number} (the header is row 1) has {width} value(s), "
        f"the header has {file.width}{more}. Put quotes around values that hold the delimiter"
    )


def _not_utf8(path: Path) -> str:
    content = path.read_bytes()
    try:
        content.decode("utf-8")
        line = 1
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    return (
        f"{path} is not UTF-8 text (line {line}): save it as UTF-8, which a spreadsheet may call 'CSV UTF-8'"
    )


def write_csv(table: pa.Table, stream: BinaryIO, delimiter: str) -> None:
    """Write a table of text; values are quoted only where they must be."""
    header = io.StringIO()
    csv.writer(header, delimiter=delimiter, lineterminator="\r\n").writerow(table.column_names)
    stream.write(header.getvalue().removesuffix("\r\n").encode() + b"\n")
    for batch in table.to_batches(max_chunksize=_LINES_AT_ONCE):
        stream.write(_lines(batch.columns, delimiter))


def _lines(columns: list[Any], delimiter: str) -> memoryview:
    """Return the lines of some records, straight from the memory in which Arrow joined them."""
    quoted = [_quoted(column, delimiter) for column in columns]
    lines = pc.binary_join_element_wise(*quoted, text_scalar(delimiter))
    ended = pc.binary_join_element_wise(lines, text_scalar(""), text_scalar("\n"))
    _, offsets, content = ended.buffers()
    start, *_, end = np.frombuffer(offsets, dtype=np.int32)[ended.offset : ended.offset + len(ended) + 1]
    return memoryview(content)[start:end]


def _quoted(text: Any, delimiter: str) -> Any:
    unsafe = pc.match_substring_regex(text, f'["\r\n{delimiter}]')
    if not pc.any(unsafe).as_py():
        return text
    mark = text_scalar('"')
    doubled = pc.replace_substring(text, '"', '""')
    return pc.if_else(unsafe, pc.binary_join_element_wise(mark, doubled, mark, text_scalar("")), text)


def text_scalar(text: str) -> Any:
    """Return the text as Arrow's scalar; `pa.scalar` would import pandas, which takes long."""
    content = text.encode()
    offsets = np.array([0, len(content)], dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets.data), pa.py_buffer(content)])[0]
