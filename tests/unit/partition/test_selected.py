"""Selected: the columns that its trials favour, the groups of its method on them, the same for any order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import MDAV, VMDAV, Refined, Selected
from microagg.datasets import correlated
from microagg.errors import InputError
from microagg.partition.choice import expected
from microagg.partition.geometry import loss
from microagg.partition.matrix import Layout, canonical, compiling_pays, informed, many_runs
from microagg.partition.registry import method_of
from microagg.partition.subsets import promising
from tests.cases import requests

WAYS = ("emim", "chi2", "correlation", "search")


@dataclass(frozen=True)
class Watching:
    """Remembers how wide what it was given is, and groups by MDAV."""

    seen: tuple = ()

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        self.seen[0].append(np.asarray(X).shape)
        return MDAV().partition(X, k, weights=weights, seed=seed, progress=progress)


@settings(max_examples=60)
@given(requests(most=60), st.sampled_from(WAYS), st.sampled_from(["auto", 1, 2, 5]))
def test_every_group_holds_k_records_whatever_the_data(request_, way, number):
    X, k = request_
    labels = Selected(n_variables=number, weights=way).partition(X, k)
    assert np.bincount(labels).min() >= k


@settings(max_examples=60)
@given(requests(most=50), st.sampled_from(WAYS), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(request_, way, random):
    X, k = request_
    order = list(range(len(X)))
    random.shuffle(order)
    one = Selected(n_variables=2, weights=way).explained(X, k)
    other = Selected(n_variables=2, weights=way).explained(X[order], k)
    assert one.account == other.account
    assert sorted(zip(X[order].tolist(), other.labels.tolist(), strict=True)) == sorted(
        zip(X.tolist(), one.labels.tolist(), strict=True)
    )


@pytest.mark.parametrize("way", WAYS)
def test_the_groups_are_those_of_the_method_on_the_chosen_columns(way):
    X = correlated(300, 6)
    found = Selected(VMDAV(gamma=0.2), n_variables=2, weights=way).explained(X, 3)
    chosen = sorted(int(name) - 1 for name in found.account["columns"])
    assert len(chosen) == 2
    assert found.labels.tolist() == VMDAV(gamma=0.2).partition(X[:, chosen], 3).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_the_choice_of_least_loss_is_taken_and_its_loss_counts_all_columns(way, loss_of):
    X = correlated(300, 8)
    found = Selected(n_variables=3, weights=way).explained(X, 4)
    tried = {tuple(one["columns"]): one["loss"] for one in found.account["tried"]}
    if tried:
        least = min(tried, key=tried.get)
        assert sorted(found.account["columns"]) == sorted(least)
        assert tried[least] == pytest.approx(loss_of(X, found.labels), rel=1e-9)


def test_the_search_tries_few_and_comes_near_the_best_of_all(loss_of):
    X = correlated(400, 9, noise=0.3)
    found = Selected(n_variables=3, weights="search").explained(X, 3)
    of = [loss_of(X, MDAV().partition(X[:, list(columns)], 3)) for columns in combinations(range(9), 3)]
    assert len(found.account["tried"]) == 20
    assert loss_of(X, found.labels) <= 1.03 * min(of)


def test_auto_is_the_smallest_number_within_the_margin(loss_of):
    X = correlated(400, 8)
    of_all = loss_of(X, MDAV().partition(X, 3))
    counts = []
    for margin in (0.0, 0.1, 2.0, 100.0):
        found = Selected(weights="search", margin=margin).explained(X, 3)
        counts.append(len(found.account["columns"]))
        assert loss_of(X, found.labels) <= (1 + margin) * of_all * (1 + 1e-9)
        fewer = [one["loss"] for one in found.account["tried"] if len(one["columns"]) < counts[-1]]
        assert all(loss > (1 + margin) * of_all for loss in fewer)
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1
    assert counts[0] > 2


def test_all_columns_are_taken_if_no_fewer_do_and_that_is_said():
    X = np.random.default_rng(0).normal(size=(200, 3))
    found = Selected(margin=0.0).explained(X, 3)
    assert found.labels.tolist() == MDAV().partition(X, 3).tolist()
    assert found.sentence == "grouped by all 3 columns, since no fewer lose within 0 % of them"


def test_the_method_sees_nothing_but_the_chosen_columns():
    seen = []
    Selected(Watching((seen,)), n_variables=2, weights="correlation").partition(correlated(100, 5), 3)
    assert {shape[1] for shape in seen} == {2}


def test_dimensions_of_one_column_stay_together():
    rng = np.random.default_rng(0)
    places = rng.integers(0, 3, 300)
    nominal = np.eye(3)[places] * 4.0
    X = np.column_stack((nominal, places + 0.1 * rng.normal(size=300), rng.normal(size=(300, 1))))
    layout = Layout(("colour", "size", "noise"), (3, 1, 1), (True, False, False))
    seen = []
    for way in WAYS:
        method = Selected(Watching((seen,)), n_variables=1, weights=way).on(layout)
        found = method.explained(X, 3)
        assert set(found.account["columns"]) < set(layout.names)
        assert seen[-1][1] == (3 if found.account["columns"] == ["colour"] else 1)
    tree = Selected(n_variables=1).on(layout).explained(X, 3).account["tree"]
    assert tree["edges"][0][:2] == ["colour", "size"]


def test_methods_inside_methods_are_told_the_layout():
    layout = Layout(("a", "b"), (1, 2), (False, True))
    told = informed(Refined(Selected(n_variables=1), iterations=5), layout)
    assert told.base.layout == layout
    assert told == Refined(Selected(n_variables=1), iterations=5)
    plain = Refined(MDAV())
    assert informed(plain, layout) is plain


def test_a_layout_of_another_matrix_is_passed_over():
    layout = Layout(("a", "b"), (1, 1), (False, False))
    found = Selected(n_variables=1).on(layout).explained(correlated(60, 4), 3)
    assert found.account["of"] == 4


def test_large_tables_are_tried_on_some_records_and_grouped_whole(monkeypatch):
    monkeypatch.setattr("microagg.partition.trials.TRIED_ON", 100)
    seen = []
    found = Selected(Watching((seen,)), n_variables=2, weights="search").explained(correlated(1000, 5), 3)
    assert {shape[0] for shape in seen[:-1]} == {100}
    assert seen[-1][0] == found.labels.size == 1000
    assert found.account["tried_on"] == 100


def test_weights_are_passed_on_and_count_in_the_loss():
    X = correlated(200, 5)
    weights = np.random.default_rng(0).random(200) + 0.1
    found = Selected(n_variables=2, weights="search").explained(X, 3, weights=weights)
    chosen = sorted(int(name) - 1 for name in found.account["columns"])
    assert found.labels.tolist() == MDAV().partition(X[:, chosen], 3, weights=weights).tolist()
    for one in found.account["tried"]:
        part = X[:, sorted(int(name) - 1 for name in one["columns"])]
        records = canonical(X, 3, weights)
        labels = MDAV().partition(part, 3, weights=weights)
        assert one["loss"] == pytest.approx(loss(records, labels[records.order]), rel=1e-9)


def test_progress_never_goes_back_and_can_stop_the_work():
    told = []
    Selected(weights="search").partition(correlated(200, 5), 3, progress=lambda *at: told.append(at))
    assert told == sorted(told)
    assert {total for _, total in told} == {200}

    def halt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Selected(n_variables=1).partition(correlated(200, 5), 3, progress=halt)


@pytest.mark.parametrize("d", [3, 6])
def test_guesses_leave_what_a_regression_leaves(d):
    X = correlated(300, d, noise=0.5)
    X = X - X.mean(axis=0)
    levels = list(promising(X.T @ X, [[at] for at in range(d)], 1000))
    for number, level in enumerate(levels, start=1):
        left = []
        for choice in level:
            part = X[:, list(choice)]
            left.append(((X - part @ np.linalg.lstsq(part, X, rcond=None)[0]) ** 2).sum())
        assert sorted(level) == sorted(combinations(range(d), number))
        assert np.all(np.diff(left) >= -1e-6 * (X**2).sum())


def test_a_column_twice_as_important_is_chosen_before_others():
    X = np.random.default_rng(0).normal(size=(200, 4)) * [1.0, 1.0, 3.0, 1.0]
    assert next(promising(np.cov(X.T), [[0], [1], [2], [3]], 1)) == [(2,)]


def test_many_runs_pay_for_compiling():
    assert not compiling_pays(1000)
    with many_runs(200):
        assert compiling_pays(1000)
    assert not compiling_pays(1000)


def test_it_is_read_from_text_and_written_as_such():
    assert method_of("selected") == Selected()
    assert method_of("selected(vmdav(gamma=0.2), n_variables=3, weights=search)") == Selected(
        VMDAV(0.2), 3, "search"
    )
    for method in (Selected(), Selected(VMDAV(0.0), 3, "chi2", 7, 0.5)):
        assert method_of(repr(method)) == method


def test_all_wrong_options_are_named_at_once():
    with pytest.raises(InputError) as caught:
        Selected("mdav", 0, "mutual", 1, -0.1)
    assert [fault.split()[0] for fault in caught.value.faults] == [
        "the", "n_variables", "weights", "classes", "margin"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "options", [{"n_variables": 2.0}, {"n_variables": True}, {"margin": "wide"}, {"method": None}]
)
def test_an_option_that_is_none_is_refused(options):
    with pytest.raises(InputError, match=f"{next(iter(options))}|is no method"):
        Selected(**options)


def test_the_time_grows_with_records_and_columns_and_with_the_trials():
    of = [expected("selected(mdav, n_variables=3)", n, 10, 3).seconds for n in (1000, 10**5, 10**6)]
    assert of == sorted(of)
    auto, three = (expected(f"selected{rest}", 5000, 12, 3).seconds for rest in ("", "(mdav, n_variables=3)"))
    assert auto > three
