"""What every method does with its matrix first: check it, and put it in canonical form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.errors import Faults, InputError
from microagg.kernels.order import lexicographic_order

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Progress = Callable[[int, int], None]
"""Called with (records done, records in all); an exception raised in it stops the work cleanly."""

COMPILED_FROM = 10_000
"""Records from which compiled loops pay; below it, compiling or loading them takes longer than NumPy."""

_loaded: ContextVar[bool] = ContextVar("loaded", default=False)


def compiled_from(usual: int) -> int:
    """Return from how many records on compiled loops are used: any, where they are loaded anyway."""
    return 0 if _loaded.get() else usual


@contextmanager
def compiled_anyway(loaded: bool) -> Iterator[None]:
    """Say whether compiled loops are loaded anyway, for what this thread does meanwhile.

    It makes a difference to the time only: the groups are the same with them and without.
    """
    before = _loaded.set(loaded)
    try:
        yield
    finally:
        _loaded.reset(before)


class Method(Protocol):
    """A way to partition a matrix into groups of at least k records."""

    def partition(
        self,
        X: NDArray[np.float64],
        k: int,
        *,
        weights: NDArray[np.float64] | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Labels:
        """Return the group of each record, groups numbered from 0."""
        ...


class Explained(NamedTuple):
    """A partition, and what its method found out on the way."""

    labels: Labels
    account: Mapping[str, Any]
    """Plain data."""
    sentence: str = ""
    """The account in words, or nothing worth saying."""


def explained(
    method: Method,
    X: Floats,
    k: int,
    *,
    weights: Floats | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Explained:
    """Partition by a method, and let it explain itself if it can: if it has a method `explained`."""
    explain = getattr(method, "explained", None)
    if explain is not None:
        answer: Explained = explain(X, k, weights=weights, seed=seed, progress=progress)
        return answer
    return Explained(method.partition(X, k, weights=weights, seed=seed, progress=progress), {})


class Canonical(NamedTuple):
    """The records in an order and on an origin that do not depend on how they were given."""

    points: Floats  # n x d, lexicographically sorted, each column's minimum moved to zero
    weights: Floats  # n, or empty when all records weigh the same
    order: NDArray[np.intp]  # points[i] is record order[i]

    def restore(self, labels: Labels) -> Labels:
        """Put labels of the canonical records back into the order of the rows."""
        restored = np.empty_like(labels)
        restored[self.order] = labels
        return restored


def canonical(X: Any, k: int, weights: ArrayLike | None = None) -> Canonical:
    """Check the request, sort the records and move each column's minimum to zero.

    The shift is exact wherever the differences of the data are representable, so a large common
    offset does not reach the distances. The scaling by a power of two, exact too, keeps squares
    from overflowing, and those of tiny numbers from vanishing. Records that are equal in every
    column are ordered by their weights. Raises InputError with all faults at once.
    """
    matrix, mass = checked(X, k, weights)
    order = lexicographic_order([*matrix.T, mass] if mass.size else [*matrix.T])
    if np.all(order[1:] > order[:-1]):  # as `protect` hands them over, and needs no copy
        return Canonical(from_origin(matrix), mass, order)
    return Canonical(from_origin(matrix.take(order, axis=0)), mass[order] if mass.size else mass, order)


def checked(X: Any, k: int, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return X as a matrix and the weights, none if all are equal, or raise one error with all faults."""
    faults = Faults()
    matrix = faults.attempt(checked_matrix, X, k)
    mass = faults.attempt(_checked_weights, weights, len(X) if hasattr(X, "__len__") else None)
    InputError.raise_any(faults)
    assert matrix is not None
    assert mass is not None
    return matrix, mass


def from_origin(matrix: Floats) -> Floats:
    """Return the records with each column's minimum moved to zero, and scaled where squares would not fit.

    The matrix itself, if that changes nothing and it is laid out as the kernels are compiled for: no
    method writes to its records.
    """
    least = matrix.min(axis=0)
    points: Floats = np.require(matrix - least if least.any() else matrix, None, ["C", "W"])
    largest = points.max(initial=0.0)
    if largest > 0.0 and not 2.0**-200 < largest < 2.0**200:
        return np.ldexp(points, -int(np.frexp(largest)[1]))
    return points


def checked_matrix(X: Any, k: int) -> Floats:
    """Return X as an n x d float64 array, or raise one error that names all its faults."""
    faults = [*_faults_of_k(k)]
    try:
        matrix = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError([*faults, f"the matrix must hold numbers only: {error}"]) from None
    if matrix.ndim != 2:
        raise InputError(
            [*faults, f"expected a matrix of records by columns, found {matrix.ndim} dimension(s)"]
        )
    n, d = matrix.shape
    if d == 0:
        faults.append("the matrix has no columns: name at least one quasi-identifier")
    if n == 0:
        faults.append("the matrix has no records")
    elif not faults and k > n:
        faults.append(f"k = {k} is more than the {n} records there are")
    InputError.raise_any([*faults, *_faults_of_values(matrix)])
    return matrix


def _faults_of_k(k: int) -> list[str]:
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        return [f"k must be a whole number, found {k!r}"]
    if k < 2:
        return [f"k = {k} protects nobody: a group must hold at least 2 records"]
    return []


def _faults_of_values(matrix: Floats) -> list[str]:
    finite = np.isfinite(matrix)
    faults = []
    for j in np.flatnonzero(~finite.all(axis=0)):
        row = int(np.flatnonzero(~finite[:, j])[0])
        count = int((~finite[:, j]).sum())
        faults.append(
            f"column {j} holds {count} value(s) that are not finite, first {matrix[row, j]} in row {row}"
        )
    if not faults and matrix.size:
        with np.errstate(over="ignore"):
            wide = np.flatnonzero(~np.isfinite(np.ptp(matrix, axis=0)))
        faults += [f"column {j} spans more than a number can hold: rescale it" for j in wide]
    return faults


def _checked_weights(weights: ArrayLike | None, records: int | None) -> Floats:
    """Return the weights, empty for none, or raise if they cannot weigh so many records."""
    if weights is None:
        return np.empty(0)
    try:
        mass = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the weights must be numbers: {error}") from None
    if mass.ndim != 1 or (records is not None and mass.size != records):
        raise InputError(f"expected one weight for each of {records} records, found shape {mass.shape}")
    wrong = np.flatnonzero(~(np.isfinite(mass) & (mass > 0.0)))
    if wrong.size:
        raise InputError(
            f"weights must be finite and above zero, found {mass[wrong[0]]} in row {wrong[0]}"
            + (f" ({wrong.size} such weights in all)" if wrong.size > 1 else "")
        )
    return np.empty(0) if mass.size and np.ptp(mass) == 0.0 else mass
