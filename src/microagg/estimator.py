"""scikit-learn's face: one estimator for all methods, the only file that imports scikit-learn."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from microagg.aggregate import means_of_groups
from microagg.errors import Faults, InputError
from microagg.partition.matrix import Floats, Labels, Method, canonical
from microagg.partition.registry import method_of
from microagg.prepare import standardised

_OF_METHOD = "method__"  # what scikit-learn puts before the name of a nested parameter


class _Records(NamedTuple):
    """What was grouped: never kept, since a fitted estimator must not hold its data."""

    values: Floats  # n x d, in the units of X
    weights: Floats  # n, or empty when all records weigh the same


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Groups of at least k records, and their centres, the way scikit-learn does things.

    `fit_predict` returns the group of each record; `fit_transform` returns for each record the centre
    of its group, in the units of X. There is no `transform`: a new record put to an old centre would
    stand there without its k - 1 companions. So it can be the last step of a Pipeline; earlier steps,
    ColumnTransformer and FeatureUnion ask for `transform` and refuse it. For some columns of a data
    frame, give it those columns.

    Neither the records nor the centres are kept when fitted: the centres are what would be released,
    and to store an estimator is not to decide on a release. The labels tell who is grouped with whom.

    Research interface: nothing is checked after grouping. `protect` checks what it releases.

    Parameters
    ----------
    k : int, default 3
        The least number of records in a group, from 2 to n.
    method : str or method, default "mdav"
        The name of a method, with options if need be, as in "vmdav(gamma=0.2)", or a method itself,
        such as `MDAV()`. `set_params(method__gamma=0.2)` changes an option of either.
    scale : bool, default True
        Whether distances are measured on standardised columns (each divided by its standard
        deviation, which weights do not enter), so that no column counts more for being in smaller
        units. The centres are in the units of X all the same, which a StandardScaler before this
        step would not give. With False distances are measured on X as it is.
    seed : int, default 0
        Where the chance of methods that draw starts.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n,)
        The group of each record, numbered from 0.
    n_groups_ : int
        How many groups there are.
    n_features_in_ : int
        How many columns X had.
    feature_names_in_ : ndarray of str, shape (d,)
        Their names, where X was a data frame with names.

    Examples
    --------
    >>> staff_and_turnover = [[1, 900], [2, 1100], [40, 50_000], [50, 54_000]]
    >>> Microaggregator(k=2).fit_transform(staff_and_turnover).tolist()
    [[1.5, 1000.0], [1.5, 1000.0], [45.0, 52000.0], [45.0, 52000.0]]
    """

    labels_: Labels
    n_groups_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self, k: int = 3, method: str | Method = "mdav", *, scale: bool = True, seed: int = 0
    ) -> None:
        self.k = k
        self.method = method
        self.scale = scale
        self.seed = seed

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Group the records.

        Parameters
        ----------
        X : array or data frame, shape (n, d)
            The records: finite numbers.
        y
            Not used; scikit-learn passes it.
        sample_weight : array, shape (n,), optional
            How many records of the population each stands for, above 0; equal weights are none. They
            weigh the centres that `fit_transform` returns, and in the methods: of MDAV the centroid
            that the farthest record is sought from; of V-MDAV that centroid, those which the
            leftovers join, and the loss by which gamma is chosen; of the univariate method the order
            of the records and the loss that is made least. They do not enter k: a group has k
            records, whatever they weigh. A record that outweighs the rest of its group shows through
            the centre.

        Returns
        -------
        Microaggregator
            Itself.

        Raises
        ------
        ValueError
            If X is no matrix of finite numbers with at least 2 records.
        InputError
            If k, the method or the weights cannot be used, as with fewer than k records: all faults
            at once. It is a ValueError too.
        """
        self._fit(X, sample_weight)
        return self

    def fit_predict(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Labels:
        """Group the records and return the group of each; parameters and errors are those of `fit`."""
        return self.fit(X, y, sample_weight).labels_

    def fit_transform(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Any:
        """Group the records and return for each the centre of its group, in the units of X.

        Parameters and errors are those of `fit`.

        Returns
        -------
        ndarray of float64, shape (n, d)
            The centres, or the data frame of them that `set_output` asked for.
        """
        records = self._fit(X, sample_weight)
        return means_of_groups(records.values, self.labels_, records.weights)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; if deep, the options of a method too, as `method__gamma`."""
        params: dict[str, Any] = super().get_params(deep)
        if deep:
            params |= {_OF_METHOD + name: getattr(self.method, name) for name in _options(self.method)}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and options of the method by names such as `method__gamma`."""
        options = {name: params.pop(name) for name in list(params) if name.startswith(_OF_METHOD)}
        super().set_params(**params)
        if options:
            changes = {name.removeprefix(_OF_METHOD): value for name, value in options.items()}
            self.method = _changed(method_of(self.method), changes)
        return self

    def _fit(self, X: ArrayLike, sample_weight: ArrayLike | None) -> _Records:
        """Group the records, which the method sees in canonical order."""
        values = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        faults = Faults()
        method = faults.attempt(method_of, self.method)
        records = faults.attempt(canonical, values, self.k, sample_weight)
        InputError.raise_any(faults)
        assert method is not None
        assert records is not None
        ordered = values[records.order]
        self.labels_ = records.restore(
            method.partition(
                standardised(ordered) if self.scale else ordered,
                self.k,
                weights=records.weights if records.weights.size else None,
                seed=self.seed,
            )
        )
        self.n_groups_ = int(self.labels_.max()) + 1
        weights = records.weights if not records.weights.size else np.asarray(sample_weight, np.float64)
        return _Records(values, weights)


def _options(method: object) -> list[str]:
    """Return the names of a method's options; a text has none."""
    if isinstance(method, type) or not is_dataclass(method):
        return []
    return [field.name for field in fields(method) if field.init]


def _changed(method: Method, changes: dict[str, Any]) -> Method:
    """Return the method with some of its options changed."""
    known = _options(method)
    InputError.raise_any(
        f"{method!r} has no option {name!r}: it has {', '.join(known) if known else 'none'}"
        for name in changes
        if name not in known
    )
    changed: Method = replace(method, **changes)  # type: ignore[type-var]  # only dataclasses have options
    return changed
