"""The optimal cut against exact rational arithmetic, in NumPy and compiled."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import Univariate, individual_ranking, optimal_cut
from microagg.errors import InputError, NotJointlyAnonymousWarning
from microagg.kernels import univariate as kernel
from microagg.partition import shortest_path, slices
from tests.cases import FAMILIES, requests
from tests.naive.univariate import least_loss, loss_of, partitions

ALMOST = 1 + Fraction(1, 10**12)
WEIGHTS = st.sampled_from([0.25, 1.0, 3.0, 1000.0])


@pytest.fixture(params=["NumPy", "compiled", "compiled, one end a slice"])
def way(request, monkeypatch):
    """Let the cut be computed in one way, whatever the number of records."""
    if request.param != "NumPy":
        monkeypatch.setattr(shortest_path, "COMPILED_FROM", 0)
    if "slice" in request.param:
        monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
        monkeypatch.setattr(shortest_path, "Slices", partial(slices.Slices, budget=1))


@pytest.fixture
def dividing(monkeypatch):
    """Let a sorted column be divided even if k is small."""
    monkeypatch.setattr(shortest_path, "DIVIDE_FROM", 2)


def assert_cut(labels, n, k):
    assert labels.dtype == np.int32
    assert labels.shape == (n,)
    sizes = np.bincount(labels)
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
    assert np.all(np.isin(np.diff(labels), (0, 1)))


# What is optimal


def assert_optimal(X, k, data):
    """Cut the records as they stand, under weights that are drawn too; no other cut may lose less."""
    weights = data.draw(st.none() | st.lists(WEIGHTS, min_size=len(X), max_size=len(X)))
    labels = optimal_cut(X, k, weights=weights)
    assert_cut(labels, len(X), k)
    allowed = ALMOST * least_loss(X.tolist(), k, weights)
    assert loss_of(X.tolist(), labels.tolist(), weights) <= allowed


@pytest.mark.parametrize("divided", [False, True])
@pytest.mark.usefixtures("way")
def test_the_cut_of_a_column_is_optimal(divided, request):
    if divided:
        request.getfixturevalue("dividing")

    @given(requests(most=40, widest=1), st.data())
    def check(case, data):
        assert_optimal(np.sort(case[0][:, :1], axis=0), case[1], data)

    check()


@pytest.mark.usefixtures("way")
def test_the_cut_of_records_in_any_order_is_optimal():
    @given(requests(most=25, widest=4), st.data())
    def check(case, data):
        assert_optimal(*case, data)

    check()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("d", [1, 2])
def test_every_start_counts_where_records_do_not_ascend(d):
    X = np.random.default_rng(d).integers(0, 100, (140, d)).astype(float)
    labels = optimal_cut(X, 20)
    assert loss_of(X.tolist(), labels.tolist()) <= ALMOST * least_loss(X.tolist(), 20)


@given(st.lists(st.integers(0, 12), min_size=2, max_size=8), st.integers(2, 4))
def test_no_partition_of_one_column_is_better(values, k):
    records = [[float(value)] for value in values]
    if len(records) < k:
        return
    labels = Univariate().partition(records, k).tolist()
    least = min(loss_of(records, other) for other in partitions(records, k))
    assert loss_of(records, labels) <= least * ALMOST


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("offset", [1e9, -1e9, 2.0**40])
def test_a_common_offset_changes_nothing(offset):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2**20, (100, 1)) / 1024
    for k in (2, 3, 20):
        labels = Univariate().partition(X, k)
        assert np.array_equal(Univariate().partition(X + offset, k), labels)
        ordered = np.sort(X, axis=0).tolist()
        assert loss_of(X.tolist(), labels.tolist()) <= least_loss(ordered, k) * ALMOST


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("giants", [[-1e12], [1e12], [-1e12, 1e12], [0.5e12, -1e12, 1e12]])
def test_records_far_out_do_not_drown_the_differences_of_the_others(giants):
    rng = np.random.default_rng(4)
    x = np.sort(np.append(rng.integers(0, 2**20, 60) / 1024, giants))[:, np.newaxis]
    labels = optimal_cut(x, 3)
    beside_giants = np.unique(labels[np.abs(x[:, 0]) > 1e10])
    rest = ~np.isin(labels, beside_giants)
    assert rest.sum() > 40
    within = loss_of(x[rest].tolist(), labels[rest].tolist())
    assert within <= least_loss(x[rest].tolist(), 3) * ALMOST


def test_of_equally_good_cuts_the_last_group_is_the_largest():
    assert np.bincount(Univariate().partition(np.full((12, 1), 7.0), 3)).tolist() == [3, 4, 5]
    assert np.bincount(Univariate().partition(np.full((40, 1), 7.0), 16)).tolist() == [16, 24]


# The same in every way


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("k", [2, 3, 7, 8, 19, 20, 41, 300])
@pytest.mark.parametrize("weighted", [False, True])
def test_numpy_and_compiled_loops_give_the_same_labels(family, d, k, weighted, monkeypatch):
    rng = np.random.default_rng(k)
    X = FAMILIES[family](rng, 1000, d)
    weights = rng.random(len(X)) + 0.1 if weighted else None
    by_numpy = Univariate().partition(X, k, weights=weights)
    monkeypatch.setattr(shortest_path, "COMPILED_FROM", 0)
    monkeypatch.setattr(shortest_path, "Slices", partial(slices.Slices, budget=500))
    assert np.array_equal(Univariate().partition(X, k, weights=weights), by_numpy)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("weights", [None, 5.0, 1e-300, 1e300])
def test_equal_weights_are_no_weights_whatever_their_size(weights):
    X = np.random.default_rng(6).normal(size=(200, 2))
    mass = None if weights is None else np.full(200, weights)
    assert np.array_equal(Univariate().partition(X, 4, weights=mass), Univariate().partition(X, 4))


@pytest.mark.usefixtures("way", "dividing")
def test_weights_as_far_apart_as_numbers_go_count_as_they_should():
    rng = np.random.default_rng(7)
    X = np.sort(rng.normal(size=(60, 1)), axis=0)
    for k, lightest in ((2, 290), (3, 150), (5, -300)):
        weights = 10.0 ** rng.uniform(lightest, 300, len(X))
        labels = optimal_cut(X, k, weights=weights)
        assert_cut(labels, len(X), k)
        allowed = ALMOST * least_loss(X.tolist(), k, weights.tolist())
        assert loss_of(X.tolist(), labels.tolist(), weights.tolist()) <= allowed


@given(requests(most=60, widest=3), st.sampled_from(["principal_component", "z_scores", 0]), st.randoms())
def test_the_order_of_the_rows_changes_no_group(case, order, random):
    X, k = case
    rows = list(range(len(X)))
    random.shuffle(rows)
    labels, shuffled = Univariate(order).partition(X, k), Univariate(order).partition(X[rows], k)
    assert Counter(zip(map(tuple, X[rows].tolist()), shuffled.tolist(), strict=True)) == Counter(
        zip(map(tuple, X.tolist()), labels.tolist(), strict=True)
    )


# Orders


def test_several_columns_are_cut_along_the_order_asked_for():
    rng = np.random.default_rng(8)
    X = np.column_stack((rng.normal(size=300), rng.normal(size=300) * 3.0, np.full(300, 2.0)))
    X[:, 0] += X[:, 1]
    gaps = X - X.mean(axis=0)
    direction = np.linalg.svd(gaps)[2][0]
    z = X[:, 0] / X[:, 0].std() + X[:, 1] / X[:, 1].std()
    for order, along in (
        ("principal_component", gaps @ direction * np.sign(direction[np.abs(direction).argmax()])),
        ("z_scores", z),
        (1, X[:, 1]),
    ):
        rows = np.argsort(along)
        assert Univariate(order).partition(X, 5)[rows].tolist() == optimal_cut(X[rows], 5).tolist()


def test_the_weights_turn_the_order():
    """One heavy half of the records varies in the first column alone, the other in the second."""
    rng = np.random.default_rng(9)
    X = np.concatenate((rng.normal(size=(50, 2)) * [1.0, 0.1], rng.normal(size=(50, 2)) * [0.1, 2.0]))
    weights = np.repeat([1000.0, 1.0], 50)
    mean = weights @ X / weights.sum()
    spread = np.sqrt(weights @ (X - mean) ** 2)
    direction = np.linalg.svd((X - mean) * np.sqrt(weights)[:, np.newaxis])[2][0]
    for order, along in (
        ("principal_component", X @ direction * np.sign(direction[np.abs(direction).argmax()])),
        ("z_scores", X @ (1.0 / spread)),
    ):
        rows = np.argsort(along)
        labels = Univariate(order).partition(X, 3, weights=weights)
        assert labels[rows].tolist() == optimal_cut(X[rows], 3, weights=weights[rows]).tolist()


def test_records_equal_in_the_order_are_taken_by_their_other_values():
    X = np.array([[1.0, 9.0], [1.0, 0.0], [1.0, 8.0], [1.0, 1.0]])
    assert Univariate(order=0).partition(X, 2).tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("order", ["pca", -1, 1.5, True, None, ["z_scores"]])
def test_an_order_that_is_none_is_answered_with_those_there_are(order):
    with pytest.raises(InputError, match='order must be "principal_component" or "z_scores", or the number'):
        Univariate(order)


@pytest.mark.parametrize("columns", [1, 2])
def test_a_column_that_is_not_there_is_answered_with_those_there_are(columns):
    expected = f"no column 3 to order by: counted from 0, the last is column {columns - 1}"
    with pytest.raises(InputError, match=expected):
        Univariate(order=3).partition(np.zeros((4, columns)), 2)


# Requests, progress and cost


@pytest.mark.parametrize("partition", [Univariate().partition, optimal_cut, individual_ranking])
def test_all_faults_are_told_at_once(partition):
    with pytest.raises(InputError) as error:
        partition([[np.nan], [1.0]], 1, weights=[1.0])
    assert len(error.value.faults) == 3


def test_optimal_cut_takes_what_is_given_as_it_stands_and_leaves_it_alone():
    X = np.asfortranarray(np.random.default_rng(10).normal(size=(12_000, 2))[:, ::-1])
    weights = np.random.default_rng(11).random(24_000)[::2] + 1.0
    X.flags.writeable = weights.flags.writeable = False
    assert_cut(optimal_cut(X, 3, weights=weights), 12_000, 3)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("method", [Univariate(), Univariate("z_scores")])
def test_progress_rises_to_all_records(method):
    told = []
    X = np.random.default_rng(12).random((3000, 2))
    method.partition(X, 4, progress=lambda done, records: told.append((done, records)))
    assert told[-1] == (3000, 3000)
    assert all(before <= after for before, after in pairwise(told))


@pytest.mark.parametrize("records", [3000, 20_000])
def test_an_exception_raised_in_progress_stops_the_work(records):
    def stop(done, records):
        raise KeyboardInterrupt

    for partition in (Univariate().partition, optimal_cut, individual_ranking):
        with pytest.raises(KeyboardInterrupt):
            partition(np.random.default_rng(13).random((records, 2)), 3, progress=stop)


def test_a_division_can_be_stopped_after_every_end_and_goes_on_where_it_was():
    x = np.sort(np.random.default_rng(14).random(500))
    for k in (2, 3, 16, 17, 100, 250, 400):
        whole = kernel.new_division(x, np.empty(0), k)
        assert kernel.divide(whole, k, k, 10**9) == 501
        cut, settled = kernel.new_division(x, np.empty(0), k), k
        while settled < 501:
            before, settled = settled, kernel.divide(cut, k, settled, 1)
            assert settled == before + 1
        assert np.array_equal(cut.start, whole.start)


def test_a_division_takes_about_as_many_steps_for_every_k():
    """Counted in slices of a fixed budget, not in seconds."""
    x = np.sort(np.random.default_rng(15).random(60_000))
    times = {}
    for k in (20, 200, 2000, 20_000):
        cut, settled, times[k] = kernel.new_division(x, np.empty(0), k), k, 0
        while settled <= 60_000:
            settled = kernel.divide(cut, k, settled, 10_000)
            times[k] += 1
    assert max(times.values()) < 1.5 * times[20]  # a scan would take 10 times as long from k to k


def test_small_jobs_load_nothing_compiled():
    program = (
        "import sys, warnings, numpy as np, microagg; warnings.simplefilter('ignore');"
        "X = np.random.default_rng(0).random((900, 3));"
        "microagg.Univariate().partition(X, 3); microagg.individual_ranking(X, 20);"
        "print('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


# Each variable by itself


@given(requests(most=40, widest=4))
def test_individual_ranking_cuts_each_column_and_counts_what_an_observer_sees(case):
    X, k = case
    with warnings.catch_warnings(record=True) as caught:
        result = individual_ranking(X, k)
    released = np.empty(X.shape)
    for j in range(X.shape[1]):
        labels = result.labels[:, j]
        assert np.array_equal(labels, Univariate().partition(X[:, [j]], k))
        released[:, j] = [exact_mean(X[labels == label, j]) for label in labels]
    sizes = Counter(map(tuple, released.tolist())).values()
    assert result.smallest_class == min(sizes)
    assert result.records_below_k == sum(size for size in sizes if size < k)
    assert result.jointly_anonymous == (min(sizes) >= k)
    assert [warning.category for warning in caught] == [NotJointlyAnonymousWarning] * (min(sizes) < k)


def exact_mean(values):
    return float(sum(map(Fraction, values.tolist())) / len(values))


def test_individual_ranking_says_loudly_that_it_does_not_protect_records():
    X = np.random.default_rng(16).random((100, 3))
    with pytest.warns(NotJointlyAnonymousWarning, match=r"no joint k-anonymity: .* 100 of 100 records share"):
        result = individual_ranking(X, 3)
    assert "100 of 100 records" in str(result)
    assert "labels" not in repr(result)


def test_progress_of_individual_ranking_rises_over_all_columns():
    told = []
    with pytest.warns(NotJointlyAnonymousWarning):
        individual_ranking(
            np.random.default_rng(17).random((500, 3)), 3, progress=lambda *at: told.append(at)
        )
    assert told == sorted(told)
    assert told[-1] == (500, 500)
