"""Trials: what a method loses of all columns when it groups by some."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from microagg.dependence.classes import Classes
from microagg.dependence.growing import Variable, grown
from microagg.dependence.strength import Measure, correlations, of_moments
from microagg.dependence.tree import Tree
from microagg.kernels.exact import squares_within
from microagg.partition.matrix import (
    Canonical,
    Explained,
    Floats,
    Labels,
    Layout,
    Method,
    Progress,
    explained,
    many_runs,
)
from microagg.partition.subsets import Choice

TRIES = 20
"""Choices of each number of columns that are tried at most."""

TRIED_ON = 10_000
"""Records on which choices are tried at least, and less than twice as many: every so many of all."""

_OF_TRIALS = 0.5  # share of the progress that belongs to the trials


class Columns:
    """The records, and the columns that their dimensions stand for."""

    def __init__(self, records: Canonical, layout: Layout) -> None:
        self.records, self.layout = records, layout
        ends = np.cumsum([0, *layout.widths]).tolist()
        self.dimensions = [range(start, end) for start, end in pairwise(ends)]

    def of(self, choice: Choice) -> Floats:
        """Return the dimensions of the chosen columns."""
        if len(choice) == len(self.dimensions):
            return self.records.points
        dimensions = [at for one in choice for at in self.dimensions[one]]
        return np.ascontiguousarray(self.records.points[:, dimensions])

    def covariances(self) -> Floats:
        """Return the covariances of all dimensions, or a multiple of them."""
        columns = list(self.records.points.T)
        whole = np.zeros(len(self.records.points), np.int32)
        spread = np.sqrt([squares_within(column, whole, 1) for column in columns])
        return correlations(columns) * np.multiply.outer(spread, spread)

    def tree(self, measure: Measure, classes: Classes) -> Tree:
        """Return the dependence tree of the columns."""
        if measure == "correlation" and max(self.layout.widths) > 1:
            return self._by_largest()
        by_class = measure != "correlation"
        parts = [self.records.points[:, part.start : part.stop] for part in self.dimensions]
        variables = [
            Variable(name, _as_one(part, nominal and by_class), nominal and by_class)
            for name, part, nominal in zip(self.layout.names, parts, self.layout.nominal, strict=True)
        ]
        return grown(variables, measure, None, classes)

    def _by_largest(self) -> Tree:
        """Return the tree by the largest correlation between the dimensions of two columns."""
        r = np.abs(correlations(list(self.records.points.T)))
        starts = [dimensions.start for dimensions in self.dimensions]
        between = np.maximum.reduceat(np.maximum.reduceat(r, starts, axis=0), starts, axis=1)
        strengths = of_moments(between, len(self.records.points))
        return Tree(self.layout.names, "correlation", strengths.weights)


def _as_one(part: Floats, nominal: bool) -> Floats:
    """Return a column as one number for each record: of a nominal one the place of its value."""
    if not nominal:
        return part[:, 0]  # the next says what is missing, and stands at the mean here
    return np.unique(part, axis=0, return_inverse=True)[1].reshape(-1).astype(np.float64)


class Trials:
    """Runs of the method on some columns, and what each loses of all."""

    def __init__(self, method: Method, table: Columns, k: int, seed: int, progress: Progress | None) -> None:
        self.method, self.table, self.k, self.seed, self.progress = method, table, k, seed, progress
        n = len(table.records.points)
        self.rows = slice(None, None, max(1, n // max(TRIED_ON, 2 * k)))
        self.points = np.ascontiguousarray(table.records.points[self.rows])
        self.weights = np.ascontiguousarray(table.records.weights[self.rows])
        self.losses: dict[Choice, float] = {}
        self._total = _squares(self.points, np.zeros(len(self.points), np.int32), self.weights)

    def best(self, choices: Sequence[Choice]) -> Choice:
        """Return the choice of least loss, of equal ones the first; a single one need not be tried."""
        if len(choices) == 1:
            return choices[0]
        return min(choices, key=self.loss)

    def loss(self, choice: Choice) -> float:
        """Return the loss in percent, of all columns, when grouped by these."""
        key = tuple(sorted(choice))
        if key not in self.losses:
            self._tell()
            self.losses[key] = self._tried(key)
        return self.losses[key]

    def _tried(self, choice: Choice) -> float:
        with many_runs(TRIES):
            labels = self.method.partition(
                self.table.of(choice)[self.rows],
                self.k,
                weights=self.weights if self.weights.size else None,
                seed=self.seed,
            )
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
        return 100.0 * _squares(self.points, labels, self.weights) / self._total if self._total else 0.0

    def final(self, choice: Choice) -> Explained:
        """Return the groups of all records."""
        n = len(self.table.records.points)
        mass = self.table.records.weights
        tell = self.progress
        start = 0.0 if not self.losses else _OF_TRIALS
        return explained(
            self.method,
            self.table.of(tuple(sorted(choice))),
            self.k,
            weights=mass if mass.size else None,
            seed=self.seed,
            progress=None
            if tell is None
            else lambda done, total: tell(int(n * start + done * (1.0 - start)), n),
        )

    def _tell(self) -> None:
        """Say how far the trials are, which nobody knows beforehand."""
        if self.progress is not None:
            n, done = len(self.table.records.points), len(self.losses)
            self.progress(int(n * _OF_TRIALS * done / (done + TRIES)), n)


def _squares(points: Floats, labels: Labels, weights: Floats) -> float:
    groups = int(labels.max()) + 1
    return float(sum(squares_within(column, labels, groups, weights) for column in points.T))
