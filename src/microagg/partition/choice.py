"""Which method to take when the user leaves it open, and how long it will take, about."""

from __future__ import annotations

import numpy as np

from microagg.partition.matrix import COMPILED_FROM

_TRIALS = 11  # runs of V-MDAV that look for the best gamma

# Seconds on one core at k = 3, between those of MDAV and V-MDAV on uniform and on correlated data, which are
# less than half or twice as many; but uniform data of ten columns take up to five times as long.
_RECORDS = (1e4, 1e5, 1e6, 1e7)
_DIMENSIONS = (2.0, 3.0, 5.0, 10.0, 40.0)
_SECONDS = (
    (0.009, 0.105, 1.35, 20.0),
    (0.010, 0.135, 2.0, 35.0),
    (0.013, 0.18, 4.0, 110.0),
    (0.02, 0.4, 10.0, 300.0),
    (0.08, 1.5, 60.0, 2400.0),
)
_GROWTH = 1.3  # the power of the number of records that the seconds grow with elsewhere
_SAVED = 0.25  # the power of k that they fall with
_NUMPY_STEP = 1.4e-9  # seconds for each record, dimension and remaining record, at k = 3


def seconds_of(method: str, records: int, dimensions: int, k: int) -> float:
    """Return about how many seconds a method takes on a machine like the one it was measured on.

    For data without structure in many dimensions it can be much more.
    """
    name = method.split("(")[0].strip().lower()
    if name == "univariate":
        return 1e-6 * records * dimensions
    runs = _TRIALS if (name == "vmdav" and "gamma" not in method) or "auto" in method else 1
    if runs * records < COMPILED_FROM:
        return runs * _NUMPY_STEP * records**2 * dimensions * 3.0 / k
    return float(runs * _compiled(records, dimensions) * (3.0 / k) ** _SAVED)


def _compiled(records: int, dimensions: int) -> float:
    """Return the seconds of one run at k = 3, between those that were measured."""
    by_size = [np.interp(np.log(dimensions), np.log(_DIMENSIONS), column) for column in np.log(_SECONDS).T]
    measured = min(max(records, _RECORDS[0]), _RECORDS[-1])
    seconds = np.exp(np.interp(np.log(measured), np.log(_RECORDS), by_size))
    return float(seconds * (records / measured) ** _GROWTH)


def chosen(records: int, dimensions: int, k: int, budget: float) -> tuple[str, str]:
    """Return the text of the method for a table of this size, and why it is that one.

    It depends on nothing but the sizes, so that the same request always gets the same method.
    """
    if dimensions == 1:
        return "univariate", "univariate, which is optimal for one column"
    expected = seconds_of("vmdav", records, dimensions, k)
    if expected <= budget:
        return (
            "vmdav",
            f"vmdav, about {_told(expected)} of the {_told(budget)} there are, since it loses least",
        )
    return (
        "mdav",
        f"mdav, since vmdav would take about {_told(expected)}, more than the {_told(budget)} there are",
    )


def is_compiled(records: int) -> bool:
    """Say whether so many records are grouped by compiled loops, which the first time must be compiled."""
    return records >= COMPILED_FROM


def _told(seconds: float) -> str:
    return (
        f"{seconds:.1f} s"
        if seconds < 10
        else f"{seconds:,.0f} s"
        if seconds < 600
        else f"{seconds / 60:,.0f} min"
    )
