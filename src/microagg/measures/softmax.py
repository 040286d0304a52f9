"""A classifier: the chance of each class is softmax(X B), with a little ridge so that B stays finite.

The descent is Böhning's ("Multinomial logistic regression algorithm", Ann. Inst. Statist. Math. 44, 1992):
the curvature of the loss is nowhere above that of X'X / 2, so that one factorised matrix serves all steps and
none can go wrong; with Nesterov's momentum, dropped where it points uphill, for speed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats

RIDGE = 1e-4
STEPS = 200
_STILL = 1e-6  # the largest change of a step at which no more are made


def fit_softmax(X: Floats, classes: NDArray[np.intp], count: int, weights: Floats) -> Floats:
    """Return the coefficients, a column for each class, from weights that sum to 1.

    Columns of X should be on comparable scales; the first is that of the intercept, which has no ridge.
    """
    ridge = np.full(X.shape[1], RIDGE)
    ridge[0] = 1e-12
    curvature = X.T @ (X * (weights / 2.0)[:, None]) + np.diag(ridge)
    inverse = np.linalg.pinv(curvature, hermitian=True)
    found = np.zeros((X.shape[1], count))
    ahead, momentum = found, 1.0
    for _ in range(STEPS):
        slope = X.T @ _excess(X @ ahead, classes, weights) + ridge[:, None] * ahead
        step = inverse @ slope
        if np.abs(step).max() < _STILL:
            break
        following = ahead - step
        if np.vdot(slope, following - found) > 0.0:
            momentum = 1.0
        faster = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = following + (momentum - 1.0) / faster * (following - found)
        found, momentum = following, faster
    return found


def _excess(scores: Floats, classes: NDArray[np.intp], weights: Floats) -> Floats:
    """Return how much too likely each class is held for each record, times the weight of that."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores *= (weights / scores.sum(axis=1))[:, None]
    scores[np.arange(classes.size), classes] -= weights
    return scores
