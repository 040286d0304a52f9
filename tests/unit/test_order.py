"""The lexicographic order against Python's own sorting of tuples."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microagg.kernels.order import lexicographic_order

SMALL = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 3.0])


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[SMALL] * d), min_size=1, max_size=30)))
def test_records_are_sorted_as_tuples_are_and_equal_ones_keep_their_order(records):
    expected = sorted(range(len(records)), key=records.__getitem__)
    assert lexicographic_order(np.array(records)).tolist() == expected


def test_a_matrix_without_columns_or_records_has_an_order_too():
    assert lexicographic_order(np.empty((3, 0))).tolist() == [0, 1, 2]
    assert lexicographic_order(np.empty((0, 2))).tolist() == []
