"""Records and what stands for them, seen along the two directions in which they vary most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.measures.compared import Compared
from microagg.report.scales import scale_for

_RECORDS = 1500  # that are shown, in whole groups
_NOTHING = 1e-12  # share of the spread below which a direction is none


class Components(NamedTuple):
    """The two main directions of the points, and how much of the spread lies along each."""

    middle: Floats
    directions: Floats  # d x 2
    shares: tuple[float, float]

    def of(self, points: Floats) -> Floats:
        """Return points as seen along these directions."""
        seen: Floats = (points - self.middle) @ self.directions
        return seen


class Scatter(NamedTuple):
    """Records, each with its released point, in places between 0 and 1."""

    records: Floats  # m x 2
    released: Floats  # m x 2
    shares: tuple[float, float]
    stretched: bool
    shown: int
    groups: int
    total: int


def scatter(compared: Compared) -> Scatter | None:
    """Return the picture of the records; None where they do not vary along two directions."""
    found = components(compared.original)
    if found is None:
        return None
    rows = _sample(compared, found)
    records = found.of(compared.original[rows])
    released = found.of(compared.released[rows])
    places = [_placed(records[:, axis], released[:, axis]) for axis in range(2)]
    return Scatter(
        records=np.column_stack([place[0] for place in places]),
        released=np.column_stack([place[1] for place in places]),
        shares=found.shares,
        stretched=any(place[2] for place in places),
        shown=rows.size,
        groups=np.unique(compared.classes[rows]).size,
        total=compared.records,
    )


def components(points: Floats) -> Components | None:
    """Return the main directions; None if there are not two along which the points vary."""
    if points.shape[0] < 2 or points.shape[1] < 2 or not np.isfinite(points).all():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        middle = points.mean(axis=0)
        covariance = _covariance(points - middle)
    if not np.isfinite(covariance).all():
        return None
    values, vectors = np.linalg.eigh(covariance)
    total = float(values.clip(min=0.0).sum())
    if total <= 0.0 or values[-2] <= _NOTHING * total:
        return None
    main = vectors[:, [-1, -2]]
    signs = np.sign(main[np.abs(main).argmax(axis=0), [0, 1]])  # what is largest counts upwards
    return Components(middle, main * signs, (float(values[-1]) / total, float(values[-2]) / total))


def _covariance(centred: Floats) -> Floats:
    """Return sums of products column by column, which come out the same with any number of threads."""
    columns = centred.shape[1]
    sums = np.empty((columns, columns))
    for one in range(columns):
        for other in range(one + 1):
            sums[one, other] = sums[other, one] = (centred[:, one] * centred[:, other]).sum()
    sums /= centred.shape[0]
    return sums


def _sample(compared: Compared, found: Components) -> NDArray[np.intp]:
    """Return records to show: all of groups that are spread evenly over the picture."""
    classes = compared.classes
    if classes.size <= _RECORDS:
        return np.arange(classes.size)
    member = np.zeros(int(classes.max()) + 1, dtype=np.intp)
    member[classes] = np.arange(classes.size)
    seen = found.of(compared.released[member])
    order = np.lexsort((seen[:, 1], seen[:, 0]))
    wanted = max(1, _RECORDS * member.size // classes.size)
    taken = np.zeros(member.size, dtype=np.bool_)
    taken[order[_evenly(member.size, wanted)]] = True
    rows = np.flatnonzero(taken[classes])
    return rows[_evenly(rows.size, _RECORDS)] if rows.size > 2 * _RECORDS else rows


def _evenly(size: int, wanted: int) -> NDArray[np.intp]:
    """Return so many places out of a row of them, equally far apart."""
    return (np.arange(wanted) * 2 + 1) * size // (2 * wanted)


def _placed(records: Floats, released: Floats) -> tuple[Floats, Floats, bool]:
    """Return both between 0 and 1, on a scale that gives room to where most of them are."""
    middle = float(np.median(records))
    records, released = records - middle, released - middle
    scale = scale_for(records)
    one, other = scale(records), scale(released)
    low = float(min(one.min(), other.min()))
    span = float(max(one.max(), other.max())) - low or 1.0
    return (one - low) / span, (other - low) / span, scale.is_stretched
