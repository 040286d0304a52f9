"""The bound beside the least loss there is, whenever the work stops."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import lower_bound, optimal_cut
from microagg.certificate import lower, pricing, programme, search
from microagg.certificate.cuts import violated_triples
from microagg.certificate.master import Master
from microagg.certificate.near import nearest_sse
from microagg.certificate.pricing import Priced
from microagg.certificate.report import Clock
from microagg.errors import InputError
from microagg.partition.matrix import canonical
from tests.cases import FAMILIES
from tests.naive.lower_bound import exact_sse, least_sse

FEW = settings(max_examples=40)


@st.composite
def small(draw, most=9):
    """Draw a matrix small enough to try all partitions."""
    k = draw(st.integers(2, 3))
    n = draw(st.integers(k, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return FAMILIES[draw(st.sampled_from(sorted(FAMILIES)))](rng, n, draw(st.integers(1, 3))), k


def exact_loss(X, labels):
    rows = X.tolist()
    return sum(exact_sse(rows, np.flatnonzero(labels == label).tolist()) for label in np.unique(labels))


def check(X, k, bound, least):
    """Check that the bound is not above the least loss, and that the partition is one of at least that."""
    assert Fraction(bound.sse) <= least
    assert np.bincount(bound.labels).min() >= k
    assert exact_loss(X, bound.labels) >= least
    if bound.is_optimal:
        assert exact_loss(X, bound.labels) <= least * (1 + Fraction(1, 10**6))


@FEW
@given(small())
def test_the_exact_bound_finds_the_least_loss(case):
    X, k = case
    bound = lower_bound(X, k)
    check(X, k, bound, least_sse(X.tolist(), k))
    assert bound.is_optimal


class CountedClock(Clock):
    """A clock that is out of time when it has been looked at so many times."""

    looks = 0

    def __init__(self, seconds):
        super().__init__(seconds)
        self.looks_left = CountedClock.looks

    @property
    def left(self):
        self.looks_left -= 1
        return 10.0 if self.looks_left > 0 else -1.0


@FEW
@given(small(), st.integers(0, 120))
def test_the_bound_is_valid_whenever_the_work_stops(case, looks):
    X, k = case
    CountedClock.looks = looks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lower, "Clock", CountedClock)
        patch.setattr(pricing, "FIRST_SLICE", 1)
        check(X, k, lower_bound(X, k), least_sse(X.tolist(), k))


def test_a_pricing_that_was_cut_short_says_nothing(monkeypatch):
    X = np.random.default_rng(1).random((30, 2))
    nothing = Priced([], np.zeros(30, np.int64), complete=False)
    monkeypatch.setattr(search, "price_groups", lambda *_, **__: nothing)
    monkeypatch.setattr(lower, "improve", lambda _: None)
    bound = lower_bound(X, 3, labels=np.arange(30) % 10, seconds=0.5)
    assert bound.proof == "distances"
    assert bound.percent == pytest.approx(lower_bound(X, 3, method="cheap").percent)


@FEW
@given(st.integers(0, 2**32), st.integers(2, 3), st.integers(9, 10))
def test_programmes_over_some_groups_never_raise_the_bound_too_far(seed, k, n):
    """Without cuts, so that much is left to them, and with good partitions still to be found."""
    X = np.random.default_rng(seed).random((n, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "violated_triples", lambda *_: [])
        patch.setattr(lower, "improve", lambda _: None)
        patch.setattr(programme, "_OF_ALL", (12, 12))
        patch.setattr(programme, "_HOPELESS", 2**40)
        check(X, k, lower_bound(X, k), least_sse(X.tolist(), k))


@given(small())
def test_the_cheap_bound_is_never_above_the_least_loss(case):
    X, k = case
    check(X, k, lower_bound(X, k, method="cheap"), least_sse(X.tolist(), k))
    check(X + 1e9, k, lower_bound(X + 1e9, k, method="cheap"), least_sse((X + 1e9).tolist(), k))


def test_the_cheap_bound_allows_for_what_moving_to_zero_rounds():
    step = 2.0**-52
    X = np.array([[-1.5], [-1.5], [1 + step], [1 + 3 * step]])
    assert np.ptp(X[2:] - X.min()) == 2 * np.ptp(X[2:])
    check(X, 2, lower_bound(X, 2, method="cheap"), least_sse(X.tolist(), 2))


def test_the_cheap_bound_is_that_of_the_nearest_neighbours():
    X = np.random.default_rng(5).normal(size=(700, 3))
    distances = np.sort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)
    for k in (2, 5, 350):
        expected = distances[:, 1:k].sum() / (2 * k)
        assert nearest_sse(canonical(X, k).points, k) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_one_column_has_the_loss_of_the_optimal_cut(k, loss_of):
    X = np.sort(np.random.default_rng(k).exponential(size=(60, 1)), axis=0)
    bound = lower_bound(X, k)
    assert bound.is_optimal
    assert bound.best_percent == pytest.approx(loss_of(X, optimal_cut(X, k)), rel=1e-9)


def test_the_integer_programme_closes_what_duals_leave_open():
    X = np.random.default_rng(0).random((60, 2))
    told = []
    bound = lower_bound(X, 3, progress=told.append)
    assert bound.is_optimal
    assert bound.proof == "integer programme"
    assert str(bound).endswith("the best possible")
    assert told[-1].sse == bound.sse
    assert all(one.percent <= bound.percent for one in told)


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(8)
    X = rng.random((40, 2))
    shuffled = rng.permutation(40)
    one, other = lower_bound(X, 3), lower_bound(X[shuffled], 3)
    assert one.sse == other.sse
    assert one.labels[shuffled].tolist() == other.labels.tolist()


def test_a_partition_given_is_judged_and_its_large_groups_are_split(loss_of):
    X = np.random.default_rng(4).random((50, 2))
    best = lower_bound(X, 3)
    started = lower_bound(X, 3, labels=best.labels, method="cheap")
    assert started.best == pytest.approx(best.best)
    whole = lower_bound(X, 3, labels=np.full(50, 7), method="cheap")
    assert np.bincount(whole.labels).max() < 6
    assert whole.best_percent == pytest.approx(loss_of(X, whole.labels))


def test_words_never_promise_more_than_is_known():
    bound = lower_bound(np.random.default_rng(2).random((30, 2)), 3, method="cheap")
    assert not bound.is_optimal
    assert float(str(bound).split("within ")[1].split(" %")[0]) >= bound.gap


def test_an_exception_in_progress_stops_the_work():
    def stop(bound):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lower_bound(np.random.default_rng(2).random((30, 2)), 3, progress=stop)


def test_three_pairs_of_three_records_cannot_be_halved():
    groups, shares = [(0, 1), (0, 2), (1, 2), (3, 4)], np.array([0.5, 0.5, 0.5, 1.0])
    assert violated_triples(groups, shares, set()) == [(0, 1, 2)]
    assert violated_triples(groups, shares, {(0, 1, 2)}) == []
    assert violated_triples([(0, 1, 2), (0, 1, 3)], np.array([0.5, 0.5]), set()) == []


def test_cuts_hold_for_groups_that_come_before_and_after_them():
    master = Master(3, 1.0, 10.0)
    master.add_groups([(0, 1), (0, 2), (1, 2), (0, 1, 2)], [1, 1, 1, 10])
    assert master.solve(10.0).value == pytest.approx(1.5)
    master.add_cuts([(0, 1, 2)])
    assert master.solve(10.0).value == pytest.approx(10.0)
    master.add_groups([(0,), (1,)], [5, 9])
    assert master.solve(10.0).value == pytest.approx(6.0)


X = np.arange(20.0).reshape(10, 2)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"k": 11}, "k = 11 is more than the 10 records"),
        ({"method": "quick"}, "method must be one of auto, exact, cheap: found 'quick'"),
        ({"seconds": 0}, "seconds must be a number above zero, found 0"),
        ({"seconds": float("nan")}, "found nan"),
        ({"labels": [0] * 9}, "a label for each of the 10 records, found shape"),
        ({"labels": [0.5] * 10}, "whole numbers, found float64"),
        ({"labels": [0] * 9 + [1]}, r"1 group\(s\) hold fewer records, the smallest 1"),
        (
            {"k": 7, "method": "exact"},
            'k = 7 would take .* minutes: it is made for k up to 5 .*method="cheap"',
        ),
        (
            {"X": np.zeros((5001, 1)), "method": "exact"},
            "5,001 records and k = 3 would take 0.6 GiB and, guessed .* 8 minutes",
        ),
    ],
)
def test_bad_requests_are_refused_before_the_work(wrong, said):
    request = {"X": X, "k": 3, **wrong}
    with pytest.raises(InputError, match=said):
        lower_bound(request.pop("X"), request.pop("k"), **request)


def test_all_faults_are_named_at_once():
    with pytest.raises(InputError) as caught:
        lower_bound(X, 3, method="quick", labels=[1], seconds=-1)
    assert len(caught.value.faults) == 3


def test_out_of_reach_is_bounded_cheaply_by_default():
    assert lower_bound(np.random.default_rng(0).random((40, 2)), 8).proof == "distances"


def test_without_highs_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(InputError, match=r"pip install 'microagg\[certificate\]'"):
        lower_bound(X, 3)
    assert lower_bound(X, 3, method="cheap").proof == "distances"
