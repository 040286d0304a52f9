"""Blocks: the cells they are made of, what they are put together to, and the method within them."""

from __future__ import annotations

from dataclasses import dataclass
from threading import get_ident

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import MDAV, VMDAV, Blocked, Refined, Univariate, datasets, protect
from microagg.errors import InputError
from microagg.partition import blocks, fusing, threads
from microagg.partition.blocked import variances_of
from microagg.partition.cells import located
from microagg.partition.counting import (
    HeldRecords,
    bounds_in,
    counts_in,
    joined_bounds,
    joined_counts,
    joined_sums,
    sums_in,
)
from microagg.partition.grid import codes_of, grid_over
from microagg.partition.layout import layout, piece_ends
from microagg.partition.matrix import canonical
from microagg.partition.nearest import nearest_others
from microagg.partition.registry import method_of
from tests.cases import requests
from tests.naive.blocked import codes, fused, leaves
from tests.stand_ins import Alone, Chunks

TREES = st.sampled_from(["median", "2^d", "univariate"])
X = np.random.default_rng(2).random((3000, 3))


@dataclass(frozen=True)
class Whole:
    """Every block is a group, so that labels tell the blocks."""

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        return np.zeros(len(X), np.int32)


class InParts:
    """A counter of records that lie in parts."""

    def __init__(self, parts):
        self.parts, self.passes = parts, 0

    def counts(self, cells):
        self.passes += 1
        return joined_counts([counts_in(cells, part) for part in self.parts])

    def bounds(self, cells):
        return joined_bounds([bounds_in(cells, part) for part in self.parts])

    def sums(self, cells):
        return joined_sums([sums_in(cells, part) for part in self.parts])


def blocks_of(labels):
    return sorted(np.flatnonzero(labels == label).tolist() for label in np.unique(labels))


def differs(points, labels):
    """Say of each block whether its records differ; identical ones are groups of k, with nothing to lose."""
    return [len(np.unique(points[labels == label], axis=0)) > 1 for label in range(labels.max() + 1)]


def laid_out(points, k, most, tree, counter=None, hard_limit=False):
    grid = grid_over(points.min(axis=0), points.max(axis=0), range(points.shape[1]))
    known = codes_of(points, grid)
    found = layout(grid, len(points), k, most, tree, counter or HeldRecords(known), hard_limit=hard_limit)
    return found, known


@given(requests(most=100, widest=4), st.integers(1, 6))
def test_the_2d_tree_is_that_of_the_plain_loop(case, times):
    Y, k = case
    points = canonical(Y, k).points
    most = 2 * k * times
    found, known = laid_out(points, k, most, "2^d")
    assert list(zip(*known.tolist(), strict=True)) == codes(points.tolist())
    parts = list(leaves(codes(points.tolist()), range(len(points)), most))
    assert found.leaves == len(parts)
    expected = fused(codes(points.tolist()), np.ptp(points, axis=0).tolist(), parts, k)
    assert blocks_of(found.block_of(known)) == sorted(sorted(block) for block in expected)


@given(requests(widest=4), st.integers(1, 6), st.sampled_from(["median", "2^d"]))
def test_each_record_lies_in_the_box_of_its_leaf(case, times, tree):
    Y, k = case
    found, known = laid_out(canonical(Y, k).points, k, 2 * k * times, tree)
    boxes, leaf = found.cells.leaves, located(found.cells, known)
    assert (boxes.low[:, leaf] <= known).all()
    assert (known < boxes.low[:, leaf] + (1 << boxes.free[:, leaf])).all()
    assert ((boxes.low >> boxes.free << boxes.free) == boxes.low).all()
    assert np.bincount(leaf).tolist() == boxes.counts.tolist()


@given(requests(most=120, widest=4), st.integers(1, 6), TREES, st.integers(1, 6), st.randoms())
def test_it_does_not_matter_where_records_lie_when_they_are_counted(case, times, tree, many, random):
    Y, k = case
    points = canonical(Y, k).points
    found, known = laid_out(points, k, 2 * k * times, tree)
    turned = list(range(len(points)))
    random.shuffle(turned)
    parts = [known[:, turned[start::many]] for start in range(many)]
    again, _ = laid_out(points, k, 2 * k * times, tree, InParts(parts))
    assert again.counts.tolist() == found.counts.tolist()
    assert again.pieces.tolist() == found.pieces.tolist()
    assert again.block_of(known).tolist() == found.block_of(known).tolist()
    assert np.bincount(found.block_of(known)).tolist() == found.counts.tolist()


@given(requests(), st.integers(1, 6), TREES, st.booleans())
def test_groups_have_k_and_blocks_no_more_than_they_may(case, times, tree, hard_limit):
    Y, k = case
    most = max(4, 2 * k * times)
    method = Blocked(Whole(), max_leaf=most, tree=tree, hard_limit=hard_limit)
    found = method.explained(Y, k)
    sizes = np.bincount(found.labels)
    assert sizes.min() >= k
    account = found.account
    if tree == "median" or hard_limit:
        assert sizes.max() <= most
        assert account["largest_block"] <= most
    if all(differs(np.asarray(Y), found.labels)):
        assert account["blocks"] == len(sizes)
        assert (account["smallest_block"], account["largest_block"]) == (sizes.min(), sizes.max())


@settings(max_examples=40)
@given(requests(most=80), TREES, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_changes_nothing(case, tree, random, with_weights):
    Y, k = case
    weights = np.random.default_rng(1).random(len(Y)) + 0.5 if with_weights else np.ones(len(Y))
    method = Blocked(max_leaf=max(4, 2 * k), tree=tree)
    turned = list(range(len(Y)))
    random.shuffle(turned)
    found = method.partition(Y, k, weights=weights)
    again = method.partition(Y[turned], k, weights=weights[turned])
    assert groups_of(Y, weights, found) == groups_of(Y[turned], weights[turned], again)


def groups_of(Y, weights, labels):
    known = np.column_stack((Y, weights))
    return sorted(sorted(map(tuple, known[labels == group].tolist())) for group in range(labels.max() + 1))


@pytest.mark.parametrize("tree", ["median", "2^d", "univariate"])
def test_the_number_of_threads_changes_nothing_and_all_are_used(tree, monkeypatch):
    used = set()
    whole = blocks.grouped
    monkeypatch.setattr(blocks, "grouped", lambda *given: used.add(get_ident()) or whole(*given))
    found = []
    for many in (1, 2, 5):
        monkeypatch.setattr(threads, "cores", lambda many=many: many)
        found.append(Blocked(VMDAV(gamma=0.2), max_leaf=50, tree=tree).partition(X, 3).tolist())
    assert found[0] == found[1] == found[2]
    assert len(used) > 2


@pytest.mark.parametrize("method", [MDAV(), VMDAV(gamma=0.3), Univariate(), Refined(iterations=50)])
def test_records_of_one_block_are_grouped_as_by_the_method(method):
    expected = method.partition(X[:400], 3, seed=5).tolist()
    found = Blocked(method, max_leaf=400).explained(X[:400], 3, seed=5)
    assert found.labels.tolist() == expected
    assert found.account["blocks"] == 1
    assert "400 records in one block" in found.sentence
    assert ("method" in found.account) == isinstance(method, Refined)


@pytest.mark.parametrize("tree", ["median", "2^d"])
def test_each_block_is_grouped_as_by_the_method(tree):
    points = canonical(X, 3).points
    found, known = laid_out(points, 3, 200, tree)
    labels = Blocked(MDAV(), max_leaf=200, tree=tree, dimensions=(0, 1, 2)).partition(X, 3)
    labels = labels[canonical(X, 3).order]
    for block in range(len(found.counts)):
        rows = np.flatnonzero(found.block_of(known) == block)
        assert (labels[rows] - labels[rows].min()).tolist() == MDAV().partition(points[rows], 3).tolist()


def test_median_blocks_are_balanced_and_few():
    for Y in (X, np.exp(2 * np.random.default_rng(0).normal(size=(3000, 4)))):
        account = Blocked(max_leaf=500).explained(Y, 3).account
        assert account["blocks"] <= 7
        assert account["smallest_block"] > 0.8 * account["largest_block"]


def test_the_loss_of_blocks_is_little_and_less_in_larger_ones():
    def lost(method):
        labels = method.partition(X, 3)
        return sum(
            ((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in range(labels.max() + 1)
        )

    whole = lost(MDAV())
    shares = [lost(Blocked(max_leaf=most)) / whole for most in (50, 300, 1500)]
    assert shares == sorted(shares, reverse=True)
    assert 1.0 < shares[-1] < 1.03
    assert lost(Blocked(max_leaf=50, tree="univariate")) > 2 * lost(Blocked(max_leaf=50))


@pytest.mark.parametrize("tree", ["median", "2^d", "univariate"])
def test_many_identical_records_lose_nothing_and_cost_nothing(tree):
    same = np.full((200_000, 3), 2.5)
    found = Blocked(max_leaf=5000, tree=tree, hard_limit=True).explained(same, 3)
    assert found.account["blocks"] == 40
    assert np.bincount(found.labels).min() == 3
    places = np.random.default_rng(0).integers(0, 5, 100_000)[:, np.newaxis] * np.ones((1, 3))
    labels = Blocked(max_leaf=5000, tree=tree, hard_limit=True).partition(places, 3)
    pairs = np.unique(np.column_stack((labels, places[:, 0])), axis=0)
    assert len(pairs) == labels.max() + 1


def test_a_few_records_beside_many_identical_ones_find_company():
    Y = np.vstack((np.full((5000, 2), 1.0), [[0.0, 0.0], [9.0, 9.0]]))
    labels = Blocked(max_leaf=1000).partition(Y, 3)
    assert np.bincount(labels).min() >= 3
    assert labels[-2] != labels[-1]


def test_a_giant_among_the_records_does_not_keep_the_others_together():
    Y = np.vstack((X, [[1e12, 1e12, 1e12]]))
    for tree in ("median", "2^d"):
        assert Blocked(max_leaf=500, tree=tree).explained(Y, 3).account["largest_block"] <= 500


def test_columns_of_two_values_are_split_once():
    two = np.random.default_rng(3).integers(0, 2, (2000, 2)) * 0.7
    found, known = laid_out(canonical(two, 3).points, 3, 40, "2^d")
    assert found.leaves == 4
    assert len(np.unique(found.block_of(known))) == 4


def test_the_leaves_and_empty_leaves_of_the_tree_are_counted():
    grid = (np.arange(64)[:, np.newaxis] >> np.array([3, 0])) % 8 * 1.0  # 8 x 8, one record each
    account = Blocked(max_leaf=4, tree="2^d").explained(grid, 2).account
    assert (account["useful_leaves"], account["empty_leaves"], account["fused"]) == (16, 0, 0)
    corner = np.vstack((grid[:8] / 100, [[7.0, 7.0]] * 2))
    account = Blocked(max_leaf=8, tree="2^d").explained(corner, 2).account
    assert (account["useful_leaves"], account["empty_leaves"]) == (2, 2)


@pytest.mark.parametrize("threshold", [0, 10**9])
def test_the_nearest_leaf_is_the_same_by_tree_and_by_sweep(threshold, monkeypatch):
    points = np.random.default_rng(4).integers(0, 6, (400, 2)) * 1.0
    chosen = np.arange(0, 400, 3)
    monkeypatch.setattr(fusing, "SWEPT", threshold)
    gaps = ((points[chosen, np.newaxis] - points) ** 2).sum(axis=2)
    gaps[np.arange(len(chosen)), chosen] = np.inf
    found = fusing._nearest_others(points, chosen)
    assert found.tolist() == gaps.argmin(axis=1).tolist()
    assert nearest_others(points, chosen).tolist() == found.tolist()


def test_dimensions_are_chosen_by_variance_or_given():
    def chosen(method, variances):
        variances = np.array(variances)
        return method.cutting(10**6, 3, np.where(variances > 0, 9.0, 0.0), lambda: variances).columns

    spread = variances_of(X * [1.0, 3.0, 2.0])
    assert spread.argsort().tolist() == [0, 2, 1]
    assert chosen(Blocked(tree="univariate"), spread) == (1,)
    assert chosen(Blocked(tree="2^d", max_leaf=500_000), spread) == (1, 2)
    assert chosen(Blocked(), spread) == (0, 1, 2)
    assert chosen(Blocked(), [*np.ones(20), 2.0]) == (*range(15), 20)
    assert chosen(Blocked(tree="univariate"), [0.0, 1.0, 1.0 + 1e-12]) == (1,)
    assert chosen(Blocked(), [0.0, 1.0, 0.0]) == (1,)
    assert chosen(Blocked(), [0.0, 0.0]) == (0,)
    why = Blocked(tree="2^d").explained(X, 3).account["why"]
    assert why["dimensions"] == "those of greatest variance"
    assert "lose less" in why["max_leaf"]
    by_last = Blocked(Whole(), max_leaf=1000, dimensions=(2,)).partition(X, 3)
    assert [np.ptp(X[by_last == block, 2]) < 0.5 for block in range(3)] == [True] * 3
    assert np.ptp(X[by_last == 0, 0]) > 0.9


@dataclass(frozen=True)
class Asked:
    """Keeps what it is asked."""

    seen: list

    def __hash__(self):
        return 0

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        self.seen.append((len(X), seed, weights is not None and bool((weights == X[:, 0] + 1).all())))
        return Chunks().partition(X, k)


def test_weights_and_seed_reach_the_method():
    seen = []
    points = X - X.min(axis=0)
    Blocked(Asked(seen), max_leaf=500).partition(points, 3, weights=points[:, 0] + 1, seed=7)
    assert sum(size for size, *_ in seen) == 3000
    assert {rest for _, *rest in [(s, (a, b)) for s, a, b in seen] for rest in rest} == {(7, True)}


def test_progress_is_told_and_can_stop_the_work(monkeypatch):
    monkeypatch.setattr(threads, "GLANCE_SECONDS", 1e-3)
    told = []
    Blocked(max_leaf=100).partition(X, 3, progress=lambda *state: told.append(state))
    assert told == sorted(told)
    assert told[-1] == (3000, 3000)
    assert len({done for done, _ in told}) > 3

    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Blocked(Refined(iterations=10**9), max_leaf=1000).partition(X, 3, progress=stop)


@dataclass(frozen=True)
class Bad:
    labels: object

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        return np.array(self.labels)


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (Alone(), "the smallest has 1: use another method"),
        (Bad([0.5]), "found float64 of shape (1,)"),
        (Bad([-1] * 1000), "numbers of groups"),
    ],
)
def test_a_method_that_gives_no_groups_of_k_is_refused(method, told):
    with pytest.raises(InputError) as error:
        Blocked(method, max_leaf=1000).partition(X, 3)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"max_leaf": 3}, 'max_leaf must be "auto" or a number of records from 4: found 3'),
        ({"max_leaf": 1e5}, "found 100000.0"),
        ({"max_leaf": True}, "found True"),
        ({"dimensions": "all"}, "dimensions must be"),
        ({"dimensions": 3}, "dimensions must be"),
        ({"dimensions": ()}, "found ()"),
        ({"dimensions": (0, -1)}, "found (0, -1)"),
        ({"dimensions": (1, 1)}, "one of them twice"),
        ({"dimensions": tuple(range(31)), "tree": "2^d"}, "takes 30 dimensions at most: found 31"),
        ({"tree": "kd"}, "tree must be one of median, 2^d, univariate: found 'kd'"),
        ({"hard_limit": 1}, "hard_limit must be True or False: found 1"),
        ({"method": "mdav"}, "must be a value, such as MDAV()"),
        ({"method": MDAV}, "is no method"),
    ],
)
def test_options_that_cannot_be_are_refused(options, told):
    with pytest.raises(InputError) as error:
        Blocked(**options)
    assert told in str(error.value)


def test_what_does_not_fit_the_data_is_told_all_at_once():
    with pytest.raises(InputError) as error:
        Blocked(max_leaf=9, dimensions=(0, 5)).partition([[1.0, np.nan]] * 4, 5)
    text = str(error.value)
    assert "k = 5 is more than the 4 records" in text
    assert "column 1 holds 4 value(s) that are not finite" in text
    assert "leaves no choice of groups of k = 5: max_leaf must be 10 at least" in text
    assert "there is no dimension 5: the matrix has 2" in text
    for empty in (np.empty((0, 2)), np.empty((3, 0)), [1.0, 2.0]):
        with pytest.raises(InputError):
            Blocked().partition(empty, 2)


def test_it_is_read_from_its_text_and_used_by_name():
    method = Blocked(VMDAV(gamma=0.2), max_leaf=10_000, dimensions=[1, 0], tree="2^d", hard_limit=True)
    assert method.dimensions == (1, 0)
    assert method_of(repr(method)) == method
    assert method_of("blocked(mdav, max_leaf=10000)") == Blocked(MDAV(), max_leaf=10_000)
    table = {"x": X[:200, 0].tolist(), "y": X[:200, 1].tolist()}
    result = protect(pa.table(table), 3, ["x", "y"], method="blocked(mdav, max_leaf=50)")
    assert result.classes.smallest >= 3
    assert result.account["blocks"] == 4
    assert any("in 4 blocks of" in note for note in result.notes)


def test_nominal_columns_and_gaps_are_blocked_like_others():
    survey = pa.table(datasets.business_survey(1000)).select(["sector", "employees", "turnover"])
    gaps = pa.array([None if row % 7 == 0 else row % 50 for row in range(1000)])
    table = survey.append_column("gaps", gaps)
    names = table.column_names
    result = protect(table, 3, names, method="blocked(mdav, max_leaf=100)", missing="shared")
    assert result.classes.smallest >= 3
    assert result.account["blocks"] >= 10
    assert result.account["largest_block"] <= 100


def test_pieces_are_as_equal_as_can_be():
    assert piece_ends(10, 3).tolist() == [4, 7, 10]
    assert piece_ends(9, 1).tolist() == [9]
