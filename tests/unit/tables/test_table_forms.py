"""The forms of columns: text for CSV, types for Parquet, codes for the check, ranks for ties."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InputError
from microagg.tables.forms import array_of, as_text, as_typed, codes, distinct, ranks


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_the_text_of_a_number_reads_back_as_that_number(numbers):
    texts = as_text(pa.table({"x": numbers}))["x"].to_pylist()
    assert [float(text).hex() for text in texts] == [number.hex() for number in numbers]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_the_text_of_a_short_number_reads_back_as_that_number(numbers):
    texts = as_text(pa.table({"x": pa.array(numbers, pa.float32())}))["x"].to_pylist()
    assert [float(np.float32(text)) for text in texts] == numbers


def test_missing_values_become_empty_text():
    table = pa.table({"a": [1, None], "b": ["", None], "c": [True, None], "d": [dt.date(2020, 1, 2), None]})
    assert as_text(table).to_pydict() == {
        "a": ["1", ""],
        "b": ["", ""],
        "c": ["true", ""],
        "d": ["2020-01-02", ""],
    }


def test_every_column_without_a_text_is_named():
    table = pa.table({"a": [[1], [2]], "b": [1, 2], "c": [{"x": 1}, {"x": 2}]})
    with pytest.raises(InputError) as caught:
        as_text(table)
    assert [fault.split(":")[0] for fault in caught.value.faults] == [
        "column 'a' holds list<item",
        "column 'c' holds struct<x",
    ]


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1", "-20", ""], [1, -20, None]),
        (["0.5", "18.1", ""], [0.5, 18.1, None]),
        (["0.0", "18.1"], [0.0, 18.1]),
        (["0", "18.1"], [0.0, 18.1]),
        (["2020-01-02", ""], [dt.date(2020, 1, 2), None]),
        (["true", "false"], [True, False]),
    ],
)
def test_text_that_a_type_spells_alike_gets_the_type(texts, values):
    assert as_typed(pa.table({"x": texts}))["x"].to_pylist() == values


@pytest.mark.parametrize(
    "texts",
    [
        ["007", "8"],
        ["1.50", "2"],
        ["1", "2.0"],
        ["+1", "2"],
        [" 1", "2"],
        ["1e3", "5"],
        ["9007199254740993.0", "0.5"],
        ["True", "False"],
        ["2020-1-2"],
        ["", ""],
        ["1", "x"],
    ],
)
def test_text_that_a_type_would_change_stays_text(texts):
    assert as_typed(pa.table({"x": texts}))["x"].to_pylist() == texts


@given(st.lists(st.text("0123456789.-+eE", max_size=6), min_size=1, max_size=4))
def test_a_type_never_changes_what_stood_there(texts):
    typed = as_typed(pa.table({"x": texts}))["x"].to_pylist()
    bits = [
        value if isinstance(value, str) else "" if value is None else float(value).hex() for value in typed
    ]
    if typed != texts:
        assert [text and float(text).hex() for text in texts] == bits
    assert len(set(bits)) == len(set(texts))  # and so what stood there can be told from what stands there


@pytest.mark.parametrize(
    "layout", [lambda array: array, lambda array: pa.chunked_array([array[:1], array[1:]])]
)
def test_codes_are_equal_just_for_values_that_look_the_same(layout):
    def found(values, kind):
        numbers = codes(layout(pa.array(values, kind))).tolist()
        return [numbers.index(number) for number in numbers]

    assert found([0.5, -0.5, 0.5, 2.0], pa.float64()) == [0, 1, 0, 3]
    assert found([0.0, -0.0, 0.0], pa.float64()) == [0, 1, 0]
    assert found([math.nan, 1.0, math.nan], pa.float64()) == [0, 1, 0]
    assert found([math.nan, 1.0, math.nan], pa.float32()) == [0, 1, 0]
    assert found([2**64 - 1, 1, 2**64 - 1, 2**63], pa.uint64()) == [0, 1, 0, 3]
    assert found([-1, None, 255, -1, None], pa.int16()) == [0, 1, 2, 0, 1]
    assert found(["1", "1.0", "1", ""], pa.string()) == [0, 1, 0, 3]


@pytest.mark.parametrize(
    "values", [[3, 1, 3], [-1, 2], [0.5, None, 0.5], [1.5, math.nan, math.nan], ["a", "b"]]
)
def test_different_values_are_counted(values):
    expected = len({repr(value) for value in values if value is not None})
    kind = pa.array(values).type
    column = pa.chunked_array([pa.array(values[:1], kind), pa.array(values[1:], kind)])
    assert distinct(column) == expected
    assert distinct(column.slice(0, 0)) == 0


COLUMNS = [
    pa.array([2.0, math.nan, None, 1.0, math.nan, None, 2.0]),
    pa.array(["b", "", None, "a", "", None, "b"]),
    pa.array(["b", "", None, "a", "", None, "b"], pa.large_string()),
    pa.array(["b", "", None, "a", "", None, "b"]).dictionary_encode(),
    pa.array([[2], [], None, [1], [], None, [2]]),
    pa.array([{"x": 2}, {"x": 0}, None, {"x": 1}, {"x": 0}, None, {"x": 2}]),
    pa.array([Decimal("2.5"), Decimal("0"), None, Decimal("1"), Decimal("0"), None, Decimal("2.5")]),
    pa.array([dt.date(2020, 1, day) if day else None for day in (2, 4, 0, 1, 4, 0, 2)]),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.type))
def test_ranks_depend_on_the_values_alone(column):
    chunked = pa.chunked_array([column[:3], column[3:]])
    expected = ranks(chunked, np.arange(7))
    assert sorted(set(expected.tolist())) == list(range(expected.min(), expected.min() + 4))
    assert [len(set(expected[places])) for places in ([0, 6], [1, 4], [2, 5])] == [1, 1, 1]
    for rows in (np.array([6, 5, 4, 3, 2, 1, 0]), np.array([3, 0, 1, 5, 4, 2, 6])):
        assert ranks(chunked, rows).tolist() == expected[rows].tolist()


def test_an_array_of_numbers_holds_them_all():
    numbers = np.arange(12.0).reshape(4, 3)[:, 1]  # not contiguous
    assert array_of(numbers).to_pylist() == [1.0, 4.0, 7.0, 10.0]
