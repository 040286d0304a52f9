"""l-diversity and t-closeness against plain loops, and what must hold of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from microagg.measures import diversity
from microagg.measures.compared import Watched
from microagg.measures.diversity import disclosure
from tests.naive import diversity as naive

RECORDS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=40)
"""The place of the value of each record, and its class."""


def found(records, ordered=False, missing=False, levels=7):
    places, classes = np.array(records, dtype=np.int64).T
    return disclosure(Watched("wage", places, levels, ordered, missing), classes)


@given(RECORDS)
def test_diversity_is_that_of_the_plain_loop(records):
    places, classes = zip(*records, strict=True)
    of = found(records)
    assert of.distinct == naive.distinct(places, classes)
    assert of.entropy == pytest.approx(naive.entropy(places, classes), rel=1e-12)
    assert (of.classes_given_away, of.records_given_away) == naive.given_away(places, classes)
    assert of.values == len(set(places))


@given(RECORDS)
def test_closeness_is_that_of_the_plain_loop(records):
    places, classes = zip(*records, strict=True)
    of = found(records)
    assert not of.ordered
    assert of.closeness == pytest.approx(float(naive.total_variation(places, classes)), abs=1e-15)


@pytest.mark.parametrize("largest", [2.0**60, 0.0], ids=["whole numbers", "floats"])
def test_closeness_of_values_in_order_is_that_of_the_plain_loop(monkeypatch, largest):
    monkeypatch.setattr(diversity, "_LARGEST", largest)

    @given(RECORDS)
    def holds(records):
        places, classes = zip(*records, strict=True)
        of = found(records, ordered=True)
        assert of.ordered
        assert of.closeness == pytest.approx(float(naive.earth_mover(places, classes, 7)), abs=1e-14)

    holds()


@given(RECORDS)
def test_closeness_where_values_are_missing_is_that_of_the_plain_loop(records):
    places, classes = zip(*records, strict=True)
    of = found(records, ordered=True, missing=True)
    expected = float(naive.earth_mover_with_missing(places, classes, 7))
    assert of.closeness == pytest.approx(expected, abs=1e-14)


@given(RECORDS, st.booleans(), st.booleans())
def test_all_lie_within_their_bounds(records, ordered, missing):
    of = found(records, ordered, missing)
    sizes = Counter(c for _, c in records).values()
    assert 1 <= of.entropy <= of.distinct <= min([*sizes, of.values])
    assert 0 <= of.closeness <= 1
    assert 0 <= of.classes_given_away <= 1
    assert (of.records_given_away > 0) == (of.distinct == 1)


@given(RECORDS, st.booleans(), st.booleans())
def test_a_single_class_is_as_close_as_can_be(records, ordered, missing):
    assert found([(place, 0) for place, _ in records], ordered, missing).closeness == 0.0


@given(RECORDS, st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(records, ordered, missing, random):
    shuffled = random.sample(records, len(records))
    assert found(shuffled, ordered, missing) == found(records, ordered, missing)


@given(RECORDS, st.permutations(range(7)), st.permutations(range(5)))
def test_other_names_of_values_and_classes_change_nothing(records, values, classes):
    assert found([(values[v], classes[c]) for v, c in records]) == found(records)


@given(RECORDS, st.booleans())
def test_an_order_can_be_read_from_either_end(records, missing):
    last = 5 if missing else 6
    turned = [(v if missing and v == 6 else last - v, c) for v, c in records]
    expected = found(records, True, missing).closeness
    assert found(turned, True, missing).closeness == pytest.approx(expected, abs=1e-14)


@given(RECORDS)
def test_in_order_no_class_is_further_than_without(records):
    assert found(records, ordered=True).closeness <= found(records).closeness + 1e-14


def test_a_class_at_each_end_of_an_order_is_half_the_way_from_the_table():
    assert found([(0, 0), (6, 1)], ordered=True).closeness == 0.5
    assert found([(0, 0), (1, 1)], ordered=True).closeness == pytest.approx(1 / 12)
    assert found([(0, 0), (1, 1)]).closeness == 0.5


def test_the_table_of_the_paper():
    """Li, Li and Venkatasubramanian 2007, table 3 and section 5: salaries 3k to 11k, three to a class."""
    salaries = [3, 4, 5, 6, 11, 8, 7, 9, 10]
    classes = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    records = list(zip([salary - 3 for salary in salaries], classes, strict=True))
    assert found(records, ordered=True, levels=9).closeness == pytest.approx(0.375)
    only = [(place, 0 if c == 1 else 1) for place, c in records]
    assert found(only, ordered=True, levels=9).closeness == pytest.approx(0.167, abs=5e-4)


def test_a_class_without_any_value_is_as_far_from_the_table_as_values_are_frequent():
    assert found([(6, 0), (6, 0), (1, 1), (2, 1)], True, True).closeness == 0.5
    assert found([(6, 0), (6, 1)], True, True).closeness == 0.0


def test_one_level_gives_everybody_away():
    of = found([(0, 0), (0, 1), (0, 1)], levels=1)
    assert (of.distinct, of.entropy, of.closeness) == (1, 1.0, 0.0)
    assert (of.classes_given_away, of.records_given_away, of.values) == (1.0, 1.0, 1)


@pytest.mark.parametrize("ordered", [False, True])
def test_as_many_values_as_records_are_counted_in_time(ordered):
    rng = np.random.default_rng(1)
    many = 50_000
    places, classes = rng.permutation(many), rng.permutation(np.arange(many) // 5)
    of = disclosure(Watched("id", places, many, ordered), classes)
    assert (of.distinct, of.values) == (5, many)
    assert of.entropy == pytest.approx(5.0, rel=1e-12)
    if not ordered:
        assert of.closeness == pytest.approx(1 - 5 / many)


@given(RECORDS)
def test_splitting_a_class_brings_no_more_diversity(records):
    assume(len(records) > 1)
    halves = [(v, 2 * c + i % 2) for i, (v, c) in enumerate(records)]
    assert found(halves).distinct <= found(records).distinct
