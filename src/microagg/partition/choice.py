"""Which method to take when the user leaves it open, and how long it will take, about."""

from __future__ import annotations

import numpy as np

from microagg.partition.matrix import COMPILED_FROM
from microagg.partition.registry import method_of

_TRIALS = 11  # runs of V-MDAV that look for the best gamma

# Measured on one core at k = 3, on uniform data and for ten columns on correlated ones: seconds for a million
# records by the number of dimensions, and the power of the number of records that they grow with.
_DIMENSIONS = (2.0, 3.0, 5.0, 10.0, 40.0)
_SECONDS = (1.5, 2.0, 4.5, 7.0, 60.0)
_GROWTH = (1.2, 1.2, 1.37, 1.46, 1.9)
_GENERATION = 8e-8  # seconds of the genetic algorithm for each record, on one core
_NUMPY_STEP = 1.4e-9  # seconds for each record, dimension and remaining record, at k = 3


def seconds_of(method: str, records: int, dimensions: int, k: int) -> float:
    """Return about how many seconds a method takes on a machine like the one it was measured on.

    For data without structure in many dimensions it can be much more.
    """
    name = method.split("(")[0].strip().lower()
    if name == "univariate":
        return 1e-6 * records * dimensions
    if name == "genetic":
        return _GENERATION * records * float(getattr(method_of(method), "iterations", 0))
    runs = _TRIALS if (name == "vmdav" and "gamma" not in method) or "auto" in method else 1
    if runs * records < COMPILED_FROM:
        return runs * _NUMPY_STEP * records**2 * dimensions * 3.0 / k
    base = np.exp(np.interp(np.log(dimensions), np.log(_DIMENSIONS), np.log(_SECONDS)))
    growth = np.interp(np.log(dimensions), np.log(_DIMENSIONS), _GROWTH)
    return float(runs * base * (records / 1e6) ** growth)


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
