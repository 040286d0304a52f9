"""What the pictures show, before it is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.measures.found import MomentsLoss
from microagg.report.distributions import Categories, Histogram, distribution
from microagg.report.figures import chances, correlation_matrix, correlations, group_sizes, loss_by_column
from microagg.report.scales import even_ticks, scale_for
from microagg.report.scatter import components, scatter
from microagg.report.wording import number, percent, share, signed, ticks
from tests.unit.measures.comparing import grouped, pair

NUMBERS = st.floats(-1e300, 1e300) | st.floats(-10, 10) | st.integers(-5, 5).map(float)
VALUES = st.lists(NUMBERS, min_size=1, max_size=30)


@given(st.lists(st.tuples(NUMBERS, NUMBERS) | st.just((None, None)), min_size=1, max_size=30))
def test_a_histogram_counts_every_record_once(rows):
    before, after = zip(*rows, strict=True)
    found = distribution(pair("x", before, after))
    if all(value is None for value in before):
        assert found is None
        return
    assert found.before.sum() + found.missing[0] == found.after.sum() + found.missing[1] == len(rows)
    assert found.edges[0] <= min(value for row in rows for value in row if value is not None)
    assert found.edges[-1] >= max(value for row in rows for value in row if value is not None)
    assert found.edges.size - 1 == found.before.size == found.after.size


def test_bins_are_those_of_a_plain_loop():
    rng = np.random.default_rng(3)
    before, after = rng.normal(50, 20, (2, 400))
    found = distribution(pair("x", before, after))
    borders = list(zip(found.edges, found.edges[1:], strict=False))
    assert found.before.tolist() == [sum(low <= x < high for x in before) for low, high in borders]
    assert found.after.tolist() == [sum(low <= x < high for x in after) for low, high in borders]
    assert all(edge == round(edge, 1) for edge in found.edges), "borders are round numbers"


def test_a_value_on_a_border_counts_in_the_upper_bin():
    found = distribution(pair("x", [0, 5, 5, 10, 50, 60, 70, 100], [0] * 8))
    assert found.edges[:3].tolist() == [0.0, 5.0, 10.0]
    assert found.before[:3].tolist() == [1, 2, 1]
    assert found.before[-1] == 1, "the last border belongs to the last bin"


def test_few_whole_numbers_have_a_bin_each():
    found = distribution(pair("staff", [1, 1, 2, 4], [2, 2, 2, 2], "integer"))
    assert isinstance(found, Histogram)
    assert found.each
    assert found.before.tolist() == [2, 1, 0, 1]
    assert found.after.tolist() == [0, 4, 0, 0]


def test_a_long_tail_gets_a_stretched_scale_and_a_bell_does_not():
    rng = np.random.default_rng(1)
    assert scale_for(np.exp(rng.normal(8, 2, 1000))).is_stretched
    assert not scale_for(rng.normal(8, 2, 1000)).is_stretched
    assert not scale_for(np.zeros(5)).is_stretched


def test_categories_are_the_twelve_most_frequent_and_all_others():
    before = np.repeat(np.arange(15), np.arange(15, 0, -1))
    found = distribution(pair("sector", before, np.zeros_like(before), "nominal"))
    assert found.labels[:2] == ("value 1", "value 2")
    assert found.labels[-1] == "3 others"
    assert found.before == (*range(15, 3, -1), 3 + 2 + 1)
    assert found.after == (before.size, *[0] * 12)


def test_categories_have_their_names_and_missing_ones_their_row():
    found = distribution(pair("town", [0, 1, 1, None], [1, 1, 1, 1], "nominal"), ["Ayr", "Bath"])
    assert found == Categories("town", "nominal", ("Bath", "Ayr", "missing"), (2, 1, 1), (4, 0, 0))


def test_an_ordinal_column_keeps_its_order():
    found = distribution(pair("size", [0, 2, 2, 2], [2, 2, 2, 2], "ordinal"), ["small", "medium", "large"])
    assert found.labels == ("small", "medium", "large")
    assert found.before == (1, 0, 3)
    many = distribution(pair("rank", range(40), range(40), "ordinal"))
    assert isinstance(many, Histogram)


def test_all_sizes_from_k_on_are_told():
    assert [(bar.label, bar.total, bar.is_below) for bar in group_sizes({2: 1, 3: 5, 6: 2}, 3)] == [
        ("2", 1, True),
        ("3", 5, False),
        ("4", 0, False),
        ("5", 0, False),
        ("6", 2, False),
    ]
    assert not group_sizes({}, 3)


@given(st.dictionaries(st.integers(1, 10**6), st.integers(1, 9), min_size=1), st.none() | st.integers(2, 50))
def test_every_group_has_its_bar(sizes, k):
    found = group_sizes(sizes, k)
    assert sum(bar.total for bar in found) == sum(sizes.values())
    assert len(found) <= 24


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_every_record_has_its_chance(by_record):
    found = chances(np.array(by_record))
    assert sum(bar.total for bar in found) == len(by_record)
    assert len(found) <= 24


def test_chances_are_told_apart_where_they_are_few_and_in_bins_where_not():
    assert [(bar.label, bar.total) for bar in chances(np.array([0, 0.2, 0.2]))] == [
        (percent(0.0), 1),
        (percent(20.0), 2),
    ]
    found = chances(np.append(np.arange(1, 101) / 100, 0))
    assert [(bar.label, bar.total) for bar in found[:2]] == [(share(0.0), 1), (f"0–{share(0.1)}", 10)]


def test_the_column_that_lost_most_stands_first():
    found = loss_by_column({"a": 1.0, "b": 3.0, "c": 2.0})
    assert [bar.name for bar in found] == ["b", "c", "a"]


def moments_of(before, after):
    names = tuple(f"x{at}" for at in range(len(before)))
    return MomentsLoss(0.0, None, None, None, names, np.array(before), np.array(after))


def test_correlations_that_moved_most_stand_first():
    moments = moments_of([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]], [[1, 0.4, 0.3], [0.4, 1, 0], [0.3, 0, 1]])
    found = correlations(moments)
    assert [(of.one, of.other) for of in found] == [("x2", "x0"), ("x1", "x0"), ("x2", "x1")]
    assert found[0].change == 0.3
    assert correlation_matrix(moments).changes[2, 0] == 0.3


def test_of_many_columns_those_are_shown_whose_correlations_moved_most():
    before = np.eye(30)
    after = before.copy()
    after[20, 7] = after[7, 20] = 0.9
    found = correlation_matrix(moments_of(before, after))
    assert len(found.names) == 12
    assert {"x7", "x20"} <= set(found.names)
    assert found.columns == 30
    assert correlation_matrix(moments_of([[1.0]], [[1.0]])) is None


def test_the_main_directions_are_those_of_the_data():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(500, 3)) * [1, 5, 0.1]
    found = components(points)
    assert np.abs(found.directions[1, 0]) > 0.99
    assert np.abs(found.directions[0, 1]) > 0.99
    spread = points.var(axis=0)
    assert found.shares == pytest.approx((spread[1] / spread.sum(), spread[0] / spread.sum()), rel=0.02)


@pytest.mark.parametrize("points", [np.zeros((5, 3)), np.arange(5.0)[:, None], np.ones((1, 2)) * 3])
def test_without_two_directions_there_is_no_picture_of_the_records(points):
    assert components(points) is None


def test_points_on_a_line_have_one_direction():
    along = np.arange(20.0)
    assert components(np.column_stack([along, 2 * along, -along])) is None


def test_few_records_are_all_shown_in_their_places():
    rng = np.random.default_rng(4)
    table = grouped({"a": rng.normal(size=30), "b": rng.normal(size=30)}, np.arange(30) // 3)
    found = scatter(table)
    assert (found.shown, found.groups, found.total) == (30, 10, 30)
    assert np.all((found.records >= 0) & (found.records <= 1) & (found.released >= 0) & (found.released <= 1))
    assert len(np.unique(found.released.round(9), axis=0)) == 10
    by_group = found.records.reshape(10, 3, 2).mean(axis=1)
    np.testing.assert_allclose(found.released[::3], by_group, atol=1e-9)


def test_places_are_those_along_the_main_directions():
    rng = np.random.default_rng(6)
    wide, narrow = 5 * rng.normal(size=30), rng.normal(size=30)
    table = grouped({"a": narrow, "b": wide}, np.arange(30) // 3)
    points = np.column_stack([narrow, wide])
    found = scatter(table._replace(original=points, released=points))
    assert np.corrcoef(found.records[:, 0], wide)[0, 1] > 0.99
    assert np.corrcoef(found.records[:, 1], narrow)[0, 1] > 0.99


@pytest.mark.parametrize("size", [4, 5000])
def test_of_many_records_whole_groups_are_shown(size):
    rng = np.random.default_rng(5)
    labels = np.arange(10_000) // size
    table = grouped({"a": rng.normal(size=10_000), "b": rng.normal(size=10_000)}, labels)
    found = scatter(table)
    assert 1000 < found.shown <= 3000
    if size == 4:
        assert found.shown == 4 * found.groups


@given(VALUES)
def test_ticks_are_in_order_and_within(values):
    low, high = min(values), max(values)
    found = even_ticks(low, high, 5)
    assert found
    assert found == sorted(found)
    assert len(found) <= 11
    scale = scale_for(np.array(values))
    stretched = scale.ticks(low, high, 5) if low < high else []
    assert all(low <= tick <= high for tick in stretched if scale.is_stretched)


@given(st.floats(), st.floats())
def test_no_number_is_shown_in_the_words_of_the_computer(one, other):
    shown = [number(one), percent(one), share(one), signed(one), number(None), percent(None)]
    if np.isfinite([one, other]).all():
        shown += ticks([one, other])
    assert not any(word in text.lower() for text in shown for word in ("nan", "inf", "none", "e+", "e-"))
