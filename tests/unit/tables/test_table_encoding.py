"""Columns as numbers, and back as values of the column."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from microagg.columns import Centres
from microagg.errors import InputError
from microagg.tables.table import Table

WHEN = dt.datetime(2024, 2, 29, 12, 30, 1, 250_000)
CASES = {
    "whole numbers": (pa.array([3, None, -1], pa.int16()), "integer"),
    "numbers": (pa.array([3.5, None, -1.0], pa.float32()), "continuous"),
    "decimals": (pa.array([Decimal("3.50"), None, Decimal("-1.25")], pa.decimal128(9, 2)), "continuous"),
    "floats that are whole": (pa.array([3.0, None, -1.0]), "integer"),
    "text": (pa.array(["b", None, "a"]), "nominal"),
    "categories": (pa.array(["b", None, "a"]).dictionary_encode(), "nominal"),
    "ordered categories": (pa.DictionaryArray.from_arrays([1, None, 0], ["x", "a"], ordered=True), "ordinal"),
    "coded": (pa.array([9, None, 3]), "nominal"),
    "grades": (pa.array([9, None, 3]), "ordinal"),
    "truth": (pa.array([True, None, False]), "boolean"),
    "days": (pa.array([dt.date(2024, 2, 29), None, dt.date(1901, 1, 1)]), "date"),
    "long days": (pa.array([dt.date(2024, 2, 29), None, dt.date(1901, 1, 1)], pa.date64()), "date"),
    "times": (pa.array([WHEN, None, dt.datetime(1901, 1, 1)], pa.timestamp("ms")), "datetime"),
    "times of a zone": (pa.array([WHEN, None], pa.timestamp("us", tz="Europe/Paris")), "datetime"),
    "nothing": (pa.nulls(2), "nominal"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("chunks", [1, 2])
def test_what_is_encoded_comes_back_with_its_type(case, chunks):
    array, kind = CASES[case]
    data = pa.chunked_array([array] if chunks == 1 else [array[:1], array[1:]])
    found = Table(pa.table({"x": data})).encoded("x", kind)
    back = found.back(Centres(found.column.values, found.column.missing))
    assert back.to_pylist() == array.to_pylist()
    if case != "long days":
        assert back.type == array.type
    assert found.column.missing.tolist() == [value is None for value in array.to_pylist()]


def test_the_least_number_stands_where_one_is_missing():
    for case in CASES:
        array, kind = CASES[case]
        column = Table(pa.table({"x": array})).encoded("x", kind).column
        present = column.values[~column.missing]
        assert (column.values[column.missing] == min(present, default=0)).all()


def test_values_stand_in_the_order_that_is_stated_or_in_their_own():
    table = Table(pa.table({"x": ["mid", "low", "high", "mid"]}))
    stated = table.encoded("x", "ordinal", ["low", "mid", "high", "top"]).column
    assert (stated.values.tolist(), stated.levels) == ([1.0, 0.0, 2.0, 1.0], 3)
    assert table.encoded("x", "nominal").column.values.tolist() == [2.0, 1.0, 0.0, 2.0]
    numbers = Table(pa.table({"x": [10, 9, 10]})).encoded("x", "ordinal", ["10", "9"]).column
    assert numbers.values.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("values", "kind", "order", "fault"),
    [
        (
            ["low", "high"],
            "ordinal",
            (),
            "column 'x' is ordinal, and text has no order of its own: state its 2",
        ),
        (
            ["low", "odd"],
            "ordinal",
            ("low", "high"),
            "column 'x' holds 'odd' in row 2 (the first record is row 1), ",
        ),
        (["a", "b", "c"], "boolean", (), "column 'x' has 3 values: a boolean has no more than two"),
        (
            [1.0, 2.5],
            "integer",
            (),
            "column 'x' holds 2.5 in row 2 (the first record is row 1), where a whole",
        ),
        (
            [2**60],
            "integer",
            (),
            "column 'x' holds 1.152921504606847e+18 in row 1 (the first record is row 1), ",
        ),
        (["x"], "continuous", (), "column 'x' holds text where a number is expected: 'x' in row 1"),
        (
            ["2024-13-01"],
            "date",
            (),
            "column 'x' holds '2024-13-01' in row 1 (the first record is row 1), where a",
        ),
        (
            ["2024-02-30 00:00:00"],
            "datetime",
            (),
            "column 'x' holds '2024-02-30 00:00:00' in row 1 (the first",
        ),
        ([1], "date", (), "column 'x' holds int64 where a date is expected"),
        ([dt.date(2020, 1, 1)], "continuous", (), "column 'x' holds date32[day] where numbers are expected"),
    ],
)
def test_values_that_are_not_of_the_kind_are_named_with_their_row(values, kind, order, fault):
    with pytest.raises(InputError) as caught:
        Table(pa.table({"x": values})).encoded("x", kind, order)
    (found,) = caught.value.faults
    assert found.startswith(fault)


def test_microseconds_survive_whatever_the_year():
    times = [dt.datetime(1970, 1, 1), dt.datetime(2199, 12, 31, 23, 59, 59, 999_999)]
    found = Table(pa.table({"x": pa.array(times)})).encoded("x", "datetime")
    assert found.back(Centres(found.column.values)).to_pylist() == times


def test_a_mean_of_times_is_rounded_to_their_unit():
    found = Table(pa.table({"x": [dt.date(2020, 1, 1), dt.date(2020, 1, 4)]})).encoded("x", "date")
    assert found.back(Centres(np.array([1.4]))).to_pylist() == [dt.date(2020, 1, 2)]


@pytest.mark.parametrize(
    "values",
    [
        pa.chunked_array([["low", "high", "low"]]),
        pa.chunked_array([pa.array(["low", "high", "low"]).dictionary_encode()]),
    ],
    ids=["text", "categories"],
)
def test_a_centre_that_no_record_has_is_the_stated_value(values):
    column = Table(pa.table({"a": values})).encoded("a", "ordinal", ("low", "middle", "high"))
    assert column.back(Centres(np.array([1.0, 2.0]))).to_pylist() == ["middle", "high"]
    assert column.back(Centres(np.array([1.0, 0.0]), np.array([False, True]))).to_pylist() == ["middle", None]


def test_a_centre_that_no_record_has_is_a_category_of_the_type():
    form = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    given = pa.DictionaryArray.from_arrays(
        pa.array([0, 2, 0], pa.int8()), ["low", "middle", "high"], ordered=True
    )
    column = Table(pa.table({"a": given})).encoded("a", "ordinal")
    back = column.back(Centres(np.array([1.0])))
    assert (back.to_pylist(), back.type) == (["middle"], form)
