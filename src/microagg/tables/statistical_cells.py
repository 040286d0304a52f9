"""What SPSS and Stata have in common when a table is written: how values and labels must be given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyreadstat

from microagg.errors import Faults, InputError
from microagg.tables.statistical_file import Codes, StatisticalFile
from microagg.tables.table import Table

Write = Callable[..., None]


class Kind(NamedTuple):
    """A kind of file: its name, its ending, and the largest number it can hold."""

    name: str
    ending: str
    largest: float
    largest_int32: int


def held(table: pa.Table, kind: Kind, write: Write) -> pa.Table:
    """Return the table as such a file holds it: all numbers as float64 but short whole ones.

    Raises InputError for all that it cannot hold, names of variables included.
    """
    faults = Faults()
    columns = [
        faults.attempt(_cells, field.name, column, kind)
        for field, column in zip(table.schema, table.columns, strict=True)
    ]
    InputError.raise_any(faults)
    held = pa.Table.from_arrays(columns, names=table.column_names)
    with NamedTemporaryFile() as trial:  # the names must be to the liking of the program
        try:
            write(_frame(held.slice(0, 0)), trial.name)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
            raise InputError(f"{kind.name} cannot hold these columns: {error}") from None
    return held


def _cells(name: str, column: Any, kind: Kind) -> Any:
    form = column.type
    if pa.types.is_dictionary(form):
        return _cells(name, pc.cast(column, form.value_type), kind)
    if pa.types.is_boolean(form):
        return pc.cast(column, pa.int32())
    if pa.types.is_integer(form):
        return _whole(name, column, kind)
    if pa.types.is_floating(form) or pa.types.is_decimal(form) or pa.types.is_null(form):
        return _real(name, pc.cast(column, pa.float64()), kind)
    if pa.types.is_string(form) or pa.types.is_large_string(form):
        return pc.if_else(pc.equal(pc.binary_length(column), 0), pa.scalar(None, form), column)
    if pa.types.is_timestamp(form) and form.tz is None:
        return pc.cast(column, pa.timestamp("ms"), safe=False)
    if pa.types.is_date(form) or pa.types.is_time(form):
        return column
    raise InputError(f"column {name!r} holds {form}, which {kind.name} cannot hold: write Parquet or drop it")


def _whole(name: str, column: Any, kind: Kind) -> Any:
    extremes = [abs(value) for value in pc.min_max(column).as_py().values() if value is not None]
    largest = max(extremes, default=0)
    if largest <= kind.largest_int32:
        return pc.cast(column, pa.int32())
    if largest <= 2**53:
        return pc.cast(column, pa.float64())
    raise InputError(
        f"column {name!r} holds whole numbers beyond {2**53:,}, of which {kind.name} would lose the last "
        "digits: write Parquet, or make them text"
    )


def _real(name: str, column: Any, kind: Kind) -> Any:
    missing = pc.is_nan(column)
    filled = pc.if_else(missing, pa.scalar(None, pa.float64()), column) if pc.any(missing).as_py() else column
    for value in pc.min_max(filled).as_py().values():
        if value is not None and abs(value) > kind.largest:
            raise InputError(
                f"column {name!r} holds {value}, which {kind.name} cannot hold: write Parquet or drop it"
            )
    return filled


def kept(table: pa.Table, replaced: Sequence[str] | None) -> list[str]:
    """Return the columns whose values are those that were read: none, unless this is known."""
    return [] if replaced is None else [name for name in table.column_names if name not in replaced]


def said_of(origin: Table) -> StatisticalFile | None:
    """Return what the file that was read said about its variables, if it was one of these."""
    return origin.origin if isinstance(origin.origin, StatisticalFile) else None


def save(
    write: Write,
    table: pa.Table,
    stream: BinaryIO,
    said: StatisticalFile | None,
    codes: Mapping[str, Codes] | None = None,
    **more: Any,
) -> None:
    """Write a table with the labels that its file had, and these values where they stood for missing ones.

    Failures are told as the system's.
    """
    frame = _with_codes(_frame(table), codes or {})
    if said:
        labels = {name: _labels(frame[name], said.value_labels.get(name, {})) for name in table.column_names}
        more |= {"column_labels": dict(said.labels), "variable_value_labels": labels}
    try:
        write(frame, stream.name, **more)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        raise OSError(str(error)) from error


def _frame(table: pa.Table) -> Any:
    """Return the table as a frame; where a column of numbers has none they are NaN, lest it become text."""
    frame = pl.DataFrame(table)
    empty = [
        name
        for name, form in frame.schema.items()
        if form.is_numeric() and frame[name].null_count() == len(frame)
    ]
    return frame.with_columns(pl.col(name).cast(pl.Float64).fill_null(float("nan")) for name in empty)


def _with_codes(frame: Any, codes: Mapping[str, Codes]) -> Any:
    for name, of in codes.items():
        values = frame[name].to_list()
        for place, value in of.items():
            values[place] = value
        form = frame[name].dtype
        if form.is_numeric():  # letters may come among them
            letters = any(isinstance(value, str) for value in of.values())
            form = pl.Object if letters else pl.Float64
        frame = frame.with_columns(pl.Series(name, values, dtype=form, strict=False))
    return frame


def _labels(column: Any, labels: Mapping[Any, str]) -> dict[Any, str]:
    """Return the labels of those values that the column can have, in its type."""
    if column.dtype == pl.Object:
        return dict(labels)
    if column.dtype == pl.String:
        return {value: label for value, label in labels.items() if isinstance(value, str)}
    numbers = {value: label for value, label in labels.items() if not isinstance(value, str)}
    if column.dtype.is_integer():
        return {int(value): label for value, label in numbers.items() if float(value).is_integer()}
    return numbers if column.dtype.is_float() else {}
