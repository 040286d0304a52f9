"""Linking a sample where linking all would take too long: the same for any order of rows, and in time."""

from __future__ import annotations

import numpy as np
import pytest

from microagg import MDAV
from microagg.kernels.tree import FLAT
from microagg.measures import linkage as module
from microagg.measures import search_tree
from microagg.measures.compared import Compared
from microagg.measures.linkage import linkage
from microagg.measures.nearest import places_of
from tests.unit.measures.comparing import grouped, pair
from tests.unit.measures.test_linkage import in_groups, shares_of


def places(X):
    return places_of(X, np.ones(len(X)), np.empty((len(X), 0)))


def test_a_trial_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(10)
    X, Q = rng.integers(0, 9, (3000, 3)) + rng.random((3000, 1)), rng.random((700, 3)) * 9
    seen = set()
    for _ in range(3):
        X, Q = rng.permutation(X), rng.permutation(Q)
        tree = search_tree.SearchTree(places(X), lambda done: None)
        order = search_tree.SearchTree(places(Q), lambda done: None).order
        seen.add(tree.leaves_seen(places(Q), order, two=True, watch=lambda done: None))
    assert len(seen) == 1


@pytest.fixture
def sampled(monkeypatch):
    """Link a sample of 1,000 records."""
    for name, value in (("FEW", 0), ("MOST_WORK", 0)):
        monkeypatch.setattr(module, name, value)


def noisy_case(n):
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(n, 2)), 2)
    labels = MDAV().partition(X, 3)
    return grouped({"a": X[:, 0].tolist(), "b": X[:, 1].tolist()}, labels), rng.permutation(n)


def test_a_sample_tells_how_far_off_it_may_be(monkeypatch, sampled):
    case, _ = noisy_case(4000)
    found = linkage(case)
    monkeypatch.setattr(module, "MOST_WORK", np.inf)
    exact = linkage(case)
    assert (found.sample, found.by_record.size) == (1000, 0)
    assert 0.005 < found.error < 0.014
    assert shares_of(found) == pytest.approx(shares_of(exact), abs=3 * found.error)
    assert shares_of(found) != shares_of(exact)


@pytest.mark.usefixtures("sampled")
def test_a_sample_does_not_depend_on_the_order_of_rows():
    case, order = noisy_case(2000)
    pairs = tuple(
        pair(of.name, of.original.values[order].tolist(), of.released.values[order].tolist())
        for of in case.pairs
    )
    moved = Compared(pairs, case.classes[order], case.original[order], case.released[order])
    assert shares_of(linkage(case)) == pytest.approx(shares_of(linkage(moved)), rel=1e-12)
    assert linkage(case, seed=1) != linkage(case)


def test_as_many_are_drawn_as_there_is_time_for(monkeypatch):
    monkeypatch.setattr(module, "FEW", 0)
    case, _ = noisy_case(3000)
    samples = []
    for work in (1e4, 2.5e4, 3e4, 1e12):
        monkeypatch.setattr(module, "MOST_WORK", work)
        samples.append(linkage(case).sample)
    assert samples[0] == 1000 < samples[1] < samples[2] < samples[3] == 3000
    monkeypatch.setattr(module, "MOST_WORK", 3e4)
    monkeypatch.setattr(module, "SAMPLE", 1200)
    assert linkage(case).sample == 1200


def test_a_sample_with_strata_does_not_depend_on_their_numbers(monkeypatch):
    monkeypatch.setattr(module, "FEW", 0)
    monkeypatch.setattr(module, "MOST_WORK", 3.5e4)
    case, _ = noisy_case(3000)
    strata = case.classes % 50
    seen = set()
    for seed in range(3):
        numbers = np.random.default_rng(seed).permutation(50)
        found = linkage(case._replace(strata=numbers[strata]))
        seen.add((found.sample, *shares_of(found)))
    assert len(seen) == 1
    assert 1000 < found.sample < 3000


@pytest.mark.parametrize("most", [1, 10**9])
def test_a_trial_ends_in_time(monkeypatch, most):
    monkeypatch.setattr(search_tree, "_TRIAL_WORK", most)
    X = np.random.default_rng(15).normal(size=(5000, 3))
    tree = search_tree.SearchTree(places(X), lambda done: None)
    tried = []
    tree.leaves_seen(places(X), tree.order, two=True, watch=tried.append)
    assert len(tried) == (1 if most == 1 else 250)


def test_bounds_are_given_up_where_they_do_not_help(monkeypatch):
    monkeypatch.setattr(module, "FEW", 0)
    trees = []
    monkeypatch.setattr(
        search_tree.SearchTree,
        "leaves_seen",
        spied(search_tree.SearchTree.leaves_seen, trees),
    )
    rng = np.random.default_rng(6)
    for d, flat in ((2, 0), (40, 1)):
        trees.clear()
        linkage(in_groups(rng.normal(size=(6000, d)), np.arange(6000) // 3))
        assert {int(tree.tree.state[FLAT]) for tree in trees} == {flat}


def spied(method, seen):
    def call(self, *arguments, **options):
        seen.append(self)
        return method(self, *arguments, **options)

    return call
