"""Data frames in and out, told apart by the names of their types, so that none has to be imported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from microagg.errors import InputError


def arrow_of(data: Any) -> pa.Table:
    """Return the Arrow table of an object that offers Arrow's C stream.

    Raises InputError if it offers none, or holds something that Arrow has no type for.
    """
    if isinstance(data, pa.Table):
        return data
    if not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"cannot read data from {type(data).__name__}: give the path of a file, "
            "an Arrow table, or a data frame that can be handed over as one"
        )
    try:
        if _library(data) == "pandas":
            return pa.Table.from_pandas(_with_telling_index(data), preserve_index=False)
        return without_views(pa.table(data))
    except pa.ArrowException as error:
        reason = "; ".join(map(str, error.args))
        raise InputError(f"the {type(data).__name__} cannot be read as a table: {reason}") from None


def like(data: Any, released: pa.Table, replaced: Sequence[str]) -> Any:
    """Return the released table as the kind of frame that was given; an Arrow table for all other data.

    A data frame gets the replaced columns from the released table, and keeps all others itself: what
    Arrow has no word for survives.
    """
    library = _library(data)
    if library == "pandas":
        return _as_pandas(data, released, replaced)
    if library == "polars":
        numbers = type(data)(released.select(replaced))
        return data.select(released.column_names).with_columns(numbers.get_columns())
    return released


def _library(data: Any) -> str | None:
    """Return the library that a data frame comes from."""
    kind = type(data)
    return kind.__module__.partition(".")[0] if kind.__name__ == "DataFrame" else None


def _as_pandas(data: Any, released: pa.Table, replaced: Sequence[str]) -> Any:
    frame = _with_telling_index(data)[released.column_names].copy(deep=False)
    floating = {name: frame.dtypes[name] for name in replaced if frame.dtypes[name].kind == "f"}
    for name in replaced:
        frame[name] = released.column(name).to_pandas().to_numpy()
    frame = frame.astype(floating)
    frame.attrs = {}  # what the frame says about itself beside its columns: nobody asked to release it
    levels = [name for name in data.index.names if name in released.column_names]
    return frame.set_index(levels) if levels else frame


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


def without_views(table: pa.Table) -> pa.Table:
    """Return the table with plain text for text as Polars lays it out, of which Arrow cannot take rows."""
    for place, field in enumerate(table.schema):
        if pa.types.is_string_view(field.type):
            plain = field.with_type(pa.large_string())
            table = table.set_column(place, plain, pc.cast(table.column(place), plain.type))
    return table
