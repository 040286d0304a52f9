"""The eigenvalues of the correlations, also where columns follow from each other."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.measures.eigenvalues import eigenvalues, eigenvalues_of
from tests.unit.measures.comparing import compared, grouped


def test_of_two_columns_they_are_one_plus_and_minus_the_correlation():
    found = eigenvalues_of(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([[1.0, -0.8], [-0.8, 1.0]]))
    assert found.before == pytest.approx((1.5, 0.5))
    assert found.after == pytest.approx((1.8, 0.2))
    assert found.distance == pytest.approx(0.6 / 2)
    assert found.relative == pytest.approx(0.3 / 1.5 + 0.3 / 0.5)
    assert (found.rank, found.columns) == (2, 2)


def test_directions_without_any_spread_are_left_out():
    rng = np.random.default_rng(4)
    wages, purchases = rng.lognormal(size=(2, 90))
    table = {"wages": wages, "purchases": purchases, "costs": wages + purchases}
    found = eigenvalues(grouped(table, np.arange(90) // 3))
    assert (found.rank, found.columns) == (2, 3)
    assert 0.0 < found.relative < 10.0
    assert found.before[2] < 1e-12


@pytest.mark.filterwarnings("error")
def test_a_single_column_has_nothing_to_turn():
    found = eigenvalues(compared({"a": [1.0, 2.0, 4.0]}, {"a": [1.5, 1.5, 4.0]}))
    assert (found.distance, found.relative, found.rank) == (0.0, 0.0, 1)


def test_census_has_twelve_directions_for_thirteen_columns(reference_release):
    found = eigenvalues(reference_release("census", 3))
    assert (found.rank, found.columns) == (12, 13)
    assert 0.0 < found.relative < 13.0
    assert 0.0 < found.distance < 0.1
