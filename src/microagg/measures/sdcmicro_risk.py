"""The risks that sdcMicro prints, for those who compare: `dRisk` and `dRiskRMD`.

Templ, Kowarik and Meindl, "Statistical disclosure control for micro-data using the R package sdcMicro",
Journal of Statistical Software 67(4), 2015; what is computed there is told apart from what is written, and
here it is as computed. `measures.intervals` is what to use otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from microagg.columns import Floats
from microagg.measures.amounts import any_there, complete_records, varies
from microagg.measures.columns import both_there
from microagg.measures.compared import AMOUNTS, Compared
from microagg.measures.distribution import deviation_of, mean_of
from microagg.measures.eigenvalues import TOLERANCE
from microagg.measures.scales import scale_of

_OF_DISTANCE = 0.05  # share of a record's distance from the centre that counts as near to it


class RobustRisk(NamedTuple):
    """What `dRiskRMD` calls risk1 and wrisk1."""

    share: float  # of the records of which some released value is near to the original
    weighted: float  # that, times the sum of the distances that count as near to them


def drisk(compared: Compared, width: float = 0.05) -> float:
    """Return the share of records whose amounts all lie within `width` deviations of what is released.

    The deviations are those of the released values, unlike in `intervals`, and what is missing on either
    side counts as inside. Zero if there is no amount.
    """
    inside = np.ones(compared.records, dtype=np.bool_)
    pairs = [pair for pair in compared.of_kinds(AMOUNTS) if any_there(pair)]
    for pair in pairs:
        both, shown = both_there(pair), pair.released.present
        scale = scale_of(pair.original.present, shown)
        gap = np.abs(scale.of(pair.original.values[both]) - scale.of(pair.released.values[both]))
        inside[both] &= gap <= width * _deviation(scale.of(shown))
    return float(inside.mean()) if pairs else 0.0


def drisk_rmd(compared: Compared, covariance: ArrayLike, near: float = 0.01) -> RobustRisk | None:
    """Return the share of records of which some released amount is near to the original one.

    With A and B the amounts before and after, each minus its own mean and divided by its own deviation, a
    record is told if some \\|a - b\\| < near d, with d = 0.05 sqrt(a' C^-1 a): the farther out it lies,
    the more counts as near. Directions in which C has no spread are left out, so that it may be singular,
    as it is where one amount is the sum of others.

    Parameters
    ----------
    compared
        The original and its release. Records with a missing amount are left out.
    covariance
        C, a robust covariance of A, such as scikit-learn's `MinCovDet` gives: a row and a column for each
        amount that varies, in the order of the columns. sdcMicro takes that of robustbase's `covMcd`,
        whose draws move the result by a percent or so.
    near
        The share of d, `k` in sdcMicro.

    Returns
    -------
    RobustRisk or None
        None if no amount varies, or no record has all of them.

    Raises
    ------
    ValueError
        If the covariance has another shape.
    """
    pairs = [pair for pair in compared.of_kinds(AMOUNTS) if any_there(pair) and varies(pair.original)]
    whole = np.logical_and(*complete_records(compared))
    if not pairs or not whole.any():
        return None
    spread = np.asarray(covariance, dtype=np.float64)
    if spread.shape != (len(pairs), len(pairs)):
        raise ValueError(
            f"expected a covariance of {len(pairs)} amounts ({', '.join(pair.name for pair in pairs)}), "
            f"found shape {spread.shape}"
        )
    before = np.column_stack([_standard(pair.original.values[whole]) for pair in pairs])
    after = np.column_stack([_standard(pair.released.values[whole]) for pair in pairs])
    far = _OF_DISTANCE * _distances(before, spread)
    told = np.any(np.abs(before - after) < near * far[:, np.newaxis], axis=1)
    share = float(told.mean())
    return RobustRisk(share, share * float(far[told].sum()))


def _deviation(values: Floats) -> float:
    return deviation_of(values, mean_of(values))


def _standard(values: Floats) -> Floats:
    """Return the values minus their mean, in standard deviations; zeros if they do not vary."""
    scaled = scale_of(values).of(values)
    standard: Floats = (scaled - mean_of(scaled)) / (_deviation(scaled) or 1.0)
    return standard


def _distances(points: Floats, covariance: Floats) -> Floats:
    """Return sqrt(x' C^-1 x) in the directions in which C has any spread (Mahalanobis)."""
    variances, directions = np.linalg.eigh(covariance)
    spread = variances > TOLERANCE * variances.max()
    along = points @ directions[:, spread]
    distances: Floats = np.sqrt((along * along / variances[spread]).sum(axis=1))
    return distances
