"""The losses that sdcMicro prints, for who compares with it; as `dUtility` and `IL_*` of 5.8.1 define them.

They are kept apart because some mislead. IL1s and IL1 are sums that grow with the table; IL1 is ruled by
values near zero, and IL_variables by the unit of a column. "eigen" divides by eigenvalues which may be zero,
and IL_correl inverts a matrix which may have no inverse: where sdcMicro prints noise or fails, since columns
follow from each other, here the directions without spread are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from microagg.columns import Floats
from microagg.kernels.exact import exact_sum
from microagg.measures.columns import both_there, column_loss
from microagg.measures.compared import AMOUNTS, NO_WEIGHTS, Compared, Pair
from microagg.measures.eigenvalues import TOLERANCE, eigenvalues_of
from microagg.measures.moments import moments_loss
from microagg.measures.scales import finite


@dataclass(frozen=True)
class SdcMicroLoss:
    """What sdcMicro would print, by its own names; None where there are no such numbers."""

    IL1s: float | None  # sum |x - y| / (sqrt(2) s(x)) over all cells of amounts
    IL1old: float | None  # the same, divided by the number of cells
    IL1: float | None  # sum of 100 |x - y| / |x| over the cells where x is not zero
    eigen: float | None  # sum |e - f| / e, over eigenvalues of the correlations
    IL_correl: float | None
    IL_variables: float | None


def sdcmicro_loss(compared: Compared) -> SdcMicroLoss:
    """Return sdcMicro's measures of loss. It knows no weights, and neither do these."""
    amounts = compared.of_kinds(AMOUNTS)
    moments = moments_loss(compared._replace(weights=NO_WEIGHTS))
    shifts = [shift for pair in amounts if (shift := _shift_and_cells(pair)) is not None]
    il1s, cells = _sum(shift * count for shift, count in shifts), sum(count for _, count in shifts)
    return SdcMicroLoss(
        IL1s=il1s,
        IL1old=None if il1s is None else il1s / cells,
        IL1=_sum(_percents(pair) for pair in amounts),
        eigen=None if moments is None else eigenvalues_of(moments.before, moments.after).relative,
        IL_correl=None if moments is None else il_correl(moments.before, moments.after),
        IL_variables=_il_variables(compared.pairs),
    )


def il_correl(before: Floats, after: Floats) -> float:
    """Return |u / |u| - v / |v|| / sqrt 2, where u and v are the diagonals of the inverse correlations.

    They say how well each column follows from all others. Of a matrix without an inverse the
    pseudo-inverse (Moore and Penrose) is taken.
    """
    one, other = (np.diag(np.linalg.pinv(of, rcond=TOLERANCE, hermitian=True)) for of in (before, after))
    return float(np.linalg.norm(_unit(one) - _unit(other))) / math.sqrt(2.0)


def _unit(of: Floats) -> Floats:
    length = float(np.linalg.norm(of))
    return np.asarray(of / length if length else of)


def _shift_and_cells(pair: Pair) -> tuple[float, int] | None:
    """Return IL1s of one column and how many values it has; None if that cannot be had."""
    loss = column_loss(pair, NO_WEIGHTS, 0.0)
    if loss.shift is None:
        return None
    return loss.shift, pair.original.values[both_there(pair)].size


def _percents(pair: Pair) -> float:
    """Return the sum of the changes in percent of the values, those that are zero left out."""
    before, after = _values(pair)
    counted = before != 0.0
    with np.errstate(over="ignore"):
        changes = np.abs((before - after)[counted]) / np.abs(before[counted])
    return 100.0 * exact_sum(changes) if np.isfinite(changes).all() else math.inf


def _il_variables(pairs: Iterable[Pair]) -> float | None:
    """Return the mean over all cells of how far values moved, between 0 and 1."""
    found = [_moved(pair) for pair in pairs]
    cells = sum(moved.size for moved in found)
    return math.fsum(map(exact_sum, found)) / cells if cells else None


def _moved(pair: Pair) -> Floats:
    before, after = _values(pair)
    if pair.kind in AMOUNTS:
        with np.errstate(over="ignore"):
            return np.asarray(np.arctan(np.abs(before - after)) * (2.0 / math.pi))
    if pair.kind == "ordinal":
        return np.asarray(np.abs(before - after) / max(pair.original.levels - 1, 1))
    return np.asarray(before != after, dtype=np.float64)


def _values(pair: Pair) -> tuple[Floats, Floats]:
    both = both_there(pair)
    return pair.original.values[both], pair.released.values[both]


def _sum(of: Iterable[float]) -> float | None:
    found = list(of)
    return finite(math.fsum(found)) if found else None
