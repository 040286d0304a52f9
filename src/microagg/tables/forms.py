"""The form in which a file holds columns: text for CSV, types for Parquet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.errors import InputError
from microagg.tables.csv_file import CsvFile, text_scalar

_TYPES_OF_TEXT = (pa.int64(), pa.float64(), pa.date32(), pa.bool_())


def as_text(table: pa.Table) -> pa.Table:
    """Return every column as the text that a CSV file holds, missing values as the empty text.

    Numbers take the shortest form that reads back as the same number. Raises InputError for columns
    that have no such text, as lists have none.
    """
    texts, faults = [], []
    for field, column in zip(table.schema, table.columns, strict=True):
        try:
            texts.append(pc.coalesce(pc.cast(column, pa.string()), text_scalar("")))
        except pa.ArrowException:
            faults.append(
                f"column {field.name!r} holds {field.type}, which CSV cannot hold: write Parquet or drop it"
            )
    InputError.raise_any(faults)
    return pa.table(texts, names=table.column_names)


def as_typed(table: pa.Table, csv: CsvFile | None = None) -> pa.Table:
    """Return columns of text with a type wherever the typed values spell exactly that text.

    Whole numbers among others may be spelled as Arrow does, 1, or as Python does, 1.0. In text from a
    CSV file numbers have the decimal mark of the file.
    """
    return pa.table([_typed(column, csv) for column in table.columns], names=table.column_names)


def _typed(column: Any, csv: CsvFile | None) -> Any:
    if column.type != pa.string():
        return column
    spelling = Spelling()
    spelling.add(column, csv)
    return with_type(column, spelling.form, csv)


class Spelling:
    """Which types spell the text of a column exactly, as far as its parts were seen."""

    def __init__(self) -> None:
        self.is_filled = self.is_alien = False
        self.possible = {form: (True, form == pa.float64()) for form in _TYPES_OF_TEXT}

    def add(self, part: Any, csv: CsvFile | None) -> None:
        """Take in a part of the column."""
        text, alien = _plain(part, csv)
        self.is_alien |= alien
        self.is_filled |= text.null_count < len(text)
        for form, before in list(self.possible.items()):
            plainly, with_point = _spells(text, form)
            now = before[0] and plainly, before[1] and with_point
            if any(now):
                self.possible[form] = now
            else:
                del self.possible[form]

    @property
    def form(self) -> Any:
        """The first type that spells all that was seen; text if none does, or there was nothing."""
        if self.is_alien or not self.is_filled:
            return pa.string()
        return next(iter(self.possible), pa.string())


def with_type(column: Any, form: Any, csv: CsvFile | None) -> Any:
    """Return a column of text with the type that spells it."""
    return column if form == pa.string() else pc.cast(_plain(column, csv)[0], form)


def _plain(column: Any, csv: CsvFile | None) -> tuple[Any, bool]:
    """Return text with a point in its numbers and nulls for the empty text, and whether some are alien."""
    plain, alien = csv.plain(column) if csv else (column, None)
    filled = pc.cast(pc.binary_length(column), pa.bool_())
    return pc.if_else(filled, plain, pa.nulls(1, pa.string())[0]), alien is not None


def _spells(text: Any, form: Any) -> tuple[bool, bool]:
    """Say whether a type spells text exactly, and whether it does with a point in whole numbers."""
    try:
        spelled = pc.cast(pc.cast(text, form), pa.string())
    except pa.ArrowInvalid:
        return False, False
    return _all_equal(spelled, text), form == pa.float64() and _all_equal(_with_point(spelled), text)


def _with_point(spelled: Any) -> Any:
    return pc.replace_substring_regex(spelled, r"^(-?\d+)$", r"\1.0")


def _all_equal(one: Any, other: Any) -> bool:
    return bool(pc.all(pc.equal(one, other)).as_py())


def codes(column: Any) -> NDArray[np.int64]:
    """Return one number for each value of a column: equal numbers only for values that look the same.

    Zero and minus zero are told apart, since whoever reads the file can tell them apart.
    """
    whole = in_one_piece(column)
    bits = _bits(whole)
    if bits is not None:
        return bits
    places = whole.dictionary_encode().indices
    if places.null_count:
        places = pc.fill_null(pc.cast(places, pa.int64()), -1)
    return np.from_dlpack(places).astype(np.int64)


def distinct(column: Any) -> int:
    """Return how many different values a column holds; raises ArrowNotImplementedError for lists and such.

    Numbers are sorted: of ten million different ones a table of those seen takes six times as long,
    and two gigabytes.
    """
    if pa.types.is_dictionary(column.type):
        return len(in_one_piece(column).unique())
    bits = _bits(in_one_piece(column))
    if bits is None or not bits.size:
        return int(pc.count_distinct(column).as_py())
    ordered = np.sort(bits)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1


def _bits(column: Any) -> NDArray[np.int64] | None:
    """Return the bits of numbers, which tell apart just what looks different; None if they do not.

    For ten million numbers that takes no time and no memory, and a dictionary half a gigabyte.
    """
    kind = column.type
    if column.null_count or not (pa.types.is_float64(kind) or pa.types.is_integer(kind)):
        return None
    numbers: NDArray[Any] = np.from_dlpack(column)
    return numbers.view(np.int64) if pa.types.is_floating(kind) else numbers.astype(np.int64, copy=False)


def in_one_piece(column: Any) -> Any:
    """Return a column as one array; one that is a single piece already is not copied."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def ranks(column: Any, rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the rank that each of these rows has by its value among them, equal for equal values."""
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    try:
        ranked = pc.rank(column.take(array_of(rows)), tiebreaker="dense")
        return np.from_dlpack(ranked).astype(np.int64)
    except pa.ArrowNotImplementedError:  # lists and the like: any fixed order will do
        values = column.to_pylist()
        texts = np.array([repr(values[row]) for row in rows])
        return np.unique(texts, return_inverse=True)[1].astype(np.int64)


def for_each(values: Any, places: NDArray[np.integer]) -> Any:
    """Return for each record the value at its place."""
    return values.take(array_of(places))


def joined(column: Any, record: NDArray[np.intp], group: NDArray[np.intp]) -> Any:
    """Return the values at some records as text, all those of a group joined: what these share as a name."""
    texts = pc.cast(column.take(array_of(record)), pa.string()).to_pylist()
    members: dict[int, dict[str | None, None]] = {}
    for text, of in zip(texts, group.tolist(), strict=True):
        members.setdefault(of, {})[text] = None
    names = {
        of: next(iter(known)) if len(known) == 1 else " + ".join(text or "" for text in known)
        for of, known in members.items()
    }
    return pa.array([names[of] for of in group.tolist()], pa.string())


def array_of(numbers: NDArray[Any]) -> Any:
    """Return numbers as Arrow's array; `pa.array` would import pandas, which takes long."""
    kind = pa.from_numpy_dtype(numbers.dtype)
    return pa.Array.from_buffers(kind, numbers.size, [None, pa.py_buffer(np.ascontiguousarray(numbers).data)])
