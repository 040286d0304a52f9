"""All measures of loss at once, and what is said where one cannot be had."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InputError
from microagg.measures.loss import loss_measures
from microagg.measures.moments import moments_loss
from microagg.measures.pil import probabilistic_loss
from microagg.measures.sdcmicro_loss import sdcmicro_loss
from tests.unit.measures.comparing import compared, grouped

KINDS = {"town": "nominal", "grade": "ordinal", "owner": "boolean", "founded": "date"}


def measured(both, models=()):
    return loss_measures(both, 5.0, {pair.name: 4.0 for pair in both.pairs}, models)


def mixed(records=40):
    rng = np.random.default_rng(7)
    return {
        "sales": rng.lognormal(size=records),
        "staff": rng.poisson(9, size=records),
        "founded": rng.integers(0, 9000, size=records),
        "town": rng.integers(0, 4, size=records),
        "grade": rng.integers(0, 5, size=records),
        "owner": rng.integers(0, 2, size=records),
    }


def test_all_is_told_of_a_table_of_all_kinds():
    both = grouped(mixed(), np.arange(40) // 4, KINDS)
    found, notes = measured(both, ["sales ~ staff", "owner"])
    assert notes == []
    assert found.percent == 5.0
    assert list(found.by_column) == list(mixed())
    assert {loss.percent for loss in found.by_column.values()} == {4.0}
    assert found.shift == pytest.approx(sdcmicro_loss(both).IL1old)
    assert found.moments.names == ("sales", "staff", "founded")
    assert repr(found.moments) == repr(moments_loss(both))
    assert found.probabilistic == probabilistic_loss(both)
    assert found.eigenvalues.columns == 3
    assert [model.target for model in found.models] == ["sales", "owner"]


def test_the_mean_shift_counts_cells_and_weights():
    before = {"a": [1.0, 2.0, 3.0, None], "b": [0.0, 0.0, 4.0, 8.0], "flat": [1.0] * 4}
    after = {"a": [2.0, 2.0, 2.0, 2.0], "b": [0.0, 0.0, 6.0, 6.0], "flat": [1.0] * 4}
    a, b = (moved / math.sqrt(2) / np.std(of, ddof=1) for moved, of in ((2, [1, 2, 3]), (4, before["b"])))
    assert measured(compared(before, after))[0].shift == pytest.approx((a + b) / 7)
    weights = [1.0, 1.0, 1.0, 3.0]
    found = measured(compared(before, after, weights=weights))[0]
    shifts = [found.by_column[name].shift for name in "ab"]
    assert found.shift == pytest.approx((3 * shifts[0] + 6 * shifts[1]) / 9)


def test_what_could_not_be_had_is_said():
    def notes_of(before, after, kinds=None, models=()):
        return measured(compared(before, after, kinds), models)[1]

    some = {"x": [1.0, 2.0, 3.0]}
    assert notes_of({"a": [0, 1, 1]}, {"a": [0, 1, 1]}, {"a": "nominal"}) == [
        "no column of amounts is compared: there are no moments, eigenvalues and probabilistic loss"
    ]
    assert notes_of({**some, "a": [5.0] * 3}, {**some, "a": [5.0] * 3}) == [
        "the same value throughout the original, so left out of moments: a"
    ]
    assert notes_of(some, {"x": [2.0] * 3}) == [
        "the same value throughout the release, so its correlations count as 0: x"
    ]
    assert notes_of({**some, "a": [None] * 3}, {**some, "a": [None] * 3}) == [
        "no value at all before or after, so left out of moments: a"
    ]
    assert notes_of({"x": [1.0, 2.0, 3.0, None]}, {"x": [2.0, 2.5, 3.0, 3.0]}) == [
        "left out of moments for want of an amount: 1 original and 0 released records"
    ]
    assert notes_of(
        {"x": [1.0, 2.0, None], "y": [None, 2.0, 3.0]}, {"x": [1.0] * 3, "y": [1.0, 2.0, 3.0]}
    ) == ["no moments could be compared: fewer than 2 records have all amounts, or no amount varies"]
    assert notes_of({**some, "a": [1.0, 2.0, 3.0]}, {**some, "a": [1e300, 1.0, 1.0]}) == [
        "without variation in the records that have all amounts, or next to none beside the values of the "
        "release, so left out of moments: a"
    ]
    assert notes_of({**some, "a": [5.0] * 3}, {**some, "a": [5.0] * 3}, models=["a"])[1:] == [
        "the model 'a' cannot be judged: its target does not vary, or too few records have it"
    ]


def test_a_wrong_model_is_told_before_any_work():
    both = grouped(mixed(), np.arange(40) // 4, KINDS)
    with pytest.raises(InputError, match="did you mean 'sales'"):
        loss_measures(both, 5.0, {}, ["sale"])


NUMBERS = st.sampled_from([0.0, 1.0, -3.0, 1e9, 1e9 + 1, 1e300, -1e300, 1e-300, 5e-324, 0.1]) | st.none()


@st.composite
def strange_tables(draw):
    n = draw(st.integers(1, 14))
    kinds = {"a": "continuous", "b": "integer", "c": draw(st.sampled_from(["ordinal", "nominal", "boolean"]))}
    places = st.integers(0, 2) | st.none()
    rows = {"a": NUMBERS, "b": NUMBERS, "c": places}
    before, after = (
        {name: draw(st.lists(of, min_size=n, max_size=n)) for name, of in rows.items()} for _ in range(2)
    )
    weights = draw(st.none() | st.lists(st.sampled_from([1.0, 1e-300, 1e300, 7.5]), min_size=n, max_size=n))
    return compared(before, after, kinds, weights)


@pytest.mark.filterwarnings("error")
@given(strange_tables())
def test_nothing_is_ever_nan_or_infinite(both):
    found, notes = measured(both, ["a", "c ~ a + b"])
    assert all(isinstance(note, str) for note in notes)
    json.dumps(asdict(found), allow_nan=False, default=lambda of: of.tolist())


@pytest.mark.filterwarnings("error")
@given(strange_tables())
def test_nothing_is_lost_where_nothing_is_changed(both):
    same = both._replace(pairs=tuple(pair._replace(released=pair.original) for pair in both.pairs))
    found, _ = measured(same, ["a", "c"])
    assert found.shift in (0.0, None)
    assert found.probabilistic is None or found.probabilistic.percent == 0.0
    assert found.eigenvalues is None or found.eigenvalues.distance == 0.0
    assert all(model.score.before == model.score.after for model in found.models)
