"""MDAV: the plain loop, the NumPy passes and the tree find the same groups, always."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from microagg.partition import driver, passes
from microagg.partition.matrix import canonical
from microagg.partition.mdav import MDAV
from tests.cases import FAMILIES, requests
from tests.naive.mdav import mdav as plain_loop

WAYS = {"passes": passes.mdav, "tree": driver.mdav}


def by(way, X, k, weights=None):
    records = canonical(X, k, weights)
    return records.restore(WAYS[way](records.points, records.weights, k, None)).tolist()


@given(requests())
@example((np.full((30, 2), 1.0), 3))
@example((np.arange(12.0).reshape(6, 2), 2))
def test_every_way_forms_the_groups_of_the_plain_loop(request_):
    X, k = request_
    expected = plain_loop(X.tolist(), k)
    assert by("passes", X, k) == expected
    assert by("tree", X, k) == expected


@given(requests(most=60), st.randoms(use_true_random=False))
def test_weights_move_the_centroid_alike_in_every_way(request_, random):
    X, k = request_
    weights = [random.choice([0.5, 1.0, 3.0, 1e9]) for _ in X]
    expected = plain_loop(X.tolist(), k, weights)
    assert by("passes", X, k, weights) == expected
    assert by("tree", X, k, weights) == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("n", "d", "k"), [(4000, 2, 3), (2500, 5, 10), (3000, 14, 4), (2000, 1, 25)])
def test_the_tree_agrees_with_whole_passes_on_larger_tables(family, n, d, k):
    X = FAMILIES[family](np.random.default_rng(n + d), n, d)
    assert by("tree", X, k) == by("passes", X, k)


def test_a_sweep_takes_over_where_the_bounds_of_the_tree_are_worthless():
    X = np.random.default_rng(0).normal(size=(3000, 40))
    assert by("tree", X, 3) == by("passes", X, 3)


def test_a_giant_that_is_gone_leaves_no_rounding_error_in_the_centroid():
    X = np.random.default_rng(5).random((400, 2))
    X[:3] *= 1e25
    expected = plain_loop(X.tolist(), 3)
    assert by("passes", X, 3) == by("tree", X, 3) == expected


@given(requests(most=80), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_centre(request_, random):
    X, k = request_
    order = list(range(len(X)))
    random.shuffle(order)
    labels = MDAV().partition(X, k)
    shuffled = MDAV().partition(X[order], k)
    assert sorted(zip(X[order].tolist(), shuffled.tolist(), strict=True)) == sorted(
        zip(X.tolist(), labels.tolist(), strict=True)
    )


@pytest.mark.parametrize("offset", [1e9, -1e9, 2.0**40])
def test_a_common_offset_changes_nothing(offset):
    X = np.random.default_rng(3).integers(0, 2**12, (500, 3)) / 2.0**6
    assert MDAV().partition(X + offset, 4).tolist() == MDAV().partition(X, 4).tolist()


@given(requests())
def test_all_groups_have_k_records_but_the_last(request_):
    X, k = request_
    sizes = np.bincount(MDAV().partition(X, k))
    assert (sizes[:-1] == k).all()
    assert k <= sizes[-1] < 2 * k


@pytest.mark.parametrize(
    ("name", "losses"),
    [
        ("tarragona", {3: 16.9326, 4: 19.5460, 5: 22.4619, 10: 33.1929}),
        ("census", {3: 5.6922, 4: 7.4947, 5: 9.0884, 10: 14.1559}),
        ("eia", {3: 0.4829, 4: 0.6713, 5: 1.6667, 10: 3.8397}),
    ],
)
def test_the_loss_on_the_reference_sets_is_the_published_one(name, losses, standardised_reference, loss_of):
    X = standardised_reference(name)
    assert {k: round(loss_of(X, MDAV().partition(X, k)), 4) for k in losses} == losses
