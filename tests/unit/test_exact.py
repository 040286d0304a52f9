"""Exact sums against Python's own rational numbers, which share nothing with them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from microagg.kernels.exact import exact_group_means, exact_group_sums, exact_sum, exact_sum_pair

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)
MODEST = st.floats(min_value=-1e300, max_value=1e300)


@st.composite
def grouped(draw, values=FLOATS):
    numbers = draw(st.lists(values, min_size=1, max_size=40))
    groups = draw(st.integers(1, 5))
    labels = [draw(st.integers(0, groups - 1)) for _ in numbers]
    used = sorted(set(labels))
    return np.array(numbers), np.array([used.index(label) for label in labels]), len(used)


def members(values, labels, group):
    return [Fraction(float(value)) for value in values[labels == group]]


@given(st.lists(MODEST, max_size=50))
@example([1e100, 1.0, -1e100])
@example([5e-324, -5e-324, 5e-324])
@example([2.0**-1074] * 3 + [2.0**900])
def test_a_sum_is_rounded_once(numbers):
    assert exact_sum(np.array(numbers)) == math.fsum(numbers)


@given(st.lists(MODEST, max_size=50))
def test_a_pair_holds_the_sum_and_what_rounding_took(numbers):
    pair = exact_sum_pair(np.array(numbers))
    exact = sum(map(Fraction, numbers))
    assert pair.high == float(exact)
    assert pair.low == float(exact - Fraction(pair.high))


def test_sums_longer_than_a_chunk_do_not_depend_on_the_order():
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=50_000) * 10.0 ** rng.integers(-20, 20, 50_000)
    assert exact_sum(numbers) == exact_sum(numbers[::-1]) == math.fsum(numbers)


@given(grouped(MODEST))
def test_group_sums_are_rounded_once(case):
    values, labels, groups = case
    sums = exact_group_sums(values, labels, groups)
    for group in range(groups):
        exact = sum(members(values, labels, group))
        assert sums.high[group] == float(exact)
        assert sums.low[group] == float(exact - Fraction(float(sums.high[group])))


def test_groups_without_values_sum_to_zero():
    assert exact_group_sums(np.array([]), np.array([], dtype=np.int64), 2).high.tolist() == [0.0, 0.0]
    assert exact_group_sums(np.array([3.0]), np.array([1]), 3).high.tolist() == [0.0, 3.0, 0.0]


@given(grouped())
@example((np.array([1e308, 1e308, 5e-324, 5e-324]), np.array([0, 0, 1, 1]), 2))
@example((np.array([1.7e308, -1.7e308]), np.array([0, 0]), 1))
def test_means_lie_in_their_group_and_are_within_one_rounding_of_the_exact_mean(case):
    values, labels, groups = case
    means = exact_group_means(values, labels, groups)
    for group in range(groups):
        its = members(values, labels, group)
        exact = sum(its) / len(its)
        assert min(its) <= Fraction(float(means[group])) <= max(its)
        huge = any(abs(value) > 2**900 for value in its)
        allowed = max(math.ulp(float(exact)), 2.0**-1009 if huge else 0.0)
        assert abs(Fraction(float(means[group])) - exact) <= Fraction(allowed)


@given(FLOATS, st.integers(1, 30))
def test_the_mean_of_equal_values_is_that_value(value, times):
    means = exact_group_means(np.full(times, value), np.zeros(times, dtype=np.int64), 1)
    assert means.tolist() == [value]


@given(grouped(), st.randoms(use_true_random=False))
def test_means_do_not_depend_on_the_order_of_the_records(case, random):
    values, labels, groups = case
    shuffled = list(range(len(values)))
    random.shuffle(shuffled)
    expected = exact_group_means(values, labels, groups)
    assert exact_group_means(values[shuffled], labels[shuffled], groups).tolist() == expected.tolist()


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_a_sum_with_a_value_that_is_not_finite_is_not_finite_either(value):
    assert not math.isfinite(exact_sum(np.array([1.0, value])))
