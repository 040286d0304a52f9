"""The genetic algorithm: valid groups, never worse than its base, and the same however it is run."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import MDAV, VMDAV, Genetic, Optimal
from microagg.datasets import clustered, scattered
from microagg.errors import InputError
from microagg.partition.choice import expected
from microagg.partition.evolution import Evolution, Rates
from microagg.partition.geometry import loss
from microagg.partition.matrix import canonical
from microagg.partition.registry import method_of
from tests.cases import requests
from tests.naive.genetic import Plain
from tests.stand_ins import Chunks

SOME = settings(max_examples=60)
BASES = st.sampled_from([MDAV(), VMDAV(gamma=1.1), Chunks()])
FEW = {"iterations": 30}


def stream(seed, number=0):
    return int(np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(1, np.uint64)[0])


def loss_by(X, labels, k, weights=None):
    records = canonical(X, k, weights)
    return loss(records, labels[records.order])


@pytest.mark.parametrize("steps", [1, 2])
@SOME
@given(
    st.integers(2, 4),
    st.integers(0, 3),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.1, 0.7, 1.0]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.integers(0, 2**64),
    st.data(),
)
def test_the_groups_are_those_of_the_plain_loop(steps, k, more, population, crossover, mutation, seed, data):
    n = data.draw(st.integers(2 * k, 6 * k + more), label="n")
    whole = st.lists(st.integers(0, 9), min_size=2, max_size=2)
    X = np.array(data.draw(st.lists(whole, min_size=n, max_size=n), label="X"), dtype=float)
    records = canonical(X, k)
    start = MDAV().partition(records.points, k).tolist() if steps == 2 else None
    plain = Plain(records.points.tolist(), k, stream(seed % 2**64))
    expected = plain.evolve(start, population, crossover, mutation, 25)
    method = Genetic(MDAV(), None, steps, population, crossover, mutation, iterations=25)
    labels = method.partition(X, k, seed=seed)
    assert labels[records.order].tolist() == expected


@SOME
@given(requests(most=80), BASES, st.sampled_from([1, 2]), st.sampled_from([2, 3, 9]))
def test_every_group_holds_k_to_2k_minus_1_records(request_, base, steps, groups):
    X, k = request_
    labels = Genetic(base, groups * k, steps, **FEW).partition(X, k)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@SOME
@given(
    requests(most=80),
    BASES,
    st.sampled_from([2, 3, 9, None]),
    st.integers(1, 40),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_the_loss_is_never_above_that_of_the_base(request_, base, groups, iterations, weighed, random):
    """Lemma 1 of the paper, for two-step partitioning; V-MDAV's large groups are split, which never loses."""
    X, k = request_
    weights = [random.choice([0.5, 1.0, 3.0, 1e9]) for _ in X] if weighed else None
    method = Genetic(base, groups and groups * k, iterations=iterations)
    found = method.explained(X, k, weights=weights)
    of_base = base.partition(X, k, weights=weights)
    if not isinstance(base, Chunks):  # which takes the rows as they come, and so others in canonical order
        assert found.account["loss_of_base"] == pytest.approx(loss_by(X, of_base, k, weights), rel=1e-9)
    assert found.account["loss"] == pytest.approx(loss_by(X, found.labels, k, weights), rel=1e-9)
    assert found.account["loss"] <= found.account["loss_of_base"] * (1 + 1e-9)


def test_it_finds_the_best_groups_of_a_few_records(loss_of):
    for seed in range(5):
        X = clustered(15, 2, seed=seed)
        best = loss_of(X, Optimal().partition(X, 3))
        for steps in (1, 2):
            found = Genetic(macrogroup=None, steps=steps, iterations=2000).partition(X, 3)
            assert loss_of(X, found) == pytest.approx(best)


def test_weights_decide_which_groups_are_best():
    """A record far out that weighs nearly nothing does not move the mean, and so costs little anywhere."""
    X = np.array([[0.0], [5.0], [6.0], [9.0], [30.0]])
    light = Genetic(macrogroup=None, **FEW).partition(X, 2)
    assert light.tolist() == Optimal().partition(X, 2).tolist() == [0, 0, 0, 1, 1]
    weights = [1.0, 1.0, 1.0, 1.0, 1e-3]
    for method in (Genetic(macrogroup=None, **FEW), Optimal()):
        assert method.partition(X, 2, weights=weights).tolist() == [0, 1, 1, 1, 0]


def evolution(X, k, macrogroups, **rates):
    records = canonical(X, k)
    every = Rates(**({"population": 6, "crossover": 0.5, "mutation": 0.3, "iterations": 200} | rates))
    parts = np.array_split(np.arange(len(X)), macrogroups)
    return Evolution(records.points, records.weights, k, parts, every, seed=3)


@pytest.mark.parametrize("k", [2, 5])
def test_the_number_of_threads_changes_nothing(k):
    X = scattered(300, 3)
    runs = [evolution(X, k, 11).run(None, None, threads).tolist() for threads in (1, 2, 5)]
    assert runs[0] == runs[1] == runs[2]


def test_the_length_of_a_slice_changes_nothing(monkeypatch):
    X = scattered(60, 2)
    whole = evolution(X, 3, 2).run(None, None)
    monkeypatch.setattr("microagg.partition.slices.SLICE_SECONDS", 1e-9)
    told = []
    slowly = evolution(X, 3, 2)
    monkeypatch.setattr("microagg.partition.threads.GLANCE_SECONDS", 1e-4)
    assert slowly.run(None, lambda done, _: told.append(done), 1).tolist() == whole.tolist()
    assert len(set(told)) > 3
    assert told == sorted(told)
    assert told[-1] == 60


def test_each_macrogroup_has_its_own_random_numbers_and_so_has_each_seed():
    X = np.tile(scattered(40, 2), (2, 1))
    twice = [np.arange(40), np.arange(40, 80)]
    rates = Rates(4, 0.5, 0.1, 3)
    first, other = (Evolution(X, np.empty(0), 3, twice, rates, seed).run(None, None) for seed in (0, 1))
    assert first[:40].tolist() != (first[40:] - first[40]).tolist()
    assert first.tolist() != other.tolist()


@SOME
@given(requests(most=60), st.sampled_from([1, 2]), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_centre(request_, steps, random):
    X, k = request_
    order = list(range(len(X)))
    random.shuffle(order)
    method = Genetic(macrogroup=3 * k, steps=steps, **FEW)
    labels, shuffled = method.partition(X, k), method.partition(X[order], k)
    assert sorted(zip(X[order].tolist(), shuffled.tolist(), strict=True)) == sorted(
        zip(X.tolist(), labels.tolist(), strict=True)
    )


def test_an_exception_in_progress_stops_the_work_and_its_threads():
    def halt(done, _):
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        Genetic(iterations=10**9).partition(scattered(500, 2), 3, progress=halt)
    assert threading.active_count() == before


def test_the_account_tells_what_was_gained():
    X = scattered(200, 2)
    found = Genetic(macrogroup=12, **FEW).explained(X, 3)
    assert found.account["macrogroups"] == 16
    assert found.account["largest_macrogroup"] == 20  # six groups of the base, of which one has 5
    assert found.sentence == (
        f"genetic algorithm in 16 macrogroups: loss {found.account['loss']:.4g} %, "
        f"before it {found.account['loss_of_base']:.4g} %"
    )
    assert "started from chance" in Genetic(steps=1, **FEW).explained(X, 3).sentence


def test_a_method_with_its_options_is_read_from_text():
    assert method_of("genetic") == Genetic()
    assert method_of("genetic(vmdav(gamma=0.2), macrogroup=27)") == Genetic(VMDAV(0.2), 27)
    assert method_of("genetic(mdav, macrogroup=None, steps=1)") == Genetic(macrogroup=None, steps=1)
    assert method_of(repr(Genetic(VMDAV(0.2), 12))) == Genetic(VMDAV(0.2), 12)


def test_all_wrong_options_are_named_at_once():
    with pytest.raises(InputError) as caught:
        Genetic("mdav", 3, 3, 1, -0.1, 1.5, 0)
    assert [fault.split()[0] for fault in caught.value.faults] == [
        "the", "macrogroup", "steps", "population", "iterations", "crossover", "mutation"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        {"macrogroup": "all"},
        {"macrogroup": 12.0},
        {"macrogroup": True},
        {"iterations": 1e4},
        {"iterations": -5},
        {"population": True},
        {"crossover": "half"},
        {"mutation": float("nan")},
        {"mutation": True},
        {"base": MDAV},
        {"base": None},
        {"steps": True},
    ],
)
def test_an_option_that_is_none_is_refused(options):
    with pytest.raises(InputError, match=f"{next(iter(options))}|is no method"):
        Genetic(**options)


@pytest.mark.parametrize(
    ("method", "k", "expected"),
    [
        (Genetic(macrogroup=20), 3, "not made of whole groups of k = 3: take 18 or 21"),
        (Genetic(macrogroup=5), 3, "leaves no choice of groups of k = 3: take at least 6"),
        (Genetic(macrogroup=5, steps=1), 3, "leaves no choice of groups of k = 3: take at least 6"),
    ],
)
def test_a_macrogroup_that_does_not_fit_k_is_refused_with_all_else(method, k, expected):
    with pytest.raises(InputError, match=expected) as caught:
        method.partition([[0.0, np.nan]] * 50, k)
    assert len(caught.value.faults) == 2


def test_one_step_takes_macrogroups_of_any_size():
    assert Genetic(macrogroup=20, steps=1, **FEW).explained(scattered(100, 2), 3).account["macrogroups"] == 5


@dataclass(frozen=True)
class Wrong:
    """A base method that is none."""

    answer: object

    def partition(self, X, k, **options):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (np.repeat(np.arange(15), 2), "formed a group of 2, expected at least 3"),
        (np.zeros(29, np.int32), "must give a whole number for each of 30 records"),
        (np.zeros(30), "must give a whole number for each of 30 records, its group: found float64"),
        (None, "must give a whole number"),
    ],
)
def test_a_base_that_gives_no_k_partition_is_refused(answer, expected):
    with pytest.raises(InputError, match=expected):
        Genetic(Wrong(answer)).partition(scattered(30, 2), 3)


def test_groups_of_the_base_may_be_numbered_with_gaps():
    X = scattered(30, 2)
    gaps = Wrong(MDAV().partition(X[np.lexsort(X.T[::-1])], 3) * 7 - 3)
    assert (
        Genetic(gaps, None, **FEW).partition(X, 3).tolist()
        == Genetic(macrogroup=None, **FEW).partition(X, 3).tolist()
    )


def test_macrogroups_too_large_for_all_their_pairs_are_refused():
    with pytest.raises(InputError, match=r"holds 3,001 records, .* at most 3,000"):
        Genetic(macrogroup=None).partition(np.arange(3001.0)[:, None], 3)


def test_the_time_it_takes_is_told_by_its_iterations():
    few, many = (
        expected(f"genetic(mdav, iterations={count})", 5000, 3, 3).seconds for count in (100, 10_000)
    )
    base = expected("mdav", 5000, 3, 3).seconds
    assert many - base == pytest.approx(100 * (few - base))
    assert expected("genetic", 5000, 3, 3).seconds == many
