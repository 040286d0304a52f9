"""The refinement as a method: never worse than its base, repeatable, and stopped cleanly."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import MDAV, VMDAV, Refined
from microagg.errors import InputError
from microagg.partition import refinery
from microagg.partition.geometry import loss
from microagg.partition.matrix import canonical
from microagg.partition.refined import iterations_for, split_large
from microagg.partition.registry import method_of
from tests.cases import requests
from tests.stand_ins import Alone, Chunks

X = np.random.default_rng(8).random((600, 2))


@dataclass(frozen=True)
class Given:
    """Gives what it is told to."""

    labels: object

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        return np.array(self.labels)


@settings(max_examples=80)
@given(requests(), st.sampled_from([MDAV(), VMDAV(gamma=0.4), Chunks()]), st.booleans(), st.integers(0, 5))
def test_groups_are_valid_and_lose_no_more_than_the_base(case, base, with_weights, seed):
    Y, k = case
    weights = np.random.default_rng(seed).random(len(Y)) + 0.1 if with_weights else None
    records = canonical(Y, k, weights)
    found = Refined(base, iterations=60).explained(Y, k, weights=weights, seed=seed)
    sizes = np.bincount(found.labels)
    assert sizes.min() >= k
    assert sizes.max() < max(2 * k, 1)
    before = base.partition(records.points, k, weights=records.weights if records.weights.size else None)
    lost = loss(records, found.labels[records.order])
    assert lost <= loss(records, before)
    assert found.account["loss_before"] == loss(records, before)
    assert found.account["loss_after"] == lost


@settings(max_examples=30)
@given(requests(most=60), st.integers(0, 5), st.randoms(use_true_random=False))
def test_neither_repetition_nor_the_order_of_rows_changes_it(case, seed, random):
    Y, k = case
    method = Refined(iterations=50)
    expected = method.partition(Y, k, seed=seed)
    assert method.partition(Y, k, seed=seed).tolist() == expected.tolist()
    turned = list(range(len(Y)))
    random.shuffle(turned)
    groups = {tuple(map(tuple, sorted(Y[expected == g].tolist()))) for g in range(expected.max() + 1)}
    again = method.partition(Y[turned], k, seed=seed)
    assert {
        tuple(map(tuple, sorted(Y[turned][again == g].tolist()))) for g in range(again.max() + 1)
    } == groups


def test_the_seed_matters_and_so_does_the_number_of_iterations():
    few = Refined(iterations=300)
    assert few.partition(X, 3, seed=1).tolist() != few.partition(X, 3, seed=2).tolist()
    losses = [Refined(iterations=m).explained(X, 3).account["loss_after"] for m in (100, 1000, 20_000)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("whole", [refinery.WHOLE, 100], ids=["one cell", "many cells"])
def test_a_run_that_time_ended_is_repeated_with_the_iterations_it_reached(whole, monkeypatch):
    monkeypatch.setattr(refinery, "WHOLE", whole)
    monkeypatch.setattr(refinery, "LEAST_GROUPS", 20)
    monkeypatch.setattr(refinery, "UNIT_SECONDS", 0.0)
    stopped = Refined(seconds=0.2, iterations=10**9).explained(X, 3, seed=4)
    reached = stopped.account["iterations"]
    assert 0 < reached < 10**9
    again = Refined(iterations=reached).explained(X, 3, seed=4)
    assert again.account == stopped.account
    assert again.labels.tolist() == stopped.labels.tolist()
    assert f"{reached:,} iterations" in stopped.sentence


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr(refinery, "WHOLE", 100)
    monkeypatch.setattr(refinery, "LEAST_GROUPS", 20)
    monkeypatch.setattr(refinery, "UNIT_SECONDS", 0.0)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(refinery, "cores", lambda threads=threads: threads)
        found.append(Refined(iterations=6000).partition(X, 3).tolist())
    assert found[0] == found[1] == found[2]
    assert loss(canonical(X, 3), np.array(found[0])[canonical(X, 3).order]) < 0.8 * loss(
        canonical(X, 3), MDAV().partition(X, 3)[canonical(X, 3).order]
    )


@pytest.mark.parametrize("whole", [refinery.WHOLE, 100], ids=["one cell", "many cells"])
def test_progress_is_told_and_can_stop_the_work(whole, monkeypatch):
    monkeypatch.setattr(refinery, "WHOLE", whole)
    told = []
    Refined(seconds=0.5, iterations=10**9).partition(X, 3, progress=lambda *state: told.append(state))
    assert len(told) > 5
    assert told == sorted(told)
    assert {total for _, total in told} == {len(X)}
    assert told[-1][0] <= len(X)

    def stop(done, total):
        if done > 0.2 * total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Refined(seconds=4, iterations=10**9).partition(X, 3, progress=stop)


def test_large_groups_of_the_base_are_split():
    labels = split_large(X, np.zeros(len(X), np.int32), 3)
    sizes = np.bincount(labels)
    assert (sizes.min(), sizes.max()) == (3, 3)
    clumped = Refined(Given([0] * len(X)), iterations=50).partition(X, 7)
    assert 7 <= np.bincount(clumped).min() <= np.bincount(clumped).max() < 14


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (Alone(), "600 group(s) have fewer, the smallest 1"),
        (Given([0] * 599), "expected 600 whole numbers, found int64 of shape (599,)"),
        (Given([0.5] * 600), "expected 600 whole numbers, found float64"),
        (Given([-1] * 3 + [0] * 597), "record 0 has the label -1"),
    ],
)
def test_a_base_that_is_no_partition_is_refused(base, expected):
    with pytest.raises(InputError) as caught:
        Refined(base).partition(X, 3)
    assert "gives no partition into groups of at least 3: " in str(caught.value)
    assert expected in str(caught.value)


def test_one_group_is_left_as_it_is():
    found = Refined().explained(X[:5], 3)
    assert found.labels.tolist() == [0] * 5
    assert found.account["iterations"] == 0
    assert found.sentence == "nothing was refined, since there is one group only"


def test_however_little_time_there_is_the_run_can_be_repeated(monkeypatch):
    for whole in (refinery.WHOLE, 100):
        monkeypatch.setattr(refinery, "WHOLE", whole)
        stopped = Refined(seconds=1e-9).explained(X, 3)
        again = Refined(iterations=stopped.account["iterations"]).partition(X, 3)
        assert again.tolist() == stopped.labels.tolist()


def test_all_faults_of_the_options_are_named_at_once():
    with pytest.raises(InputError) as caught:
        Refined("mdav", iterations=0, seconds=-1)
    assert [fault.split(", found")[0] for fault in caught.value.faults] == [
        "the base must be a method, such as MDAV()",
        'iterations must be "auto" or a whole number above zero',
        "seconds must be a number above zero, or None for no limit",
    ]
    for options in ({"iterations": True}, {"iterations": 2.5}, {"seconds": 0}, {"seconds": float("nan")}):
        with pytest.raises(InputError):
            Refined(**options)


def test_it_is_written_around_its_base():
    expected = Refined(VMDAV(gamma=0.2), seconds=2)
    assert method_of("refined(vmdav(gamma=0.2), seconds=2)") == expected
    assert method_of(repr(expected)) == expected
    assert method_of("refined") == Refined()


def test_the_default_depends_on_the_size_alone():
    assert iterations_for(1080, 13, 3) == 360 * 1000
    assert iterations_for(20_000, 3, 3) == 10**8 // 63
    assert iterations_for(1_000_000, 3, 3) == 20 * 333_333


def test_what_the_base_says_is_said_too():
    found = Refined(VMDAV(), iterations=20).explained(X, 3)
    assert found.account["base"]["gamma"] >= 0
    assert "; gamma " in found.sentence


@pytest.mark.parametrize(
    ("name", "k", "most"), [("tarragona", 3, 14.55), ("census", 3, 4.80), ("census", 10, 11.8)]
)
def test_reference_sets_lose_as_little_as_they_did(name, k, most, standardised_reference):
    found = Refined(iterations=40_000).explained(standardised_reference(name), k)
    assert found.account["loss_after"] <= most


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the number of cores is counted otherwise")
def test_there_are_as_many_threads_as_cores_may_be_used():
    assert refinery.cores() == len(os.sched_getaffinity(0))
