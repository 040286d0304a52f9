"""The lexicographic order against Python's own sorting of tuples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.kernels.order import lexicographic_order, stable_order

SMALL = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 3.0])


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[SMALL] * d), min_size=1, max_size=30)))
def test_records_are_sorted_as_tuples_are_and_equal_ones_keep_their_order(records):
    expected = sorted(range(len(records)), key=records.__getitem__)
    assert lexicographic_order([*np.array(records).T]).tolist() == expected


def test_no_records_have_an_order_too():
    assert lexicographic_order([np.empty(0), np.empty(0)]).tolist() == []


HARD_COLUMNS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "far from zero": lambda rng, n: rng.normal(size=n) + 1e9,
    "heavy tails": lambda rng, n: rng.standard_cauchy(n) ** 3,
    "ties": lambda rng, n: rng.integers(0, 50, n) - 25.0,
    "both zeros": lambda rng, n: rng.choice([0.0, -0.0, 1.0], n),
    "one giant, the others too near for its bits": lambda rng, n: np.append(rng.normal(size=n - 1), 1e300),
    "two near giants": lambda rng, n: np.append(rng.normal(size=n - 2), [1.0000000001e300, 1e300]),
    "last bits only": lambda rng, n: 1.0 + rng.integers(0, 1000, n) * 2.0**-52,
    "subnormal": lambda rng, n: rng.integers(0, 1000, n) * 5e-324,
    "a span beyond all numbers": lambda rng, n: rng.uniform(-1.0, 1.0, n) * 1.7e308,
    "constant": lambda rng, n: np.full(n, 0.1),
}


@pytest.mark.parametrize("kind", HARD_COLUMNS)
@pytest.mark.parametrize("n", [1, 2, 3, 1000, 70_000])
def test_a_column_is_sorted_as_numpy_sorts_it_stably(kind, n):
    column = HARD_COLUMNS[kind](np.random.default_rng(n), max(n, 2))[:n]
    assert np.array_equal(stable_order(column), np.argsort(column, kind="stable"))


def test_a_column_of_a_matrix_is_sorted_where_it_lies_and_not_changed():
    column = np.random.default_rng(1).normal(size=(500, 3))[:, 1]
    column.flags.writeable = False
    assert np.array_equal(stable_order(column), np.argsort(column, kind="stable"))
