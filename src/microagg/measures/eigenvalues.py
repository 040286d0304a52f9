"""How the spread along the main directions moved: the eigenvalues of the correlations before and after.

Where columns follow from each other (wages + purchases = costs) some directions have no spread at all. What
rounding leaves of their eigenvalues means nothing, and dividing by it least of all: they are left out.
"""

from __future__ import annotations

import numpy as np

from microagg.columns import Floats
from microagg.kernels.exact import exact_sum
from microagg.measures.compared import Compared
from microagg.measures.found import Eigenvalues
from microagg.measures.moments import moments_loss

TOLERANCE = 1e-12
"""Eigenvalues below this share of the largest are no more than rounding errors of zero."""


def eigenvalues(compared: Compared) -> Eigenvalues | None:
    """Return how the eigenvalues of the correlations moved, or None if these cannot be had."""
    moments = moments_loss(compared)
    return None if moments is None else eigenvalues_of(moments.before, moments.after)


def eigenvalues_of(before: Floats, after: Floats) -> Eigenvalues:
    """Return how the eigenvalues of correlations moved, both sorted from the largest on."""
    one, other = (np.clip(np.linalg.eigvalsh(of)[::-1], 0.0, None) for of in (before, after))
    varies = one > TOLERANCE * one[0]
    moved = np.abs(one - other)
    return Eigenvalues(
        distance=exact_sum(moved) / exact_sum(one),
        relative=exact_sum(moved[varies] / one[varies]),
        rank=int(varies.sum()),
        columns=one.size,
        before=tuple(one.tolist()),
        after=tuple(other.tolist()),
    )
