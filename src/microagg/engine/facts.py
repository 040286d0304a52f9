"""What all records together settle: units, means, and where in the matrix each number lies.

All of it comes from sums that are added up part by part and rounded once, so that it is the same, to the
last bit, as for a table in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate import Frequency
from microagg.columns import Centres, Column, Floats, Unit
from microagg.engine.contract import Engine
from microagg.engine.working import joined_sums
from microagg.kernels.exact import exact_parts, mean_of_sum, sum_of_parts
from microagg.measures import middle
from microagg.plan import Centre, Plan
from microagg.prepare import Ground, exponent_of, matrix_of, points_of_levels, unit_from, width_of
from microagg.tables.parts import Coding

Sums = list[list[float]]


@dataclass(frozen=True, eq=False)
class Facts:
    """How numbers become points, for any records of the table."""

    codings: tuple[Coding, ...]  # of the columns, in alphabetical order
    units: tuple[Unit, ...]
    grounds: tuple[Ground, ...]
    importance: tuple[float, ...]
    centres: tuple[Centre, ...]  # what stands for a group
    means: tuple[float, ...]  # of the numbers that are there
    low: Floats = field(default_factory=lambda: np.zeros(0))  # of each column of the matrix
    exponent: int = 0  # the points are divided by two to this power

    def columns(self, numbers: Floats) -> list[Column]:
        """Return the numbers of some records as columns."""
        return [coding.column(of) for coding, of in zip(self.codings, numbers.T, strict=True)]

    def points(self, columns: Sequence[Column], order: NDArray[np.intp]) -> Floats:
        """Return some records as points, in this order: rows of the matrix that a method would see."""
        X = matrix_of(columns, self.units, self.importance, order, self.grounds)
        if self.low.any():
            X -= self.low
        return np.ldexp(X, -self.exponent) if self.exponent else X

    def frequency(self, place: int) -> Frequency | None:
        """Return how often each level of a column occurs, if it has levels."""
        times = self.codings[place].frequency
        return Frequency(np.arange(len(times), dtype=np.float64), times) if times.size else None

    def middle(self, place: int) -> Centres:
        """Return the centre of all records in a column."""
        coding = self.codings[place]
        mostly_missing = 2 * coding.look.missing >= coding.look.records
        mode = float(coding.frequency.argmax()) if coding.levels else 0.0
        missing = np.array([mostly_missing]) if coding.has_missing else np.zeros(0, np.bool_)
        return middle(coding.asked.kind, self.means[place], Centres(np.array([mode]), missing))


def facts_of(engine: Engine[Any], codings: Sequence[Coding], plan: Plan, centres: Sequence[Centre]) -> Facts:
    """Return what all records together settle; they are looked at two or three times."""
    importance = tuple(plan.importance.get(coding.asked.name, 1.0) for coding in codings)
    present = [coding.look.records - coding.look.missing for coding in codings]
    sums = engine.fold(lambda numbers: _sums(numbers, codings), joined_sums)
    raw, fractions = sums[: len(codings)], sums[len(codings) :]
    means = tuple(
        mean_of_sum(sum_of_parts(parts), count) if count else 0.0
        for parts, count in zip(raw, present, strict=True)
    )
    middles = [
        sum_of_parts(parts).high / max(count, 1) for parts, count in zip(fractions, present, strict=True)
    ]
    squares = engine.fold(lambda numbers: _squares(numbers, codings, middles), joined_sums)
    units = [
        _unit(coding, sum_of_parts(parts).high, count, plan)
        for coding, parts, count in zip(codings, squares, present, strict=True)
    ]
    grounds = _grounds(engine, codings, units, present)
    facts = Facts(tuple(codings), tuple(units), grounds, importance, tuple(centres), means)
    return _from_origin(facts)


def _shifted(coding: Coding, numbers: Floats) -> Floats:
    """Return the numbers that are there, from the least one on."""
    there = numbers[~np.isnan(numbers)] if coding.has_missing else numbers
    shifted: Floats = there - coding.least
    return shifted


def _has_unit(coding: Coding) -> bool:
    return coding.asked.kind not in ("nominal", "boolean") and coding.largest > coding.least


def _fractions(coding: Coding, numbers: Floats) -> Floats:
    return np.ldexp(_shifted(coding, numbers), -exponent_of(coding.largest - coding.least))


def _sums(numbers: Floats, codings: Sequence[Coding]) -> Sums:
    """Return the parts of the sums of all numbers, and then of their fractions."""
    pairs = list(zip(codings, numbers.T, strict=True))
    there = [of[~np.isnan(of)] if coding.has_missing else of for coding, of in pairs]
    return [
        *(exact_parts(of) for of in there),
        *(exact_parts(_fractions(coding, of)) if _has_unit(coding) else [] for coding, of in pairs),
    ]


def _squares(numbers: Floats, codings: Sequence[Coding], middles: Sequence[float]) -> Sums:
    return [
        exact_parts((_fractions(coding, of) - mean) ** 2) if _has_unit(coding) else []
        for coding, of, mean in zip(codings, numbers.T, middles, strict=True)
    ]


def _unit(coding: Coding, squares: float, count: int, plan: Plan) -> Unit:
    if not _has_unit(coding):
        return Unit()
    return unit_from(coding.largest - coding.least, float(np.sqrt(squares / count)), plan.scale)


def _grounds(
    engine: Engine[Any], codings: Sequence[Coding], units: Sequence[Unit], present: Sequence[int]
) -> tuple[Ground, ...]:
    """Return where in the matrix the numbers of each column lie."""
    filled = [coding.has_missing and coding.asked.kind not in ("nominal", "boolean") for coding in codings]
    fillings: Sums = [[] for _ in codings]
    if any(filled):
        fillings = engine.fold(lambda numbers: _placed(numbers, codings, units, filled), joined_sums)
    return tuple(
        Ground(coding.least, sum_of_parts(parts).high / max(count, 1))
        if coding.asked.kind not in ("nominal", "boolean")
        else Ground(points=points_of_levels(_with_gap(coding)))
        for coding, parts, count in zip(codings, fillings, present, strict=True)
    )


def _placed(
    numbers: Floats, codings: Sequence[Coding], units: Sequence[Unit], filled: Sequence[bool]
) -> Sums:
    """Return the parts of the sums of all numbers that are there, in units."""
    return [
        exact_parts(unit.of(_shifted(coding, of))) if wanted else []
        for coding, unit, of, wanted in zip(codings, units, numbers.T, filled, strict=True)
    ]


def _with_gap(coding: Coding) -> NDArray[np.int64]:
    return np.append(coding.frequency, coding.look.missing) if coding.has_missing else coding.frequency


def _from_origin(facts: Facts) -> Facts:
    """Return the facts with what moves the matrix to zero, and scales it where squares would not fit."""
    low, high = ends_of(facts)
    largest = float((high - low).max(initial=0.0))
    fits = largest == 0.0 or 2.0**-200 < largest < 2.0**200
    return replace(facts, low=low, exponent=0 if fits else int(np.frexp(largest)[1]))


def ends_of(facts: Facts) -> tuple[Floats, Floats]:
    """Return the least and the largest value of each column of the matrix.

    In every column they are where the least or the largest number is, or a level, or a gap.
    """
    ends = []
    for place, coding in enumerate(facts.codings):
        column = coding.column(_extremes(coding))
        alone = replace(
            facts,
            codings=(coding,),
            units=facts.units[place : place + 1],
            grounds=facts.grounds[place : place + 1],
            importance=facts.importance[place : place + 1],
            low=facts.low[:0],
        )
        X = alone.points([column], np.arange(len(column.values)))
        ends.append(np.vstack((X.min(axis=0), X.max(axis=0))))
    low, high = np.hstack(ends)
    if facts.low.size:
        scale = 2.0**-facts.exponent
        low, high = low - facts.low * scale, high - facts.low * scale
    return low, high


def _extremes(coding: Coding) -> Floats:
    """Return the numbers of a column that can be at an end of a column of the matrix."""
    gap = [np.nan] if coding.has_missing else []
    if coding.levels and coding.asked.kind in ("nominal", "boolean"):
        return np.array([*np.flatnonzero(coding.frequency), *gap], dtype=np.float64)
    there = [coding.least, coding.largest] if coding.look.records > coding.look.missing else []
    return np.array([*there, *gap])


def dimensions_of(facts: Facts) -> int:
    """Return how many columns the matrix has."""
    return sum(width_of(coding.column(np.zeros(1))) for coding in facts.codings)
