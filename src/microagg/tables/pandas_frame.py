"""Data frames of pandas in and out: their index, their types, and their columns of any objects."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from numbers import Number
from typing import Any

import pyarrow as pa

from microagg.errors import Faults, InputError
from microagg.tables.mixed import counted_from_one, mixed

_FAMILIES = (
    (pa.types.is_floating, "f"),
    (pa.types.is_integer, "i"),
    (pa.types.is_boolean, "b"),
    (pa.types.is_timestamp, "M"),
)


def arrow_of(frame: Any) -> pa.Table:
    """Return the Arrow table of a frame.

    Raises InputError for its names, and for columns that hold several kinds of values.
    """
    telling = _with_telling_index(frame)
    try:
        return pa.Table.from_pandas(telling, preserve_index=False)
    except (pa.ArrowException, TypeError) as error:
        InputError.raise_any(_faults_of_columns(telling))
        reason = "; ".join(map(str, error.args))
        raise InputError(f"the DataFrame cannot be read as a table: {reason}") from None


def like(given: Any, released: pa.Table, replaced: Sequence[str]) -> Any:
    """Return the given frame with the replaced columns of a table.

    They have the types that they had, if these are of the same family.
    """
    frame = _with_telling_index(given)[released.column_names].copy(deep=False)
    for name in replaced:
        values = _in_type(released.column(name), frame.dtypes[name])
        values.index = frame.index
        frame[name] = values
    frame.attrs = {}  # what the frame says about itself beside its columns: nobody asked to release it
    levels = [name for name in given.index.names if name in released.column_names]
    return frame.set_index(levels) if levels else frame


def _in_type(column: Any, dtype: Any) -> Any:
    """Return a column in this type, if it is of the same family, else in the one pandas gives it."""
    arrow_type = sys.modules["pandas"].ArrowDtype
    if isinstance(dtype, arrow_type):
        values = column.to_pandas(types_mapper=arrow_type)
        return values.astype(dtype) if _family(dtype.pyarrow_dtype) == _family(column.type) else values
    if dtype.name == "category":
        return _in_categories(column, dtype)
    family = _family(column.type)
    if family != {"u": "i"}.get(dtype.kind, dtype.kind) or (column.null_count and not _holds_missing(dtype)):
        return column.to_pandas()
    if family in "ib":  # which pandas would make floating numbers where values are missing
        return column.to_pandas(types_mapper=arrow_type).astype(dtype)
    return column.to_pandas().astype(dtype)


def _in_categories(column: Any, dtype: Any) -> Any:
    """Return a column of categories without those that are not used, unless they have an order.

    Strata that were merged have new names, which are no categories.
    """
    values = column.to_pandas()
    if not pa.types.is_dictionary(column.type):
        return values
    typed = values.astype(dtype)
    return typed if dtype.ordered else typed.cat.remove_unused_categories()


def _family(kind: Any) -> str:
    return next((letter for matches, letter in _FAMILIES if matches(kind)), "O")


def _holds_missing(dtype: Any) -> bool:
    return dtype.kind not in "iub" or hasattr(dtype, "na_value")


def _with_telling_index(frame: Any) -> Any:
    """Return the frame with its index as columns, if that may tell something about the records.

    Unnamed whole numbers are places: they stay the index. All else needs a role like any column.
    """
    InputError.raise_any(_faults_of_names(list(frame.columns)))
    index = frame.index
    if index.nlevels == 1 and index.name is None and index.dtype.kind in "iu":
        return frame
    try:
        return frame.reset_index()
    except ValueError as error:
        raise InputError(f"the index cannot become a column: {error}; rename one of them") from None


def _faults_of_names(names: list[Any]) -> list[str]:
    """Return what pandas allows in names of columns and Arrow does not."""
    not_text = [name for name in names if not isinstance(name, str)]
    several = [name for name, times in Counter(names).items() if times > 1]
    return [
        *(f"a column is called {name!r}, which is not text: rename it" for name in not_text),
        *(f"several columns are called {name!r}: give each its own name" for name in several),
    ]


def _faults_of_columns(frame: Any) -> list[str]:
    """Return what Arrow cannot take of the columns of any objects."""
    faults = Faults()
    for name in frame.columns:
        if frame.dtypes[name].kind == "O":
            faults.attempt(_require_one_kind, name, frame[name])
    return faults


def _require_one_kind(name: str, series: Any) -> None:
    try:
        pa.Array.from_pandas(series)
    except (pa.ArrowException, TypeError):
        values = series.tolist()
        kinds = ["" if absent else _kind(value) for value, absent in zip(values, series.isna(), strict=True)]
        several = len(set(kinds) - {""}) > 1
        raise InputError(
            mixed(name, values, kinds, counted_from_one, "make all of them the same")
            if several
            else f"column {name!r} holds values of a kind that no table has: make them text or drop it"
        ) from None


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, Number):
        return "number"
    return "text" if isinstance(value, str) else type(value).__name__
