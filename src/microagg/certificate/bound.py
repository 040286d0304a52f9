"""What a certificate says."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Proof = Literal["distances", "duals", "integer programme"]


@dataclass(frozen=True, eq=False)
class Bound:
    """How small the loss of any k-partition can be, and the best partition that is known.

    `sse` is the bound: no partition into groups of at least k has a smaller SSE; `percent` is the same
    in percent of the SST. `best` is the SSE of the best partition known, whose groups are `labels`, and
    `best_percent` that in percent. `proof` says what the bound rests on:

    - "distances": the distances of each record to those nearest to it;
    - "duals": a sum of whole numbers, which no rounding and no tolerance of a solver can falsify;
    - "integer programme": HiGHS's search through all groups that matter, within its tolerances.
    """

    sse: float
    percent: float
    best: float
    best_percent: float
    labels: NDArray[np.int32] = field(repr=False)
    proof: Proof
    rounds: int  # of pricing
    seconds: float

    @property
    def gap(self) -> float:
        """How far the best partition may be from the best possible, in percent of its own SSE."""
        return 100.0 * (1.0 - self.percent / self.best_percent) if self.best_percent > 0.0 else 0.0

    @property
    def is_optimal(self) -> bool:
        """Whether no partition is better by more than one part in five million."""
        return self.gap <= 2e-5

    def __str__(self) -> str:
        if self.is_optimal:
            return f"loss {self.best_percent:.5g} %, the best possible"
        return (
            f"loss {self.best_percent:.5g} %, within {_rounded_up(self.gap)} % of the best possible, "
            f"which is no less than {self.percent:.5g} %"
        )


def _rounded_up(share: float) -> str:
    """Return a percentage with two digits, none of which makes it smaller."""
    step = 10.0 ** (math.floor(math.log10(share)) - 1)
    return f"{math.ceil(share / step) * step:.2g}"
