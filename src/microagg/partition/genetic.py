"""A genetic algorithm, in small parts of the data: the groups of another method, made better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.errors import Faults, InputError
from microagg.kernels.exact import exact_group_means, exact_group_sums
from microagg.partition.geometry import loss
from microagg.partition.matrix import Canonical, Explained, Floats, Labels, Method, Progress, canonical
from microagg.partition.mdav import MDAV
from microagg.partition.registry import method_of

if TYPE_CHECKING:
    from microagg.partition.evolution import Records

AUTO_GROUPS = 9  # of k records in a macrogroup: the paper's 27 records for its k = 3
LARGEST = 3000  # records in a macrogroup, of which the squared distances of all pairs are kept


@dataclass(frozen=True)
class Genetic:
    """A genetic algorithm in macrogroups of about K records, formed by a base method.

    Two-step partitioning (`steps=2`): the base method forms groups of k, then, of their means,
    macrogroups of K/k; within each macrogroup the algorithm looks for better groups, starting from
    those of the base method among others. So the loss is never above that of the base method alone.
    One-step partitioning (`steps=1`): the base method forms macrogroups of K from the records
    themselves, and the algorithm starts from chance alone. That can be worse than the base method.

    The algorithm is the paper's, with its rates: each chromosome holds the group number of each
    record, its fitness is 1 / (SSE + 1), two parents are drawn by roulette wheel, crossed at one point
    and mutated, and what is no partition into groups of k to 2k - 1 is repaired. What the paper leaves
    open is said in the documentation of the method.

    The same seed gives the same groups, whatever the number of processors, all of which are used; the
    order of the rows does not matter.

    Research interface: labels only. `protect` checks what it releases.

    Parameters
    ----------
    base
        The method that forms groups and macrogroups; the paper's is MDAV.
    macrogroup
        K, the records in a macrogroup, a multiple of k; "auto" is 9 k, and None is one macrogroup of all.
    steps
        2 for two-step, 1 for one-step partitioning.
    population
        How many chromosomes live at a time.
    crossover
        The share of pairs of children that exchange genes.
    mutation
        The share of children in which one gene changes.
    iterations
        Generations in each macrogroup, of as many children as there are chromosomes.

    References
    ----------
    A. Martinez-Balleste, A. Solanas, J. Domingo-Ferrer, J. M. Mateo-Sanz, "A genetic approach to
    multivariate microaggregation for database privacy", ICDE Workshops 2007.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0], [7.0], [20.0], [21.0]]
    >>> MDAV().partition(X, k=2).tolist()
    [1, 1, 2, 2, 2, 0, 0]
    >>> Genetic(macrogroup=None).partition(X, k=2).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    """

    base: Method = MDAV()  # noqa: RUF009 - a frozen value
    macrogroup: int | Literal["auto"] | None = "auto"
    steps: Literal[1, 2] = 2
    population: int = 10
    crossover: float = 0.5
    mutation: float = 0.1
    iterations: int = 10_000

    def __post_init__(self) -> None:
        faults = Faults()
        faults.attempt(method_of, self.base)
        if isinstance(self.base, str):
            faults.append(f"the base must be a method, such as MDAV(): found {self.base!r}")
        if not (self.macrogroup in ("auto", None) or _is_whole(self.macrogroup, 4)):
            faults.append(
                "macrogroup must be a number of records from 4, a multiple of k such as 9 k; "
                f'"auto", which is 9 k; or None, for one of all: found {self.macrogroup!r}'
            )
        if not (_is_whole(self.steps, 1) and self.steps <= 2):
            faults.append(
                f"steps must be 1 or 2, for one-step or two-step partitioning: found {self.steps!r}"
            )
        if not _is_whole(self.population, 2):
            faults.append(f"population must be a whole number from 2: found {self.population!r}")
        if not _is_whole(self.iterations, 1):
            faults.append(f"iterations must be a whole number from 1: found {self.iterations!r}")
        for name in ("crossover", "mutation"):
            rate = getattr(self, name)
            if isinstance(rate, bool) or not (isinstance(rate, int | float) and 0.0 <= rate <= 1.0):
                faults.append(f"{name} is a rate and must be a number from 0 to 1: found {rate!r}")
        InputError.raise_any(faults)

    def partition(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Labels:
        """Return the group of each record; parameters and errors are those of `MDAV.partition`.

        The seed is what all random numbers come from. A macrogroup that is no multiple of k, or less
        than 2k, is refused, and so is a base method that forms groups of fewer than k.
        """
        return self.explained(X, k, weights=weights, seed=seed, progress=progress).labels

    def explained(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Explained:
        """Return the group of each record, and what the algorithm gained."""
        from microagg.partition.evolution import Evolution, Rates  # brings numba

        faults = Faults()
        records = faults.attempt(canonical, X, k, weights)
        size = faults.attempt(self._size, k)
        InputError.raise_any(faults)
        assert records is not None
        start, macrogroups = _Split(self.base, records, int(k), seed).macrogroups(size, self.steps)
        rates = Rates(self.population, float(self.crossover), float(self.mutation), self.iterations)
        evolution = Evolution(records.points, records.weights, int(k), macrogroups, rates, int(seed))
        labels = evolution.run(start, progress)
        account: dict[str, object] = {
            "macrogroups": len(macrogroups),
            "largest_macrogroup": max(len(members) for members in macrogroups),
            "iterations": self.iterations,
            "loss": loss(records, labels),
        }
        if start is not None:
            account["loss_of_base"] = loss(records, start)
        return Explained(records.restore(labels), account, _sentence(account))

    def _size(self, k: int) -> int | None:
        """Return K, None for one macrogroup of all."""
        if self.macrogroup is None or not _is_whole(k, 2):
            return None
        if self.macrogroup == "auto":
            return AUTO_GROUPS * int(k)
        size = int(self.macrogroup)
        if size < 2 * k:
            raise InputError(
                f"a macrogroup of {size} records leaves no choice of groups of k = {k}: take at least {2 * k}"
            )
        if self.steps == 2 and size % k:
            raise InputError(
                f"a macrogroup of {size} records is not made of whole groups of k = {k}: "
                f"take {size - size % k} or {size - size % k + k}"
            )
        return size


class _Split:
    """How records are split into macrogroups by a base method."""

    def __init__(self, base: Method, records: Canonical, k: int, seed: int) -> None:
        self.base, self.records, self.k, self.seed = base, records, k, seed

    def macrogroups(self, size: int | None, steps: int) -> tuple[Labels | None, Sequence[Records]]:
        """Return the groups of the base method, which one step has not, and the macrogroups' records."""
        points, weights = self.records.points, self.records.weights
        start = self._by_base(points, self.k, weights) if steps == 2 else None
        if size is None or size >= len(points):
            of_record = np.zeros(len(points), np.int32)
        elif start is None:
            of_record = self._by_base(points, size, weights)
        else:
            of_record = self._of_groups(start, size // self.k)[start]
        parts = np.split(np.argsort(of_record, kind="stable"), np.cumsum(np.bincount(of_record))[:-1])
        largest = max(len(part) for part in parts)
        if largest > LARGEST:
            raise InputError(
                f"a macrogroup holds {largest:,} records, of which all pairs would be kept: expected at most "
                f'{LARGEST:,}. Set macrogroup="auto", or a small multiple of k'
            )
        return start, parts

    def _of_groups(self, start: Labels, size: int) -> Labels:
        """Return the macrogroup of each group: the base method's groups of their means."""
        points, weights = self.records.points, self.records.weights
        groups = int(start.max()) + 1
        if groups <= size:
            return np.zeros(groups, np.int32)
        means = np.array([exact_group_means(x, start, groups, weights) for x in points.T]).T
        mass = exact_group_sums(weights, start, groups).high if weights.size else weights
        return self._by_base(means, size, mass)

    def _by_base(self, points: Floats, k: int, weights: Floats) -> Labels:
        """Return the base method's groups, if they are valid, numbered without gaps."""
        mass = weights if weights.size else None
        labels = np.asarray(self.base.partition(points, k, weights=mass, seed=self.seed))
        if labels.shape != (len(points),) or labels.dtype.kind not in "iu":
            raise InputError(
                f"the base method {self.base!r} must give a whole number for each of {len(points)} records, "
                f"its group: found {labels.dtype} of shape {labels.shape}"
            )
        numbered: NDArray[np.intp]
        _, numbered, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        if sizes.min() < k:
            raise InputError(
                f"the base method {self.base!r} formed a group of {sizes.min()}, expected at least {k}: "
                "take one that keeps to k, such as MDAV()"
            )
        return numbered.astype(np.int32)


def _sentence(account: dict[str, object]) -> str:
    where = f"genetic algorithm in {account['macrogroups']:,} macrogroups: loss {account['loss']:.4g} %"
    return where + (
        f", before it {account['loss_of_base']:.4g} %"
        if "loss_of_base" in account
        else ", started from chance"
    )


def _is_whole(value: object, least: int) -> bool:
    """Say whether this is a whole number, and not less than the least."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)
