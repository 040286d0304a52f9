"""Every case on every kind of frame: the same released values, in a frame of the same kind and types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, NamedTuple

import duckdb
import narwhals as nw
import narwhals.stable.v1 as nw_v1
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from microagg import protect
from microagg.datasets import correlated
from microagg.tables import like

RECORDS = 60


class Case(NamedTuple):
    """Columns, and which of them are protected."""

    columns: dict[str, Any]
    quasi_identifiers: list[str]
    options: dict[str, Any] = {}  # noqa: RUF012


def numbers():
    X = np.round(correlated(RECORDS, 2, seed=3), 2)
    return {"a": pa.array(X[:, 0]), "b": pa.array(X[:, 1])}


def repeated(values, kind=None):
    return pa.array([values[row % len(values)] for row in range(RECORDS)], kind)


def mixed():
    """Return columns of every kind, each of them with missing values of its own."""
    return {
        "staff": repeated([3, None, 40, 1, 5, 8, 12], pa.int32()),
        "sales": repeated([0.5, 2.25, None, 8.0, 1.5, 9.75, 4.0, 2.0, 7.5, 3.0, 6.0]),
        "region": repeated(["north", "south", None, "east", "north"]),
        "sector": repeated(["b", "a", "c", None, "a", "a", "b", "c", "a"]).dictionary_encode(),
        "size": repeated(["small", "large", "medium", "small", None, "small", "medium"]),
        "export": repeated([True, None, False, True]),
        "day": repeated([dt.date(2020, 1, 2), None, dt.date(2021, 5, 7), dt.date(2019, 3, 4)]),
        "at": repeated(
            [dt.datetime(2020, 1, 2, 3, 4, 5, 6), dt.datetime(2023, 7, 1), None], pa.timestamp("us")
        ),
    }


def dealt(values):
    """Return values in runs, as the records of one firm stand in a file."""
    return pa.array([values[row * len(values) // RECORDS] for row in range(RECORDS)])


MIXED = {"kinds": {"staff": "integer"}, "orders": {"size": ["small", "medium", "large"]}}

CASES = {
    "numbers": Case(numbers(), ["a", "b"]),
    "short numbers": Case(
        {"a": numbers()["a"].cast(pa.float32()), "whole": repeated([3, 1, 40, 1, 5], pa.int16())},
        ["a", "whole"],
    ),
    "large numbers": Case(
        {"a": repeated([1e9 + 0.25, 1e9 + 0.5, 3e9]), "whole": repeated([2**52, 7, -9])}, ["a", "whole"]
    ),
    "kept columns of many types": Case(
        {
            "name": repeated(["x", None, "", "ü\n"]),
            **numbers(),
            "whole": repeated([1, None, 2**60]),
            "short": repeated([1, 2, 3], pa.int8()),
            "real": repeated([0.1, None, -0.0], pa.float32()),
            "yes": repeated([True, None, False]),
            "day": repeated([dt.date(2020, 1, 2), None]),
            "at": repeated([dt.datetime(2020, 1, 2, 3, 4, 5, 6), None], pa.timestamp("us")),
            "zone": repeated([dt.datetime(2020, 7, 2, 3), None], pa.timestamp("us", "UTC")),
            "sum": repeated([Decimal("1.50"), None], pa.decimal128(9, 2)),
            "category": repeated(["b", "a", None]).dictionary_encode(),
        },
        ["b", "a"],
    ),
    "every kind, with missing values": Case(mixed(), list(mixed()), MIXED),
    "survey weights": Case(
        {**numbers(), "weight": repeated([1.5, 2.0, 7.25])}, ["a", "b"], {"weight": "weight"}
    ),
    "strata": Case(
        {**numbers(), "region": repeated(["n", "s", "n", "e"]), "year": repeated([2020, 2021, 2021])},
        ["a", "b"],
        {"strata": ["region", "year"]},
    ),
    "strata that are merged": Case(
        {**numbers(), "region": dealt(["n", "s", "w", "e", "e", "e"] + [str(i) for i in range(40)])},
        ["a", "b"],
        {"strata": ["region"], "small_strata": "merge"},
    ),
    "entities": Case(
        {**numbers(), "firm": dealt([f"firm {i}" for i in range(20)])},
        ["a", "b"],
        {"entity": "firm", "link_entities": True},
    ),
    "a name that needs quotes": Case({'the "a", so called': numbers()["a"]}, ['the "a", so called']),
}


def relation_of(table):
    connection = duckdb.connect()
    connection.register("given", table)
    return connection.sql("SELECT * FROM given")


KINDS = {
    "pandas": lambda table: table.to_pandas(),
    "pandas with nullable types": lambda table: table.to_pandas().convert_dtypes(
        dtype_backend="numpy_nullable"
    ),
    "pandas with Arrow types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "Polars": pl.DataFrame,
    "Polars, lazy": lambda table: pl.DataFrame(table).lazy(),
    "Arrow": lambda table: table,
    "Arrow reader": lambda table: table.to_reader(max_chunksize=7),
    "DuckDB": relation_of,
    "narwhals of Polars": lambda table: nw.from_native(pl.DataFrame(table)),
    "narwhals of pandas": lambda table: nw_v1.from_native(table.to_pandas()),
    "narwhals, lazy": lambda table: nw.from_native(pl.DataFrame(table).lazy()),
}


def types(frame):
    """Return the types of the columns of any frame, in their order."""
    if isinstance(frame, pd.DataFrame):
        return dict(frame.dtypes)
    if isinstance(frame, duckdb.DuckDBPyRelation):
        return dict(zip(frame.columns, map(str, frame.types), strict=True))
    if isinstance(frame, pl.LazyFrame | nw.LazyFrame):
        return dict(frame.collect_schema())
    if isinstance(frame, pa.Table | pa.RecordBatchReader):
        return dict(zip(frame.schema.names, frame.schema.types, strict=True))
    return dict(frame.schema)


def values(frame):
    """Return the columns of any frame as lists, missing values as None."""
    native = nw.to_native(frame, pass_through=True)
    if isinstance(native, pd.DataFrame):
        return {name: [None if pd.isna(value) else value for value in native[name]] for name in native}
    if isinstance(native, pl.LazyFrame):
        native = native.collect()
    if isinstance(native, pl.DataFrame):
        return native.to_dict(as_series=False)
    return pa.table(native).to_pydict()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_the_same_values_are_released_in_the_same_kind_of_frame(kind, case):
    columns, quasi_identifiers, options = CASES[case]
    table = pa.table(columns)
    expected = values(protect(table, 3, quasi_identifiers, keep="rest", **options).data)
    given, compared = KINDS[kind](table), KINDS[kind](table)
    released = protect(given, 3, quasi_identifiers, keep="rest", **options).data
    assert type(released) is type(given)
    replaced = {*quasi_identifiers, options.get("weight"), *options.get("strata", ()), options.get("entity")}
    kept = [name for name in columns if name not in replaced]
    assert list(types(released)) == list(columns)
    assert [types(released)[name] for name in kept] == [types(compared)[name] for name in kept]
    found, before = values(released), values(compared)
    for name in columns:
        assert found[name] == (before[name] if name in kept else expected[name]), name


TYPED = {
    "whole": pa.array([5, None, 5], pa.int64()),
    "large": pa.array([2**60, None, 2**60], pa.int64()),
    "yes": pa.array([True, None, True]),
    "text": pa.array(["x", None, "x"]),
    "day": pa.array([dt.date(2020, 1, 2), None, dt.date(2020, 1, 2)]),
    "at": pa.array([dt.datetime(2020, 1, 2, 3), None, dt.datetime(2020, 1, 2, 3)], pa.timestamp("us")),
    "category": pa.array(["b", None, "b"]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("pandas", "narwhals of pandas")])
@pytest.mark.parametrize("name", TYPED)
def test_new_values_have_the_type_that_the_column_had(kind, name):
    """Of all but pandas's own whole numbers and truth values, which cannot be missing."""
    given = pa.table({name: TYPED[name].take(pa.array([2, 0, 0])), "rest": [1, 2, 3]})
    new = pa.table({name: TYPED[name], "rest": [1, 2, 3]})
    frame, compared = KINDS[kind](given), KINDS[kind](given)
    released = like(frame, new, [name])
    assert types(released) == types(compared)
    assert values(released)[name] == values(KINDS[kind](new))[name]


def test_categories_that_no_record_has_stay_and_so_does_their_order():
    ordered = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    new = pa.table({"a": pa.array(["high", "low"]).dictionary_encode()})
    released = like(pd.DataFrame({"a": pd.Series(["low", "low"], dtype=ordered)}), new, ["a"])
    assert released.dtypes["a"] == ordered
    assert released["a"].tolist() == ["high", "low"]
    for frame in (pl.DataFrame, pl.LazyFrame):
        given = frame({"a": ["low", "low"]}, schema={"a": pl.Enum(["low", "mid", "high"])})
        assert like(given, new, ["a"]).lazy().collect()["a"].to_list() == ["high", "low"]
        assert like(given, new, ["a"]).lazy().collect_schema() == given.lazy().collect_schema()


def test_a_lazy_frame_is_computed_once(monkeypatch):
    """A query that is computed twice can have its rows in two orders, and values would change places."""
    computed = []

    def shuffled(frame):
        computed.append(1)
        return frame.sample(fraction=1, shuffle=True, seed=len(computed))

    lazy = pl.LazyFrame({"a": [1.0, 2.0, 9.0, 8.0], "b": ["1", "2", "9", "8"]}).map_batches(shuffled)
    released = protect(lazy, 2, "a", keep="rest").data.collect()
    assert computed == [1]
    assert dict(zip(released["b"], released["a"], strict=True)) == {"1": 1.5, "2": 1.5, "9": 8.5, "8": 8.5}


def test_a_relation_is_computed_once_and_stays_on_its_connection():
    connection = duckdb.connect()
    connection.sql("CREATE SEQUENCE calls")
    connection.sql("CREATE TYPE size AS ENUM ('small', 'large')")
    given = connection.sql(
        "SELECT i::DOUBLE a, nextval('calls') call, 'large'::size size, i::HUGEINT huge, [i] list, uuid() id"
        " FROM range(4) t(i)"
    )
    released = protect(given, 2, "a", keep="rest").data
    assert released.types == given.types
    assert released.columns == given.columns
    assert [row[:2] for row in released.fetchall()] == [(0.5, 1), (0.5, 2), (2.5, 3), (2.5, 4)]
    assert connection.sql("SELECT count(*) FROM released").fetchall() == [(4,)]


def test_a_table_of_the_connection_is_never_taken_for_the_released_one():
    connection = duckdb.connect()
    connection.sql("CREATE TABLE released AS SELECT 99.0 a")
    given = connection.sql("SELECT i::DOUBLE a FROM range(4) t(i)")
    assert protect(given, 2, "a").data.fetchall() == [(0.5,), (0.5,), (2.5,), (2.5,)]
