"""The matrix of mixed columns: the distances in it are those that are defined value by value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.columns import Column
from microagg.prepare import matrix_of, unit_of, width_of
from microagg.prepare.codewords import codewords
from tests.naive.mixed import squared_distance

NUMBERS = st.none() | st.integers(-9, 9)
NOMINALS = st.none() | st.integers(0, 4)


def number_column(name, values):
    missing = np.array([value is None for value in values])
    least = min((value for value in values if value is not None), default=0)
    numbers = np.array([least if value is None else value for value in values], dtype=float)
    return Column(name, "integer", numbers, missing if missing.any() else missing[:0])


def nominal_column(name, values, levels=5):
    missing = np.array([value is None for value in values])
    places = np.array([0 if value is None else value for value in values], dtype=float)
    return Column(name, "nominal", places, missing if missing.any() else missing[:0], levels)


def matrix(columns, importance=None):
    units = [unit_of(column, "zscore") for column in columns]
    weights = [(importance or {}).get(column.name, 1.0) for column in columns]
    return matrix_of(columns, units, weights, np.arange(columns[0].values.size))


@given(
    st.lists(st.tuples(NUMBERS, NOMINALS), min_size=1, max_size=15),
    st.fixed_dictionaries({"a": st.sampled_from([0.0, 1.0, 2.5]), "b": st.sampled_from([1.0, 4.0])}),
)
def test_distances_are_those_defined_value_by_value(records, importance):
    a, b = zip(*records, strict=True)
    X = matrix([number_column("a", a), nominal_column("b", b)], importance)
    columns = {"a": ("number", a), "b": ("nominal", b)}
    for i, one in enumerate(records):
        for j, other in enumerate(records):
            expected = squared_distance(
                dict(zip("ab", one, strict=True)), dict(zip("ab", other, strict=True)), columns, importance
            )
            assert np.sum((X[i] - X[j]) ** 2) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_two_nominal_values_take_one_dimension_and_many_no_more_than_32():
    for levels, width in [(1, 1), (2, 1), (3, 3), (32, 32), (33, 32), (10_000, 32)]:
        column = nominal_column("a", list(range(levels)), levels)
        assert width_of(column) == width
        assert matrix([column]).shape == (levels, width)
    assert width_of(nominal_column("a", [0, 1, None], 2)) == 3  # to be missing is a value too


@pytest.mark.parametrize(("count", "least", "most"), [(32, 1, 1), (1024, 0.75, 1.25), (10_000, 0.5, 1.5)])
def test_of_many_values_any_two_are_about_one_unit_apart(count, least, most):
    words = codewords(np.ones(count, dtype=np.int64))
    base = words[:200]
    squared = ((base[:, None, :] - words[None, :, :]) ** 2).sum(axis=2)
    off = squared[np.arange(count)[None, :] != np.arange(200)[: len(base), None]]
    assert (off.min(), off.max()) == (least, most)


def test_the_most_frequent_values_get_the_words_that_are_equally_far_apart():
    rng = np.random.default_rng(1)
    frequent = rng.choice(500, 32, replace=False)
    places = np.concatenate([np.arange(500), np.repeat(frequent, 3)])
    words = codewords(np.bincount(places, minlength=500))[frequent]
    squared = ((words[:, None] - words[None]) ** 2).sum(axis=2)
    assert np.array_equal(squared, 1.0 - np.eye(32))


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("zscore", np.std([0, 1, 2, 3, 94])), ("range", 94.0), ("robust", 1.482602218505602), ("none", 1.0)],
)
def test_a_column_is_divided_by_what_its_scale_says(scale, expected):
    unit = unit_of(Column("a", "continuous", np.array([0.0, 1.0, 2.0, 3.0, 94.0])), scale)
    assert unit.divisor * 2.0**unit.exponent == pytest.approx(expected, rel=1e-12)
    assert unit.from_missing == pytest.approx(np.std([0, 1, 2, 3, 94]) / expected, rel=1e-12)


def test_the_robust_scale_gives_way_where_most_values_are_equal():
    half = unit_of(Column("a", "continuous", np.array([0.0] * 6 + [1.0, 2.0, 3.0, 4.0])), "robust")
    assert half.divisor * 2.0**half.exponent == pytest.approx(0.741301109252801 * 1.75)
    most = unit_of(Column("a", "continuous", np.array([0.0] * 9 + [8.0])), "robust")
    assert most.divisor * 2.0**most.exponent == pytest.approx(np.std([0.0] * 9 + [8.0]))
