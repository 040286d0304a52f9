"""The estimator: scikit-learn's own checks, and what they do not look at."""

from __future__ import annotations

import math
import pickle
import struct
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from microagg import MDAV, VMDAV, Microaggregator, Univariate, protect
from microagg.errors import InputError
from microagg.prepare import standardised
from tests.cases import requests
from tests.naive.mdav import mdav as plain_mdav
from tests.stand_ins import Chunks

METHODS = [MDAV(), VMDAV(gamma=0.2), VMDAV("auto"), Univariate()]

FAIL_AS_EXPECTED = {
    "check_clustering": "it wants 3 natural clusters of 50 records found again; groups of k = 3 are finer",
    "check_sample_weight_equivalence_on_dense_data": "it gives weights of 0, with which a record would "
    "count towards k and yet weigh nothing",
}


@parametrize_with_checks(
    [Microaggregator(method=method) for method in METHODS],
    expected_failed_checks=lambda _: FAIL_AS_EXPECTED,
)
def test_scikit_learn_finds_nothing(estimator, check):
    check(estimator)


def firms(n=40, seed=5):
    """Return columns in alphabetical order and in units far apart."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"age": rng.normal(30, 9, n), "staff": rng.lognormal(3, 1, n), "turnover": rng.lognormal(14, 2, n)},
        index=[f"firm {i}" for i in rng.permutation(n)],
    )


@dataclass(frozen=True)
class Listener:
    """Notes how it was called; the groups are those of `Chunks`."""

    calls: list = field(default_factory=list)

    def partition(self, X, k, **options):
        self.calls.append({"X": X, "k": k, **options})
        return Chunks().partition(X, k)


# ---- groups and centres


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_groups_and_centres_are_those_that_protect_releases(method):
    data = firms()
    result = protect(data.reset_index(drop=True), 4, list(data.columns), method=method)
    estimator = Microaggregator(4, method)
    assert np.array_equal(estimator.fit_transform(data), result.data.to_numpy())
    assert np.array_equal(estimator.labels_, result.labels)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_without_scaling_groups_are_those_of_the_method(method):
    X = firms().to_numpy()
    assert np.array_equal(Microaggregator(4, method, scale=False).fit_predict(X), method.partition(X, 4))


def test_scaling_frees_the_groups_from_the_units():
    metres = firms().to_numpy()
    millimetres = metres * [1.0, 4096.0, 1.0]
    scaled, as_given = Microaggregator(), Microaggregator(scale=False)
    assert np.array_equal(scaled.fit_predict(metres), scaled.fit_predict(millimetres))
    assert not np.array_equal(as_given.fit_predict(metres), as_given.fit_predict(millimetres))


@given(requests(most=40, widest=3), st.sampled_from(METHODS))
@settings(max_examples=60)
def test_every_record_gets_the_mean_of_a_group_of_at_least_k(request, method):
    X, k = request
    estimator = Microaggregator(k, method).fit(X)
    groups = [np.flatnonzero(estimator.labels_ == group) for group in range(estimator.n_groups_)]
    assert min(map(len, groups)) >= k
    assert sum(map(len, groups)) == len(X)
    released = estimator.fit_transform(X)
    for rows in groups:
        means = [float(sum(map(Fraction, column)) / len(rows)) for column in X[rows].T]
        assert released[rows].tolist() == pytest.approx(np.array([means] * len(rows)), rel=1e-15)


@given(requests(most=40, widest=3), st.sampled_from([*METHODS, Chunks()]), st.booleans(), st.randoms())
@settings(max_examples=60)
def test_the_order_of_the_rows_changes_no_centre(request, method, weighted, random):
    X, k = request
    weights = np.array([random.randint(1, 3) for _ in X]) if weighted else None
    rows = np.array(random.sample(range(len(X)), len(X)))

    def fates(X, weights):
        released = Microaggregator(k, method).fit_transform(X, sample_weight=weights)
        parts = [X, released] if weights is None else [X, weights, released]
        return sorted(np.column_stack(parts).tolist())

    assert fates(X, weights) == fates(X[rows], None if weights is None else weights[rows])


def test_values_that_scaling_makes_one_keep_their_order():
    neighbours = 1.99 + np.arange(9) * 2.0**-52
    X = np.concatenate((neighbours, [0.0, 7.0]))[:, None]
    assert len(np.unique(standardised(X))) < len(np.unique(X))
    assert np.array_equal(Microaggregator().fit_transform(X[::-1])[::-1], Microaggregator().fit_transform(X))


def test_the_same_again_is_the_same_to_the_bit():
    X = firms().to_numpy()
    first, second = (Microaggregator(method=VMDAV()).fit_transform(X).tobytes() for _ in range(2))
    assert first == second


def test_k_and_seed_reach_the_method():
    listener = Listener()
    Microaggregator(5, listener, seed=11).fit(firms())
    assert (listener.calls[0]["k"], listener.calls[0]["seed"]) == (5, 11)


# ---- weights


def test_weights_weigh_the_centres():
    X = [[102.0, 50.0], [0.0, 8.0], [4.0, 0.0], [100.0, 50.0]]
    released = Microaggregator(2).fit_transform(X, sample_weight=[1, 3, 1, 1])
    assert released.tolist() == [[101.0, 50.0], [1.0, 6.0], [1.0, 6.0], [101.0, 50.0]]


def test_weights_move_the_groups_of_mdav():
    X = firms().to_numpy()
    weights = np.where(np.arange(len(X)) == int(X[:, 2].argmax()), 1000.0, 1.0)
    labels = Microaggregator(scale=False).fit_predict(X, sample_weight=weights)
    assert labels.tolist() == plain_mdav(X, 3, weights)
    assert labels.tolist() != plain_mdav(X, 3)


def test_the_method_gets_weights_beside_their_records():
    X, listener = firms().to_numpy(), Listener()
    Microaggregator(method=listener, scale=False).fit(X, sample_weight=X[:, 0] + 100.0)
    assert np.array_equal(listener.calls[0]["weights"], listener.calls[0]["X"][:, 0] + 100.0)


def test_equal_weights_are_none():
    X, listener = firms().to_numpy() / 3, Listener()
    estimator = Microaggregator(method=listener)
    assert np.array_equal(
        estimator.fit_transform(X, sample_weight=np.full(len(X), 0.1)), estimator.fit_transform(X)
    )
    assert [call["weights"] for call in listener.calls] == [None, None]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_weights_do_not_enter_k(method):
    X = firms(20)[["staff"]]
    labels = Microaggregator(4, method).fit_predict(X, sample_weight=np.arange(1, 21) * 10)
    assert np.bincount(labels).min() >= 4


# ---- privacy


def traces(value):
    """Return how a number may stand in a pickle."""
    return [struct.pack("<d", value), struct.pack(">d", value), repr(float(value)).encode()]


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("verb", ["fit", "fit_predict", "fit_transform"])
def test_a_stored_estimator_holds_neither_records_nor_centres(method, verb):
    data = firms()
    estimator = Microaggregator(method=method)
    getattr(estimator, verb)(data, sample_weight=np.arange(40) + 1.5)
    stored = pickle.dumps(estimator)
    centres = clone(estimator).fit_transform(data, sample_weight=np.arange(40) + 1.5)
    secrets = np.concatenate((data.to_numpy().ravel(), centres.ravel()))
    assert not [value for value in secrets for trace in traces(value) if trace in stored]
    assert not [name for name in data.index if name.encode() in stored]


def test_fitted_attributes_are_the_documented_ones():
    fitted = vars(Microaggregator().fit(firms())).keys() - Microaggregator().get_params().keys()
    assert fitted == {"labels_", "n_groups_", "n_features_in_", "feature_names_in_"}


def test_a_stored_estimator_comes_back():
    estimator = Microaggregator(method=VMDAV(0.2)).fit(firms())
    again = pickle.loads(pickle.dumps(estimator))
    assert again.method == VMDAV(0.2)
    assert np.array_equal(again.labels_, estimator.labels_)


def test_new_records_cannot_be_put_to_old_centres():
    fitted = Microaggregator().fit(firms())
    assert not hasattr(fitted, "transform")
    assert not hasattr(fitted, "predict")


# ---- data frames


def test_pandas_in_and_out():
    data = firms()
    estimator = Microaggregator().set_output(transform="pandas")
    released = estimator.fit_transform(data)
    assert isinstance(released, pd.DataFrame)
    assert released.index.equals(data.index)
    assert list(released.columns) == list(estimator.get_feature_names_out()) == list(data.columns)
    assert np.array_equal(released, Microaggregator().fit_transform(data.to_numpy()))


def test_polars_in_and_out():
    data = pl.DataFrame(firms().reset_index(drop=True).to_dict("list"))
    estimator = Microaggregator().set_output(transform="polars")
    released = estimator.fit_transform(data, sample_weight=pl.Series(range(1, 41)))
    assert isinstance(released, pl.DataFrame)
    assert released.columns == list(estimator.feature_names_in_) == data.columns
    weighted = Microaggregator().fit_transform(data.to_numpy(), sample_weight=range(1, 41))
    assert np.array_equal(released.to_numpy(), weighted)


def test_frames_in_give_arrays_out_unless_asked():
    assert isinstance(Microaggregator().fit_transform(firms()), np.ndarray)


def test_some_columns_of_a_frame():
    data = firms().assign(name="a firm")
    some = ["staff", "turnover"]
    protected = data.assign(**Microaggregator().set_output(transform="pandas").fit_transform(data[some]))
    assert protected.groupby(some).size().min() >= 3
    assert protected[["age", "name"]].equals(data[["age", "name"]])


# ---- inside scikit-learn's compositions


def test_last_step_of_a_pipeline():
    data = firms()
    weights = np.arange(40) + 1.0
    logarithms = FunctionTransformer(np.log, feature_names_out="one-to-one")
    pipeline = make_pipeline(logarithms, Microaggregator(4)).set_output(transform="pandas")
    alone = Microaggregator(4)
    released = pipeline.fit_transform(data, microaggregator__sample_weight=weights)
    assert np.array_equal(released, alone.fit_transform(np.log(data), sample_weight=weights))
    assert released.index.equals(data.index)
    assert np.array_equal(pipeline.fit_predict(data), alone.fit_predict(np.log(data)))
    assert list(pipeline.get_feature_names_out()) == list(data.columns)


@pytest.mark.parametrize(
    "composed",
    [
        make_pipeline(Microaggregator(), StandardScaler()),
        ColumnTransformer([("groups", Microaggregator(), ["staff"])]),
        make_union(Microaggregator(), StandardScaler()),
    ],
    ids=lambda composed: type(composed).__name__,
)
def test_compositions_that_need_transform_refuse_it(composed):
    with pytest.raises(TypeError, match="transform"):
        composed.fit(firms())


# ---- parameters


def test_a_method_is_named_or_given():
    X = firms().to_numpy()
    named, given_ = Microaggregator(method="vmdav(gamma=0.2)"), Microaggregator(method=VMDAV(0.2))
    assert np.array_equal(named.fit_predict(X), given_.fit_predict(X))


def test_options_of_a_method_are_parameters():
    estimator = Microaggregator(method=VMDAV(0.2))
    assert estimator.get_params()["method__gamma"] == 0.2
    assert "method__gamma" not in estimator.get_params(deep=False)
    assert estimator.set_params(method__gamma=0.5, k=4) is estimator
    assert (estimator.method, estimator.k) == (VMDAV(0.5), 4)


def test_a_method_and_its_options_change_together():
    estimator = Microaggregator().set_params(method__gamma=0.5, method="vmdav")
    assert estimator.method == VMDAV(0.5)
    assert clone(estimator).method == VMDAV(0.5)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"method__gamma": 1.0}, r"MDAV\(\) has no option 'gamma': it has none"),
        ({"method": VMDAV(0.2), "method__beta": 1.0}, "no option 'beta': it has gamma"),
        ({"gamma": 1.0}, "Invalid parameter 'gamma'"),
    ],
)
def test_unknown_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        Microaggregator(method=MDAV()).set_params(**params)


def test_repr_tells_what_is_not_default():
    assert repr(Microaggregator()) == "Microaggregator()"
    assert repr(Microaggregator(5, VMDAV(0.2))) == "Microaggregator(k=5, method=VMDAV(gamma=0.2))"


# ---- faults


def test_fewer_than_k_records_are_refused():
    with pytest.raises(InputError, match="k = 9 is more than the 8 records there are"):
        Microaggregator(9).fit(firms(8))


def test_all_faults_at_once():
    with pytest.raises(InputError) as caught:
        Microaggregator(1, "kmeans").fit(firms(4), sample_weight=[1, 1, 1, -1])
    assert len(caught.value.faults) == 3
    for part in ("'kmeans'", "k = 1", "-1.0 in row 3"):
        assert part in str(caught.value)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, "text"])
def test_records_that_are_not_finite_numbers_are_refused(wrong):
    with pytest.raises(ValueError, match=r"NaN|infinity|text"):
        Microaggregator(2).fit([[1.0], [2.0], [wrong]])
