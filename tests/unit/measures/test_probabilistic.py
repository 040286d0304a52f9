"""Linking by patterns of agreement against plain loops over all pairs, and what must hold of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.measures import probabilistic
from microagg.measures.found import ProbabilisticLinkage
from microagg.measures.probabilistic import (
    MOST_COLUMNS,
    TOLERANCES,
    _weights_of_patterns,
    probabilistic_linkage,
)
from microagg.partition.mdav import MDAV
from tests.naive import probabilistic as naive
from tests.unit.measures.comparing import compared, grouped, pair

CELLS = {
    "continuous": st.one_of(st.floats(-100, 100).map(lambda x: round(x, 1)), st.just(None)),
    "integer": st.integers(0, 9),
    "ordinal": st.one_of(st.integers(0, 6), st.just(None)),
    "nominal": st.one_of(st.integers(0, 3), st.just(None)),
    "boolean": st.integers(0, 1),
}


@st.composite
def tables(draw, least=2):
    """Draw a table before and after, and the kinds of its columns."""
    records = draw(st.integers(least, 12))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    lists = [st.lists(CELLS[kind], min_size=records, max_size=records) for kind in kinds]
    before, after = ({str(j): draw(of) for j, of in enumerate(lists)} for _ in range(2))
    for name, values in after.items():
        kept = draw(st.integers(0, records))
        values[:kept] = before[name][:kept]
    return before, after, {str(j): kind for j, kind in enumerate(kinds)}


@settings(max_examples=60)
@given(tables(), st.sampled_from([0.1, 0.3]), st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_as_many_are_linked_as_by_the_plain_loop(case, tolerance, drawn):
    before, after, kinds = case
    strata = drawn[: len(before["0"])]
    both = compared(before, after, kinds)._replace(strata=np.array(strata))
    of = probabilistic_linkage(both, tolerances=[tolerance])
    columns = [list(table.values()) for table in (before, after)]
    expected = naive.linked(*columns, list(kinds.values()), tolerance, strata)
    assert of == ProbabilisticLinkage(pytest.approx(expected, abs=1e-12), 0.0, len(before["0"]), tolerance)


def test_weights_are_those_of_the_plain_loop():
    rng = np.random.default_rng(4)
    true = np.eye(12, dtype=bool)[:, :, None]
    agree = rng.random((12, 12, 4)) < np.where(true, 0.8, [0.1, 0.2, 0.3, 0.4])
    m, u = naive.fitted(agree.tolist(), 4)
    patterns = (agree << np.arange(4)).sum(axis=2).ravel()
    weights = _weights_of_patterns(np.bincount(patterns, minlength=16), 4, 12)
    for pattern in np.unique(patterns):
        bits = [bool(pattern >> column & 1) for column in range(4)]
        assert weights[pattern] == pytest.approx(naive.weight(bits, m, u), abs=2e-9)


def test_the_tolerance_that_links_most_is_taken():
    of = grouped(numbers(90, 4), np.arange(90) // 3)
    by_each = [probabilistic_linkage(of, tolerances=[tolerance]) for tolerance in TOLERANCES]
    assert len({one.linked for one in by_each}) > 1
    assert probabilistic_linkage(of) == max(by_each, key=lambda one: one.linked)


@settings(max_examples=30)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(case, random):
    before, after, kinds = case
    rows = random.sample(range(len(before["0"])), len(before["0"]))
    turned = [{name: [of[i] for i in rows] for name, of in table.items()} for table in (before, after)]
    for sample in (1000, 4):
        assert probabilistic_linkage(compared(*turned, kinds), sample=sample) == probabilistic_linkage(
            compared(before, after, kinds), sample=sample
        )


@settings(max_examples=30)
@given(tables())
def test_the_share_and_its_error_are_numbers_within_bounds(case):
    for sample in (2, 5, 1000):
        of = probabilistic_linkage(compared(*case), sample=sample)
        assert 0 <= of.linked <= 1
        assert 0 <= of.error <= 1
        assert of.sample == min(sample, len(case[0]["0"]))


NOMINAL = {str(j): "nominal" for j in range(MOST_COLUMNS + 5)}


def numbers(records, columns, seed=0):
    return np.random.default_rng(seed).normal(size=(records, columns))


@pytest.mark.parametrize("of", [lambda x: x * 1e300, lambda x: x * 1e-300 - 7e-300, np.exp, lambda x: x**3])
def test_numbers_count_by_their_order_alone(of):
    X, Y = np.round(numbers(60, 3), 3), np.round(numbers(60, 3, 1) / 2 + numbers(60, 3), 3)
    assert probabilistic_linkage(compared(of(X), of(Y))) == probabilistic_linkage(compared(X, Y))


def test_who_releases_all_as_it_is_is_found_out():
    X = numbers(200, 6)
    assert probabilistic_linkage(compared(X, X)).linked > 0.99


def test_who_releases_one_group_gives_a_chance_in_n():
    X = numbers(50, 2)
    assert probabilistic_linkage(grouped(X, np.zeros(50, int))).linked == pytest.approx(1 / 50)


def test_records_that_are_all_alike_give_a_chance_in_n():
    X = np.ones((40, 3))
    assert probabilistic_linkage(compared(X, X)).linked == pytest.approx(1 / 40)


@pytest.mark.filterwarnings("error")
def test_records_of_other_strata_are_not_linked():
    X = np.ones((40, 3))
    for strata, share in ((np.arange(40), 1.0), (np.arange(40) // 4, 1 / 4), (np.arange(40) // 39, 2 / 40)):
        of = compared(X, X)._replace(strata=strata)
        assert probabilistic_linkage(of).linked == pytest.approx(share)


def test_of_many_columns_those_that_tell_most_within_strata_are_taken():
    # in the first few 7 values are in each stratum, but others in each; in all others the same 10
    place, stratum = np.tile(np.arange(50), 2), np.repeat([0, 1], 50)
    columns = [
        place // 10 + place % 2 * 5 if j >= 5 else place % 7 + 7 * stratum for j in range(MOST_COLUMNS + 5)
    ]
    of = compared(
        {str(j): x for j, x in enumerate(columns)}, {str(j): x for j, x in enumerate(columns)}, NOMINAL
    )
    assert probabilistic_linkage(of._replace(strata=stratum)).linked == pytest.approx(1 / 5)


def test_what_is_missing_agrees_with_what_is_missing_only():
    before = {"a": [None, *[5.0] * 9], "b": [None] * 10}
    of = probabilistic_linkage(compared(before, before, {"a": "nominal"}))
    assert of.linked == pytest.approx((1 + 1) / 10)


def test_releases_far_out_of_range_agree_with_nothing():
    before = {"a": [1e-300 * i for i in range(10)]}
    far = pair("a", before["a"], [1e300] * 9 + [-1e300])
    of = compared(before, before)._replace(pairs=(far,))
    assert probabilistic_linkage(of).linked == pytest.approx(1 / 10)


def test_one_record_or_no_column_cannot_be_linked():
    assert probabilistic_linkage(compared([[1.0]], [[1.0]])) is None
    assert probabilistic_linkage(compared([[1.0], [2.0]], [[1.0], [2.0]])._replace(pairs=())) is None


def test_a_sample_has_an_error_and_a_seed():
    X = numbers(900, 4)
    of = grouped(X, np.argsort(np.argsort(X[:, 0])) // 3)
    one, other = (probabilistic_linkage(of, seed, 300) for seed in (1, 2))
    assert one == probabilistic_linkage(of, 1, 300)
    assert one.linked != other.linked
    assert 0 < one.error < 0.03
    assert abs(one.linked - other.linked) < 4 * (one.error + other.error)


def test_of_many_columns_those_that_tell_most_are_taken():
    X = numbers(100, MOST_COLUMNS + 5)
    X[:, 3:8] = 1.0
    telling = np.delete(X, np.arange(3, 8), axis=1)
    found, expected = (probabilistic_linkage(compared(of, of)) for of in (X, telling))
    assert found == expected


def test_pairs_in_small_portions_give_the_same(monkeypatch):
    of = grouped(numbers(50, 3), np.arange(50) // 5)
    expected = probabilistic_linkage(of)
    monkeypatch.setattr(probabilistic, "_PAIRS_AT_ONCE", 120)
    assert probabilistic_linkage(of) == expected


FIGURES = [
    ("census", 3, 0.205697, 0.15),
    ("census", 5, 0.124054, 0.15),
    ("tarragona", 3, 0.201340, 0.15),
    ("tarragona", 5, 0.111810, 0.15),
]


@pytest.mark.parametrize(("name", "k", "linked", "tolerance"), FIGURES)
def test_the_figures_of_the_page(standardised_reference, name, k, linked, tolerance):
    X = standardised_reference(name)
    of = grouped(X, MDAV().partition(X, k))
    found = probabilistic_linkage(of, sample=2000)
    assert found.linked == pytest.approx(linked, abs=5e-7)
    assert (found.sample, found.tolerance, found.error) == (len(X), tolerance, 0.0)
