"""The order of the records, and the scaling of their columns."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.columns import Column
from microagg.prepare import canonical_order, standardised

FINITE = st.floats(-1e150, 1e150)


def column_of(numbers):
    return np.array(numbers, dtype=float)[:, None]


@given(st.lists(FINITE, min_size=2).filter(lambda numbers: min(numbers) != max(numbers)))
def test_a_standardised_column_starts_at_zero_and_has_variance_one(numbers):
    found = standardised(column_of(numbers))[:, 0]
    assert found.min() == 0.0
    assert np.var(found) == pytest.approx(1.0, rel=1e-9)


@given(st.lists(st.integers(-(2**20), 2**20), min_size=1))
def test_a_standardised_column_is_what_the_formula_says(numbers):
    mean = Fraction(sum(numbers), len(numbers))
    variance = sum((number - mean) ** 2 for number in numbers) / len(numbers)
    expected = [(number - min(numbers)) / math.sqrt(variance) if variance else 0.0 for number in numbers]
    assert standardised(column_of(numbers))[:, 0] == pytest.approx(expected, rel=1e-14, abs=0)


@given(st.lists(st.integers(-(2**20), 2**20), min_size=1), st.sampled_from([1e9, -1e9, 2.0**50]))
def test_an_offset_changes_nothing_to_the_bit(numbers, offset):
    column = column_of(numbers) / 4
    assert np.array_equal(standardised(column + offset), standardised(column))


@given(st.lists(FINITE, min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_the_records_changes_nothing_to_the_bit(numbers, random):
    order = list(range(len(numbers)))
    random.shuffle(order)
    column = column_of(numbers)
    assert np.array_equal(standardised(column[order]), standardised(column)[order])


@pytest.mark.parametrize("scale", [2.0**-1074, 1e-300, 1e300, 1.7e308])
def test_tiny_and_huge_numbers_are_scaled_like_all_others(scale):
    assert standardised(column_of([0.0, scale, 0.0, scale]))[:, 0].tolist() == [0.0, 2.0, 0.0, 2.0]


def test_a_constant_column_becomes_zeros():
    assert standardised(column_of([0.1, 0.1, 0.1])).tolist() == [[0.0], [0.0], [0.0]]


RECORDS = st.lists(
    st.tuples(
        st.sampled_from([-1.0, -0.0, 0.0, 2.0]),
        st.integers(0, 2),
        st.text("ab", max_size=1),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=12,
)


@given(RECORDS)
def test_records_are_sorted_by_their_values_then_by_the_further_columns_then_by_position(records):
    values = np.array([record[:2] for record in records], dtype=float)
    columns = [Column(str(j), "continuous", column) for j, column in enumerate(values.T)]
    order = canonical_order(
        columns, lambda rows: (ranks_of([records[row][j] for row in rows]) for j in (2, 3))
    )
    assert order.tolist() == sorted(range(len(records)), key=records.__getitem__)


def ranks_of(values):
    known = sorted(set(values))
    return np.array([known.index(value) for value in values])


def numbers(*values):
    return [Column("x", "continuous", np.array(values, dtype=float))]


def test_a_missing_value_is_not_the_least():
    column = Column("x", "integer", np.array([1.0, 1.0, 1.0]), np.array([True, False, True]))
    assert canonical_order([column], lambda rows: []).tolist() == [1, 0, 2]


def test_further_columns_are_asked_only_for_records_that_are_tied():
    asked = []

    def ranks(rows):
        for rank in ([1, 0], [0, 1]):
            asked.append(sorted(rows.tolist()))
            yield np.array(rank)

    assert canonical_order(numbers(5, 1, 7, 5), ranks).tolist() == [1, 3, 0, 2]
    assert asked == [[0, 3]]  # and no longer than there are any
    canonical_order(numbers(3, 1, 2), ranks)
    assert asked == [[0, 3]]
