"""How far variances, covariances and correlations moved.

J. Domingo-Ferrer, V. Torra, "A quantitative comparison of disclosure control methods for microdata", in
Confidentiality, Disclosure and Data Access, 2001, name the mean relative change of the variances IL4 and
the mean absolute change of the correlations IL5.
"""

from __future__ import annotations

import numpy as np

from microagg.columns import Floats
from microagg.kernels.exact import exact_sum
from microagg.measures.amounts import Both, amounts_of, correlations
from microagg.measures.compared import Compared
from microagg.measures.found import MomentsLoss

NOTHING = 1e-12
"""Covariances, in standard deviations, that are no more than rounding errors of zero."""


def moments_loss(compared: Compared) -> MomentsLoss | None:
    """Return how far the moments of the amounts moved, or None if fewer than 2 records have all of them.

    Of each table those records count in which all amounts are there; columns that do not vary in the
    original are left out. One that no longer varies after has correlations of 0. With weights the moments
    are sum(w x y) / sum(w) n / (n - 1), of x and y less their weighted means.
    """
    both = amounts_of(compared)
    return None if both is None else moments_of(both)


def moments_of(both: Both) -> MomentsLoss:
    """Return how far the moments moved."""
    before, after = (
        side.moments() * (side.records / (side.records - 1)) for side in (both.before, both.after)
    )
    pairs = np.triu_indices(len(both.names), 1)
    one, other = correlations(before), correlations(after)
    moved = np.abs(other - one)[pairs]
    covary = np.abs(before[pairs]) > NOTHING
    relative = np.abs(after[pairs] - before[pairs])[covary] / np.abs(before[pairs][covary])
    variances = np.diag(before)
    return MomentsLoss(
        variances=_mean(np.abs(np.diag(after) - variances) / variances),
        covariances=_mean(relative) if relative.size else None,
        correlations=_mean(moved) if moved.size else None,
        largest=float(moved.max()) if moved.size else None,
        names=both.names,
        before=one,
        after=other,
    )


def _mean(of: Floats) -> float:
    return exact_sum(of) / of.size
