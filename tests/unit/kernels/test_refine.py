"""The moves of the refinement, against the definition of the loss in plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from microagg.kernels import refine_cell as places
from microagg.kernels.refine import refine, restore
from microagg.kernels.refine_pairs import best_exchange
from microagg.partition.matrix import canonical
from microagg.partition.refined import split_large
from microagg.partition.refinery import Ground, Task, neighbourhoods
from tests.cases import requests
from tests.naive.refined import exchanges, loss_of_members, spread
from tests.stand_ins import Chunks


@njit
def chosen(cell, a, b):
    return best_exchange(cell, a, b)


def cell_of(X, k, weights=None, seed=0):
    """Return a cell of all records, in groups as they come."""
    points = canonical(X, k).points
    n = len(points)
    mass = np.ones(n) if weights is None else weights
    ids, near = neighbourhoods(points, min(n - 1, 40), lambda done: None)
    labels = split_large(points, Chunks().partition(points, k), k)
    return Ground(Task(points, mass, k, seed, 10**6, np.inf), ids, near, labels).everything()


def members_of(cell, group):
    return cell.members[group, : cell.marks[group, places.SIZE]].tolist()


def groups_of(cell):
    return np.flatnonzero(cell.marks[:, places.SIZE]).tolist()


def kept_loss(cell, group):
    return cell.sums[group, places.SPREAD] / cell.sums[group, places.MASS]


def total_loss(cell):
    X, weights = cell.points.tolist(), cell.weights.tolist()
    return sum(loss_of_members(X, weights, members_of(cell, group)) for group in groups_of(cell))


@st.composite
def weighted(draw):
    X, k = draw(requests(most=60, widest=9))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return X, k, rng.random(len(X)) + 0.5 if draw(st.booleans()) else None


@settings(max_examples=60)
@given(weighted())
def test_the_exchange_chosen_is_the_best_of_all(case):
    X, k, weights = case
    cell = cell_of(X, k, weights)
    refine(cell, 3)  # so that sizes differ
    rows, mass = cell.points.tolist(), cell.weights.tolist()
    for a, b in list(combinations(groups_of(cell), 2))[:12]:
        now = kept_loss(cell, a) + kept_loss(cell, b)
        found = {
            (x, y): loss for loss, x, y in exchanges(rows, mass, members_of(cell, a), members_of(cell, b), k)
        }
        least = min(found.values())
        x, y = (None if record < 0 else record for record in chosen(cell, a, b))
        if x is None and y is None:
            assert least >= now * (1 - 1e-8)
        else:
            assert found[x, y] == pytest.approx(least, rel=1e-8)
            assert found[x, y] < now


@settings(max_examples=60)
@given(weighted(), st.integers(0, 9))
def test_what_is_kept_is_what_it_would_be_anew(case, seed):
    X, k, weights = case
    cell = cell_of(X, k, weights, seed)
    rows, mass = cell.points.tolist(), cell.weights.tolist()
    at_first = total_loss(cell)
    for _ in range(4):
        refine(cell, 40)
        seen = []
        for group in groups_of(cell):
            members = members_of(cell, group)
            seen += members
            assert k <= len(members) < 2 * k
            assert {int(cell.of[record]) for record in members} == {group}
            expected = spread(rows, mass, members)
            assert cell.sums[group, places.SPREAD] == pytest.approx(expected, rel=1e-9, abs=1e-300)
            assert cell.sums[group, places.MASS] == pytest.approx(sum(mass[record] for record in members))
        assert sorted(seen) == list(range(len(X)))
        assert cell.level[places.CURRENT] == pytest.approx(
            total_loss(cell) - at_first, rel=1e-7, abs=1e-9 * at_first
        )
    restore(cell)
    assert cell.of.tolist() == cell.best.tolist()
    assert cell.level[places.BEST] == pytest.approx(
        total_loss(cell) - at_first, rel=1e-7, abs=1e-9 * at_first
    )


def test_slices_of_any_length_give_the_same():
    X = np.random.default_rng(3).random((90, 3))
    whole, sliced = cell_of(X, 3), cell_of(X, 3)
    refine(whole, 500)
    for step in (1, 7, 192, 300):
        refine(sliced, step)
    assert whole.of.tolist() == sliced.of.tolist()
    assert whole.level.tolist() == sliced.level.tolist()


def test_the_nearest_records_are_listed():
    points = np.random.default_rng(5).random((200, 3))
    ids, near = neighbourhoods(points, 7, lambda done: None)
    ordered = points[ids]
    for record, found in enumerate(near):
        gaps = ((ordered - ordered[record]) ** 2).sum(axis=1)
        gaps[record] = np.inf
        assert found.tolist() == np.argsort(gaps)[:7].tolist()
