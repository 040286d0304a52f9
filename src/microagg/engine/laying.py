"""The layout of blocks over records that an engine has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from microagg.columns import Floats
from microagg.engine.contract import Engine, Ints
from microagg.engine.facts import Facts, ends_of
from microagg.engine.working import joined_sums
from microagg.kernels.exact import exact_parts, mean_of_sum, sum_of_parts
from microagg.partition.blocked import Blocked, Cutting
from microagg.partition.cells import Cells
from microagg.partition.counting import (
    Bounds,
    Counted,
    Sums,
    bounds_in,
    counts_in,
    joined_bounds,
    joined_counts,
    sums_in,
)
from microagg.partition.counting import (
    joined_sums as joined_code_sums,
)
from microagg.partition.grid import Grid, codes_of, grid_over
from microagg.partition.layout import Layout, layout


class FoldingCounter:
    """Counts the codes of an engine's records, in one look for each thing that is asked."""

    def __init__(self, engine: Engine[Any], codes: Callable[[Floats], Ints]) -> None:
        self.engine, self.codes = engine, codes

    def counts(self, cells: Cells) -> Counted:
        """Return the counts of all records in open cells."""
        codes = self.codes  # alone: what is handed to a part may travel, and the engine does not
        return self.engine.fold(lambda numbers: counts_in(cells, codes(numbers)), joined_counts)

    def bounds(self, cells: Cells) -> Bounds:
        """Return the bounds of all open cells."""
        codes = self.codes
        return self.engine.fold(lambda numbers: bounds_in(cells, codes(numbers)), joined_bounds)

    def sums(self, cells: Cells) -> Sums:
        """Return the sums of all leaves."""
        codes = self.codes
        return self.engine.fold(lambda numbers: sums_in(cells, codes(numbers)), joined_code_sums)


def codes_by(facts: Facts, grid: Grid) -> Callable[[Floats], Ints]:
    """Return what gives the codes of records."""
    return lambda numbers: codes_of(_points(facts, numbers), grid)


def _points(facts: Facts, numbers: Floats) -> Floats:
    return facts.points(facts.columns(numbers), np.arange(len(numbers)))


def laid_out(engine: Engine[Any], facts: Facts, method: Blocked, k: int) -> tuple[Layout, Cutting]:
    """Return which block each record belongs to, and how that was settled."""
    low, high = ends_of(facts)
    cutting = method.cutting(engine.records, k, high - low, lambda: _variances(engine, facts))
    grid = grid_over(low, high, cutting.columns)
    counter = FoldingCounter(engine, codes_by(facts, grid))
    found = layout(grid, engine.records, k, cutting.most, method.tree, counter, hard_limit=method.hard_limit)
    return found, cutting


def _variances(engine: Engine[Any], facts: Facts) -> Floats:
    """Return the variance of each column of the matrix."""
    sums = engine.fold(
        lambda numbers: [exact_parts(column) for column in _points(facts, numbers).T], joined_sums
    )
    means = [mean_of_sum(sum_of_parts(parts), engine.records) for parts in sums]
    squares = engine.fold(
        lambda numbers: [
            exact_parts((column - mean) ** 2)
            for column, mean in zip(_points(facts, numbers).T, means, strict=True)
        ],
        joined_sums,
    )
    return np.array([sum_of_parts(parts).high / engine.records for parts in squares])
