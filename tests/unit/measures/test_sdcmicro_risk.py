"""The risks of sdcMicro, against what it printed for Census and Tarragona."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from sklearn.covariance import MinCovDet

from microagg import MDAV
from microagg.datasets import load_reference
from microagg.measures.sdcmicro_risk import drisk, drisk_rmd
from microagg.prepare import standardised
from tests.conftest import FOLDER
from tests.unit.measures.comparing import compared, grouped

PRINTED = {  # dRisk with k = .05, .01, .1, .5
    ("census", 3): (0, 0, 0.00277777777777778, 0.634259259259259),
    ("census", 5): (0, 0, 0.000925925925925926, 0.413888888888889),
    ("tarragona", 3): (0.0455635491606715, 0, 0.258992805755396, 0.8189448441247),
    ("tarragona", 5): (0.0179856115107914, 0, 0.161870503597122, 0.762589928057554),
}
THREE = [0, 6, 7]  # FIXED.ASSETS, SALES, LABOR.COSTS


@pytest.fixture
def raw(standardised_reference):
    """Give a function that returns a reference set as it is, or skips the test."""

    def get(name):
        standardised_reference(name)
        return load_reference(name, FOLDER).X

    return get


def masked(X, k):
    return grouped(X, MDAV().partition(standardised(X), k))


def robust_covariance(X):
    """Return the covariance that robustbase would: scikit-learn leaves out the last factor."""
    A = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    n, p = A.shape

    def consistent(rows):
        share = len(rows) / n
        return np.cov(rows.T) * share / chi2.cdf(chi2.ppf(share, p), p + 2)

    found = MinCovDet(random_state=1).fit(A)
    core = A[found.raw_support_]
    gaps = A - core.mean(axis=0)
    distances = (gaps @ np.linalg.inv(consistent(core)) * gaps).sum(axis=1)
    return consistent(A[distances < chi2.ppf(0.975, p)])


@pytest.mark.parametrize(("name", "k"), PRINTED)
def test_drisk_is_that_printed(raw, name, k):
    release = masked(raw(name), k)
    found = [drisk(release, width) for width in (0.05, 0.01, 0.1, 0.5)]
    assert found == pytest.approx(PRINTED[name, k], rel=1e-14)
    assert drisk(release) == found[0]


@pytest.mark.parametrize(
    ("k", "risk", "robust"), [(3, 0.669064748201, 0.118705035971223), (5, 0.573141486811, 0.0779376498800959)]
)
def test_three_columns(raw, k, risk, robust):
    X = raw("tarragona")[:, THREE]
    release = masked(X, k)
    assert drisk(release) == pytest.approx(risk, abs=5e-13)
    assert drisk_rmd(release, robust_covariance(X)).share == pytest.approx(robust, abs=0.02)


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")  # of MinCovDet
@pytest.mark.parametrize(
    ("k", "least", "most", "weighted"), [(3, 0.3693, 0.3777, 89.3), (5, 0.2938, 0.295, 63.6)]
)
def test_robust_risk_is_in_the_spread_of_those_printed(raw, k, least, most, weighted):
    X = raw("tarragona")
    release, covariance = masked(X, k), robust_covariance(X)
    found = drisk_rmd(release, covariance)
    assert least - 0.002 < found.share < most + 0.002
    assert found.weighted == pytest.approx(weighted, rel=0.05)
    wide = drisk_rmd(release, covariance, near=0.7)
    assert wide.share == 1.0
    assert wide.weighted == pytest.approx(609.134683979468, rel=0.01)


def test_a_column_that_follows_from_others_moves_no_record_outwards():
    X = np.random.default_rng(2).normal(size=(200, 2))
    shares = [0.5, 0.5]
    three = np.column_stack([X, X @ shares])
    far = [
        drisk_rmd(masked(of, 4), np.corrcoef(of.T), near=1e6).weighted  # so near that all records are told
        for of in (X, three)
    ]
    assert far[1] == pytest.approx(far[0], rel=1e-9)


def test_directions_without_spread_are_left_out():
    X = np.random.default_rng(3).normal(size=(100, 2))
    a = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std(ddof=1)
    found = drisk_rmd(masked(X, 4), np.diag([1.0, 0.0]), near=1e6)
    assert found == pytest.approx((1.0, 0.05 * np.abs(a).sum()))


def test_a_singular_covariance_will_do(raw):
    X = raw("census")
    assert 0 < drisk_rmd(masked(X, 3), np.corrcoef(X.T)).share < 1


def test_the_plain_case_by_hand():
    before = [[0.0, 0.0], [1.0, 4.0], [2.0, 2.0], [3.0, 6.0]]
    after = [[0.0, 3.0], [3.0, 3.0], [0.0, 3.0], [3.0, 3.0]]
    release = compared(before, after)
    assert drisk(release) == 0.0  # the second column is constant, and so has no width
    x, y = np.array(before), np.array(after)
    a = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    b = np.column_stack([(y[:, 0] - 1.5) / y[:, 0].std(ddof=1), np.zeros(4)])
    far = 0.05 * np.sqrt((a**2).sum(axis=1))
    told = (np.abs(a - b) < 5 * far[:, np.newaxis]).any(axis=1)
    found = drisk_rmd(release, np.eye(2), near=5)
    assert 0 < told.mean() < 1
    assert found == pytest.approx((told.mean(), told.mean() * far[told].sum()))


def test_missing_values_count_as_inside_or_not_at_all():
    before = {"a": [1.0, 2.0, None, 4.0], "b": [1.0, 5.0, 3.0, 4.0]}
    after = {"a": [1.0, 2.0, 3.0, None], "b": [1.0, 2.0, 3.0, 4.0]}
    release = compared(before, after)
    assert drisk(release) == 0.75
    assert drisk_rmd(release, np.eye(2)).share in (0.0, 0.5, 1.0)


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
def test_there_are_no_amounts(kind):
    release = grouped({"a": [0, 1, 1, 0]}, [0, 0, 1, 1], {"a": kind})
    assert drisk(release) == 0.0
    assert drisk_rmd(release, np.eye(1)) is None


def test_nothing_is_there_or_varies():
    assert drisk(compared({"a": [None, None]}, {"a": [None, None]})) == 0.0
    assert drisk_rmd(compared({"a": [2.0, 2.0]}, {"a": [2.0, 2.0]}), np.eye(1)) is None
    gaps = compared(
        {"a": [1.0, None], "b": [1.0, 2.0], "c": [None, 1.0]}, {"a": [1, 1], "b": [1, 1], "c": [1, 1]}
    )
    assert drisk_rmd(gaps, np.eye(1)) is not None  # only b varies


def test_a_covariance_of_another_shape_is_told():
    with pytest.raises(ValueError, match=r"a covariance of 2 amounts \(a, b\), found shape \(3, 3\)"):
        drisk_rmd(compared([[1, 2], [3, 5]], [[2, 2], [2, 2]]), np.eye(3))


@given(st.integers(0, 99), st.sampled_from([1e-300, 1.0, 1e300]), st.integers(2, 6))
def test_units_have_no_effect_and_wider_holds_more(seed, factor, k):
    X = np.random.default_rng(seed).normal(size=(40, 3))
    plain, scaled = (grouped(of, np.arange(40) // k) for of in (X, X * factor))
    risks = [drisk(plain, width) for width in (0, 0.01, 0.1, 1, 1e3)]
    assert risks == sorted(risks)
    assert risks[-1] == 1.0
    assert drisk(scaled, 0.3) == drisk(plain, 0.3)
    assert drisk_rmd(scaled, np.eye(3)) == pytest.approx(drisk_rmd(plain, np.eye(3)))


def test_what_is_released_as_it_is_is_told():
    X = np.random.default_rng(0).normal(size=(50, 3))
    assert drisk(compared(X, X)) == 1.0
    assert drisk_rmd(compared(X, X), np.eye(3)).share == 1.0
