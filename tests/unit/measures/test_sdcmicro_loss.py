"""What sdcMicro 5.8.1 prints for the reference sets, masked by MDAV."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.aggregate import centres_of
from microagg.measures.information import Released, information_loss
from microagg.measures.sdcmicro_loss import il_correl, sdcmicro_loss
from tests.unit.measures.comparing import compared

THREE = ("FIXED.ASSETS", "SALES", "LABOR.COSTS")
NOISE = None  # what sdcMicro prints or fails at because columns follow from each other
PRINTED = {  # 100 SSE/SST, IL1, IL1s, IL1old, eigen, IL_correl, IL_variables
    ("census", 3): (
        5.6921862787708,
        1430593.67451051,
        1607.93990880066,
        0.114525634529961,
        NOISE,
        NOISE,
        0.988799892838519,
    ),
    ("census", 5): (
        9.08843549763607,
        2129808.27551856,
        2052.6536191953,
        0.146200400227586,
        NOISE,
        NOISE,
        0.994136261892665,
    ),
    ("tarragona", 3): (
        16.9325876228238,
        2929786.89907033,
        1092.09648606563,
        0.100728323747061,
        4.23229386541742,
        0.0584310529800712,
        0.99621980806886,
    ),
    ("tarragona", 5): (
        22.4618596626451,
        3105457.25274354,
        1311.12309499322,
        0.120930003227561,
        6.26193529750518,
        0.0573021222384932,
        0.998569207695033,
    ),
    ("tarragona", 3, THREE): (8.19275915413, None, 114.939908748, None, 0.218728416484, None, None),
    ("tarragona", 5, THREE): (11.5404113568, None, 150.235664157, None, 0.446533476133, None, None),
}


@pytest.mark.parametrize("which", PRINTED, ids=str)
def test_the_reference_sets_give_what_is_printed_of_them(reference_release, which):
    release = reference_release(*which)
    found = sdcmicro_loss(release)
    figures = (found.IL1, found.IL1s, found.IL1old, found.eigen, found.IL_correl, found.IL_variables)
    for figure, printed in zip((percent(release), *figures), PRINTED[which], strict=True):
        if printed is not NOISE:
            assert figure == pytest.approx(printed, rel=5e-12)


def percent(release):
    """Return 100 SSE/SST."""
    labels = release.classes.astype(np.int32)
    groups, whole = labels.max() + 1, np.zeros_like(labels)
    return information_loss(
        {
            pair.name: Released(
                pair.original,
                pair.unit,
                1.0,
                centres_of(pair.original, labels, groups),
                centres_of(pair.original, whole, 1),
            )
            for pair in release.pairs
        },
        labels,
    ).percent


@pytest.mark.parametrize("k", [3, 5])
def test_where_sdcmicro_gives_noise_here_is_a_small_number(reference_release, k):
    found = sdcmicro_loss(reference_release("census", k))
    assert 0.0 < found.eigen < 13.0
    assert 0.0 < found.IL_correl < 0.2


def test_small_cases_by_hand():
    kinds = {"town": "nominal", "grade": "ordinal"}
    before = {"sales": [0.0, 2.0, 4.0], "town": [0, 1, 1], "grade": [0, 1, 2]}
    after = {"sales": [1.0, 1.0, 4.0], "town": [0, 1, 0], "grade": [0, 0, 2]}
    found = sdcmicro_loss(compared(before, after, kinds))
    assert found.IL1s == pytest.approx(2 / np.sqrt(2) / 2)
    assert found.IL1old == pytest.approx(found.IL1s / 3)
    assert pytest.approx(50.0) == found.IL1  # of 2; 0 is left out
    assert found.IL_variables == pytest.approx((0.5 + 0.5 + 1.0 + 0.5) / 9)


def test_il_correl_of_two_matrices_by_hand():
    apart, alike = np.eye(2), np.ones((2, 2))
    assert il_correl(apart, apart) == 0.0
    assert il_correl(np.diag([1.0, 0.0]), np.diag([0.0, 1.0])) == pytest.approx(1.0)
    assert il_correl(apart, alike) == pytest.approx(0.0)  # without an inverse, but as even


@pytest.mark.filterwarnings("error")
@given(st.lists(st.floats(-1e300, 1e300) | st.none(), min_size=1, max_size=6))
def test_nothing_is_lost_where_nothing_is_changed_and_no_number_does_harm(values):
    found = sdcmicro_loss(compared({"a": values}, {"a": values}))
    assert set(vars(found).values()) <= {0.0, None}
    found = sdcmicro_loss(compared({"a": values}, {"a": values[::-1]}))
    assert all(of is None or np.isfinite(of) for of in vars(found).values())
