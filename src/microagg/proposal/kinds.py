"""The kind of values that a column is proposed to hold, and what shows it, in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microagg.columns import Floats
from microagg.plan import Kind
from microagg.proposal.names import says_code, says_postal
from microagg.proposal.orders import plain_order
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
    if kind == "continuous" and reason == "mostly numbers":
        return Shown(kind, "mostly numbers: mend what is none, or call it nominal")
    if kind in ("integer", "continuous"):
        return _of_numbers(name, of)
    if kind in ("nominal", "ordinal"):
        return _of_levels(of)
    return Shown(kind, reason if kind == "boolean" else f"{reason}, {of.different:,} different")


def are_whole(numbers: Floats) -> bool:
    """Say whether there are numbers, and all of them are whole."""
    return bool(numbers.size) and bool((numbers == np.rint(numbers)).all())


def _of_numbers(name: str, of: Overview) -> Shown:
    numbers = of.numbers
    if not are_whole(numbers):
        return Shown("continuous", f"numbers {_range(numbers)}" if numbers.size else "numbers")
    told = f"whole numbers {_range(numbers)}"
    if numbers.tolist() == [0.0, 1.0]:
        return Shown("boolean", "only 0 and 1, as for no and yes")
    if says_postal(name) or (says_code(name) and of.different <= FEW):
        return Shown("nominal", f"{told}, {of.different:,} different, and its name says that they are codes")
    if max(abs(numbers[0]), abs(numbers[-1])) > _EXACT:
        return Shown("continuous", f"{told}, too large to be kept whole")
    return Shown("integer", told)


def _of_levels(of: Overview) -> Shown:
    assert of.seen is not None
    kind, reason = of.seen
    told = f"{reason} with {of.different:,} different values" if reason == "text" else reason
    if kind == "ordinal" and of.has_order:
        return Shown("ordinal", reason)
    if of.labels:
        order = plain_order(of.labels)
        if of.has_order and order and order in (of.labels, of.labels[::-1]):
            return Shown("ordinal", f"the labels of its values have a plain order: {', '.join(order)}")
    elif order := plain_order(of.levels):
        return Shown("ordinal", f"text whose order is plain: {', '.join(order)}", order)
    if kind == "ordinal":
        return Shown("nominal", f"{reason}, but text whose order is not plain: state it to make it ordinal")
    return Shown("nominal", told if reason == "text" else f"{told}, {of.different:,} different")


def _range(numbers: Floats) -> str:
    return f"from {_number(numbers[0])} to {_number(numbers[-1])}"


def _number(value: float) -> str:
    if abs(value) >= _WITH_MARKS:
        return f"{value:,.0f}" if abs(value) < _EXACT else f"{value:.6g}"
    return f"{value:.6g}"
