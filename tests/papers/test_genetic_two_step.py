"""Table 2 of the genetic two-step paper, with a tenth of its iterations, which is margin enough.

Its simulated sets are not printed and ours are only alike. "Clustered" is drawn with clusters so far
apart that one step beats two steps everywhere, as it does there, and judged by the mean of four sets.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from microagg import MDAV, Genetic, Optimal, datasets
from microagg.prepare import standardised

SIZES = (12, 18, 27)
PRINTED = {  # set: improvements over MDAV in percent by one step and by two steps, macrogroups of one step
    "scattered": ((-8, -4, 0), (9, 8, 3), (83, 55, 37)),
    "clustered": ((37, 49, 67), (20, 40, 41), (83, 55, 37)),
    "census": ((-8, -10, -15), (4, 4, 1), (90, 60, 40)),
    "eia": ((-91, -36, -54), (13, 14, 9), (341, 227, 151)),
}
FAR_APART = 3e6  # on a range of 10,000


def sse(X, labels):
    groups = (X[labels == group] for group in range(labels.max() + 1))
    return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)


@pytest.fixture(scope="module")
def improvements(standardised_reference):
    """Give a function that returns by how many percent each K improves on MDAV, by steps, and the counts."""

    def sets(name):
        if name == "scattered":
            return [standardised(datasets.scattered())]
        if name == "clustered":
            drawn = (datasets.clustered(spread=FAR_APART, seed=seed) for seed in range(4))
            return [standardised(X) for X in drawn]
        return [standardised_reference(name)]

    def of_one(X, size, steps):
        found = Genetic(macrogroup=size, steps=steps, iterations=1000).explained(X, 3)
        return 100 * (1 - sse(X, found.labels) / sse(X, MDAV().partition(X, 3))), found.account["macrogroups"]

    @cache
    def of(name, steps):
        every = np.array([[of_one(X, size, steps) for size in SIZES] for X in sets(name)]).mean(axis=0)
        return every[:, 0], every[:, 1]

    return of


@pytest.mark.parametrize("name", PRINTED)
def test_two_steps_improve_on_mdav_by_what_is_printed_or_more(name, improvements):
    by_two = improvements(name, 2)[0]
    assert (np.round(by_two) >= PRINTED[name][1]).all(), by_two


@pytest.mark.parametrize("name", PRINTED)
def test_one_step_loses_no_more_than_is_printed_in_as_many_macrogroups(name, improvements):
    by_one, counts = improvements(name, 1)
    assert (np.round(by_one) >= np.array(PRINTED[name][0]) - 1).all(), by_one
    assert counts.tolist() == list(PRINTED[name][2])


@pytest.mark.parametrize("name", ["census", "eia"])
def test_one_step_is_worse_than_mdav_on_the_real_sets(name, improvements):
    assert (improvements(name, 1)[0] < 0).all()


def test_one_step_is_better_than_two_steps_on_clustered(improvements):
    assert (improvements("clustered", 1)[0] > improvements("clustered", 2)[0]).all()


def test_small_macrogroups_get_the_best_groups_they_can_have():
    """So that what is printed for K = 12 is what any search can reach there."""
    X = standardised(datasets.scattered())
    by_record = MDAV().partition(X, 12)
    found = best = 0.0
    for number in range(20):
        records = X[by_record == number]
        found += sse(records, Genetic(macrogroup=None, steps=1, iterations=1000).partition(records, 3))
        best += sse(records, Optimal().partition(records, 3))
    assert found <= best * 1.001
