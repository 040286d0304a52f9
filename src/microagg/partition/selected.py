"""Selected: another method, on a few well-chosen columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from microagg.dependence.classes import Classes, checked_classes
from microagg.dependence.growing import Variable, grown
from microagg.dependence.strength import MEASURES, Measure, correlations, of_moments
from microagg.dependence.tree import Tree
from microagg.errors import Faults, InputError
from microagg.kernels.exact import squares_within
from microagg.partition.matrix import (
    Canonical,
    Explained,
    Floats,
    Labels,
    Method,
    Progress,
    canonical,
    explained,
    many_runs,
)
from microagg.partition.mdav import MDAV
from microagg.partition.registry import method_of
from microagg.partition.subsets import Choice, promising

TRIES = 20
"""Choices of each number of columns that are tried at most."""

TRIED_ON = 10_000
"""Records on which choices are tried at most: every so many of all, in the order of their values."""

_OF_TRIALS = 0.5  # share of the progress that belongs to the trials


class Layout(NamedTuple):
    """Which columns a matrix stands for: a name, and how many dimensions each takes."""

    names: tuple[str, ...]
    widths: tuple[int, ...]
    nominal: tuple[bool, ...]


@dataclass(frozen=True)
class Selected:
    """Another method, on a few columns that stand for the others; all columns are then aggregated.

    With many columns, grouping by a few well-chosen ones takes less time and, if they are chosen well, does
    not lose much more. Candidates come from the dependence tree, the columns with most edges (EMAD), or
    from a search. Up to 20 candidates are tried, on up to 10,000 records, and the one of least loss is
    taken; the loss counts all columns.

    The method sees the matrix of the chosen columns and nothing else: whatever it measures or splits,
    distances or cells of a blocking, it does so along these.

    Research interface: labels only. `protect` checks what it releases.

    Parameters
    ----------
    method
        The method that groups by the chosen columns.
    n_variables
        How many are chosen. "auto" is the smallest number whose loss, in the trials, is within `margin`
        of the loss with all columns; all, if none is.
    weights
        Where candidates come from: "emim", "chi2" or "correlation", the weights of the edges in a tree;
        or "search", those that leave least of the variance unexplained.
    classes
        Into how many classes of equal width columns are cut for "emim" and "chi2"; "auto" is 10, but fewer
        in tables of fewer than 500 records.
    margin
        By what share of the loss with all columns "auto" may lose more.

    References
    ----------
    B. J. Oommen, E. Fayyoumi, "On utilizing dependence-based information to enhance micro-aggregation for
    secure statistical databases", Pattern Analysis and Applications 16, 2013.

    Examples
    --------
    >>> X = [[0.0, 0.1, 3.0], [0.1, 0.2, 7.0], [5.0, 5.3, 4.0], [5.1, 5.0, 8.0], [9.0, 9.2, 5.0], [9.2, 9.1, 9.0]]
    >>> Selected(n_variables=1, weights="search").partition(X, k=2).tolist()
    [0, 0, 2, 2, 1, 1]
    """

    method: Method = field(default_factory=MDAV)
    n_variables: int | Literal["auto"] = "auto"
    weights: Measure | Literal["search"] = "emim"
    classes: Classes = "auto"
    margin: float = 0.1
    layout: Layout | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        faults = Faults()
        faults.attempt(method_of, self.method)
        if isinstance(self.method, str):
            faults.append(f"the method must be a value, such as MDAV(): found {self.method!r}")
        number = self.n_variables
        if number != "auto" and (
            isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1
        ):
            faults.append(f'n_variables must be "auto" or a whole number from 1: found {number!r}')
        if self.weights not in (*MEASURES, "search"):
            faults.append(f"weights must be {', '.join(MEASURES)} or search: found {self.weights!r}")
        if self.classes != "auto":
            faults.attempt(checked_classes, self.classes)
        margin = self.margin
        if isinstance(margin, bool) or not (isinstance(margin, int | float) and 0.0 <= margin < np.inf):
            faults.append(f"margin must be a number from 0: found {margin!r}")
        InputError.raise_any(faults)

    def on(self, layout: Layout) -> Selected:
        """Return the same method, which knows what columns its matrix stands for.

        Without, every dimension of the matrix is a column.
        """
        known = replace(self)
        object.__setattr__(known, "layout", layout)
        return known

    def partition(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Labels:
        """Return the group of each record; parameters and errors are those of `MDAV.partition`.

        Survey weights are passed on to the method and count in the loss, not in the tree.
        """
        return self.explained(X, k, weights=weights, seed=seed, progress=progress).labels

    def explained(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Explained:
        """Return the group of each record, the columns chosen, what was tried, and the tree if there is one."""
        records = canonical(X, k, weights)
        table = _Table(records, self._layout(records.points.shape[1]))
        trials = _Trials(self.method, table, int(k), seed, progress)
        chosen, tree = self._chosen(table, trials)
        found = trials.final(chosen)
        account = _account(table, chosen, trials, tree)
        if found.account:
            account["method"] = dict(found.account)
        told = [_told(account, self.n_variables, self.margin), *([found.sentence] if found.sentence else [])]
        return Explained(records.restore(found.labels), account, "; ".join(told))

    def _layout(self, dimensions: int) -> Layout:
        if self.layout is not None and sum(self.layout.widths) == dimensions:
            return self.layout
        names = tuple(str(place) for place in range(1, dimensions + 1))
        return Layout(names, (1,) * dimensions, (False,) * dimensions)

    def _chosen(self, table: _Table, trials: _Trials) -> tuple[Choice, Tree | None]:
        """Return the columns to group by, and the tree if one was asked."""
        columns = len(table.layout.names)
        every = tuple(range(columns))
        if columns == 1 or (self.n_variables != "auto" and self.n_variables >= columns):
            return every, None
        if self.weights == "search":
            tree, candidates = None, self._searched(table)
        else:
            tree = table.tree(self.weights, self.classes)
            candidates = self._ranked(tree)
        if self.n_variables != "auto":
            return trials.best(candidates[0] if isinstance(candidates, list) else next(iter(candidates))), tree
        return self._smallest(every, candidates, trials), tree

    def _numbers(self, columns: int) -> Iterable[int]:
        return range(1, columns) if self.n_variables == "auto" else (int(self.n_variables),)

    def _ranked(self, tree: Tree) -> Iterator[Sequence[Choice]]:
        """Yield the candidates of the tree, for each number of columns that is asked for."""
        for number in self._numbers(len(tree.names)):
            yield tree.possibilities(number, TRIES).choices

    def _searched(self, table: _Table) -> Iterator[Sequence[Choice]]:
        """Yield the candidates of the search, for each number of columns that is asked for."""
        numbers = self._numbers(len(table.layout.names))
        for number, candidates in enumerate(promising(table.correlations(), table.dimensions, TRIES), start=1):
            if number in numbers:
                yield candidates

    def _smallest(self, every: Choice, candidates: Iterable[Sequence[Choice]], trials: _Trials) -> Choice:
        """Return the first choice within the margin, or all columns."""
        ceiling = (1.0 + self.margin) * trials.loss(every)
        for choices in candidates:
            best = trials.best(choices)
            if trials.loss(best) <= ceiling:
                return best
        return every


class _Table:
    """The records, and the columns that their dimensions stand for."""

    def __init__(self, records: Canonical, layout: Layout) -> None:
        self.records, self.layout = records, layout
        ends = np.cumsum([0, *layout.widths]).tolist()
        self.dimensions = [range(start, end) for start, end in zip(ends, ends[1:], strict=False)]

    def of(self, choice: Choice) -> Floats:
        """Return the dimensions of the chosen columns."""
        if len(choice) == len(self.dimensions):
            return self.records.points
        return np.ascontiguousarray(self.records.points[:, [at for one in choice for at in self.dimensions[one]]])

    def correlations(self) -> Floats:
        """Return the correlations of all dimensions."""
        return correlations(list(self.records.points.T))

    def tree(self, measure: Measure, classes: Classes) -> Tree:
        """Return the dependence tree of the columns."""
        if measure == "correlation" and max(self.layout.widths) > 1:
            return self._by_largest()
        variables = [
            Variable(name, _as_one(self.records.points[:, dimensions.start : dimensions.stop], nominal), nominal)
            for name, dimensions, nominal in zip(
                self.layout.names, self.dimensions, self.layout.nominal, strict=True
            )
        ]
        return grown([one._replace(nominal=False) for one in variables] if measure == "correlation" else variables, measure, None, classes)

    def _by_largest(self) -> Tree:
        """Return the tree by the largest correlation between the dimensions of two columns."""
        r = np.abs(self.correlations())
        starts = [dimensions.start for dimensions in self.dimensions]
        between = np.maximum.reduceat(np.maximum.reduceat(r, starts, axis=0), starts, axis=1)
        strengths = of_moments(between, len(self.records.points))
        return Tree(self.layout.names, "correlation", strengths.weights)


def _as_one(part: Floats, nominal: bool) -> Floats:
    """Return a column as one number for each record: of a nominal one the place of its value."""
    if not nominal:
        return part[:, 0]  # the next says what is missing, and stands at the mean here
    return np.unique(part, axis=0, return_inverse=True)[1].reshape(-1).astype(np.float64)


class _Trials:
    """Runs of the method on some columns, and what each loses of all."""

    def __init__(self, method: Method, table: _Table, k: int, seed: int, progress: Progress | None) -> None:
        self.method, self.table, self.k, self.seed, self.progress = method, table, k, seed, progress
        n = len(table.records.points)
        step = -(-n // max(TRIED_ON, k))
        self.rows = slice(None, None, step)
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


def _account(table: _Table, chosen: Choice, trials: _Trials, tree: Tree | None) -> dict[str, Any]:
    """Return as plain data what was chosen, what was tried, and the tree."""
    names = table.layout.names
    tried = sorted(trials.losses.items(), key=lambda item: (len(item[0]), item[1], item[0]))
    account: dict[str, Any] = {
        "columns": [names[at] for at in chosen],
        "of": len(names),
        "tried": [{"columns": [names[at] for at in choice], "loss": loss} for choice, loss in tried],
        "tried_on": len(trials.points),
    }
    if tree is not None:
        account["tree"] = {
            "measure": tree.measure,
            "names": list(names),
            "edges": [[names[one], names[other], tree.strengths[one, other].item()] for one, other in tree.edges],
            "trees": tree.count,
            "notes": list(tree.notes),
        }
    return account


def _told(account: dict[str, Any], number: int | str, margin: float) -> str:
    """Return in words which columns were chosen and why."""
    tried, count = len(account["tried"]), len(account["columns"])
    if count == account["of"]:
        why = f"no fewer lose within {100 * margin:g} % of them" if number == "auto" and tried else ""
        return f"grouped by all {count} columns" + (f", since {why}" if why else "")
    how = f"the best of {tried} choices tried" if tried else "as its tree has them first"
    return f"grouped by {', '.join(account['columns'])}, {count} of {account['of']} columns, {how}"
