"""Which method to take when the user leaves it open, and how long it will take, about."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from microagg.partition.matrix import COMPILED_FROM, Method
from microagg.partition.refined import FEWEST, iterations_for
from microagg.partition.registry import method_of

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
_SEARCH = 1.2e-7  # seconds of an iteration of the search, for each k * k * (dimensions + 4)
_SHARE = 0.1  # of the budget that a search may take where this is enough
_HASTE = 10.0  # seconds of budget below which nobody wants to wait for a search, or for it to be compiled
_MOST = 300  # iterations for each group of k: after them little is gained
_GROWTH = 1.3  # the power of the number of records that the seconds grow with elsewhere
_SAVED = 0.25  # the power of k that they fall with
_GENERATION = 8e-8  # seconds of the genetic algorithm for each record, on one core
_CUTTING = 6e-7  # seconds for each record to find its block, on one core
_NUMPY_STEP = 1.4e-9  # seconds for each record, dimension and remaining record, at k = 3


class Choice(NamedTuple):
    """A method, and what to expect of it."""

    method: str  # the text of it
    why: str  # empty if it was asked for
    seconds: float  # about, on a machine like the one it was measured on
    compiles: bool  # whether loops are used that must be compiled the first time on a machine


def expected(method: str | Method, records: int, dimensions: int, k: int, why: str = "") -> Choice:
    """Return what to expect of a method.

    For data without structure in many dimensions it can take far longer.
    """
    value = method_of(method)
    seconds, compiles = _cost(value, records, dimensions, k)
    return Choice(method if isinstance(method, str) else repr(method), why, seconds, compiles)


def _cost(method: Method, records: int, dimensions: int, k: int) -> tuple[float, bool]:
    """Return the seconds, and whether compiled loops are used."""
    name = type(method).__name__
    if name == "Univariate":
        return 1e-6 * records * dimensions, records >= COMPILED_FROM
    if name == "Genetic":
        before, _ = _cost(method.base, records, dimensions, k)  # type: ignore[attr-defined]
        return before + _GENERATION * records * method.iterations, True  # type: ignore[attr-defined]
    if name == "Refined":
        before, _ = _cost(method.base, records, dimensions, k)  # type: ignore[attr-defined]
        return before + _search(method, records, dimensions, k), True
    if name == "Blocked":
        return _of_blocks(method, records, dimensions, k)
    return _of_plain(method, records, dimensions, k)


def _of_plain(method: Method, records: int, dimensions: int, k: int) -> tuple[float, bool]:
    """Return the seconds of MDAV and V-MDAV, and whether compiled loops are used."""
    runs = _TRIALS if getattr(method, "gamma", None) == "auto" else 1
    if runs * records**2 < COMPILED_FROM**2:
        return runs * _NUMPY_STEP * records**2 * dimensions * 3.0 / k, False
    return runs * _compiled(records, dimensions) * (3.0 / k) ** _SAVED, True


def _of_blocks(method: Any, records: int, dimensions: int, k: int) -> tuple[float, bool]:
    """Return the seconds of blocks one after the other; several cores share them, which is not foretold."""
    largest = method.largest(k)
    if records <= largest:
        return _cost(method.method, records, dimensions, k)
    if records < COMPILED_FROM:
        seconds, compiles = _cost(method.method, largest, dimensions, k)
    else:  # loops are loaded, and cost less than NumPy in small blocks too
        seconds, compiles = _cost(method.method, max(largest, COMPILED_FROM), dimensions, k)
        seconds *= min(1.0, largest / COMPILED_FROM)
    return seconds * records / largest + _CUTTING * records, compiles


def _search(method: Any, records: int, dimensions: int, k: int) -> float:
    """Return the seconds of the iterations of Refined, if it is not stopped before."""
    auto = method.iterations == "auto"
    iterations = iterations_for(records, dimensions, k) if auto else method.iterations
    seconds = float(iterations * _iteration(dimensions, k))
    return seconds if method.seconds is None else min(seconds, method.seconds)


def _iteration(dimensions: int, k: int) -> float:
    return _SEARCH * k * k * (dimensions + 4)


def _compiled(records: int, dimensions: int) -> float:
    """Return the seconds of one run at k = 3, between those that were measured."""
    by_size = [np.interp(np.log(dimensions), np.log(_DIMENSIONS), column) for column in np.log(_SECONDS).T]
    measured = min(max(records, _RECORDS[0]), _RECORDS[-1])
    seconds = np.exp(np.interp(np.log(measured), np.log(_RECORDS), by_size))
    return float(seconds * (records / measured) ** _GROWTH)


def chosen(records: int, dimensions: int, k: int, budget: float) -> Choice:
    """Return the method for a table of this size, and why it is that one.

    It depends on nothing but the sizes and the budget, so that the same request always gets the same
    method, and the search a number of iterations rather than a time.
    """
    if dimensions == 1:
        return expected("univariate", records, 1, k, "univariate, which is optimal for one column")
    refined = _refined(records, dimensions, k, budget)
    if refined is not None:
        return refined
    best = expected("vmdav", records, dimensions, k)
    times = f"{_told(best.seconds)}, and {budget:g} s are allowed"
    if best.seconds <= budget:
        return best._replace(why=f"vmdav, which takes {times}: too little for a search")
    mdav = expected("mdav", records, dimensions, k)
    if mdav.seconds <= budget:
        return mdav._replace(why=f"mdav, since vmdav would take {times}")
    blocked = expected("blocked(mdav)", records, dimensions, k)
    times = f"mdav would take {_told(mdav.seconds)} at once, and {budget:g} s are allowed"
    if blocked.seconds < mdav.seconds:
        takes = f"which takes {_told(blocked.seconds)} on one core"
        return blocked._replace(why=f"blocked(mdav), {takes}: {times}")
    return mdav._replace(why=f"mdav, since nothing takes less: {times}")


def _refined(records: int, dimensions: int, k: int, budget: float) -> Choice | None:
    """Return a search that fits into the budget, if enough of one does.

    It takes a tenth of the budget where that is enough for some iterations for each group of k, else as
    much as these need; and no more than after which little is gained.
    """
    groups = records // k
    left = budget - expected("mdav", records, dimensions, k).seconds
    each = _iteration(dimensions, k)
    share = max(_SHARE * budget, FEWEST * groups * each)
    if budget < _HASTE or share > left or groups < 2:
        return None
    iterations = max(1, min(_MOST * groups, int(share / each)))
    text = f"refined(mdav, iterations={iterations})"
    found = expected(text, records, dimensions, k)
    takes = f"it takes {_told(found.seconds)}, and {budget:g} s are allowed"
    return found._replace(why=f"refined, which loses least; {takes}")


def may_compile(records: int) -> bool:
    """Say whether for so many records some method uses loops that must be compiled the first time."""
    return _TRIALS * records**2 >= COMPILED_FROM**2


def _told(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    return f"about {seconds:,.0f} s" if seconds < 600 else f"about {seconds / 60:,.0f} min"
