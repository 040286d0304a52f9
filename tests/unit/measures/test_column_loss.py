"""What single columns lost, against the definitions in rational numbers, and what must hold of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.columns import Column, Unit
from microagg.measures.columns import QUANTILES, column_loss
from microagg.measures.compared import NO_WEIGHTS, Pair
from tests.naive import loss as naive
from tests.unit.measures.comparing import pair

VALUES = st.integers(-20, 20) | st.none()
PLACES = st.integers(0, 3) | st.none()
KINDS = st.sampled_from(["continuous", "integer", "date", "ordinal", "nominal", "boolean"])


@st.composite
def cases(draw, values=VALUES, weighted=None):
    n = draw(st.integers(1, 12))
    before, after = (draw(st.lists(values, min_size=n, max_size=n)) for _ in range(2))
    weighted = draw(st.booleans()) if weighted is None else weighted
    return before, after, draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)) if weighted else None


def loss_of(before, after, weights=None, kind="continuous"):
    masses = NO_WEIGHTS if weights is None else np.array(weights, dtype=float)
    return column_loss(pair("a", before, after, kind), masses, 0.0)


def near(expected):
    return None if expected is None else pytest.approx(float(expected), rel=1e-11, abs=1e-12)


@given(cases())
def test_of_amounts_it_is_what_the_formulas_say(case):
    before, after, weights = case
    loss = loss_of(before, after, weights)
    masses = weights or [1] * len(before)
    one, other = naive.present(before, masses), naive.present(after, masses)
    assert loss.changed == near(naive.changed(before, after, masses))
    if not (one and other):
        assert loss.mean is loss.deviation is loss.shift is None
        return
    assert astuple_of(loss.mean) == near_pair(naive.mean(one), naive.mean(other))
    for share in QUANTILES:
        expected = near_pair(*(naive.quantile(of, share) for of in (one, other)))
        assert astuple_of(loss.quantiles[share]) == expected
    if min(len(one), len(other)) < 2:
        assert loss.deviation is None
        return
    deviations = [math.sqrt(naive.variance(of)) for of in (one, other)]
    assert astuple_of(loss.deviation) == near_pair(*deviations)
    shift = naive.shift(before, after, masses)
    if deviations[0]:
        assert loss.shift == near(None if shift is None else shift / math.sqrt(2) / deviations[0])
        assert loss.distance == near(naive.area(one, other) / deviations[0])
    else:
        assert loss.shift == (shift if shift in (0, None) else None)
        assert loss.distance == (0 if one[0][0] == other[0][0] == other[-1][0] else None)


def astuple_of(change):
    return (change.before, change.after)


def near_pair(one, other):
    return (near(one), near(other))


@given(cases(PLACES))
def test_of_ordinal_values_it_is_in_places(case):
    before, after, weights = case
    loss = loss_of(before, after, weights, "ordinal")
    masses = weights or [1] * len(before)
    one, other = naive.present(before, masses), naive.present(after, masses)
    steps = max((x for x in (*before, *after) if x is not None), default=0) or 1
    assert loss.changed == near(naive.changed(before, after, masses))
    if one and other:
        shift = naive.shift(before, after, masses)
        assert loss.shift == near(None if shift is None else shift / steps)
        assert loss.distance == near(naive.area(one, other) / steps)
        assert 0.0 <= loss.distance <= 1.0


@given(cases(PLACES))
def test_of_categories_the_distance_is_the_total_variation(case):
    before, after, weights = case
    loss = loss_of(before, after, weights, "nominal")
    masses = weights or [1] * len(before)
    assert loss.distance == near(naive.total_variation(before, after, masses))
    assert loss.changed == near(naive.changed(before, after, masses))
    assert loss.shift is loss.mean is loss.deviation is None
    assert 0.0 <= loss.distance <= loss.changed + 1e-12


@given(cases(PLACES), KINDS)
def test_nothing_is_lost_where_nothing_is_changed(case, kind):
    values, _, weights = case
    loss = loss_of(values, values, weights, kind)
    assert (loss.changed, loss.distance) == (0.0, 0.0)
    assert loss.shift in (0.0, None)
    for change in (loss.mean, loss.deviation, *loss.quantiles.values()):
        assert change is None or change.before == change.after


@given(cases(PLACES), KINDS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter_to_the_bit(case, kind, chance):
    before, after, weights = case
    rows = list(range(len(before)))
    chance.shuffle(rows)
    moved = [None if of is None else [of[row] for row in rows] for of in (before, after, weights)]
    assert loss_of(*moved, kind) == loss_of(before, after, weights, kind)


@given(cases(), st.sampled_from([0.25, 3.0]), KINDS)
def test_equal_weights_are_as_none(case, weight, kind):
    before, after, _ = case
    if kind in ("ordinal", "nominal", "boolean"):
        before, after = ([x and abs(x) for x in values] for values in (before, after))
    loss, same = loss_of(before, after, None, kind), loss_of(before, after, [weight] * len(before), kind)
    numbers = [[of.changed, of.distance, of.shift, *flat(of)] for of in (loss, same)]
    assert numbers[1] == [near(number) for number in numbers[0]]


def flat(loss):
    changes = [loss.mean, loss.deviation, *loss.quantiles.values()]
    return [number for change in changes if change for number in change]


@given(cases(), st.sampled_from([2.0**-1000, 1e-300, 0.1, 1e300]), st.sampled_from([0.0, 1e6]))
def test_scale_and_offset_of_a_column_do_not_matter(case, factor, offset):
    before, after, weights = case
    moved = ([None if x is None else (x + offset) * factor for x in values] for values in (before, after))
    loss, same = loss_of(before, after, weights), loss_of(*moved, weights)
    assert same.changed == loss.changed
    for one, other in ((loss.shift, same.shift), (loss.distance, same.distance)):
        assert other == (None if one is None else pytest.approx(one, rel=1e-7))


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_there_are_do_no_harm():
    most = np.finfo(float).max
    loss = far_apart([-most, most, most, 0.0], [most, most, -most, 0.0], [1e200, 1e-200, 3.0, 1e200])
    assert loss.shift is not None
    assert loss.distance is not None
    assert astuple_of(loss.mean) == near_pair(-most / 2, most / 2)
    assert loss.deviation is not None
    assert far_apart([-most, most], [0.0, 0.0]).deviation is None  # it would be 2**1024 and more
    assert far_apart([1e-300, 2e-300], [1e300, 1e300]).shift is None


@pytest.mark.parametrize("factor", [1e-200, 1e200, 1e300])
def test_the_deviation_before_does_not_depend_on_how_far_the_release_lies(factor):
    before = [-1.5, 0.25, 0.5, 2.0]
    loss = far_apart(before, [value * factor for value in before])
    deviation = float(np.std(before, ddof=1))
    assert astuple_of(loss.deviation) == near_pair(deviation, deviation * factor)
    assert loss.distance == pytest.approx(loss.shift * math.sqrt(2.0))
    assert loss.distance == pytest.approx(np.mean(np.abs(before)) / deviation * abs(factor - 1.0))


def far_apart(before, after, weights=()):
    columns = [Column("a", "continuous", np.array(values)) for values in (before, after)]
    return column_loss(Pair(*columns, Unit()), np.array(weights), 0.0)


def test_a_column_that_gained_or_lost_all_its_values_has_no_distance():
    loss = loss_of([1, 2], [None, None])
    assert (loss.changed, loss.distance, loss.shift, loss.mean) == (1.0, None, None, None)
    assert loss_of([None, None], [None, None]).distance == 0.0


def test_quantiles_are_those_of_numpy():
    values = np.random.default_rng(3).normal(size=101)
    found = loss_of(values, values).quantiles
    assert [change.before for change in found.values()] == pytest.approx(np.quantile(values, QUANTILES))
