"""The information loss against the formula in rational numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.aggregate import centres_of
from microagg.columns import Centres, Column, Unit
from microagg.measures import Released, information_loss
from microagg.prepare import unit_of


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
    loss = loss_of([np.array(column) + offset for column in columns], labels)
    assert loss.percent == pytest.approx(percent(columns, labels), rel=1e-6, abs=1e-12)
    for name, column in zip("ab", columns, strict=True):
        assert loss.by_column[name] == pytest.approx(percent([column], labels), rel=1e-6, abs=1e-12)


def test_a_column_that_does_not_vary_has_nothing_to_lose():
    loss = loss_of([[0.1] * 4], [0, 0, 1, 1])
    assert (loss.percent, loss.by_column) == (0.0, {"a": 0.0})


def test_a_nominal_value_is_lost_where_it_is_not_the_one_released():
    column = Column("a", "nominal", np.array([0.0, 0.0, 1.0, 1.0, 2.0, 1.0]), levels=3)
    found = loss_of_column(column, [0, 0, 0, 1, 1, 1], Centres(np.array([0.0, 1.0])))
    assert found == pytest.approx(100 * 2 / 3)  # two are changed; three are not the mode of all


def test_a_missing_value_is_one_standard_deviation_from_all_others():
    values, missing = np.array([1.0, 3.0, 1.0, 3.0, 1.0]), np.array([False, False, False, False, True])
    unit = unit_of(Column("a", "continuous", values, missing), "zscore")
    column = Column("a", "continuous", values, missing)
    centres = Centres(np.array([2.0]), np.array([False]))
    assert loss_of_column(column, [0] * 5, centres, unit) == pytest.approx(100.0)
    shared = Centres(np.array([2.0, 1.0]), np.array([False, True]))
    assert loss_of_column(column, [0, 0, 0, 0, 1], shared, unit) == pytest.approx(100.0 * 4 / 5)


def test_heavier_records_count_more():
    weights = np.array([1.0, 1.0, 2.0])
    column = Column("a", "continuous", np.array([0.0, 2.0, 4.0]))
    of = Released(column, Unit(), 1.0, Centres(np.array([1.0, 4.0])), Centres(np.array([0.0])))
    loss = information_loss({"a": of}, np.array([0, 0, 1], dtype=np.int32), weights)
    assert loss.percent == pytest.approx(100 * 2 / (6.25 + 0.25 + 2 * 2.25))


def test_columns_count_by_their_importance():
    labels = np.zeros(2, dtype=np.int32)
    of = Released(
        Column("a", "continuous", np.array([0.0, 2.0])),
        Unit(),
        1.0,
        Centres(np.array([1.0])),
        Centres(np.array([1.0])),
    )
    kept = of._replace(
        importance=3.0,
        column=Column("b", "continuous", np.array([0.0, 0.0])),
        centres=Centres(np.array([0.0])),
    )
    lost = information_loss({"a": of, "b": kept}, labels)
    assert (lost.percent, lost.by_column) == (100.0, {"a": 100.0, "b": 0.0})


def loss_of(columns, labels):
    labels = np.array(labels, dtype=np.int32)
    groups = labels.max() + 1
    found = {}
    for name, values in zip("ab", columns, strict=False):
        column = Column(name, "continuous", np.array(values))
        centres = centres_of(column, labels, groups)
        found[name] = Released(column, Unit(), 1.0, centres, centres_of(column, labels * 0, 1))
    return information_loss(found, labels)


def loss_of_column(column, labels, centres, unit=None):
    how = "mode" if column.kind == "nominal" else "mean"
    labels = np.array(labels, dtype=np.int32)
    of = Released(column, unit or Unit(), 1.0, centres, centres_of(column, labels * 0, 1, how))
    return information_loss({"a": of}, labels).percent


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", [1e200, 1e-200, 2.0**1000, 2.0**-1020])
def test_the_loss_does_not_depend_on_the_unit_of_the_columns(factor):
    column = np.array([1.0, 2.0, 7.0, 8.0])
    expected = unscaled_loss(column, [0, 0, 1, 1])
    assert unscaled_loss(column * factor, [0, 0, 1, 1]) == pytest.approx(expected)
    constant = np.array([5.0] * 4)
    assert unscaled_loss(column * factor, [0, 0, 1, 1], constant) == pytest.approx(expected)


@pytest.mark.filterwarnings("error")
def test_of_a_release_far_out_of_scale_the_loss_is_as_large_as_a_number_can_be():
    column = Column("a", "continuous", np.array([0.0, 1.0]))
    far = loss_of_column(column, [0, 1], Centres(np.array([0.0, 1e150])))
    assert far == pytest.approx(2e302)
    assert loss_of_column(column, [0, 1], Centres(np.array([0.0, 1e200]))) == float("inf")
    wide = Column("a", "continuous", np.array([-1.7e308, 0.0]))
    assert loss_of_column(wide, [0, 1], Centres(np.array([1.7e308, 0.0]))) == float("inf")


def unscaled_loss(values, labels, *others):
    labels, released = np.array(labels, dtype=np.int32), {}
    for name, of in zip("abc", (values, *others), strict=False):
        column = Column(name, "continuous", of)
        centres = (centres_of(column, *groups, "mean") for groups in ((labels, 2), (labels * 0, 1)))
        released[name] = Released(column, Unit(), 1.0, *centres)
    return information_loss(released, labels).percent
