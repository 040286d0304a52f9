"""What reaches the method that works in blocks, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

from microagg import MDAV, Blocked, Refined
from microagg.errors import InputError
from microagg.partition import threads
from tests.stand_ins import Alone, Chunks

TREES = st.sampled_from(["median", "2^d", "univariate"])
X = np.random.default_rng(2).random((3000, 3))


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
