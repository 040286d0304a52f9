"""What stands for each group, against plain statements of what it should be."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.aggregate import centres_of, means_of_groups
from microagg.columns import Column


def column(values, kind="continuous", missing=(), levels=0):
    mask = np.array(missing, dtype=bool)
    return Column("x", kind, np.array(values, dtype=float), mask, levels)


def labels(*groups):
    return np.array(groups, dtype=np.int32)


def test_each_record_gets_the_means_of_its_group():
    values = np.array([[1.0, 10.0], [5.0, 50.0], [3.0, 20.0], [6.0, 50.0]])
    found = means_of_groups(values, labels(1, 0, 1, 0))
    assert found.tolist() == [[2.0, 15.0], [5.5, 50.0], [2.0, 15.0], [5.5, 50.0]]


@pytest.mark.parametrize("zeros", [[-0.0, -0.0], [0.0, -0.0], [-5e-324, 0.0]])
@pytest.mark.parametrize("how", ["mean", "median", "trimmed mean", "mode"])
def test_no_centre_is_a_negative_zero(zeros, how):
    (mean, _) = means_of_groups(np.array(zeros)[:, None], labels(0, 0))[:, 0]
    (centre,) = centres_of(column(zeros, "date"), labels(0, 0), 1, how).values
    assert math.copysign(1.0, mean) == math.copysign(1.0, centre) == 1.0


def test_values_that_are_whole_stay_whole_and_halves_go_to_the_even_number():
    groups = labels(0, 0, 1, 1, 2, 2, 2)
    values = [1, 2, 3, 4, 1, 1, 3]
    assert centres_of(column(values, "integer"), groups, 3).values.tolist() == [2.0, 4.0, 2.0]
    assert centres_of(column(values), groups, 3).values.tolist() == [1.5, 3.5, pytest.approx(5 / 3)]


def test_a_median_is_the_lower_of_two_in_the_middle():
    groups = labels(0, 0, 0, 0, 1, 1, 1)
    found = centres_of(column([4, 1, 3, 2, 9, 7, 8]), groups, 2, "median")
    assert found.values.tolist() == [2.0, 8.0]


def test_a_weighted_median_has_half_of_the_weight_up_to_it():
    weights = np.array([1.0, 1.0, 5.0, 1.0])
    found = centres_of(column([1, 2, 3, 4]), labels(0, 0, 0, 0), 1, "median", weights)
    assert found.values.tolist() == [3.0]


def test_a_trimmed_mean_leaves_out_a_fifth_at_either_end():
    values = [0, 10, 11, 12, 1000, 5, 7]
    found = centres_of(column(values), labels(0, 0, 0, 0, 0, 1, 1), 2, "trimmed mean")
    assert found.values.tolist() == [11.0, 6.0]


def test_of_equally_frequent_values_the_mode_is_the_more_frequent_in_all_then_the_least():
    values = [0, 0, 1, 1, 1, 2, 3, 2]
    groups = labels(0, 0, 0, 0, 1, 2, 2, 1)
    found = centres_of(column(values, "nominal", levels=4), groups, 3, "mode")
    assert found.values.tolist() == [1.0, 1.0, 2.0]


def test_a_mode_is_what_weighs_most():
    found = centres_of(
        column([0, 0, 1], "nominal", levels=2), labels(0, 0, 0), 1, "mode", np.array([1.0, 1.0, 3.0])
    )
    assert found.values.tolist() == [1.0]


def test_weights_weigh_and_equal_values_stay_what_they_are():
    weights = np.array([1.0, 3.0, 0.1, 0.7])
    found = centres_of(column([0, 4, 0.1, 0.1]), labels(0, 0, 1, 1), 2, "mean", weights)
    assert found.values.tolist() == [3.0, 0.1]


@pytest.mark.parametrize("how", ["mean", "median", "trimmed mean", "mode"])
def test_a_value_is_missing_unless_more_than_half_of_the_group_has_one(how):
    """So a released value never shows that of a single record; nor do missing members count in a mean."""
    values, missing = [5, 5, 5, 7, 7, 5, 9, 9], [0, 1, 1, 0, 0, 1, 0, 1]
    found = centres_of(column(values, "integer", missing), labels(0, 0, 0, 1, 1, 1, 2, 2), 3, how)
    assert found.missing.tolist() == [True, False, True]
    assert found.values[1] == 7.0


def test_many_records_of_one_entity_are_not_the_greater_part():
    entities = np.array([8, 8, 8, 9])
    found = centres_of(
        column([5, 5, 5, 5], "integer", [0, 0, 0, 1]), labels(0, 0, 0, 0), 1, entities=entities
    )
    assert found.missing.tolist() == [True]


def mode_of(members, everyone):
    often, overall = Counter(members), Counter(everyone)
    return min(often, key=lambda value: (-often[value], -overall[value], value))


@given(st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 3)), min_size=1, max_size=40))
def test_every_centre_is_what_plain_python_says(records):
    known = sorted({group for _, group in records})
    groups = [known.index(group) for _, group in records]
    everyone = [value for value, _ in records]
    for how, expected in {
        "mean": lambda members: float(Fraction(sum(members), len(members))),
        "median": lambda members: sorted(members)[(len(members) - 1) // 2],
        "trimmed mean": lambda members: float(
            np.mean(sorted(members)[len(members) // 5 : len(members) - len(members) // 5])
        ),
        "mode": lambda members: mode_of(members, everyone),
    }.items():
        found = centres_of(column(everyone), labels(*groups), len(known), how).values
        for group in range(len(known)):
            members = [value for value, of in zip(everyone, groups, strict=True) if of == group]
            assert found[group] == pytest.approx(expected(members), rel=1e-14, abs=1e-14)
