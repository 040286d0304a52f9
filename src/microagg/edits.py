"""What must hold between columns: parts that sum to a total, one number that is not above another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Centres, Column, Floats, Mask
from microagg.errors import InputError

_RELATION = re.compile(r"\s*(<=|>=|==|=)\s*")
_TERM = re.compile(
    r"\s*(?P<sign>[+-])?\s*(?:(?P<factor>\d+(?:\.\d+)?)\s*(?:\*\s*|(?=[+-]|$)))?"
    r"(?:\"(?P<quoted>[^\"]+)\"|(?P<name>[^\W\d][\w.]*))?\s*"
)
_TOLERANCE = 1e-9  # of the sum of the sizes of all terms: below it a difference is but rounding


class Edit(NamedTuple):
    """A sum over columns that is zero, or not below zero, in every record."""

    text: str
    factors: Mapping[str, float]
    constant: float
    is_equation: bool
    total: str | None  # the column that stands alone on one side of an equation

    def faults(self, columns: Mapping[str, Column]) -> list[str]:
        """Return why it cannot be looked after, for these quasi-identifiers."""
        return [
            f"the edit {self.text!r} names {name!r}, which is no quasi-identifier of numbers"
            for name in self.factors
            if name not in columns or columns[name].kind not in ("continuous", "integer")
        ]

    def holds(self, values: Mapping[str, Floats]) -> Mask:
        """Say where it holds."""
        sizes = np.abs(np.array([factor * values[name] for name, factor in self.factors.items()]))
        sums = self._sum(values)
        slack = _TOLERANCE * (sizes.sum(axis=0) + abs(self.constant))
        held: Mask = np.abs(sums) <= slack if self.is_equation else sums >= -slack
        return held

    def total_of(self, values: Mapping[str, Floats]) -> Floats:
        """Return what the total is by its parts."""
        assert self.total is not None
        others = {name: factor for name, factor in self.factors.items() if name != self.total}
        rest = self._replace(factors=others)._sum(values)
        return -rest / self.factors[self.total] + 0.0

    def _sum(self, values: Mapping[str, Floats]) -> Floats:
        total = np.full(next(iter(values.values())).size, self.constant)
        for name, factor in self.factors.items():
            total += factor * values[name]
        return total


def edit_of(text: str) -> Edit:
    """Return the edit that a text states; a name that is no plain word goes in double quotes.

    >>> edit_of("total = wages + 2 * benefits").factors
    {'total': 1.0, 'wages': -1.0, 'benefits': -2.0}
    """
    sides = _RELATION.split(text.strip())
    if len(sides) != 3:
        raise InputError(f"cannot read the edit {text!r}: expected a relation, as in 'total = part + part'")
    (left, right), relation = (_terms(sides[0], text), _terms(sides[2], text)), sides[1]
    sign = -1.0 if relation == "<=" else 1.0
    factors: dict[str, float] = {}
    for side, of_side in ((left, sign), (right, -sign)):
        for name, factor in side:
            factors[name] = factors.get(name, 0.0) + of_side * factor
    constant = factors.pop("", 0.0)
    if not factors:
        raise InputError(f"the edit {text!r} names no column")
    is_equation = relation in ("=", "==")
    alone = [side[0][0] for side in (left, right) if len(side) == 1 and side[0][0]]
    total = alone[0] if is_equation and alone and len(factors) > 2 and factors[alone[0]] else None
    return Edit(text, factors, constant, is_equation, total)


def _terms(side: str, text: str) -> list[tuple[str, float]]:
    """Return the columns of one side with their factors; a number alone belongs to no column, ''."""
    terms: list[tuple[str, float]] = []
    place = 0
    while place < len(side):
        found = _TERM.match(side, place)
        is_empty = found is None or not (found["factor"] or found["quoted"] or found["name"])
        if found is None or is_empty or (terms and not found["sign"]):
            raise InputError(f"cannot read the edit {text!r} from {side[place:]!r} on")
        factor = float(found["factor"] or 1.0) * (-1.0 if found["sign"] == "-" else 1.0)
        terms.append((found["quoted"] or found["name"] or "", factor))
        place = found.end()
    if not terms:
        raise InputError(f"cannot read the edit {text!r}: one side is empty")
    return terms


def with_edits(
    edits: Sequence[Edit],
    columns: Mapping[str, Column],
    centres: Mapping[str, Centres],
    labels: NDArray[np.int32],
) -> tuple[dict[str, Centres], list[str]]:
    """Return the centres with totals that are the sums of their parts, and what is to say of each edit.

    Means keep every such relation that holds in all records, but rounding them may not: then a total is
    made of its parts anew, if it was their sum in all records. What is not kept so is told.
    """
    before = [_held(edit, columns) for edit in edits]
    remade = [edit for edit, held in zip(edits, before, strict=True) if edit.total and held.all()]
    kept = dict(centres)
    for _ in remade:  # as often as a total can be a part of the next
        for edit in remade:
            kept[str(edit.total)] = _total(edit, columns, kept)
    notes = []
    for edit, held in zip(edits, before, strict=True):
        after = _held(edit, kept)[labels]
        if not after.all():
            notes.append(
                f"the edit {edit.text!r} held in {np.count_nonzero(held):,} of {held.size:,} records, "
                f"and holds in {np.count_nonzero(after):,} of those released"
            )
    return kept, notes


def _total(edit: Edit, columns: Mapping[str, Column], centres: Mapping[str, Centres]) -> Centres:
    """Return a total made of its parts, where it can be one of the values that its column can have."""
    column, total = columns[str(edit.total)], centres[str(edit.total)]
    sums = edit.total_of({name: of.values for name, of in centres.items()})
    fits = ~_gaps(edit, centres) & (sums >= column.values.min()) & (sums <= column.values.max())
    if column.kind == "integer":
        fits &= sums == np.rint(sums)
    return total._replace(values=np.where(fits, sums, total.values))


def _gaps(edit: Edit, of: Mapping[str, Column] | Mapping[str, Centres]) -> Mask:
    """Say where a value is missing, so that the edit says nothing."""
    gaps = np.zeros(of[next(iter(edit.factors))].values.size, dtype=np.bool_)
    for name in edit.factors:
        if of[name].missing.size:
            gaps |= of[name].missing
    return gaps


def _held(edit: Edit, of: Mapping[str, Column] | Mapping[str, Centres]) -> Mask:
    """Say where an edit holds, or says nothing."""
    return edit.holds({name: of[name].values for name in edit.factors}) | _gaps(edit, of)
