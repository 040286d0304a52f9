"""Dependence trees: the same as the plain loops give, for counts in any order and for trees that tie."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.dependence.classes import Ranges, classes_for
from microagg.dependence.counts import PairCounts
from microagg.dependence.growing import Variable, grown
from microagg.dependence.spanning import count_trees, trees
from microagg.dependence.tree import Tree
from microagg.errors import InputError
from tests.naive import dependence as plain

SMALL = st.integers(2, 5).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 6), min_size=d, max_size=d), min_size=3, max_size=40)
)
TIES = st.integers(2, 5).flatmap(
    lambda d: st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=d * d, max_size=d * d)
)


def variables(X):
    return [
        Variable(str(at), np.array(column, dtype=float)) for at, column in enumerate(zip(*X, strict=True))
    ]


def matrix_of(weights):
    d = int(len(weights) ** 0.5)
    W = np.array(weights).reshape(d, d)
    W = np.tril(W, -1) + np.tril(W, -1).T
    return W


@given(SMALL, st.sampled_from([0.7, 1.0, 2.5]), st.sampled_from(["emim", "chi2"]))
def test_weights_are_those_of_the_plain_loop(X, width, measure):
    tree = grown(variables(X), measure, width)
    columns = [plain.classes(column, width) for column in zip(*X, strict=True)]
    for one in range(len(columns)):
        for other in range(one):
            expected = getattr(plain, measure)(columns[one], columns[other])
            assert tree.strengths[one, other] == pytest.approx(expected, abs=1e-12)
            assert tree.strengths[other, one] == tree.strengths[one, other]


@given(TIES)
def test_all_trees_that_tie_are_found_and_counted(weights):
    W = matrix_of(weights)
    nodes = list(range(len(W)))
    found = trees(W, nodes, 1000)
    expected = plain.maximum_trees(W, nodes)
    assert {tuple(sorted(tree)) for tree in found} == {tuple(sorted(tree)) for tree in expected}
    assert len(found) == len(expected) == count_trees(W, nodes)


@given(TIES, st.data())
def test_possibilities_are_the_columns_of_highest_degree_of_any_tree(weights, data):
    W = matrix_of(weights)
    d = len(W)
    number = data.draw(st.integers(1, d))
    tree = Tree(tuple(map(str, range(d))), "emim", W)
    found = tree.possibilities(number)
    expected = plain.choices(plain.maximum_trees(W, list(range(d))), d, number)
    assert {tuple(sorted(choice)) for choice in found.choices} == expected
    assert len(found.choices) == len(expected)
    assert found.complete


def test_without_any_difference_every_tree_counts_and_a_thousand_are_listed():
    tree = Tree(tuple(map(str, range(30))), "emim", np.zeros((30, 30)))
    assert tree.count == 30**28  # Cayley
    assert tree.edges == tuple((0, at) for at in range(1, 30))
    found = tree.possibilities(3)
    assert (len(found.choices), found.complete) == (406, False)  # of the first 1,000 trees
    assert tree.ties(3) == comb(29, 2)
    assert tree.possibilities(2, most=5).choices == ((0, 1), (0, 2), (0, 3), (0, 4), (0, 5))


def test_weights_that_differ_by_rounding_alone_tie():
    W = np.array([[0, 1, 1 + 1e-13], [1, 0, 1 - 1e-13], [1 + 1e-13, 1 - 1e-13, 0]])
    assert count_trees(W, [0, 1, 2]) == 3
    W[0, 1] = W[1, 0] = 1 + 1e-6
    assert count_trees(W, [0, 1, 2]) == 2


def test_the_higher_degree_comes_first_and_equal_ones_in_the_order_of_the_columns():
    W = np.zeros((5, 5))
    for at, (one, other) in enumerate([(3, 0), (3, 1), (3, 4), (1, 2)]):
        W[one, other] = W[other, one] = 4.0 - 0.1 * at
    tree = Tree(tuple("abcde"), "emim", W)
    assert tree.degrees == (1, 2, 1, 3, 1)
    assert tree.ranked == (3, 1, 0, 2, 4)
    assert tree.possibilities(3).choices == ((3, 1, 0), (3, 1, 2), (3, 1, 4))
    assert tree.weights == (4.0, 3.9, 3.8, 3.7)


@given(SMALL, st.data())
def test_counts_do_not_depend_on_blocks_or_their_order(X, data):
    columns = [np.array(column, dtype=float) for column in zip(*X, strict=True)]
    cut = data.draw(st.integers(1, len(X) - 1))
    blocks = [[column[cut:] for column in columns], [column[:cut] for column in columns]]
    ranges = Ranges.of(blocks[0]).merge(Ranges.of(blocks[1]))
    assert [part.tolist() for part in ranges[1:]] == [part.tolist() for part in Ranges.of(columns)[1:]]
    cutting = ranges.finish(width=2.0)
    whole = PairCounts(cutting.classes).add(cutting.codes(columns))
    parts = [PairCounts(cutting.classes).add(cutting.codes(block)) for block in blocks]
    merged = parts[0].merge(parts[1])
    assert merged.records == whole.records == len(X)
    for one in range(len(columns)):
        for other in range(one):
            assert merged.finish(one, other).tolist() == whole.finish(one, other).tolist()
            assert whole.finish(other, one).tolist() == whole.finish(one, other).T.tolist()


def test_blocks_that_fill_more_than_one_round_are_counted_whole(monkeypatch):
    X = np.random.default_rng(0).integers(0, 3, (3, 1000)).astype(float)
    whole = grown([Variable(str(at), column) for at, column in enumerate(X)], "emim", 1.0)
    monkeypatch.setattr("microagg.dependence.counts._AT_ONCE", 64)
    monkeypatch.setattr("microagg.dependence.growing._BLOCK", 300)
    again = grown([Variable(str(at), column) for at, column in enumerate(X)], "emim", 1.0)
    assert again.strengths.tolist() == whole.strengths.tolist()


def test_a_large_common_offset_changes_nothing():
    X = np.random.default_rng(1).normal(size=(200, 4)).round(3)
    for measure in ("emim", "correlation"):
        far = grown(variables((X + 2.0**30).tolist()), measure)
        assert far.edges == grown(variables(X.tolist()), measure).edges


@pytest.mark.parametrize("measure", ["emim", "chi2"])
def test_nominal_columns_are_taken_as_they_are(measure):
    places = np.array([0, 1, 2, 0, 1, 2] * 20, dtype=float)
    other = np.where(places == 1, 7.0, 3.0)
    tree = grown([Variable("a", places, True), Variable("b", other)], measure, classes=2)
    assert tree.classes == (3, 2)


def test_a_column_that_follows_from_another_in_no_line_is_seen_by_classes_only():
    x = np.linspace(-1.0, 1.0, 400)
    noise = np.random.default_rng(0).normal(size=400)
    columns = [Variable("x", x), Variable("square", x * x), Variable("noise", noise)]
    assert (0, 1) in grown(columns, "emim").edges
    assert grown(columns, "correlation").strengths[0, 1] < 1e-9


def test_constant_columns_are_left_out():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    columns = [Variable("a", x), Variable("same", np.full(100, 3.0)), Variable("b", x + 0.1)]
    for measure in ("emim", "chi2", "correlation"):
        tree = grown(columns, measure)
        assert tree.alone == (1,)
        assert tree.edges == ((0, 2),)
        assert tree.degrees == (1, 0, 1)
        assert "same is the same for all records" in tree.notes[0]


def test_all_columns_constant_make_no_tree():
    tree = grown([Variable("a", np.ones(5)), Variable("b", np.zeros(5))])
    assert tree.edges == ()
    assert "fewer than two columns vary" in tree.notes[-1]
    assert tree.possibilities(1).choices == ((0,), (1,))


def test_independent_columns_are_told_to_be_so_and_others_are_not():
    rng = np.random.default_rng(3)
    free = [Variable(str(at), rng.normal(size=1000)) for at in range(5)]
    bound = [*free, Variable("5", free[0].values + rng.normal(size=1000))]
    for measure in ("emim", "chi2", "correlation"):
        assert any("look independent" in note for note in grown(free, measure).notes)
        assert not any("look independent" in note for note in grown(bound, measure).notes)


def test_a_width_larger_than_the_range_is_told_with_one_that_suits():
    columns = [Variable("a", np.linspace(0, 50, 600)), Variable("b", np.linspace(0, 9000, 600) ** 1.1)]
    tree = grown(columns, "emim", width=100.0)
    assert tree.alone == (0,)
    assert "a lies in one class, from 0 on: a width of 5 would give it 10 classes" in tree.notes


def test_a_width_far_too_small_is_told_and_one_beyond_memory_refused():
    columns = [Variable("a", np.linspace(0, 50, 60)), Variable("b", np.linspace(0, 50, 60)[::-1])]
    tree = grown(columns, "emim", width=0.1)
    assert "a has 60 classes with a record in them for 60 records" in tree.notes[0]
    assert "a width of 16.7 would give it 3 classes" in tree.notes[0]
    with pytest.raises(InputError, match=r"classes are too narrow: .* a width of 16.7 would suit it"):
        grown(columns, "emim", width=1e-5)
    with pytest.raises(InputError, match="classes are too narrow"):
        grown(columns, "emim", width=1e-300)


def test_fewer_rows_than_classes_still_have_a_tree():
    tree = grown([Variable("a", np.arange(4.0)), Variable("b", np.arange(4.0))], "emim", classes=50)
    assert tree.edges == ((0, 1),)
    assert len(tree.notes) >= 2


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ([Variable("a", np.arange(5.0))], {}, "at least two columns, found 1"),
        ([], {}, "at least two columns, found 0"),
        ([Variable("a", np.ones(1))] * 2, {}, "at least two records"),
        ([Variable("a", np.array([1.0, np.nan]))] * 2, {}, "'a' holds values that are not finite"),
        ([Variable("a", np.arange(5.0))] * 2, {"measure": "mutual"}, "no measure 'mutual': choose emim"),
        ([Variable("a", np.arange(5.0))] * 2, {"width": 0.0}, "width must be a number above zero"),
        ([Variable("a", np.arange(5.0))] * 2, {"width": [1.0] * 3}, "one for each of 2 columns"),
        ([Variable("a", np.arange(5.0))] * 2, {"width": "wide"}, "width must be a number above zero"),
        ([Variable("a", np.arange(5.0))] * 2, {"classes": 1}, 'classes must be "auto" or a whole number'),
        (
            [Variable("a", np.arange(5.0), True)] * 2,
            {"measure": "correlation"},
            "'a' is nominal and has no correlation",
        ),
    ],
)
def test_what_can_have_no_tree_is_refused(columns, options, expected):
    with pytest.raises(InputError, match=expected):
        grown(columns, **options)


def test_two_columns_have_one_edge_and_it_is_said_that_this_tells_nothing():
    x = np.arange(50.0)
    tree = grown([Variable("a", x), Variable("b", x)])
    assert tree.edges == ((0, 1),)
    assert tree.notes == (
        "of two columns the tree has one edge, and says of neither that it stands for the other",
    )


def test_as_many_classes_as_the_records_allow():
    assert [classes_for(n) for n in (2, 20, 45, 499, 500)] == [2, 2, 3, 9, 10]


@pytest.mark.parametrize("number", [0, 4, -1])
def test_no_more_columns_can_be_chosen_than_there_are(number):
    tree = Tree(("a", "b", "c"), "emim", np.zeros((3, 3)))
    with pytest.raises(InputError, match="from 1 to 3"):
        tree.possibilities(number)


def test_hundreds_of_columns_have_their_tree_in_no_time():
    rng = np.random.default_rng(0)
    W = matrix_of(rng.random(300 * 300))
    tree = Tree(tuple(map(str, range(300))), "emim", W)
    assert len(tree.edges) == 299
    assert tree.count == 1
    assert len(trees(np.zeros((200, 200)), range(200), 10)) == 10
