"""Moments and PIL against the definitions in rational numbers, the reference sets, and what must hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.measures.distribution import in_order
from microagg.measures.eigenvalues import eigenvalues
from microagg.measures.moments import moments_loss
from microagg.measures.pil import densities, probabilistic_loss
from tests.naive import loss as naive
from tests.unit.measures.comparing import compared, grouped, named

MEASURES = pytest.mark.parametrize("measure", [moments_loss, probabilistic_loss, eigenvalues])


@st.composite
def cases(draw, gaps=False):
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    values = st.integers(-9, 9) | st.none() if gaps else st.integers(-9, 9)
    columns = st.lists(st.lists(values, min_size=n, max_size=n), min_size=d, max_size=d)
    weights = st.none() | st.lists(st.integers(1, 4), min_size=n, max_size=n)
    return draw(columns), draw(columns), draw(weights)


def table(columns):
    return dict(zip("abc", columns, strict=False))


def both_of(case):
    before, after, weights = case
    return compared(table(before), table(after), weights=weights)


def usable(before, after, weights):
    """Return the columns with any value before and after, if the plain loops can do with them."""
    kept = [j for j in range(len(before)) if any_of(after[j])]
    before, after = [before[j] for j in kept], [after[j] for j in kept]
    one, other = naive.tables(before, after, weights)
    return (before, after) if min(one.n, other.n) > 1 and one.columns else None


def any_of(column):
    return any(value is not None for value in column)


def near(expected):
    return None if expected is None else pytest.approx(float(expected), rel=1e-9, abs=1e-9)


@given(cases() | cases(gaps=True))
def test_moments_are_what_the_formulas_say(case):
    found = moments_loss(both_of(case))
    masses = case[2] or [1] * len(case[0][0])
    columns = usable(*case[:2], masses)
    if columns is None:
        assert found is None
        return
    variances, covariances, correlations = naive.moments(*columns, masses)
    assert found.variances == near(variances)
    assert found.covariances == near(covariances)
    assert found.correlations == near(correlations)


@given(cases() | cases(gaps=True))
def test_probabilistic_loss_is_what_the_formulas_say(case):
    found = probabilistic_loss(both_of(case))
    masses = case[2] or [1] * len(case[0][0])
    columns = usable(*case[:2], masses)
    if columns is None:
        assert found is None
        return
    means, variances, covariances, correlations, quantiles = naive.probabilistic(*columns, masses)
    assert found.means == near(means)
    assert found.variances == near(variances)
    assert found.covariances == near(covariances)
    if correlations is not None:
        assert found.correlations == near(correlations)
    assert found.quantiles == near(quantiles)
    known = [of for of in parts(found) if of is not None]
    assert found.percent == near(math.fsum(known) / len(known))


def parts(found):
    return [found.means, found.variances, found.covariances, found.correlations, found.quantiles]


@given(cases(gaps=True))
def test_nothing_is_lost_where_nothing_is_changed(case):
    same = both_of((case[0], case[0], case[2]))
    moments, probable, directions = (of(same) for of in (moments_loss, probabilistic_loss, eigenvalues))
    if moments is not None:
        assert moments.variances == 0.0
        assert {moments.covariances, moments.correlations, moments.largest} <= {0.0, None}
        assert set(parts(probable)) <= {0.0, None}
        assert (directions.distance, directions.relative) == (0.0, 0.0)


@given(cases())
def test_all_lie_within_their_bounds(case):
    found, probable = moments_loss(both_of(case)), probabilistic_loss(both_of(case))
    if found is not None:
        assert np.abs(found.before).max() <= 1.0
        assert np.abs(found.after).max() <= 1.0
        assert found.largest is None or found.correlations <= found.largest <= 2.0
        assert all(of is None or 0.0 <= of <= 100.0 for of in [*parts(probable), probable.percent])


@MEASURES
@given(cases(gaps=True), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter_to_the_bit(measure, case, chance):
    before, after, weights = case
    rows = list(range(len(before[0])))
    chance.shuffle(rows)
    moved = [[[column[row] for row in rows] for column in columns] for columns in (before, after)]
    found = measure(both_of(case)), measure(both_of((*moved, weights and [weights[row] for row in rows])))
    assert repr(found[0]) == repr(found[1])


@MEASURES
@pytest.mark.parametrize("factor", [1e300, 1e-300, -1.0])
@pytest.mark.filterwarnings("error")
def test_scale_and_offset_do_not_matter(measure, factor):
    X = np.random.default_rng(1).normal(size=(60, 3)).round(3)
    labels = np.arange(60) // 4
    found = numbers(measure(grouped(X, labels)))
    assert numbers(measure(grouped(X * factor, labels))) == pytest.approx(found, rel=1e-9)
    assert numbers(measure(grouped(X + 1e9, labels))) == pytest.approx(found, rel=1e-5, abs=1e-5)


def numbers(found):
    return [value for value in vars(found).values() if isinstance(value, float)]


@MEASURES
def test_equal_weights_are_as_none(measure):
    X = np.random.default_rng(2).lognormal(size=(50, 3))
    found = numbers(measure(grouped(X, np.arange(50) // 3)))
    same = numbers(measure(grouped(X, np.arange(50) // 3, weights=[0.3] * 50)))
    assert same == pytest.approx(found, rel=1e-11, abs=1e-11)


@MEASURES
@pytest.mark.filterwarnings("error")
def test_what_cannot_be_had_is_none(measure):
    assert measure(compared({"a": [1.0, 1.0, 1.0]}, {"a": [1.0, 1.0, 2.0]})) is None
    assert measure(compared({"a": [1.0, None]}, {"a": [1.0, None]})) is None
    assert measure(compared({"a": [None, None]}, {"a": [1.0, 2.0]})) is None
    assert measure(compared({"a": [5.0]}, {"a": [5.0]})) is None
    assert measure(compared({"a": [0, 1, 1]}, {"a": [0, 1, 1]}, {"a": "nominal"})) is None


@MEASURES
@pytest.mark.filterwarnings("error")
def test_a_release_of_one_group_loses_all(measure):
    X = np.random.default_rng(5).normal(size=(20, 3))
    found = measure(grouped(X, np.zeros(20)))
    if measure is moments_loss:
        assert (found.variances, found.covariances) == (1.0, 1.0)
        assert not found.after.any()
        assert found.correlations == pytest.approx(np.abs(found.before[np.triu_indices(3, 1)]).mean())
    elif measure is eigenvalues:
        assert (found.distance, found.rank) == (1.0, 3)
    else:
        assert found.means == 0.0
        assert found.variances > 90.0


@MEASURES
@pytest.mark.filterwarnings("error")
def test_a_constant_column_and_a_release_out_of_all_proportion_are_left_out(measure):
    X = np.random.default_rng(6).normal(size=(20, 2))
    alone = named(X)
    beside = {**alone, "flat": [7.0] * 20, "wild": X[:, 0].tolist()}
    released = {**alone, "flat": [7.0] * 20, "wild": [1e300] * 10 + [0.0] * 10}
    assert repr(measure(compared(beside, released))) == repr(measure(compared(alone, alone)))


def test_the_density_follows_that_of_the_data():
    rng = np.random.default_rng(8)
    shares = np.array([0.1, 0.5, 0.8])
    of_normal = densities(in_order(rng.normal(size=200_000)), shares, 200_000)
    assert of_normal == pytest.approx([0.17550, 0.39894, 0.27996], rel=0.05)
    heaped = np.floor(rng.uniform(0, 4, size=100_000))  # a quarter of all at each of 0 to 3
    assert densities(in_order(heaped), np.array([0.4]), 100_000) == pytest.approx(0.25, rel=0.05)


REFERENCE = {  # PIL of variances, covariances and correlations, then IL4 and IL5
    ("census", 3): "70.04 18.47 53.41 .056922 .016272",
    ("census", 5): "85.51 30.77 63.99 .090884 .026149",
    ("tarragona", 3): "44.49 17.44 73.60 .169326 .092955",
    ("tarragona", 5): "56.36 18.95 85.07 .224619 .126672",
}


@pytest.mark.parametrize("which", REFERENCE)
def test_the_reference_sets_give_the_figures_known_of_them(reference_release, which):
    release = reference_release(*which)
    probable, moments = probabilistic_loss(release), moments_loss(release)
    found = [probable.variances, probable.covariances, probable.correlations]
    printed = [f"{of:.2f}" for of in found]
    printed += [f"{of:.6f}".removeprefix("0") for of in (moments.variances, moments.correlations)]
    assert " ".join(printed) == REFERENCE[which]
    assert probable.means == 0.0
