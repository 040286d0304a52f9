"""Interval disclosure, against plain loops and the figures of Census and Tarragona."""

from __future__ import annotations

import math
import statistics
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from microagg import MDAV
from microagg.columns import Unit
from microagg.datasets import load_reference
from microagg.measures.compared import Compared, Pair
from microagg.measures.intervals import DEVIATIONS, intervals
from tests.conftest import FOLDER
from tests.naive.intervals import by_deviation, by_rank, records
from tests.unit.measures.comparing import column, compared, grouped

PRINTED = {  # by rank; by 5 % of a deviation, cells and records; by 10 %
    ("census", 3): (0.609765, 0.263675, 0.0, 0.464530, 0.003704),
    ("census", 5): (0.533675, 0.210043, 0.0, 0.381197, 0.000926),
    ("tarragona", 3): (0.472468, 0.529884, 0.065947, 0.723298, 0.302158),
    ("tarragona", 5): (0.407646, 0.464859, 0.033573, 0.668511, 0.220624),
}

CELLS = st.one_of(st.none(), st.integers(-3, 3).map(float), st.floats(-50, 50, width=32))


@st.composite
def releases(draw, cells=CELLS, kind=None):
    """Draw a table in groups, of which values may be missing."""
    n, width = draw(st.integers(2, 40)), draw(st.integers(1, 3))
    table = {name: draw(st.lists(cells, min_size=n, max_size=n)) for name in "abc"[:width]}
    labels = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    return grouped(table, labels, dict.fromkeys(table, kind) if kind else None)


def plain_lists(case):
    """Return the columns that vary before and after, with None for what is missing."""
    for pair in case.pairs:
        before, after = (
            [None if gone else value for value, gone in zip(of.values.tolist(), missing_of(of), strict=True)]
            for of in (pair.original, pair.released)
        )
        if len({x for x in before if x is not None}) > 1:
            yield before, after


def missing_of(column):
    return column.missing if column.missing.size else [False] * column.values.size


@pytest.mark.parametrize(("name", "k"), PRINTED)
def test_figures_are_those_printed(standardised_reference, name, k):
    X = standardised_reference(name)
    found = intervals(grouped(load_reference(name, FOLDER).X, MDAV().partition(X, k)))
    shown = [found.by_rank]
    for percent in (5, 10):
        shown += [found.by_deviation[percent], found.records_by_deviation[percent]]
    assert shown == pytest.approx(PRINTED[name, k], abs=5.1e-7)


@settings(max_examples=60)
@given(releases())
def test_shares_are_those_of_plain_loops(case):
    columns = list(plain_lists(case))
    found = intervals(case)
    if not columns:
        assert found is None
        return
    inside, cells = map(sum, zip(*(by_rank(*column) for column in columns), strict=True))
    assert found.by_rank == pytest.approx(inside / max(cells, 1))
    for percent in DEVIATIONS:
        gaps = [by_deviation(*column) for column in columns]
        assume(all(abs(gap - percent) > 1e-9 for column in gaps for gap in column if gap is not None))
        told = [[None if gap is None else gap < percent for gap in column] for column in gaps]
        known = [cell for column in told for cell in column if cell is not None]
        assert found.by_deviation[percent] == pytest.approx(sum(known) / max(len(known), 1))
        expected = records([before for before, _ in columns], told)
        assert found.records_by_deviation[percent] == pytest.approx(expected)


@given(releases())
def test_wider_intervals_hold_more(case):
    found = intervals(case)
    if found is None:
        return
    _, cells, of_records, robust_cells, robust_records = astuple(found)
    for shares in (cells, of_records, robust_cells, robust_records):
        assert list(shares) == list(DEVIATIONS)
        assert list(shares.values()) == sorted(shares.values())
        assert 0 <= shares[1] <= shares[50] <= 1
    assert 0 <= found.by_rank <= 1


@given(releases(st.integers(-30, 30).map(float)), st.integers(-9, 9), st.sampled_from([0, 2**30]))
def test_neither_unit_nor_origin_has_an_effect(case, exponent, offset):
    """Of numbers of which nothing is rounded."""
    moved = case._replace(
        pairs=tuple(
            pair._replace(
                original=pair.original._replace(values=np.ldexp(pair.original.values, exponent) + offset),
                released=pair.released._replace(
                    values=np.ldexp(np.round(pair.released.values), exponent) + offset
                ),
            )
            for pair in case.pairs
        )
    )
    whole = case._replace(
        pairs=tuple(
            pair._replace(released=pair.released._replace(values=np.round(pair.released.values)))
            for pair in case.pairs
        )
    )
    assert intervals(moved) == intervals(whole)


@given(releases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_has_no_effect(case, random):
    order = np.array(random.sample(range(case.records), case.records))
    moved = tuple(
        pair._replace(original=rows(pair.original, order), released=rows(pair.released, order))
        for pair in case.pairs
    )
    again = Compared(moved, case.classes[order], case.original[order], case.released[order])
    assert intervals(again) == intervals(case)


def bare(before, after):
    """Return one column before and after, and no points."""
    nothing = np.empty((len(before), 0))
    return Compared(
        (Pair(column("a", before), column("a", after), Unit()),), np.arange(len(before)), nothing, nothing
    )


def rows(column, order):
    missing = column.missing[order] if column.missing.size else column.missing
    return column._replace(values=column.values[order], missing=missing)


def test_what_is_released_as_it_is_lies_inside():
    X = np.random.default_rng(0).random((300, 2))
    found = intervals(compared(X, X))
    assert found.by_rank == 1.0
    everything = dict.fromkeys(DEVIATIONS, 1.0)
    assert astuple(found)[1:] == (everything,) * 4


def test_a_robust_deviation_is_not_moved_by_a_giant():
    values = [*np.linspace(0, 1, 99), 1e6]
    shown = [value + 0.03 for value in values]
    found = intervals(compared({"a": values}, {"a": shown}))
    median = statistics.median(values)
    deviation = 1.482602218505602 * statistics.median(abs(value - median) for value in values)
    assert 0.05 * deviation < 0.03 < 0.1 * deviation
    assert (found.by_robust_deviation[5], found.by_robust_deviation[10]) == (0.0, 1.0)
    assert found.by_deviation[1] == 1.0


def test_where_most_values_are_equal_another_deviation_is_taken():
    values = [0.0] * 90 + [1.0] * 10
    shown = [0.1 * value + 0.001 for value in values]
    found = intervals(compared({"a": values}, {"a": shown}))
    assert found.by_robust_deviation == found.by_deviation


def test_ordinal_columns_have_ranks_only():
    found = intervals(grouped({"a": [0, 1, 2, 3]}, [0, 0, 1, 1], {"a": "ordinal"}))
    assert 0 <= found.by_rank <= 1
    assert astuple(found)[1:] == ({},) * 4


def test_an_original_value_whose_released_one_is_missing_is_not_told():
    found = intervals(compared({"a": [1.0, 2.0, 3.0, None]}, {"a": [1.0, None, 3.0, 5.0]}))
    assert found.by_deviation[1] == 1.0
    assert found.records_by_deviation[1] == 0.5


@pytest.mark.parametrize(
    ("before", "kind"),
    [([7.0] * 4, "continuous"), ([None] * 4, "integer"), ([0, 1, 0, 1], "nominal"), ([5.0], "continuous")],
)
def test_there_is_nothing_to_tell(before, kind):
    assert intervals(grouped({"a": before}, [0] * len(before), {"a": kind})) is None


def test_nothing_is_released():
    found = intervals(compared({"a": [1.0, 2.0]}, {"a": [None, None]}))
    assert found.by_rank == 0.0
    assert found.by_deviation[50] == found.records_by_deviation[50] == 0.0


@pytest.mark.parametrize("factor", [1e-300, 1e300, 1.7e308])
@pytest.mark.filterwarnings("error")
def test_huge_and_tiny_numbers(factor):
    values = np.array([-1.0, -0.5, 0.25, 1.0])
    shown = np.array([-0.75, -0.75, 0.625, 0.625])
    found = intervals(bare(values * factor, shown * factor))
    assert found == intervals(compared({"a": values}, {"a": shown}))


@pytest.mark.filterwarnings("error")
def test_a_release_far_beyond_the_originals():
    found = intervals(bare([0.0, 1e-200, 2e-200], [1e300, 1e300, 0.0]))
    assert found.by_deviation[50] == 0.0
    assert all(math.isfinite(share) for share in found.by_robust_deviation.values())
