"""Data frames in and out, told apart without importing their libraries.

Whoever hands over a frame has loaded its library: there is no need to load it, or to have it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import microagg.tables.pandas_frame as pandas_frame
from microagg.errors import InputError


def arrow_of(data: Any) -> pa.Table:
    """Return the Arrow table of an object that offers Arrow's C stream.

    Raises InputError if it offers none, or holds something that Arrow has no type for.
    """
    if isinstance(data, pa.Table):
        return data
    if _is(data, "narwhals", "DataFrame", "LazyFrame"):
        return arrow_of(data.to_native())
    if _is(data, "pandas", "DataFrame"):
        return pandas_frame.arrow_of(data)
    if is_spark(data):
        return without_views(data.toArrow())
    collected = data.collect() if _is(data, "polars", "LazyFrame") else data
    if not hasattr(collected, "__arrow_c_stream__"):
        raise InputError(
            f"cannot read data from {type(data).__name__}: give the path of a file, "
            "an Arrow table, or a data frame that can be handed over as one"
        )
    try:
        return without_views(pa.table(collected))
    except pa.ArrowException as error:
        reason = "; ".join(map(str, error.args))
        raise InputError(f"the {type(data).__name__} cannot be read as a table: {reason}") from None


def like(data: Any, released: pa.Table, replaced: Sequence[str]) -> Any:
    """Return the released table as the kind of frame that was given; an Arrow table for all other data.

    A data frame gets the replaced columns from the released table, and keeps all others itself: what
    Arrow has no word for survives. What is computed only when it is asked for, as a query, could then
    have other rows or another order: of that nothing is used again but the types.
    """
    if _is(data, "narwhals", "DataFrame", "LazyFrame"):
        owner = sys.modules[type(data).__module__.removesuffix(".dataframe")]
        return owner.from_native(like(data.to_native(), released, replaced))
    if _is(data, "pandas", "DataFrame"):
        return pandas_frame.like(data, released, replaced)
    if _is(data, "polars", "DataFrame"):
        new = _as_polars(type(data), released.select(replaced), data.schema)
        return data.select(released.column_names).with_columns(new.get_columns())
    if _is(data, "polars", "LazyFrame"):
        schema = data.collect_schema()
        return _as_polars(sys.modules["polars"].DataFrame, released, schema, keep=replaced).lazy()
    if _is(data, "duckdb", "DuckDBPyRelation"):
        return _as_relation(data, released, replaced)
    if is_spark(data):
        return data.sparkSession.createDataFrame(released)
    if isinstance(data, pa.RecordBatchReader):
        return released.to_reader()
    return released


def is_spark(data: Any) -> bool:
    """Say whether data are a frame of Spark, which stays on its cluster."""
    return _is(data, "pyspark.sql", "DataFrame")


def _is(data: Any, library: str, *names: str) -> bool:
    """Say whether data are of one of these types, if their library is loaded at all."""
    owner = sys.modules.get(library)
    return owner is not None and isinstance(data, tuple(getattr(owner, name) for name in names))


def _as_polars(frame: Any, table: pa.Table, schema: Any, keep: Sequence[str] | None = None) -> Any:
    """Return a table as a frame of Polars, in the types that it had.

    New values (`keep`, or all) have them if they are categories; numbers have the type of the table.
    """
    polars = sys.modules["polars"]
    found = frame(table)
    categories = (polars.Categorical, polars.Enum)
    back = [
        name
        for name in found.columns
        if (keep is not None and name not in keep)
        or (isinstance(schema[name], categories) and _is_category(table, name))
    ]
    return found.with_columns(polars.col(name).cast(schema[name]) for name in back)


def _is_category(table: pa.Table, name: str) -> bool:
    """Say whether a released column still has categories: those of strata that were merged are new names."""
    return bool(pa.types.is_dictionary(table.schema.field(name).type))


def _as_relation(relation: Any, released: pa.Table, replaced: Sequence[str]) -> Any:
    """Return a table as a relation on the same connection, in the types that it had there."""
    types = dict(zip(relation.columns, relation.types, strict=True))
    back = [
        name
        for name in released.column_names
        if name not in replaced or (types[name].id == "enum" and _is_category(released, name))
    ]
    columns = ", ".join(
        f"CAST({_quoted(name)} AS {types[name]}) AS {_quoted(name)}" if name in back else _quoted(name)
        for name in released.column_names
    )
    microagg_released_table = released  # DuckDB finds it by the name of the variable
    shown = relation.query("microagg_given_relation", f"SELECT {columns} FROM microagg_released_table")
    del microagg_released_table
    return shown


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def without_views(table: pa.Table) -> pa.Table:
    """Return the table with plain text for text as Polars lays it out, of which Arrow cannot take rows."""
    for place, field in enumerate(table.schema):
        plain = _without_view(field.type)
        if plain != field.type:
            column = pc.cast(table.column(place), plain)
            table = table.set_column(place, field.with_type(plain), column)
    return table


def _without_view(kind: Any) -> Any:
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _without_view(kind.value_type), kind.ordered)
    return kind
