"""Selected: another method, on a few well-chosen columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from microagg.dependence.classes import Classes, checked_classes
from microagg.dependence.strength import MEASURES, Measure
from microagg.dependence.tree import Tree
from microagg.errors import Faults, InputError
from microagg.partition.matrix import Explained, Labels, Layout, Method, Progress, canonical
from microagg.partition.mdav import MDAV
from microagg.partition.registry import method_of
from microagg.partition.subsets import Choice, promising
from microagg.partition.trials import TRIES, Columns, Trials


@dataclass(frozen=True)
class Selected:
    """Another method, on a few columns that stand for the others; all columns are then aggregated.

    With many columns, grouping by a few well-chosen ones takes less time and, if they are chosen well, does
    not lose much more. Candidates come from the dependence tree, the columns with most edges (EMAD), or
    from a search. Up to 20 candidates are tried, on every so many of the records in
    a table of 20,000 or more, and the one of least loss is taken; the loss counts all columns.

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
    >>> X = [[0.0, 0.1, 3], [0.1, 0.2, 7], [5.0, 5.3, 4], [5.1, 5.0, 8], [9.0, 9.2, 5], [9.2, 9.1, 9]]
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
        """Return the group of each record, the columns chosen, what was tried, and the tree."""
        records = canonical(X, k, weights)
        table = Columns(records, self._layout(records.points.shape[1]))
        trials = Trials(self.method, table, int(k), seed, progress)
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

    def _chosen(self, table: Columns, trials: Trials) -> tuple[Choice, Tree | None]:
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
            return trials.best(next(candidates)), tree
        return self._smallest(every, candidates, trials), tree

    def _numbers(self, columns: int) -> Iterable[int]:
        return range(1, columns) if self.n_variables == "auto" else (int(self.n_variables),)

    def _ranked(self, tree: Tree) -> Iterator[Sequence[Choice]]:
        """Yield the candidates of the tree, for each number of columns that is asked for."""
        for number in self._numbers(len(tree.names)):
            yield tree.possibilities(number, TRIES).choices

    def _searched(self, table: Columns) -> Iterator[Sequence[Choice]]:
        """Yield the candidates of the search, for each number of columns that is asked for."""
        numbers = self._numbers(len(table.layout.names))
        for number, candidates in enumerate(promising(table.covariances(), table.dimensions, TRIES), start=1):
            if number in numbers:
                yield candidates

    def _smallest(self, every: Choice, candidates: Iterable[Sequence[Choice]], trials: Trials) -> Choice:
        """Return the first choice within the margin, or all columns."""
        ceiling = (1.0 + self.margin) * trials.loss(every)
        for choices in candidates:
            best = trials.best(choices)
            if trials.loss(best) <= ceiling:
                return best
        return every


def _account(table: Columns, chosen: Choice, trials: Trials, tree: Tree | None) -> dict[str, Any]:
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
            "edges": [
                [names[one], names[other], weight]
                for (one, other), weight in zip(tree.edges, tree.weights, strict=True)
            ],
            "trees": tree.count,
            "notes": list(tree.notes),
        }
    return account


def _told(account: dict[str, Any], number: int | str, margin: float) -> str:
    """Return in words which columns were chosen and why."""
    tried, count, of = len(account["tried"]), len(account["columns"]), account["of"]
    if count == of:
        none = (
            f", since no fewer lose within {100 * margin:g} % of them" if number == "auto" and tried else ""
        )
        return f"grouped by all {of} columns{none}"
    how = f"the best of {tried} choices tried" if tried else "the only choice of its tree"
    return f"grouped by {count} of {of} columns ({', '.join(account['columns'])}), {how}"
