"""The information loss against the formula in rational numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.measures import information_loss


def squares(numbers):
    mean = Fraction(sum(numbers), len(numbers))
    return sum((number - mean) ** 2 for number in numbers)


def percent(columns, labels):
    within = sum(
        squares([x for x, label in zip(column, labels, strict=True) if label == group])
        for column in columns
        for group in set(labels)
    )
    total = sum(map(squares, columns))
    return float(100 * within / total) if total else 0.0


@st.composite
def cases(draw):
    n = draw(st.integers(1, 12))
    columns = [draw(st.lists(st.integers(-50, 50), min_size=n, max_size=n)) for _ in range(2)]
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return columns, [sorted(set(labels)).index(label) for label in labels]


@given(cases(), st.sampled_from([0.0, 1e9]))
def test_the_loss_is_what_the_formula_says(case, offset):
    columns, labels = case
    loss = information_loss(np.array(columns).T + offset, np.array(labels, dtype=np.int32), ["a", "b"])
    assert loss.percent == pytest.approx(percent(columns, labels), rel=1e-6, abs=1e-12)
    for name, column in zip("ab", columns, strict=True):
        assert loss.by_column[name] == pytest.approx(percent([column], labels), rel=1e-6, abs=1e-12)


def test_a_column_that_does_not_vary_has_nothing_to_lose():
    loss = information_loss(np.full((4, 1), 0.1), np.array([0, 0, 1, 1], dtype=np.int32), ["a"])
    assert (loss.percent, loss.by_column) == (0.0, {"a": 0.0})
