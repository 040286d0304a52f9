"""What a search has come to, told in the terms of the caller: time, losses, and labels of the rows."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from microagg.certificate.bound import Bound, Proof
from microagg.certificate.pool import labels_of
from microagg.certificate.problem import Floats, Group, scale_of
from microagg.kernels.exact import squares_within

_EVERY = 0.2  # seconds, from one word of progress to the next


class Clock:
    """The seconds since the work began, and those that are left."""

    def __init__(self, seconds: float) -> None:
        self._began, self._seconds = perf_counter(), seconds

    @property
    def spent(self) -> float:
        """How many seconds have gone by."""
        return perf_counter() - self._began

    @property
    def left(self) -> float:
        """How many seconds remain; below zero when time is up."""
        return self._seconds - self.spent


class Report:
    """Makes bounds for the caller of what is known about the sorted records.

    Losses come and are added up on the scale of `scale_of`, where no square overflows.
    """

    def __init__(self, matrix: Floats, order: NDArray[np.intp], clock: Clock) -> None:
        self.clock, self._order = clock, order
        self._scale = scale_of(matrix)
        self._columns = [np.ldexp(column - column.min(), -self._scale) for column in matrix.T]
        self._sst = self._sse(np.zeros(len(order), np.int32))
        self._told = 0.0

    def is_due(self) -> bool:
        """Say whether it is time to tell the caller how far it is."""
        if self.clock.spent < self._told + _EVERY:
            return False
        self._told = self.clock.spent
        return True

    def bound(self, sse: float, proof: Proof, groups: Iterable[Group], rounds: int = 0) -> Bound:
        """Return what is known: that nothing is below this SSE, and the best partition."""
        labels = labels_of(groups, len(self._order))
        best = self._sse(labels)
        return Bound(
            sse=min(self._unscaled(min(sse, best)), sys.float_info.max),
            percent=self._percent(min(sse, best)),
            best=self._unscaled(best),
            best_percent=self._percent(best),
            labels=self._restored(labels),
            proof=proof,
            rounds=rounds,
            seconds=self.clock.spent,
        )

    def _sse(self, labels: NDArray[np.int32]) -> float:
        groups = int(labels.max()) + 1
        return math.fsum(squares_within(column, labels, groups) for column in self._columns)

    def _percent(self, sse: float) -> float:
        return 100.0 * sse / self._sst if self._sst > 0.0 else 0.0

    def _unscaled(self, sse: float) -> float:
        with np.errstate(over="ignore", under="ignore"):
            return float(np.ldexp(sse, 2 * self._scale))

    def _restored(self, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        restored = np.empty_like(labels)
        restored[self._order] = labels
        return restored
