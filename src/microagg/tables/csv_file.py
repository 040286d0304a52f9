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

_MARK = "\ufeff"
_DELIMITERS = ",;\t"
_HEADER_SEARCHED = 1 << 22  # characters in which the header must end
_BLOCK = 1 << 22  # bytes; no record may be much longer
_LINES_AT_ONCE = 1 << 16


class Dialect(NamedTuple):
    """How a CSV file is written, apart from its values."""

    delimiter: str = ","
    line_end: str = "\n"
    mark: str = ""  # the byte order mark, by which some spreadsheets know UTF-8


class CsvFile(NamedTuple):
    """A CSV file, how it is written, and how many columns it has."""

    path: Path
    dialect: Dialect
    width: int

    def where(self, record: int) -> str:
        """Say where a record stands."""
        return f"row {self.row_of(record)} (the header is row 1)"

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
    dialect, names = _header(path)
    file = CsvFile(path, dialect, len(names))
    _require_closed_quotes(file)
    try:
        table = pa_csv.read_csv(
            path,
            read_options=pa_csv.ReadOptions(block_size=_BLOCK),
            parse_options=pa_csv.ParseOptions(
                delimiter=dialect.delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1
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


def _header(path: Path) -> tuple[Dialect, list[str]]:
    """Return how the file is written and the names of its columns."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            start = stream.read(_HEADER_SEARCHED)
    except UnicodeDecodeError:
        raise InputError(_not_utf8(path)) from None
    mark = _MARK if start.startswith(_MARK) else ""
    start = start.removeprefix(mark).lstrip("\r\n")
    if not start:
        raise InputError(f"{path} is empty: expected a header and records")
    bare, line_end = _outside_quotes(start)
    dialect = Dialect(_delimiter(bare), line_end, mark)
    with _long_fields():
        return dialect, next(csv.reader(io.StringIO(start, newline=""), delimiter=dialect.delimiter))


def _outside_quotes(start: str) -> tuple[str, str]:
    """Return what stands outside quotes in the header, and what ends its line."""
    header = re.match(r'((?:[^"\r\n]|"[^"]*")*)(\r\n?|\n|)', start)
    assert header is not None  # all of it may be empty
    return re.sub(r'"[^"]*"', "", header[1]), header[2] or "\n"


def _delimiter(bare: str) -> str:
    """Return the one delimiter that stands there, else the comma."""
    found = [delimiter for delimiter in _DELIMITERS if delimiter in bare]
    return found[0] if len(found) == 1 else ","


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let the csv module read fields as long as Arrow does."""
    usual = csv.field_size_limit(2 * _BLOCK)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


@contextmanager
def _rows(file: CsvFile, *, strict: bool = False) -> Iterator[Iterator[list[str]]]:
    with _long_fields(), file.path.open(encoding="utf-8-sig", newline="") as stream:
        yield csv.reader(stream, delimiter=file.dialect.delimiter, strict=strict)


def _require_closed_quotes(file: CsvFile) -> None:
    """Raise if a quotation mark is not closed: all records that follow would read as one value."""
    with file.path.open("rb") as stream:
        if sum(block.count(b'"') for block in iter(lambda: stream.read(_BLOCK), b"")) % 2 == 0:
            return
    sound = 0
    try:
        with _rows(file, strict=True) as rows:
            for _ in rows:
                sound += 1
    except UnicodeDecodeError:
        raise InputError(_not_utf8(file.path)) from None
    except csv.Error:
        raise InputError(
            f"{file.path}: row {sound + 1} (the header is row 1) has a quotation mark that is not closed, "
            "or stands inside a value in quotes: close it, or write it twice"
        ) from None


def _why_unreadable(file: CsvFile, error: Exception) -> str:
    """Say what a person can mend; the fast reader does not tell the row."""
    try:
        with _rows(file) as rows:
            widths = [(number, len(row)) for number, row in enumerate(rows, 1) if row]
    except UnicodeDecodeError:
        return _not_utf8(file.path)
    except csv.Error:
        return _too_long(file.path)
    ragged = [(number, width) for number, width in widths if width != file.width]
    if ragged:
        return _not_all_alike(file, *ragged[0], len(ragged))
    if len(widths) == 1:
        return f"{file.path} holds a header but no records"
    if "straddling" in str(error):
        return _too_long(file.path)
    return f"{file.path} cannot be read as CSV: {error}"


def _not_all_alike(file: CsvFile, row: int, width: int, times: int) -> str:
    more = f"; {times} rows differ from it in all" if times > 1 else ""
    return (
        f"{file.path}: row {row} (the header is row 1) has {width} value(s), "
        f"the header has {file.width}{more}. Put quotes around values that hold the delimiter"
    )


def _too_long(path: Path) -> str:
    return (
        f"{path} holds a record longer than {_BLOCK >> 20} MiB, more than can be read: shorten it or drop it"
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


def write_csv(table: pa.Table, stream: BinaryIO, dialect: Dialect) -> None:
    """Write a table of text; values are quoted only where they must be."""
    names = dialect.delimiter.join(map(_quoted_name, table.column_names))
    stream.write(f"{dialect.mark}{names}{dialect.line_end}".encode())
    for batch in table.to_batches(max_chunksize=_LINES_AT_ONCE):
        stream.write(_lines(batch.columns, dialect))


def _quoted_name(name: str) -> str:
    """Return a name with quotes if it is empty or holds any delimiter, lest a reader guess the wrong one."""
    if name and not re.search(f'["\r\n{_DELIMITERS}]', name):
        return name
    return '"' + name.replace('"', '""') + '"'


def _lines(columns: list[Any], dialect: Dialect) -> memoryview:
    """Return the lines of some records, straight from the memory in which Arrow joined them."""
    quoted = [_quoted(column, dialect.delimiter) for column in columns]
    lines = pc.binary_join_element_wise(*quoted, text_scalar(dialect.delimiter))
    ended = pc.binary_join_element_wise(lines, text_scalar(""), text_scalar(dialect.line_end))
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
