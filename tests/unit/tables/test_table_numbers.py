"""Columns as numbers, and every reason why one cannot be, with the row and the value."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from microagg.errors import InputError
from microagg.tables.numbers import numbers_of_text, numbers_of_typed


def place(record):
    return f"place {record}"


def faults(convert, values, kind=None):
    with pytest.raises(InputError) as caught:
        convert("x", pa.chunked_array([pa.array(values, kind)]), place)
    return list(caught.value.faults)


def test_text_that_spells_numbers_is_read():
    texts = ["1", "-2.5", " 3 ", "+4", ".5", "6.", "7e2", "8E-1", "-0"]
    found, missing = numbers_of_text("x", pa.chunked_array([texts]), place)
    assert found.tolist() == [float(text) for text in texts]
    assert not missing.size


def test_the_empty_text_is_missing_and_has_the_least_number():
    found, missing = numbers_of_text("x", pa.chunked_array([["7", "", " ", "-999"]]), place)
    assert (found.tolist(), missing.tolist()) == ([7.0, -999.0, -999.0, -999.0], [False, True, True, False])


def test_a_column_without_any_value_is_one_of_zeros():
    found, missing = numbers_of_typed("x", pa.array([None, None], pa.float32()), place)
    assert (found.tolist(), missing.tolist()) == ([0.0, 0.0], [True, True])


@pytest.mark.parametrize("text", ["x", "1_0", "0x1", "1 2", "1e", "--1", "one", "1.2.3", "NA", "-", "１"])  # noqa: RUF001
def test_text_that_spells_no_number_is_named_with_its_place(text):
    assert faults(numbers_of_text, ["1", text]) == [
        f"column 'x' holds text where a number is expected: {text!r} in place 1"
    ]


@pytest.mark.parametrize("text", ["1,5", "1.000,5", "1000,50"])
def test_a_decimal_comma_gets_a_hint(text):
    (fault,) = faults(numbers_of_text, [text, "2"])
    assert fault.endswith(f"{text!r} in place 0; a decimal point is expected, not a comma")


@pytest.mark.parametrize("text", ["inf", "-Infinity", "NaN", "nan", "1e999"])
def test_text_that_spells_no_finite_number_is_named_with_its_place(text):
    (fault,) = faults(numbers_of_text, ["1", text])
    assert fault == f"column 'x' holds {float(text)} in place 1: a finite number is expected"


def test_all_that_is_wrong_with_a_column_of_text_is_told_at_once():
    text, infinite = faults(numbers_of_text, ["1", "", "a", "inf", " ", "b", "c"])
    assert text.endswith("'a' in place 2, one of 3 such values")
    assert infinite.startswith("column 'x' holds inf in place 3: ")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], pa.int8()),
        ([1, 2**64 - 1], pa.uint64()),
        ([1.5, 0.1], pa.float32()),
        ([1.5, -2.0], pa.float16()),
        ([Decimal("1.5"), Decimal("2")], pa.decimal128(5, 2)),
    ],
)
def test_typed_numbers_are_read(values, kind):
    array = pa.array(values, kind)
    found, _ = numbers_of_typed("x", pa.chunked_array([array[:1], array[1:]]), place)
    assert found.tolist() == [float(value) for value in array.to_pylist()]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["1", "2"], "string"),
        ([True, False], "bool"),
        ([dt.date(2020, 1, 1)], "date32[day]"),
        ([None, None], "null"),
    ],
)
def test_types_that_are_no_numbers_are_refused(values, found):
    assert faults(numbers_of_typed, values) == [f"column 'x' holds {found} where numbers are expected"]


def test_infinite_typed_numbers_are_refused():
    (infinite,) = faults(numbers_of_typed, [1.0, None, float("inf")])
    assert infinite == "column 'x' holds inf in place 2: a finite number is expected"
    (nan,) = faults(numbers_of_typed, [1.0, float("nan"), float("nan")])
    assert nan.startswith("column 'x' holds nan in place 1, one of 2 such values: ")


def test_numbers_too_far_apart_to_be_subtracted_are_refused():
    assert faults(numbers_of_typed, [-1.7e308, 1.7e308]) == [
        "column 'x' spans more than a number can hold: rescale it"
    ]
    assert numbers_of_typed("x", pa.array([1.0, 1.7e308]), place)[0].tolist() == [1.0, 1.7e308]
