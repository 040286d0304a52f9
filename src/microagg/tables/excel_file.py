"""Excel files: one sheet, read as a table whose first filled row names the columns."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import python_calamine
import xlsxwriter
from xlsxwriter.exceptions import XlsxWriterException

from microagg.errors import Faults, InputError
from microagg.tables.mixed import mixed
from microagg.tables.source import Source
from microagg.tables.table import Table

_ROWS, _COLUMNS, _CHARACTERS = 1_048_576, 16_384, 32_767  # the most that a sheet and a cell can hold
_LARGEST = 9.99999999999999e307  # number in a cell, by Excel's own account
_WHOLE = 2**53  # from here on not every whole number is one of Excel's
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ROWS_AT_ONCE = 4096
_KINDS = {
    float: "number",
    int: "number",
    bool: "truth value",
    str: "text",
    dt.date: "date",
    dt.datetime: "date",
    dt.time: "time",
    dt.timedelta: "duration",
}


class ExcelFile(NamedTuple):
    """A sheet, the row of its header, and that of each record."""

    sheet: str
    header: int
    rows: Sequence[int]

    def where(self, record: int) -> str:
        """Say where a record stands."""
        return f"row {self.rows[record]} of sheet {self.sheet!r} (the header is row {self.header})"


def read(path: Path, source: Source) -> tuple[pa.Table, ExcelFile]:
    """Return the records of a sheet; rows and columns without any value are left out."""
    content = path.read_bytes()
    if _ENCRYPTED in content:
        raise InputError(f"{path} is protected by a password: save it without one and read that")
    try:
        with python_calamine.CalamineWorkbook.from_path(path) as book:
            sheet = _sheet(path, book.sheet_names, source.sheet)
            rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    except python_calamine.CalamineError as error:
        raise InputError(f"{path} cannot be read as Excel: {error}") from None
    filled = [number for number, row in enumerate(rows, 1) if any(value != "" for value in row)]
    if len(filled) < 2:
        holds = "holds a header but no records" if filled else "is empty: expected a header and records"
        raise InputError(f"{path}: sheet {sheet!r} {holds}")
    header, *others = filled
    origin = ExcelFile(sheet, header, others)
    columns = zip(rows[header - 1], zip(*(rows[number - 1] for number in others), strict=True), strict=True)
    return _table(path, origin, [(_name(name), values) for name, values in columns]), origin


def _sheet(path: Path, names: list[str], wanted: str | None) -> str:
    if wanted is None or wanted in names:
        return wanted or names[0]
    raise InputError(f"{path} has no sheet {wanted!r}: there are {', '.join(map(repr, names))}")


def _name(value: Any) -> str:
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _table(path: Path, origin: ExcelFile, columns: list[tuple[str, tuple[Any, ...]]]) -> pa.Table:
    faults = Faults()
    found = []
    for place, (name, values) in enumerate(columns):
        present = {type(value) for value in values if value != ""}
        if not name and present:
            letter = xlsxwriter.utility.xl_col_to_name(place)
            faults.append(f"{path}: column {letter} holds values, but row {origin.header} has no name for it")
        elif name:
            found.append((name, faults.attempt(_column, origin, name, values, present)))
    InputError.raise_any(faults)
    return pa.Table.from_arrays([column for _, column in found], names=[name for name, _ in found])


def _column(origin: ExcelFile, name: str, values: tuple[Any, ...], present: set[type]) -> Any:
    """Return the values as Arrow's; raises InputError if they are of several kinds."""
    kinds = {_KINDS[kind] for kind in present}
    if len(kinds) > 1:
        of_each = ["" if value == "" else _KINDS[type(value)] for value in values]
        remedy = "make all of them the same, or drop the column from the file"
        raise InputError(mixed(name, values, of_each, origin.where, remedy))
    filled = [None if value == "" else value for value in values]
    if kinds == {"number"} and all(value is None or _is_whole(value) for value in filled):
        return pa.array([value if value is None else int(value) for value in filled], pa.int64())
    if dt.datetime in present:
        at = [dt.datetime.combine(value, dt.time()) if type(value) is dt.date else value for value in filled]
        return pa.array(at, pa.timestamp("ms"))
    return pa.array(filled, pa.float64() if kinds == {"number"} else None)


def _is_whole(value: float) -> bool:
    return abs(value) <= _WHOLE and float(value).is_integer()


def held(table: pa.Table, origin: Table, replaced: object) -> pa.Table:
    """Return the table as a sheet holds it: numbers of 16 digits, times of whole milliseconds.

    Raises InputError for all that a sheet cannot hold.
    """
    faults = Faults()
    if origin.records >= _ROWS or table.num_columns > _COLUMNS:
        faults.append(
            f"{origin.records:,} records of {table.num_columns:,} columns are more than a sheet of Excel "
            f"holds ({_ROWS - 1:,} of {_COLUMNS:,}): write another kind of file"
        )
    columns = [
        faults.attempt(_cells, field.name, column)
        for field, column in zip(table.schema, table.columns, strict=True)
    ]
    InputError.raise_any(faults)
    return pa.Table.from_arrays(columns, names=table.column_names)


def _cells(name: str, column: Any) -> Any:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _cells(name, pc.cast(column, kind.value_type))
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _rounded(name, pc.cast(column, pa.float64()))
    if pa.types.is_integer(kind):
        return _all_exact(name, column)
    if pa.types.is_timestamp(kind) and kind.tz is None:
        return _all_in_calendar(name, pc.cast(column, pa.timestamp("ms"), safe=False))
    if pa.types.is_date(kind):
        return _all_in_calendar(name, column)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _short_enough(name, column)
    if pa.types.is_boolean(kind) or pa.types.is_time(kind) or pa.types.is_null(kind):
        return column
    raise InputError(f"column {name!r} holds {kind}, which Excel cannot hold: write Parquet or drop it")


def _rounded(name: str, column: Any) -> Any:
    values = column.to_pylist()
    beyond = next((value for value in values if value is not None and abs(value) > _LARGEST), None)
    if beyond is not None:
        raise InputError(f"column {name!r} holds {beyond}, which Excel cannot hold: write Parquet or drop it")
    missing = (value is None or math.isnan(value) for value in values)
    return pa.array(
        [None if absent else float(f"{value:.16G}") for value, absent in zip(values, missing, strict=True)],
        pa.float64(),
    )


def _all_exact(name: str, column: Any) -> Any:
    if any(abs(value) > _WHOLE for value in pc.min_max(column).as_py().values() if value is not None):
        raise InputError(
            f"column {name!r} holds whole numbers beyond {_WHOLE:,}, of which Excel would lose the last "
            "digits: write Parquet, or make them text"
        )
    return column


def _short_enough(name: str, column: Any) -> Any:
    """Return a column of text with the empty text as missing: no cell can tell the two apart."""
    length = pc.utf8_length(column)
    if (pc.max(length).as_py() or 0) > _CHARACTERS:
        raise InputError(
            f"column {name!r} holds text of over {_CHARACTERS:,} characters, more than a cell can hold"
        )
    return pc.if_else(pc.equal(length, 0), pa.scalar(None, column.type), column)


def _all_in_calendar(name: str, column: Any) -> Any:
    first = pc.min(pc.year(column)).as_py()
    if first is not None and first < 1900:
        raise InputError(f"column {name!r} holds dates before 1900, which Excel cannot hold: write Parquet")
    return column


def write(table: pa.Table, stream: BinaryIO, origin: Table, replaced: object) -> None:
    """Write a table as the one sheet of a file, under the name that it had if it came from one."""
    name = origin.origin.sheet if isinstance(origin.origin, ExcelFile) else "Sheet1"
    book = xlsxwriter.Workbook(stream, {"constant_memory": True})
    try:
        _fill(book, book.add_worksheet(name), table)
        book.close()
    except XlsxWriterException as error:
        raise OSError(*error.args) from error
    finally:
        book.fileclosed = True  # else it tries again when it is forgotten


def _fill(book: Any, sheet: Any, table: pa.Table) -> None:
    for place, name in enumerate(table.column_names):
        sheet.write_string(0, place, name)
    writers = [_writer(book, sheet, kind) for kind in table.schema.types]
    row = 1
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            for place, (value, put) in enumerate(zip(values, writers, strict=True)):
                if value is not None:
                    put(row, place, value)
            row += 1


def _writer(book: Any, sheet: Any, kind: Any) -> Callable[[int, int, Any], object]:
    """Return what writes a cell of this type; text is never taken for a formula or an address."""
    if pa.types.is_boolean(kind):
        return sheet.write_boolean  # type: ignore[no-any-return]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return sheet.write_number  # type: ignore[no-any-return]
    if pa.types.is_temporal(kind):
        shown = {pa.types.is_date: "yyyy-mm-dd", pa.types.is_time: "hh:mm:ss"}
        look = next((look for matches, look in shown.items() if matches(kind)), "yyyy-mm-dd hh:mm:ss")
        format_ = book.add_format({"num_format": look})
        return lambda row, place, value: sheet.write_datetime(row, place, value, format_)
    return sheet.write_string  # type: ignore[no-any-return]
