"""The search for groups of least reduced cost, beside a plain loop over all groups there are."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.certificate.pricing import Duals, lagrangian_bound, price_groups
from microagg.certificate.problem import problem_of, scale_of
from tests.cases import FAMILIES
from tests.naive.lower_bound import least_cost, least_sse, reduced_costs, whole_cost


def least_in_units(problem):
    n = len(problem.distances)
    return least_cost(n, problem.k, lambda group: whole_cost(problem.distances, group))


def going_on():
    return False


@st.composite
def priced(draw):
    """Draw records, duals about as large as the distances, and cuts with penalties."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(k, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    family = draw(st.sampled_from(sorted(FAMILIES)))
    problem = problem_of(FAMILIES[family](rng, n, draw(st.integers(1, 3))), k)
    typical = max(int(problem.near[:, k - 1].mean()), 1)
    duals = rng.integers(-typical, 3 * typical, n)
    count = draw(st.integers(0, 6)) if n > 2 else 0
    cuts = sorted({tuple(sorted(rng.choice(n, 3, replace=False).tolist())) for _ in range(count)})
    penalties = rng.integers(0, typical, len(cuts)) * rng.integers(0, 2, len(cuts))
    return problem, Duals(duals, penalties), cuts, draw(st.integers(-typical, typical))


@given(priced(), st.integers(1, 4))
def test_the_groups_found_are_those_of_the_plain_loop(case, keep):
    problem, duals, cuts, below = case
    costs = reduced_costs(problem.distances, duals.records, cuts, duals.penalties, problem.k)
    everything = price_groups(problem, duals, cuts, below=below, keep=10**6, capacity=10**4, pause=going_on)
    assert everything.complete
    assert len(set(everything.groups)) == len(everything.groups)
    assert set(everything.groups) == {group for group, cost in costs.items() if cost < below}

    first = {record: place for place, record in enumerate(np.argsort(duals.records, kind="stable").tolist())}
    of_record = {record: [] for record in first}
    for group, cost in costs.items():
        of_record[min(group, key=first.get)].append(floor(cost))
    few = price_groups(problem, duals, cuts, below=0, keep=keep, pause=going_on)
    assert few.cheapest.tolist() == [min([0, *of_record[record]]) for record in range(len(first))]
    kept = {record: [] for record in first}
    for group in few.groups:
        kept[min(group, key=first.get)].append(floor(costs[group]))
    for record, found in kept.items():
        assert sorted(found) == sorted(cost for cost in of_record[record] if cost < 0)[:keep]


@given(priced())
def test_the_bound_is_valid_at_any_duals(case):
    problem, duals, cuts, _ = case
    found = price_groups(problem, duals, cuts, pause=going_on)
    assert lagrangian_bound(problem, duals, found) <= least_in_units(problem)


def test_a_search_that_finds_more_than_it_has_room_for_says_so():
    problem = problem_of(np.random.default_rng(1).random((60, 2)), 3)
    duals = Duals(np.full(60, int(problem.near[:, 4].max())), np.zeros(0, np.int64))
    assert price_groups(problem, duals, [], pause=going_on).complete
    assert not price_groups(problem, duals, [], keep=100, capacity=50, pause=going_on).complete


def test_a_search_can_be_stopped_between_slices():
    problem = problem_of(np.random.default_rng(1).random((120, 2)), 4)
    duals = Duals(np.full(120, 3 * int(problem.near[:, 6].max())), np.zeros(0, np.int64))
    asked = []
    found = price_groups(problem, duals, [], pause=lambda: asked.append(1) or len(asked) == 3)
    assert len(asked) == 3
    assert not found.complete


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_distances_in_units_are_never_above_the_true_ones(scale):
    rng = np.random.default_rng(3)
    rows = (rng.random((7, 3)) * scale).tolist()
    matrix = np.array(rows)
    problem = problem_of(matrix, 2)
    least = least_sse(rows, 2)
    found = Fraction(problem.scaled(least_in_units(problem))) * Fraction(2) ** (2 * scale_of(matrix))
    assert 0 <= least - found < least / 10**11
