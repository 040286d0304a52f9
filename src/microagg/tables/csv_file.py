"""CSV files: every value is read as the text that stands there, so that what is kept stays as it was."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from microagg.errors import InputError
from microagg.tables.csv_dialect import BLOCK, Dialect, header_of, long_fields, wrongly_encoded
from microagg.tables.source import Source


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

    def with_points(self, name: str, column: Any, where: Callable[[int], str] | None = None) -> Any:
        """Return a column of text with its numbers as others write them: a point, and no thousands marks.

        Of a part of a column, `where` says where its records stand. Raises InputError for a number that is
        written otherwise than the numbers of this file.
        """
        plain, alien = self.plain(column)
        if alien is None:
            return plain
        _, _, _, _, decimal, thousands = self.dialect
        between = f" and {thousands!r} between thousands" if thousands else ""
        raise InputError(
            f"column {name!r} holds {column[alien].as_py()!r} in {(where or self.where)(alien)}: "
            f"numbers of this file have the decimal mark {decimal!r}{between}"
        )

    def plain(self, column: Any) -> tuple[Any, int | None]:
        """Return the text with its numbers as others write them, and the first record of another notation."""
        _, _, _, _, decimal, thousands = self.dialect
        if (decimal, thousands) == (".", ""):
            return column, None
        text = pc.utf8_trim_whitespace(column)
        spelled = pc.match_substring_regex(text, _number_with(decimal, thousands))
        alien = np.asarray(
            pc.indices_nonzero(pc.and_not(pc.match_substring_regex(text, _number_with(".", "")), spelled))
        )
        bare = pc.replace_substring(text, thousands, "") if thousands else text
        plain = pc.if_else(spelled, pc.replace_substring(bare, decimal, "."), column)
        return plain, int(alien[0]) if alien.size else None


def _number_with(decimal: str, thousands: str) -> str:
    """Return the pattern of numbers that are written with these marks."""
    grouped = rf"|\d{{1,3}}({re.escape(thousands)}\d{{3}})+" if thousands else ""
    point = re.escape(decimal)
    return rf"^[+-]?((\d+{grouped})({point}\d*)?|{point}\d+)([eE][+-]?\d+)?$"


def read(path: Path, source: Source) -> tuple[pa.Table, CsvFile]:
    """Return the records of a CSV file, every column as text."""
    dialect, names = header_of(path, source)
    file = CsvFile(path, dialect, len(names))
    with _faults_told(file):
        _require_closed_quotes(file)
        table = pa_csv.read_csv(path, **_read_as(file, names))
    if table.column_names != names:
        raise InputError(f"{path}: the header cannot be read; check its quotation marks")
    return table, file


def opened(path: Path, source: Source) -> tuple[list[str], CsvFile]:
    """Return the names of the columns of a file that is to be read in parts, and how it is written."""
    dialect, names = header_of(path, source)
    file = CsvFile(path, dialect, len(names))
    with _faults_told(file):
        _require_closed_quotes(file)
    return names, file


def in_parts(file: CsvFile, names: list[str], wanted: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield the records of a file with these columns, part by part; of each the wanted ones, as text."""
    with _faults_told(file):
        options = _read_as(file, names, wanted)
        with pa_csv.open_csv(file.path, **options) as reader:
            yield from reader


def _read_as(file: CsvFile, names: list[str], wanted: list[str] | None = None) -> dict[str, Any]:
    """Return how Arrow is to read a file: every column as text."""
    delimiter, encoding = file.dialect.delimiter, file.dialect.encoding
    return {
        "read_options": pa_csv.ReadOptions(block_size=BLOCK, encoding=encoding),
        "parse_options": pa_csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=len(names) > 1
        ),
        "convert_options": pa_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, include_columns=wanted
        ),
    }


@contextmanager
def _faults_told(file: CsvFile) -> Iterator[None]:
    """Turn what the reader has against a file into an InputError."""
    try:
        yield
    except UnicodeError:
        raise InputError(wrongly_encoded(file.path, file.dialect.encoding)) from None
    except pa.ArrowInvalid as error:
        raise InputError(_why_unreadable(file, error)) from None


@contextmanager
def _text(file: CsvFile) -> Iterator[TextIO]:
    """Open the file behind its byte order mark."""
    with file.path.open(encoding=file.dialect.encoding, newline="") as stream:
        stream.read(len(file.dialect.mark))
        yield stream


@contextmanager
def _rows(file: CsvFile, *, strict: bool = False) -> Iterator[Iterator[list[str]]]:
    with long_fields(), _text(file) as stream:
        yield csv.reader(stream, delimiter=file.dialect.delimiter, strict=strict)


def _require_closed_quotes(file: CsvFile) -> None:
    """Raise if a quotation mark is not closed: all records that follow would read as one value."""
    if _quotation_marks(file) % 2 == 0:
        return
    sound = 0
    try:
        with _rows(file, strict=True) as rows:
            for _ in rows:
                sound += 1
    except csv.Error:
        raise InputError(
            f"{file.path}: row {sound + 1} (the header is row 1) has a quotation mark that is not closed, "
            "or stands inside a value in quotes: close it, or write it twice"
        ) from None


def _quotation_marks(file: CsvFile) -> int:
    if file.dialect.encoding == "utf-8":  # in others the byte may be part of another character
        with file.path.open("rb") as stream:
            return sum(block.count(b'"') for block in iter(lambda: stream.read(BLOCK), b""))
    with _text(file) as text:
        return sum(block.count('"') for block in iter(lambda: text.read(BLOCK), ""))


def _why_unreadable(file: CsvFile, error: Exception) -> str:
    """Say what a person can mend; the fast reader does not tell the row."""
    try:
        with _rows(file) as rows:
            widths = [(number, len(row)) for number, row in enumerate(rows, 1) if row]
    except UnicodeError:
        return wrongly_encoded(file.path, file.dialect.encoding)
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
        f"{path} holds a record longer than {BLOCK >> 20} MiB, more than can be read: shorten it or drop it"
    )


def text_scalar(text: str) -> Any:
    """Return the text as Arrow's scalar; `pa.scalar` would import pandas, which takes long."""
    content = text.encode()
    offsets = np.array([0, len(content)], dtype=np.int32)
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets.data), pa.py_buffer(content)])[0]
