"""Linking by least distance, against plain loops and the figures of Census and Tarragona."""

from __future__ import annotations

import subprocess
import sys
from time import sleep

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import MDAV
from microagg.kernels.exact import exact_group_means
from microagg.measures import linkage as module
from microagg.measures import search_tree
from microagg.measures.compared import NO_STRATA, Compared
from microagg.measures.linkage import linkage
from tests.cases import requests
from tests.naive.linkage import chances
from tests.unit.measures.comparing import column, compared, grouped

SHARES = ("released_to_original", "among_first_two", "original_to_released", "own_class_nearest")
PRINTED = {  # released to original, among two, original to released, own class
    ("census", 3): (0.312963, 0.605556, 0.293210, 0.879630),
    ("census", 5): (0.184259, 0.350926, 0.160370, 0.801852),
    ("tarragona", 3): (0.312950, 0.619904, 0.284572, 0.853717),
    ("tarragona", 5): (0.181055, 0.344125, 0.151745, 0.761391),
}


@pytest.fixture(params=["all looked at", "in a tree", "in a tree without bounds", "in no tree"])
def way(request, monkeypatch):
    """Link in every way there is."""
    monkeypatch.setattr(module, "FEW", np.inf if request.param == "all looked at" else 0)
    if request.param == "in a tree without bounds":
        monkeypatch.setattr(search_tree, "WORTHLESS", 0.0)
    if request.param == "in no tree":
        monkeypatch.setattr(search_tree, "MOST_BOXED", 0)


def in_groups(X, labels, strata=NO_STRATA):
    """Return a matrix and its release, without columns."""
    labels = np.asarray(labels)
    means = [exact_group_means(np.ascontiguousarray(x), labels, labels.max() + 1)[labels] for x in X.T]
    return Compared((), labels.astype(np.int64), X, np.column_stack(means), strata=strata)


def told(case):
    """Return lists for the plain loop."""
    strata = case.strata.tolist() if case.strata.size else None
    return case.original.tolist(), case.released.tolist(), strata


def shares_of(found):
    return tuple(getattr(found, share) for share in SHARES)


def line(*places):
    return np.array(places, dtype=float)[:, np.newaxis]


@st.composite
def releases(draw):
    X, k = draw(requests(most=70, widest=4))
    X = X.copy()
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    order = draw(st.sampled_from([np.argsort(X[:, 0], kind="stable"), rng.permutation(len(X))]))
    labels = np.empty(len(X), np.intp)
    labels[order] = np.minimum(np.arange(len(X)) // k, len(X) // k - 1)
    case = in_groups(X, labels)
    classes = np.unique(case.released, axis=0, return_inverse=True)[1].ravel()
    strata = draw(st.sampled_from([NO_STRATA, rng.permutation(classes.max() + 1)[classes] % 3]))
    return case._replace(classes=classes, strata=strata)


@pytest.mark.parametrize(("name", "k"), PRINTED)
@pytest.mark.usefixtures("way")
def test_figures_are_those_printed(standardised_reference, name, k):
    X = standardised_reference(name)
    found = linkage(in_groups(X, MDAV().partition(X, k)))
    assert shares_of(found) == pytest.approx(PRINTED[name, k], abs=5.1e-7)
    assert (found.error, found.sample) == (0.0, len(X))


@settings(max_examples=60)
@given(releases())
def test_chances_are_those_of_the_plain_loop(case):
    expected = np.array(chances(*told(case)))
    found = linkage(case)
    assert found.by_record == pytest.approx(expected[:, 2])
    assert shares_of(found) == pytest.approx(expected.mean(axis=0))


@settings(max_examples=60)
@given(releases(), st.sampled_from([("WORTHLESS", 2.0), ("WORTHLESS", 0.0), ("MOST_BOXED", 0)]))
def test_a_tree_finds_the_same_to_the_bit(case, way):
    plainly = linkage(case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", 0)
        patch.setattr(search_tree, *way)
        in_tree = linkage(case)
    assert shares_of(in_tree) == shares_of(plainly)
    assert in_tree.by_record.tolist() == plainly.by_record.tolist()


@given(releases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_has_no_effect(case, random):
    order = np.array(random.sample(range(case.records), case.records))
    strata = case.strata[order] if case.strata.size else case.strata
    moved = Compared((), case.classes[order], case.original[order], case.released[order], strata=strata)
    first, second = linkage(case), linkage(moved)
    assert shares_of(first) == shares_of(second)
    assert first.by_record[order].tolist() == second.by_record.tolist()


@given(releases(), st.integers(-60, 20))
def test_the_unit_has_no_effect(case, exponent):
    scaled = case._replace(
        original=np.ldexp(case.original, exponent), released=np.ldexp(case.released, exponent)
    )
    assert shares_of(linkage(scaled)) == shares_of(linkage(case))


@given(releases())
def test_shares_are_bounded_by_each_other(case):
    found = linkage(case)
    assert 0 <= found.released_to_original <= found.among_first_two <= 1
    assert 0 <= found.original_to_released <= found.own_class_nearest <= 1 + 1e-12
    classes = len(np.unique(case.released, axis=0))
    assert found.original_to_released <= classes / case.records + 1e-12
    seen = case.strata if case.strata.size else np.zeros(case.records)
    apart = len(np.unique(np.column_stack((case.original, seen)), axis=0))
    assert found.released_to_original <= apart / case.records + 1e-12


@pytest.mark.usefixtures("way")
def test_what_is_released_as_it_is_is_found():
    X = np.random.default_rng(0).random((50, 2))
    found = linkage(in_groups(X, np.arange(50)))
    assert shares_of(found) == (1.0,) * 4
    assert found.by_record.tolist() == [1.0] * 50


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("apart", [1.0, 1e-7])
def test_members_of_a_pair_are_equally_near_whatever_the_rounding(apart):
    rng = np.random.default_rng(1)
    first, second = 10.0 * rng.permutation(3000)[:, np.newaxis] + apart * rng.random((2, 3000, 3))
    X = np.vstack([first, second, second, second])  # the last two are a class of their own
    found = linkage(in_groups(X, np.repeat([0, 0, 1, 1], 3000) * 3000 + np.tile(np.arange(3000), 4)))
    assert found.released_to_original == pytest.approx((2 / 4 + 2 / 3) / 4)
    assert found.among_first_two == pytest.approx((2 * 2 / 4 + 2 * 2 / 3) / 4)


@pytest.mark.usefixtures("way")
def test_ties_are_shared():
    # the mean of the first class, 4, has 4 nearest, then 1, 7 and another 1
    case = in_groups(line(1, 4, 7, 1, 1, 1), [0, 0, 0, 1, 1, 1])
    assert chances(case.original.tolist(), case.released.tolist())[0] == (0, 0.2, 0, 0)
    found = linkage(case)
    assert found.released_to_original == pytest.approx((1 + 3 / 4) / 6)
    assert found.among_first_two == pytest.approx((1 / 5 + 1 + 1 / 5 + 3 * 2 / 4) / 6)
    assert found.by_record == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.usefixtures("way")
def test_classes_at_one_place_are_shared_by_their_records():
    X = line(0, 2, 0, 1, 2, 50, 50)
    case = in_groups(X, [0, 0, 1, 1, 1, 2, 2])
    found = linkage(case)
    assert found.by_record == pytest.approx([1 / 5] * 5 + [1 / 2] * 2)
    assert found.own_class_nearest == pytest.approx((2 * 2 / 5 + 3 * 3 / 5 + 2) / 7)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("d", [0, 1, 3])
def test_alike_records_are_found_by_chance(d):
    found = linkage(Compared((), np.zeros(40, np.int64), np.full((40, d), 7.0), np.full((40, d), 7.0)))
    assert shares_of(found) == pytest.approx((1 / 40, 2 / 40, 1 / 40, 1.0))


@pytest.mark.usefixtures("way")
def test_many_records_at_one_place():
    X = np.repeat(np.random.default_rng(2).random((30, 2)), 100, axis=0)
    found = linkage(in_groups(X, np.arange(3000) // 100))
    assert shares_of(found) == pytest.approx((1 / 100, 2 / 100, 1 / 100, 1.0))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("factor", [1e-300, 1.0, 1e300])
def test_records_are_linked_within_their_stratum(factor):
    X = np.random.default_rng(12).normal(size=(3000, 3)) * factor
    strata = np.random.default_rng(13).integers(0, 40, 3000) ** 2
    order = np.lexsort((X[:, 0], strata))
    classes = np.empty(3000, np.int64)
    classes[order] = np.unique(strata[order] * 1000 + np.arange(3000) // 3, return_inverse=True)[1]
    case = in_groups(X, classes, strata)
    parts = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    apart = [linkage(Compared((), classes[of], X[of], case.released[of])) for of in parts]
    found = linkage(case)
    weights = np.array([of.size for of in parts]) / 3000
    assert shares_of(found) == pytest.approx(weights @ np.array([shares_of(one) for one in apart]))
    assert all((found.by_record[of] == one.by_record).all() for of, one in zip(parts, apart, strict=True))
    assert shares_of(found) > shares_of(linkage(case._replace(strata=NO_STRATA)))


@pytest.mark.usefixtures("way")
def test_who_is_alone_in_a_stratum_is_found():
    X = np.random.default_rng(14).normal(size=(300, 2))
    alone = np.arange(300) < 200
    classes = np.where(alone, np.arange(300), 200)
    strata = np.where(alone, np.arange(300) * 7, 5)
    found = linkage(Compared((), classes, X, np.where(alone[:, np.newaxis], X[::-1], 0.0), strata=strata))
    assert found.by_record == pytest.approx(np.where(alone, 1.0, 1 / 100))
    assert found.among_first_two == pytest.approx((200 + 2) / 300)


@pytest.mark.usefixtures("way")
def test_a_record_alone():
    assert shares_of(linkage(in_groups(line(3), [0]))) == (1.0,) * 4


@pytest.mark.usefixtures("way")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", [1e-300, 1.0, 1e300])
def test_a_release_far_beyond_the_originals(factor):
    X = np.random.default_rng(9).random((2000, 2)) * factor
    place = np.arange(2000)
    released = np.where(
        place[:, np.newaxis] < 1000, X, np.where(place < 1500, np.inf, -np.inf)[:, np.newaxis]
    )
    classes = np.where(place < 1000, place, 1000 + (place >= 1500))
    found = linkage(Compared((), classes, X, released))
    assert found.by_record.tolist() == [1.0] * 1000 + [0.0] * 1000


def test_missing_values_have_their_own_direction():
    case = grouped({"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]}, [0, 0, 1, 1])
    assert 0 <= linkage(case).original_to_released <= 0.5


@pytest.mark.parametrize("threads", [1, 5])
def test_the_number_of_threads_has_no_effect(monkeypatch, threads):
    monkeypatch.setattr(module, "FEW", 0)
    X = np.random.default_rng(3).normal(size=(5000, 3))
    case = in_groups(X, MDAV().partition(X, 4))
    expected = linkage(case)
    monkeypatch.setattr(search_tree, "cores", lambda: threads)
    found = linkage(case)
    assert shares_of(found) == shares_of(expected)
    assert (found.by_record == expected.by_record).all()


@pytest.mark.usefixtures("way")
def test_progress_is_told_and_can_stop_the_work(monkeypatch):
    monkeypatch.setattr(search_tree, "SLICE_SECONDS", 1e-4)
    X = np.random.default_rng(4).normal(size=(3000, 30))
    case, told = in_groups(X, np.arange(3000) // 3), []
    linkage(case, lambda done, total: told.append((done, total)))
    assert told[-1] == (4000, 4000)
    assert told == sorted(told)
    assert len(told) > 2

    def stop(done, total):
        if done > 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        linkage(case, stop)


def test_a_fault_in_a_thread_is_raised():
    def hand(start, stop):
        raise ValueError(start)

    with pytest.raises(ValueError, match="0"):
        search_tree.share_out(5, lambda: hand, lambda done: None)


def test_what_is_stopped_takes_no_more_rows():
    begun = []

    def hand(start, stop):
        begun.append(stop - start)
        sleep(0.01)

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_tree.share_out(10**9, lambda: hand, stop)
    assert sum(begun) < 10**6


def test_a_small_table_needs_nothing_compiled():
    code = (
        "import sys, numpy as np\n"
        "from microagg.measures.linkage import linkage\n"
        "from microagg.measures.compared import Compared\n"
        "X = np.random.default_rng(0).random((1000, 5))\n"
        "linkage(Compared((), np.arange(1000), X, X))\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_columns_and_points_agree():
    """The maker of the tests gives the same as the matrix does."""
    X = np.random.default_rng(7).random((60, 2))
    labels = np.arange(60) // 3
    by_columns = grouped(X, labels)
    assert column("a", X[:, 0].tolist()).values.tolist() == X[:, 0].tolist()
    assert linkage(compared(X, X)).original_to_released == 1.0
    deviations = X.std(axis=0)
    assert shares_of(linkage(by_columns)) == shares_of(linkage(in_groups(X / deviations, labels)))
