"""From columns to their tree: the classes, the counts, the weights, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from microagg.dependence.classes import Classes, Cutting, Floats, Ranges, classes_for
from microagg.dependence.counts import PairCounts
from microagg.dependence.strength import (
    MEASURES,
    Measure,
    Strengths,
    correlations,
    of_counts,
    of_moments,
)
from microagg.dependence.tree import Tree
from microagg.errors import InputError

_BLOCK = 1 << 17  # records that are cut into classes at a time
_THIN = 2.0  # records in a class that has any, on average, below which counts say little


class Variable(NamedTuple):
    """A column: its name, and a number for each record."""

    name: str
    values: Floats
    nominal: bool = False  # whether the numbers are places of values, which are classes as they are


def grown(
    variables: Sequence[Variable],
    measure: Measure = "emim",
    width: float | Sequence[float] | None = None,
    classes: Classes = "auto",
) -> Tree:
    """Return the dependence tree of columns; raises InputError if they cannot have one."""
    InputError.raise_any(_faults(variables, measure))
    names = tuple(variable.name for variable in variables)
    columns = [variable.values for variable in variables]
    ranges = Ranges.of(columns)
    constant = tuple(int(at) for at in np.flatnonzero(ranges.least == ranges.greatest))
    notes = [_constant(names[at]) for at in constant]
    if measure == "correlation":
        strengths = of_moments(correlations(columns), ranges.records)
        notes += _notes_on(strengths, names, constant)
        return Tree(names, measure, strengths.weights, (), constant, tuple(notes))
    cutting = ranges.finish([variable.nominal for variable in variables], width, classes)
    counts = counted(columns, cutting)
    strengths = of_counts(counts, measure)
    alone = tuple(at for at, size in enumerate(cutting.classes) if size == 1)
    notes += [*_notes_on_classes(variables, ranges, cutting, counts), *_notes_on(strengths, names, alone)]
    return Tree(names, measure, strengths.weights, cutting.classes, alone, tuple(notes))


def counted(columns: Sequence[Floats], cutting: Cutting) -> PairCounts:
    """Return the counts of all pairs of columns, block by block so that little is copied."""
    counts = PairCounts(cutting.classes)
    for start in range(0, columns[0].size, _BLOCK):
        counts.add(cutting.codes([values[start : start + _BLOCK] for values in columns]))
    return counts


def _faults(variables: Sequence[Variable], measure: object) -> Iterator[str]:
    if measure not in MEASURES:
        yield f"there is no measure {measure!r}: choose {', '.join(MEASURES)}"
    if len(variables) < 2:
        yield f"a tree needs at least two columns, found {len(variables)}: there is nothing to choose from"
    if variables and variables[0].values.size < 2:
        yield f"a tree needs at least two records, found {variables[0].values.size}"
    for variable in variables:
        if not np.isfinite(variable.values).all():
            yield f"column {variable.name!r} holds values that are not finite"
        if measure == "correlation" and variable.nominal and np.ptp(variable.values) > 1:
            yield f"column {variable.name!r} is nominal and has no correlation: take emim or chi2"


def _notes_on_classes(
    variables: Sequence[Variable], ranges: Ranges, cutting: Cutting, counts: PairCounts
) -> Iterator[str]:
    """Yield what is wrong with the classes of each column, and a width that would do."""
    proposed = classes_for(ranges.records)
    spans = ranges.greatest - ranges.least
    for at, (variable, size) in enumerate(zip(variables, cutting.classes, strict=True)):
        if variable.nominal or not spans[at] > 0.0:
            continue
        suits = f"a width of {spans[at] / proposed:.3g} would give it {proposed} classes"
        if size == 1:
            yield f"{variable.name} lies in one class, from {ranges.least[at]:g} on: {suits}"
        else:
            own = counts.finish(at, at - 1 if at else 1).sum(axis=1)
            there = int(np.count_nonzero(own))
            if ranges.records < _THIN * there:
                yield (
                    f"{variable.name} has {there:,} classes with a record in them for "
                    f"{ranges.records:,} records, too few in each to tell anything: {suits}"
                )


def _notes_on(strengths: Strengths, names: Sequence[str], alone: Sequence[int]) -> Iterator[str]:
    if len(names) - len(alone) < 2:
        yield "fewer than two columns vary: there is no tree"
    elif strengths.independent:
        yield (
            "all columns look independent: no pair depends more strongly than chance brings about, "
            "so no choice of a few columns stands for the others"
        )
    elif len(names) == 2:
        yield "of two columns the tree has one edge, and says of neither that it stands for the other"


def _constant(name: str) -> str:
    return f"{name} is the same for all records: it is left out of the tree"
