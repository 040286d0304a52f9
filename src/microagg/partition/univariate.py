"""The optimal cut of one variable, of each of several, or of an ordering of records."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.errors import InputError, NotJointlyAnonymousWarning
from microagg.kernels.exact import exact_group_means, exact_sum
from microagg.kernels.order import lexicographic_order, stable_order
from microagg.partition.geometry import centroid
from microagg.partition.matrix import Canonical, Floats, Labels, Progress, canonical, checked, from_origin
from microagg.partition.shortest_path import optimal_labels

Order = Literal["principal_component", "z_scores"] | int


@dataclass(frozen=True)
class Univariate:
    """The optimal cut of the records along a line, into groups of k to 2k - 1 (Hansen and Mukherjee).

    For one column the partition is the best there is: sorted, the records of each group stand side by
    side, and no k-partition has a smaller SSE. For several columns the records are put in an order
    and the optimal cut of that order is found, with the loss counted over all columns. `order` is

    - "principal_component" (the default): by the first principal component of the columns as given;
    - "z_scores": by the sum of the columns, each divided by its standard deviation;
    - a number: by that column, counted from 0.

    It is the best that this order allows; methods that see all columns at once lose less as a rule,
    unless the records lie about a line. An order of your own goes to `optimal_cut`.

    Weights count in the loss, while k counts records. The cut of one weighted column is the best
    of its sorted records into runs; with weights far apart, groups that are no runs may lose less.

    Records that come out equal in the order are taken by their values, column by column, then by
    their weights, and by position only if all of that is equal. Of equally good cuts that one is
    taken whose last group is the largest, and so on towards the first.

    The time is that of sorting, whatever k, for one column; for several it grows as n k d.

    Research interface: labels only. `protect` checks what it releases.

    References
    ----------
    S. L. Hansen, S. Mukherjee, "A polynomial algorithm for optimal univariate microaggregation", IEEE
    Transactions on Knowledge and Data Engineering 15(4), 2003.

    Examples
    --------
    >>> Univariate().partition([[5.0], [0.1], [9.0], [0.0], [5.1], [0.2], [9.1]], k=2).tolist()
    [1, 0, 2, 0, 1, 0, 2]
    """

    order: Order = "principal_component"

    def __post_init__(self) -> None:
        by_column = type(self.order) is int and self.order >= 0
        if not (by_column or (isinstance(self.order, str) and self.order in _SCORES)):
            there_are = " or ".join(f'"{name}"' for name in _SCORES)
            raise InputError(f"order must be {there_are}, or the number of a column: found {self.order!r}")

    def partition(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Labels:
        """Return the group of each record, numbered along the order.

        Parameters and errors are those of `MDAV.partition`; weights move the centroids and count
        in the loss. InputError too if there is no column of the number given as `order`.
        """
        records = canonical(X, k, weights)
        n, d = records.points.shape
        if not isinstance(self.order, str) and self.order >= d:
            raise InputError(
                f"there is no column {self.order} to order by: counted from 0, the last is column {d - 1}"
            )
        if d == 1:
            return records.restore(
                optimal_labels(records.points, records.weights, int(k), progress, ascending=True)
            )
        along = stable_order(self._scores(records))
        weights_along = records.weights[along] if records.weights.size else records.weights
        labels = np.empty(n, np.int32)
        labels[along] = optimal_labels(
            records.points[along], weights_along, int(k), progress, ascending=False
        )
        return records.restore(labels)

    def _scores(self, records: Canonical) -> Floats:
        if isinstance(self.order, str):
            return _SCORES[self.order](records)
        return records.points[:, self.order]


def optimal_cut(
    X: ArrayLike, k: int, *, weights: ArrayLike | None = None, progress: Progress | None = None
) -> Labels:
    """Return the group of each record under the optimal cut of the records as they stand.

    For orderings that `Univariate` does not know, such as a path from each record to a near one: groups
    are runs of k to 2k - 1 records of X, and no other such cut has a smaller SSE over all columns.
    The labels rise from 0. Errors are those of `MDAV.partition`.

    Examples
    --------
    >>> path = [[0.0, 0.0], [0.0, 1.0], [5.0, 1.0], [5.0, 0.0], [6.0, 0.0], [9.0, 9.0], [9.0, 8.0]]
    >>> optimal_cut(path, k=2).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """
    matrix, mass = checked(X, k, weights)
    ascending = matrix.shape[1] == 1 and bool(np.all(matrix[1:] >= matrix[:-1]))
    return optimal_labels(from_origin(matrix), mass, int(k), progress, ascending=ascending)


@dataclass(frozen=True, eq=False)
class IndividualRanking:
    """Each variable cut optimally by itself, and how far that is from protecting the records.

    In every single column each released value stands for at least k records. But the columns are
    cut apart, and an observer who sees two of them sees much smaller classes: `smallest_class` is the
    least number of records that share all their released values, `records_below_k` how many records
    share them with fewer than k - 1 others.
    """

    labels: NDArray[np.int32] = field(repr=False)  # n x d: the group of each record, in each column
    k: int
    smallest_class: int
    records_below_k: int

    @property
    def jointly_anonymous(self) -> bool:
        """Whether every record shares all its released values with at least k - 1 others."""
        return self.records_below_k == 0

    def __str__(self) -> str:
        n, d = self.labels.shape
        return (
            f"individual ranking of {d} columns: {self.records_below_k} of {n} records share all their "
            f"released values with fewer than {self.k - 1} others, the smallest class holds "
            f"{self.smallest_class} record(s)"
        )


def individual_ranking(
    X: ArrayLike, k: int, *, weights: ArrayLike | None = None, progress: Progress | None = None
) -> IndividualRanking:
    """Cut each column optimally by itself. This gives NO joint k-anonymity.

    The information loss is far below that of any k-partition, because the records are not protected:
    each column is k-anonymous alone, and together the columns single most records out. The result
    carries the evidence, and a NotJointlyAnonymousWarning repeats it. No method, since there is one
    labelling for each column. Parameters and errors are those of `MDAV.partition`.

    Examples
    --------
    >>> with warnings.catch_warnings(action="ignore"):
    ...     result = individual_ranking([[1.0, 7.0], [2.0, 1.0], [8.0, 8.0], [9.0, 2.0]], k=2)
    >>> result.labels.T.tolist()
    [[0, 0, 1, 1], [1, 0, 1, 0]]
    >>> result.smallest_class, result.records_below_k
    (1, 4)
    """
    matrix, _ = checked(X, k, weights)
    n, d = matrix.shape
    labels = np.empty((n, d), np.int32)
    released = np.empty((n, d))
    for j in range(d):
        of_column = _progress_of(progress, j, d)
        labels[:, j] = Univariate().partition(matrix[:, [j]], k, weights=weights, progress=of_column)
        means = exact_group_means(matrix[:, j], labels[:, j], int(labels[:, j].max()) + 1)
        released[:, j] = means[labels[:, j]]
    sizes = _class_sizes(released)
    result = IndividualRanking(labels, int(k), int(sizes.min()), int(sizes[sizes < k].sum()))
    if not result.jointly_anonymous:
        warnings.warn(
            f"each column by itself gives no joint k-anonymity: {result}",
            NotJointlyAnonymousWarning,
            stacklevel=2,
        )
    return result


def _progress_of(progress: Progress | None, column: int, columns: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, records: progress((column * records + done) // columns, records)


def _class_sizes(released: Floats) -> NDArray[np.intp]:
    """Count the records that share all their values, for every class of them."""
    ordered = released[lexicographic_order([*released.T])]
    first = np.append(True, np.any(ordered[1:] != ordered[:-1], axis=1))
    return np.diff(np.append(np.flatnonzero(first), len(ordered)))


def _principal_component(records: Canonical) -> Floats:
    """Return how far along the direction of largest variance each record lies.

    The direction is rounded to ten places: what another processor rounds otherwise in finding it
    does not change the order.
    """
    gaps = records.points - centroid(records.points, records.weights)
    weighted = gaps * records.weights[:, np.newaxis] if records.weights.size else gaps
    d = gaps.shape[1]
    scatter = np.array([[exact_sum(weighted[:, a] * gaps[:, b]) for b in range(d)] for a in range(d)])
    direction = np.linalg.eigh(scatter).eigenvectors[:, -1]
    direction *= np.sign(direction[np.abs(direction).argmax()])
    return _combined(gaps, np.round(direction, 10))


def _sum_of_z_scores(records: Canonical) -> Floats:
    """Return the sum of the columns in units of their standard deviation; constant ones do not count."""
    gaps = records.points - centroid(records.points, records.weights)
    mass = records.weights if records.weights.size else np.ones(len(gaps))
    spread = np.sqrt([exact_sum(mass * gap * gap) for gap in gaps.T])
    return _combined(gaps, np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0))


def _combined(columns: Floats, factors: Floats) -> Floats:
    """Return the sum of the columns times their factors, added one after the other."""
    total: Floats = columns[:, 0] * factors[0]
    for j in range(1, len(factors)):
        total += columns[:, j] * factors[j]
    return total


_SCORES: dict[str, Callable[[Canonical], Floats]] = {
    "principal_component": _principal_component,
    "z_scores": _sum_of_z_scores,
}
