"""The exact search: as good as the best of all partitions, and never beaten by a method."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import MDAV, VMDAV, Genetic, Optimal, Univariate
from microagg.errors import InputError
from tests.cases import requests
from tests.naive.optimal import least_loss, sum_of_squares

SOME = settings(max_examples=60)


def loss_of_groups(X, labels, weights=None):
    rows, weights = X.tolist(), weights or [1.0] * len(X)
    groups = [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)]
    return sum(sum_of_squares(rows, weights, group) for group in groups)


def small(X):
    """Bring the largest to about 1, so that plain squares neither overflow nor vanish."""
    return X / (np.abs(X).max() or 1.0)


@SOME
@given(requests(most=9, widest=3), st.booleans(), st.randoms(use_true_random=False))
def test_no_partition_is_better(request_, weighed, random):
    X, k = small(request_[0]), request_[1]
    weights = [random.choice([0.25, 1.0, 3.0]) for _ in X] if weighed else None
    labels = Optimal().partition(X, k, weights=weights)
    assert np.bincount(labels).min() >= k
    scale = loss_of_groups(X, np.zeros(len(X), int), weights)
    assert loss_of_groups(X, labels, weights) == pytest.approx(
        least_loss(X.tolist(), k, weights), rel=1e-9, abs=1e-12 * scale
    )


@SOME
@given(requests(most=13))
def test_no_method_is_better(request_):
    X, k = small(request_[0]), request_[1]
    labels = Optimal().partition(X, k)
    scale = loss_of_groups(X, np.zeros(len(X), int))
    for method in (MDAV(), VMDAV(), Univariate(), Genetic(iterations=50)):
        other = loss_of_groups(X, method.partition(X, k))
        assert loss_of_groups(X, labels) <= other + 1e-12 * scale


def test_one_column_is_cut_as_the_shortest_path_says():
    X = np.random.default_rng(1).normal(size=(16, 1))
    for k in (2, 3, 5):
        best = loss_of_groups(X, Univariate().partition(X, k))
        assert loss_of_groups(X, Optimal().partition(X, k)) == pytest.approx(best)


@SOME
@given(requests(most=12), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_centre(request_, random):
    X, k = request_
    order = list(range(len(X)))
    random.shuffle(order)
    released = []
    for rows in (X, X[order]):
        labels = Optimal().partition(rows, k)
        sets = [sorted(rows[labels == group].tolist()) for group in labels]
        released.append(sorted(zip(rows.tolist(), sets, strict=True)))
    assert released[0] == released[1]


@pytest.mark.parametrize(("n", "time"), [(17, "4 seconds"), (24, "3 hours"), (10**6, "more than a lifetime")])
def test_more_records_are_refused_with_what_they_would_cost(n, time):
    with pytest.raises(InputError, match=f"expected at most 16. That would take about {time}: take Refined"):
        Optimal().partition(np.zeros((n, 2)), 3)


def test_all_faults_come_at_once():
    with pytest.raises(InputError) as caught:
        Optimal().partition([[np.nan]] * 20, 1)
    assert len(caught.value.faults) == 3


def test_the_progress_rises_to_all_records():
    told = []
    Optimal().partition(np.random.default_rng(0).random((9, 2)), 3, progress=lambda *x: told.append(x))
    assert told == sorted(told)
    assert told[-1] == (9, 9)
