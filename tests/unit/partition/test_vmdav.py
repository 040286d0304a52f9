"""V-MDAV: the plain loop, the NumPy passes and the tree find the same groups; the choice of gamma."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.datasets import synthetic, toy
from microagg.errors import InputError
from microagg.partition import driver, matrix, passes
from microagg.partition.matrix import canonical
from microagg.partition.vmdav import VMDAV, _farthest_first
from microagg.prepare import standardised
from tests.cases import FAMILIES, requests
from tests.naive.vmdav import vmdav as plain_loop

WAYS = {"passes": passes.vmdav, "tree": driver.vmdav}
GAMMAS = st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0, 1.1, 2.0, 1e9])


def by(way, X, k, gamma, weights=None):
    records = canonical(X, k, weights)
    labels = WAYS[way](records.points, records.weights, k, gamma * gamma, _farthest_first(records), None)
    return records.restore(labels).tolist()


@given(requests(most=80), GAMMAS)
def test_every_way_forms_the_groups_of_the_plain_loop(request_, gamma):
    X, k = request_
    expected = plain_loop(X.tolist(), k, gamma)
    assert by("passes", X, k, gamma) == expected
    assert by("tree", X, k, gamma) == expected


@given(requests(most=50), GAMMAS, st.randoms(use_true_random=False))
def test_weights_move_the_centroids_alike_in_every_way(request_, gamma, random):
    X, k = request_
    weights = [random.choice([0.5, 1.0, 3.0, 1e9]) for _ in X]
    expected = plain_loop(X.tolist(), k, gamma, weights)
    assert by("passes", X, k, gamma, weights) == expected
    assert by("tree", X, k, gamma, weights) == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("n", "d", "k"), [(3000, 2, 3), (2000, 5, 10), (1500, 14, 4)])
@pytest.mark.parametrize("gamma", [0.2, 1.1])
def test_the_tree_agrees_with_whole_passes_on_larger_tables(family, n, d, k, gamma):
    X = FAMILIES[family](np.random.default_rng(n + d), n, d)
    assert by("tree", X, k, gamma) == by("passes", X, k, gamma)


def test_a_sweep_takes_over_where_the_bounds_of_the_tree_are_worthless():
    X = np.random.default_rng(0).normal(size=(2000, 40))
    assert by("tree", X, 3, 0.9) == by("passes", X, 3, 0.9)


@given(requests(most=80), GAMMAS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_centre(request_, gamma, random):
    X, k = request_
    order = list(range(len(X)))
    random.shuffle(order)
    labels = VMDAV(gamma).partition(X, k)
    shuffled = VMDAV(gamma).partition(X[order], k)
    assert sorted(zip(X[order].tolist(), shuffled.tolist(), strict=True)) == sorted(
        zip(X.tolist(), labels.tolist(), strict=True)
    )


@given(requests(), GAMMAS)
def test_every_group_holds_at_least_k_records(request_, gamma):
    X, k = request_
    assert np.bincount(VMDAV(gamma).partition(X, k)).min() >= k


def test_the_toy_of_the_paper_falls_into_its_natural_groups():
    labels = VMDAV(gamma=1.1).partition(toy(), 3)
    groups = {frozenset(np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)}
    assert groups == {frozenset(g) for g in ((0, 1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12))}


@pytest.mark.parametrize(
    ("name", "gamma", "losses"),
    [
        ("census", 0.0, {3: 5.6619, 4: 7.5140, 5: 9.0070, 10: 14.0730}),
        ("tarragona", 0.2, {3: 16.9630, 4: 19.6974, 5: 22.8778, 10: 33.2527}),
        ("eia", 0.2, {3: 0.597, 4: 0.669}),
        ("eia", 1.1, {5: 1.304, 10: 2.805}),
    ],
)
def test_the_loss_on_the_reference_sets_is_the_verified_one(
    name, gamma, losses, standardised_reference, loss_of
):
    X = standardised_reference(name)
    digits = 3 if name == "eia" else 4
    assert {k: round(loss_of(X, VMDAV(gamma).partition(X, k)), digits) for k in losses} == losses


@pytest.mark.parametrize(("name", "verdicts"), [("census", "SSSS"), ("tarragona", "SSSS"), ("eia", "SSCC")])
def test_reference_sets_look_as_the_left_half_of_table_1_says(name, verdicts, standardised_reference):
    X = standardised_reference(name)
    looks = [VMDAV.choose_gamma(X, k).looks for k in (3, 4, 5, 10)]
    assert "".join(look[0].upper() for look in looks) == verdicts


@pytest.mark.parametrize(("which", "verdicts"), [(1, "CSSS"), (2, "CSSS"), (3, "SCCS")])
def test_synthetic_sets_look_as_the_left_half_of_table_1_says(which, verdicts):
    X = standardised(synthetic(which))
    looks = [VMDAV.choose_gamma(X, k).looks for k in (3, 4, 5, 10)]
    assert "".join(look[0].upper() for look in looks) == verdicts


def test_the_toy_of_the_paper_looks_clustered():
    assert VMDAV.choose_gamma(toy(), 3).looks == "clustered"


@given(requests(most=60))
def test_the_chosen_gamma_is_the_first_of_least_loss_and_gives_the_labels(request_):
    X, k = request_
    choice = VMDAV.choose_gamma(X, k)
    least = min(choice.loss_by_gamma.values())
    assert choice.gamma == min(g for g, loss in choice.loss_by_gamma.items() if loss == least)
    assert choice.labels.tolist() == VMDAV(choice.gamma).partition(X, k).tolist()
    assert choice.labels.tolist() == VMDAV().partition(X, k).tolist()


def test_the_loss_reported_for_a_gamma_is_that_of_its_partition(loss_of):
    X = np.random.default_rng(2).normal(size=(300, 3))
    for gamma, loss in VMDAV.choose_gamma(X, 4).loss_by_gamma.items():
        assert loss == pytest.approx(loss_of(X, VMDAV(gamma).partition(X, 4)), rel=1e-12)


def test_the_progress_of_all_runs_is_told_as_one(monkeypatch):
    monkeypatch.setattr(matrix, "COMPILED_FROM", 1_000_000)
    told = []
    VMDAV().partition(np.random.default_rng(2).normal(size=(200, 2)), 3, progress=lambda *x: told.append(x))
    assert told == sorted(told)
    assert told[0][0] < 20
    assert {total for _, total in told} == {200}


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf"), "best", None])
def test_a_gamma_that_is_none_is_refused(gamma):
    with pytest.raises(InputError, match="gamma must be a number from 0"):
        VMDAV(gamma)
