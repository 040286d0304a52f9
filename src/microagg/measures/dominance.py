"""Whether a class has members so large that its mean nearly tells their value.

The rules by which statistical offices decide which cells of a table of amounts are too risky to
publish: Hundepool and others, "Statistical Disclosure Control", Wiley 2012, section 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from microagg.measures.compared import ClassOf, Pair
from microagg.measures.found import Dominance, Floats
from microagg.plan import Kind

MAGNITUDES: tuple[Kind, ...] = ("continuous", "integer")
"""Kinds whose values add up to a total that somebody contributes to."""


def dominance(
    pair: Pair, classes: ClassOf, p: float = 10.0, n: int = 2, share: float = 85.0
) -> Dominance | None:
    """Count the classes of which one member, or a few, hold nearly all of the sum.

    What a record contributes is the absolute value of its original; what is missing contributes
    nothing. By the p%-rule a class is at risk if sum - x1 - x2 < p/100 x1, with x1 and x2 the largest
    contributions: then who has the second largest knows the largest to within p %. By the (n, k)-rule
    it is if its n largest hold more than k % of the sum. A class whose sum is zero breaks no rule.

    None for what is no amount, and where most records are alone in their class: such a release holds
    no means of groups.
    """
    sizes = np.bincount(classes)
    if pair.kind not in MAGNITUDES or 2 * np.count_nonzero(sizes == 1) > classes.size:
        return None
    amounts, rank, of = _contributions(pair, classes, sizes)
    total, largest, others, of_n = (
        np.bincount(of, weights=np.where(which, amounts, 0.0), minlength=sizes.size)
        for which in (rank >= 0, rank == 0, rank >= 2, rank < n)
    )
    shared = (sizes > 1) & (total > 0.0)
    by_p = shared & (100.0 * others < p * largest)
    by_n = shared & (100.0 * of_n > share * total)
    return Dominance(
        p_percent=int(np.count_nonzero(by_p)),
        n_k=int(np.count_nonzero(by_n)),
        classes=int(np.count_nonzero(sizes > 1)),
        worst=float(np.max(largest[shared] / total[shared], initial=0.0)),
        by_class=by_p | by_n,
    )


def dominance_notes(found: Mapping[str, Dominance]) -> list[str]:
    """Return what to say where the mean of a class nearly reveals its largest member."""
    risky = {name: np.count_nonzero(of.by_class) for name, of in found.items() if of.by_class.any()}
    if not risky:
        return []
    where = ", ".join(
        f"{name} ({count:,} of {found[name].classes:,} groups)" for name, count in risky.items()
    )
    return [
        "one or two members hold nearly all of a group's sum, so that its mean nearly reveals the largest "
        f"one's value: {where}; take a larger k, top-code or suppress the largest values, or treat the "
        "largest records apart"
    ]


def _contributions(
    pair: Pair, classes: ClassOf, sizes: NDArray[np.intp]
) -> tuple[Floats, NDArray[np.intp], ClassOf]:
    """Return what each record contributes, its rank in its class from 0 on, and the class.

    By class, and in it from the largest on, so that sums are added in the same order whatever that of
    the rows. Each class in a power of two of its own, so that no sum overflows or vanishes.
    """
    amounts = np.abs(pair.original.values)
    if pair.original.missing.size:
        amounts[pair.original.missing] = 0.0
    order = np.lexsort((-amounts, classes))
    of, sorted_amounts = classes[order], amounts[order]
    first = (np.cumsum(sizes) - sizes)[of]
    exponent = np.frexp(sorted_amounts[first])[1]
    return np.ldexp(sorted_amounts, -exponent), np.arange(of.size) - first, of
