"""Refined: the partition of another method, improved by iterated local search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from microagg.errors import InputError
from microagg.partition.geometry import loss
from microagg.partition.matrix import (
    Canonical,
    Explained,
    Floats,
    Labels,
    Method,
    Progress,
    canonical,
    explained,
)
from microagg.partition.mdav import MDAV

WORK = 10**8  # what "auto" allows in all, where one iteration counts for k * k * (d + 4)
FEWEST, MOST = 20, 1000  # iterations that "auto" allows for each group of k
OF_BASE = 0.1  # share of the progress that belongs to the base


@dataclass(frozen=True)
class Refined:
    """The partition of another method, improved by iterated local search: by far the least loss.

    Again and again a few neighbouring groups are changed: records push each other on, a group is
    dissolved, formed of its neighbours' records, or several are formed anew. Then records are
    relocated and swapped between these groups and those beside them while that helps, and the change
    is undone if the loss has risen, but for a small rise now and then. Every group gets k to 2k - 1
    records; larger ones of the base are split first. The result never loses more than the base.

    With weights the weighted loss is lowered, each record's distance to its centre counting by its weight.

    Loops are compiled when first used on a machine, which takes about twenty seconds; then they are
    kept. The memory needed grows with n, as for the other methods.

    Research interface: labels only. `protect` checks what it releases.

    Parameters
    ----------
    base
        The method that gives the partition to begin with.
    iterations
        How many changes are tried. "auto" depends on the size of the table alone, with g = n/k groups
        and d columns: 10**8 / (k * k * (d + 4)), but 20 g at least and 1000 g at most, rounded down. A
        second is enough for some 20,000 to 200,000 iterations at k = 3, for some 10,000 at k = 10.
    seconds
        If given, the search stops after so many seconds even if iterations are left. That does not
        count what the base and compiling take; a first few iterations are done in any case.
        `explained` tells the iterations reached: with just so many, and no `seconds`, the same partition
        is found again, to the bit.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.2], [9.0], [9.2]]
    >>> Refined(iterations=100).partition(X, k=2).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2]
    """

    base: Method = field(default_factory=MDAV)
    iterations: int | Literal["auto"] = "auto"
    seconds: float | None = None

    def __post_init__(self) -> None:
        InputError.raise_any([*self._faults_of_base(), *self._faults_of_budget()])

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

        The seed is where chance starts: the same X, k, seed and iterations give the same labels.
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
        """Return the group of each record, the iterations reached, and the loss before and after."""
        records, k = canonical(X, k, weights), int(k)
        n = len(records.points)
        mass = records.weights if records.weights.size else None
        begun = explained(
            self.base, records.points, k, weights=mass, seed=seed, progress=_share(progress, 0.0, OF_BASE)
        )
        labels = _valid(begun.labels, n, k, self.base)
        before = loss(records, labels)
        labels, iterations = self._improved(records, k, labels, seed, _share(progress, OF_BASE, 1.0))
        after = loss(records, labels)
        if not after <= before:  # only where rounding is all there is left to gain
            labels, after = begun.labels.astype(np.int32), before
        account: dict[str, Any] = {"iterations": iterations, "loss_before": before, "loss_after": after}
        if begun.account:
            account["base"] = dict(begun.account)
        told = [_told(iterations, before, after), *([begun.sentence] if begun.sentence else [])]
        return Explained(records.restore(labels), account, "; ".join(told))

    def _improved(
        self, records: Canonical, k: int, labels: Labels, seed: int, progress: Progress | None
    ) -> tuple[Labels, int]:
        """Return a better partition, and the iterations that were done."""
        from microagg.partition.refinery import Task, ready, refined

        points, n = records.points, len(records.points)
        labels = split_large(points, labels, k)
        if n < 2 * k or labels.max() == 0:
            return labels, 0
        ready()
        iterations = iterations_for(n, points.shape[1], k) if self.iterations == "auto" else self.iterations
        began = perf_counter()
        ends_at = math.inf if self.seconds is None else began + self.seconds
        task = Task(points, _unit_weights(records), k, int(seed), int(iterations), ends_at)

        def watch(done: int) -> None:
            if progress is not None:
                share = max(done / iterations, (perf_counter() - began) / (ends_at - began))
                progress(int(n * min(share, 1.0)), n)

        return refined(task, labels, watch)

    def _faults_of_base(self) -> list[str]:
        if isinstance(self.base, type | str) or not callable(getattr(self.base, "partition", None)):
            return [f"the base must be a method, such as MDAV(), found {self.base!r}"]
        return []

    def _faults_of_budget(self) -> list[str]:
        iterations, seconds, faults = self.iterations, self.seconds, []
        if iterations != "auto" and (
            isinstance(iterations, bool) or not isinstance(iterations, int | np.integer) or iterations < 1
        ):
            faults.append(f'iterations must be "auto" or a whole number above zero, found {iterations!r}')
        if seconds is not None and (
            isinstance(seconds, bool) or not isinstance(seconds, int | float | np.number) or not seconds > 0
        ):
            faults.append(f"seconds must be a number above zero, or None for no limit, found {seconds!r}")
        return faults


def _told(iterations: int, before: float, after: float) -> str:
    """Return in words what was done and what it brought."""
    if not iterations:
        return "nothing was refined, since there is one group only"
    return (
        f"refined in {iterations:,} iterations: loss {after:.4g} %, before {before:.4g} %; "
        f"iterations={iterations} finds the same again"
    )


def iterations_for(n: int, d: int, k: int) -> int:
    """Return how many iterations "auto" stands for."""
    groups = n // k
    return max(FEWEST * groups, min(MOST * groups, WORK // (k * k * (d + 4))))


def split_large(points: Floats, labels: Labels, k: int) -> Labels:
    """Split groups of 2k or more along their widest column until all have k to 2k - 1 records."""
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    counts = np.bincount(labels)
    groups = len(counts)
    waiting = [np.flatnonzero(labels == group) for group in np.flatnonzero(counts >= 2 * k)]
    while waiting:
        records = waiting.pop()
        widest = int(np.ptp(points[records], axis=0).argmax())
        ordered = records[np.argsort(points[records, widest], kind="stable")]
        middle = len(ordered) // (2 * k) * k
        labels[ordered[middle:]] = groups
        groups += 1
        waiting += [part for part in (ordered[:middle], ordered[middle:]) if len(part) >= 2 * k]
    return labels


def _valid(labels: NDArray[np.integer], n: int, k: int, base: Method) -> Labels:
    """Return the labels of the base, or raise if they are no partition into groups of k or more."""
    found = np.asarray(labels)
    told = f"the base {base!r} gives no partition into groups of at least {k}"
    if found.shape != (n,) or not np.issubdtype(found.dtype, np.integer):
        raise InputError(f"{told}: expected {n} whole numbers, found {found.dtype} of shape {found.shape}")
    if found.min() < 0:
        raise InputError(f"{told}: record {int(found.argmin())} has the label {int(found.min())}")
    sizes = np.unique(found, return_counts=True)[1]
    if sizes.min() < k:
        raise InputError(
            f"{told}: {int((sizes < k).sum())} group(s) have fewer, the smallest {int(sizes.min())}: "
            "use another base"
        )
    return found.astype(np.int32)


def _unit_weights(records: Canonical) -> Floats:
    """Return the weights, scaled by a power of two so that no product of two overflows or vanishes."""
    weights = records.weights
    if not weights.size:
        return np.ones(len(records.points))
    scaled: Floats = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
    return np.maximum(scaled, 2.0**-400)


def _share(progress: Progress | None, start: float, stop: float) -> Progress | None:
    """Return a progress that tells a part of the work as the share that it is of all."""
    if progress is None:
        return None
    tell: Callable[[int, int], None] = progress
    return lambda done, records: tell(int(records * start + done * (stop - start)), records)
