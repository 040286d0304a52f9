"""The kind of values that a column is proposed to hold, and what shows it, in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microagg.columns import Floats
from microagg.plan import Kind
from microagg.proposal.names import says_code, says_postal
from microagg.proposal.orders import plain_order
from microagg.tables.kinds import LABELLED, MOSTLY_NUMBERS
from microagg.tables.overview import FEW, Overview

_EXACT = 2.0**53  # from here on not every whole number can be told from its neighbour
_WITH_MARKS = 10_000  # from here on numbers are told with marks between thousands; years are not


class Shown(NamedTuple):
    """A kind, what shows it, and the order of an ordinal's values if they have none of their own."""

    kind: Kind
    told: str
    order: tuple[str, ...] = ()


def shown(name: str, of: Overview) -> Shown:
    """Return the kind of a column that has values and a type that can be protected."""
    assert of.seen is not None
    kind, reason = of.seen
    if kind == "continuous" and reason == MOSTLY_NUMBERS:
        return Shown(kind, f"{reason}: mend what is none, or call it nominal")
    if kind in ("integer", "continuous"):
        return _of_numbers(name, of)
    if kind in ("nominal", "ordinal"):
        return _of_levels(of)
    return Shown(kind, reason if kind == "boolean" else f"{reason}, {_different(of)}")


def are_whole(numbers: Floats) -> bool:
    """Say whether there are numbers, and all of them are whole."""
    return bool(numbers.size) and bool((numbers == np.rint(numbers)).all())


def _of_numbers(name: str, of: Overview) -> Shown:
    numbers = of.numbers
    if not are_whole(numbers):
        return Shown("continuous", f"numbers{_range(of)}")
    told = f"whole numbers{_range(of)}"
    if numbers.tolist() == [0.0, 1.0]:
        return Shown("boolean", "only 0 and 1, as for no and yes")
    if says_postal(name) or (says_code(name) and of.different <= FEW):
        return Shown("nominal", f"{told}, {_different(of)}, and its name says that they are codes")
    if max(abs(numbers[0]), abs(numbers[-1])) > _EXACT:
        return Shown("continuous", f"{told}, too large to be kept whole")
    return Shown("integer", told)


def _of_levels(of: Overview) -> Shown:
    assert of.seen is not None
    kind, reason = of.seen
    if kind == "ordinal" and of.has_order:
        return Shown("ordinal", reason)
    if reason == LABELLED:
        order = plain_order(of.labels)
        if of.has_order and order and order in (of.labels, of.labels[::-1]):
            return Shown("ordinal", f"the labels of its values have a plain order: {', '.join(order)}")
    elif order := plain_order(of.levels):
        return Shown("ordinal", f"text whose order is plain: {', '.join(order)}", order)
    if kind == "ordinal":
        return Shown("nominal", f"{reason}, but text whose order is not plain: state it to make it ordinal")
    return Shown("nominal", f"{reason}, {_different(of)}")


def _different(of: Overview) -> str:
    return f"{of.different:,} different" if of.different > 1 else "the same throughout"


def _range(of: Overview) -> str:
    """Say between which numbers a column lies; what is not finite is among its values, but no number."""
    told = f" from {_number(of.numbers[0])} to {_number(of.numbers[-1])}" if of.numbers.size else ""
    return told if of.numbers.size == of.different else f"{told}, and some that are not finite: mend these"


def _number(value: float) -> str:
    if abs(value) >= _WITH_MARKS:
        return f"{value:,.0f}" if abs(value) < _EXACT else f"{value:.6g}"
    return f"{value:.6g}"
