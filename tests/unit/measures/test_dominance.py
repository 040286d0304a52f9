"""Dominance against plain loops with fractions, and what must hold of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.measures.dominance import dominance, dominance_notes
from tests.naive.dominance import risky
from tests.unit.measures.comparing import pair

AMOUNTS = st.one_of(st.integers(-40, 40), st.sampled_from([None, 0, 100, 1000, 10**6]))
RECORDS = st.lists(st.tuples(AMOUNTS, st.integers(0, 3)), min_size=1, max_size=30)


def found(amounts, classes, kind="continuous", **rule):
    return dominance(pair("turnover", amounts, amounts, kind), np.asarray(classes, dtype=np.int64), **rule)


def dense(records):
    """Return amounts and classes, which are numbered from 0 without gaps."""
    amounts, classes = zip(*records, strict=True)
    return list(amounts), np.unique(classes, return_inverse=True)[1]


def alone(classes):
    return int((np.bincount(classes) == 1).sum())


@given(RECORDS, st.sampled_from([5, 10, 50]), st.integers(1, 4), st.sampled_from([50, 85, 99]))
def test_the_rules_are_those_of_the_plain_loop(records, p, n, share):
    amounts, classes = dense(records)
    of = found(amounts, classes, p=p, n=n, share=share)
    if 2 * alone(classes) > len(amounts):
        assert of is None
        return
    by_p, by_n, worst = risky(amounts, classes.tolist(), p, n, share)
    assert (of.p_percent, of.n_k) == (len(by_p), len(by_n))
    assert set(np.flatnonzero(of.by_class)) == by_p | by_n
    assert of.worst == pytest.approx(float(worst), rel=1e-15)
    assert of.classes == int((np.bincount(classes) > 1).sum())


@given(RECORDS, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_unit_nor_the_sign_matters(records, random):
    def told(records, factor=1):
        amounts, classes = dense(records)
        of = found([None if x is None else factor * x for x in amounts], classes)
        return of and (of.p_percent, of.n_k, of.classes, of.worst, of.by_class.tolist())

    shuffled = random.sample(records, len(records))
    assert told(shuffled) == told(records) == told(records, -1) == told(records, 2**20)


@given(st.lists(st.floats(0.1, 1e300), min_size=2, max_size=20))
def test_a_pair_always_breaks_both_rules(amounts):
    amounts = amounts[: len(amounts) // 2 * 2]
    of = found(amounts, np.arange(len(amounts)) // 2)
    assert of.p_percent == of.n_k == of.classes == len(amounts) // 2
    assert of.by_class.all()


def test_a_giant_is_found_and_equal_ones_are_not():
    of = found([1000.0, 3, 2, 1, 5, 5, 5, 5], [0, 0, 0, 0, 1, 1, 1, 1])
    assert (of.p_percent, of.n_k, of.classes) == (1, 1, 2)
    assert of.worst == 1000 / 1006
    assert of.by_class.tolist() == [True, False]


def test_the_limit_itself_is_allowed():
    assert found([100, 50, 7, 3], [0] * 4, "integer", share=100).by_class.tolist() == [False]
    assert found([100, 50, 7, 2], [0] * 4, "integer", share=100).p_percent == 1
    assert found([45, 40, 15], [0] * 3, p=0).by_class.tolist() == [False]
    assert found([45, 41, 14], [0] * 3, p=0).n_k == 1


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1.0, 1.79e308])
def test_sums_neither_overflow_nor_vanish(scale):
    amounts = [scale, scale, scale, scale, scale / 1024, scale / 1024]
    of = found(amounts, [0, 0, 0, 1, 1, 1])
    assert (of.p_percent, of.n_k, of.classes) == (1, 1, 2)
    assert of.by_class.tolist() == [False, True]
    assert of.worst > 0.9


def test_what_is_missing_contributes_nothing():
    of = found([None, None, 8.0, -50.0, -50.0, -50.0], [0, 0, 0, 1, 1, 1])
    assert of.by_class.tolist() == [True, False]
    assert of.worst == 1.0


@pytest.mark.parametrize("amounts", [[0.0] * 4, [None] * 4, [0, None, 0, None]])
def test_nothing_breaks_no_rule(amounts):
    of = found(amounts, [0, 0, 1, 1])
    assert (of.p_percent, of.n_k, of.classes, of.worst) == (0, 0, 2, 0.0)


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "boolean", "date", "datetime"])
def test_what_is_no_amount_has_no_sums(kind):
    assert found([0, 1, 0, 1], [0, 0, 1, 1], kind) is None


def test_where_most_are_alone_there_are_no_groups_to_speak_of():
    assert found([1, 2, 3, 4, 5], [0, 0, 1, 2, 3]) is None
    assert found([1, 2, 3, 4], [0, 0, 1, 2]) is not None


def test_members_who_are_alone_are_not_counted():
    of = found([9, 1, 1, 1], [0, 1, 1, 1])
    assert (of.classes, of.by_class.tolist()) == (1, [False, False])


def test_the_sentence_says_where_and_what_to_do():
    giant, even = found([1000, 1, 1, 5, 5, 5], [0, 0, 0, 1, 1, 1]), found([5, 5, 5], [0, 0, 0])
    assert dominance_notes({"staff": even}) == []
    assert dominance_notes({"staff": even, "turnover": giant}) == [
        "one or two members hold nearly all of a group's sum, so that its mean nearly reveals the largest "
        "one's value: turnover (1 of 2 groups); take a larger k, top-code or suppress the largest values, "
        "or treat the largest records apart"
    ]
