"""The dependence tree of a table: which columns stand for the others, and what grouping by them costs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np

import microagg.tables as tables
from microagg.columns import Column, Floats
from microagg.dependence.classes import Classes
from microagg.dependence.growing import Variable, grown
from microagg.dependence.strength import Measure
from microagg.dependence.tree import MOST, Choice, Tree
from microagg.errors import Faults, InputError
from microagg.kernels.exact import exact_group_means
from microagg.measures.compared import AMOUNTS, CATEGORIES, Compared
from microagg.measures.linkage import linkage
from microagg.partition.geometry import loss
from microagg.partition.matrix import Labels, Method, Progress, canonical, checked_matrix, many_runs
from microagg.partition.mdav import MDAV
from microagg.partition.registry import method_of
from microagg.plan import Kind
from microagg.plan.faults import unknown_word
from microagg.prepare import matrix_of, unit_of, width_of

_FEW = 20  # values of a text column up to which it is looked at if no columns are named


class Judged(NamedTuple):
    """What grouping by some columns costs."""

    columns: tuple[str, ...]
    loss: float  # percent, of all columns
    linked: float  # share of released records that are nearest to their own original


class _Matrix(NamedTuple):
    """All columns as one matrix, and the dimensions of each."""

    X: Floats
    ends: tuple[int, ...]


@dataclass(frozen=True)
class DependenceTree(Tree):
    """The columns of a table as a tree, in which those are joined that depend on each other most.

    Of all the trees that join the columns it is the one whose edges weigh most together (Chow and Liu);
    where edges weigh the same there are several. Columns with many edges stand for those they are joined
    to, and are the ones to group by (EMAD).

    Make one by `fit`. It keeps counts and weights, no records.

    References
    ----------
    B. J. Oommen, E. Fayyoumi, "On utilizing dependence-based information to enhance micro-aggregation for
    secure statistical databases", Pattern Analysis and Applications 16, 2013.

    Examples
    --------
    >>> from microagg import datasets
    >>> drawn = datasets.tree_dependent(2000, 5, seed=1)
    >>> tree = DependenceTree.fit(drawn.X, width=100)
    >>> sorted(tree.edges) == sorted((int(parent), at) for at, parent in enumerate(drawn.parents) if at)
    True
    """

    left_out: tuple[str, ...] = field(default=())

    @classmethod
    def fit(
        cls,
        data: Any,
        columns: Sequence[str] | None = None,
        *,
        weights: Measure = "emim",
        width: float | Mapping[str, float] | None = None,
        classes: Classes = "auto",
        kinds: Mapping[str, Kind] | None = None,
    ) -> DependenceTree:
        """Return the tree of a table's columns.

        Parameters
        ----------
        data
            A matrix, whose columns are named "1", "2" and so on; or a table, as for `protect`.
        columns
            Those to look at. If not said, all that hold numbers or dates, and texts of few values.
        weights
            What edges weigh: "emim", the expected mutual information; "chi2", chi-squared; "correlation",
            the absolute correlation, as if all columns were normal.
        width
            How wide the classes are into which columns are cut, for all or by name; counted from the least
            value. Nominal columns have their values for classes.
        classes
            If no width is given, how many classes there are. "auto" is 10, but so few in a table of fewer
            than 500 records that a class of two columns holds 5 records on average.
        kinds
            What kind of values a column holds, where that is not seen.

        Raises
        ------
        InputError
            If there are fewer than two columns, or they cannot be used; all faults at once.
        """
        found, others = _columns_of(data, columns, kinds or {})
        variables = [
            Variable(column.name, _filled(column), column.kind in CATEGORIES) for column in found.values()
        ]
        tree = grown(variables, weights, _widths(width, list(found)), classes)
        gaps = [f"{name} has missing values, which count as its mean" for name in _with_gaps(found)]
        known = {of.name: getattr(tree, of.name) for of in fields(Tree)}
        return cls(**{**known, "notes": (*tree.notes, *gaps)}, left_out=tuple(others))

    def judged(
        self,
        data: Any,
        n_variables: int,
        k: int = 3,
        *,
        method: str | Method | None = None,
        most: int = MOST,
        kinds: Mapping[str, Kind] | None = None,
        progress: Progress | None = None,
    ) -> tuple[Judged, ...]:
        """Return what each possibility of so many columns loses and risks; that of least loss first.

        Parameters
        ----------
        data
            The table or matrix that the tree was made of.
        n_variables
            How many columns are grouped by; where degrees or trees tie there are several possibilities.
        k
            The least number of records in a group.
        method
            What groups by them; MDAV if not said.
        most
            How many possibilities are looked at.
        kinds
            As for `fit`.
        progress
            Called with the possibilities done and in all; an exception raised in it stops the work.

        Raises
        ------
        InputError
            If the columns are not there, or k does not suit the table.
        """
        found, _ = _columns_of(data, self.names, kinds or {})
        matrix = _matrix(list(found.values()))
        choices = self.possibilities(n_variables, most).choices
        chosen_method = MDAV() if method is None else method_of(method)
        judged = []
        for done, choice in enumerate(choices):
            if progress is not None:
                progress(done, len(choices))
            with many_runs(len(choices)):
                labels = chosen_method.partition(_part(matrix, choice), k)
            judged.append(_judged(matrix.X, labels, k, tuple(self.names[at] for at in choice)))
        return tuple(sorted(judged, key=lambda one: one.loss))

    def plot(self, path: str | os.PathLike[str] | None = None, chosen: int | Sequence[str] = 3) -> str:
        """Draw the tree and return the picture as SVG, the chosen columns marked.

        Parameters
        ----------
        path
            The file to write, if any.
        chosen
            The names of the chosen columns, or how many: then those that are first by degree.

        Raises
        ------
        InputError
            If the file cannot be written, or a column is not there.
        """
        from microagg.report.tree_file import as_file, save  # which only this needs

        figure = self.figure(chosen)
        if path is not None:
            save(figure, path)
        return as_file(figure)

    def figure(self, chosen: int | Sequence[str] = 3) -> Any:
        """Return what the picture shows, as plain data."""
        from microagg.report.tree_figure import TreeFigure

        if isinstance(chosen, int):
            chosen = [self.names[at] for at in self.ranked[:chosen]]
        InputError.raise_any(
            unknown_word("the column", name, self.names) for name in chosen if name not in self.names
        )
        edges = tuple(
            (self.names[one], self.names[other], weight)
            for (one, other), weight in zip(self.edges, self.weights, strict=True)
        )
        return TreeFigure(self.names, edges, tuple(chosen), self.measure)


def _columns_of(
    data: Any, names: Sequence[str] | None, kinds: Mapping[str, Kind]
) -> tuple[dict[str, Column], list[str]]:
    """Return the columns to look at, and the names of those that are left out."""
    if isinstance(data, np.ndarray | list):
        X = checked_matrix(data, 2)
        found = {str(at): Column(str(at), "continuous", values) for at, values in enumerate(X.T, start=1)}
        names = list(found) if names is None else names
        InputError.raise_any(
            unknown_word("the column", name, list(found)) for name in names if name not in found
        )
        return {name: found[name] for name in names}, [name for name in found if name not in names]
    table = tables.read(data)
    wanted = _seen(table, kinds) if names is None else [names] if isinstance(names, str) else list(names)
    faults = Faults(
        unknown_word("the column", name, table.names) for name in wanted if name not in table.names
    )
    table = table.with_whole([name for name in wanted if name in table.names])
    encoded = {
        name: faults.attempt(table.encoded, name, kinds.get(name) or table.kind(name).kind)
        for name in wanted
        if name in table.names
    }
    InputError.raise_any(faults)
    left = [name for name in table.names if name not in wanted]
    return {name: of.column for name, of in encoded.items() if of}, left


def _seen(table: tables.Table, kinds: Mapping[str, Kind]) -> list[str]:
    """Return the columns that a tree can be made of: numbers, dates, and texts of few values."""
    found = []
    for name in table.names:
        kind = kinds.get(name) or table.kind(name).kind
        if kind in (*AMOUNTS, "ordinal", "boolean") or table.distinct(name) <= _FEW:
            found.append(name)
    return found


def _filled(column: Column) -> Floats:
    """Return the values, those that are missing in the class of the mean, or as a value of their own."""
    if not column.missing.size:
        return column.values
    instead = float(column.levels) if column.kind in CATEGORIES else float(column.present.mean())
    return np.where(column.missing, instead, column.values)


def _with_gaps(columns: Mapping[str, Column]) -> list[str]:
    return [name for name, column in columns.items() if column.missing.size and column.kind not in CATEGORIES]


def _widths(width: float | Mapping[str, float] | None, names: Sequence[str]) -> float | list[float] | None:
    """Return the width of the classes of each column."""
    if not isinstance(width, Mapping):
        return width
    InputError.raise_any(
        [unknown_word("the column", name, list(names)) for name in width if name not in names]
        + [f"no width is said for column {name!r}: say one for each" for name in names if name not in width]
    )
    return [width[name] for name in names]


def _matrix(columns: Sequence[Column]) -> _Matrix:
    """Return all columns, standardised, as one matrix."""
    units = [unit_of(column, "zscore") for column in columns]
    order = np.arange(columns[0].values.size)
    ends = np.cumsum([0, *map(width_of, columns)]).tolist()
    return _Matrix(matrix_of(columns, units, [1.0] * len(columns), order), tuple(ends))


def _part(matrix: _Matrix, choice: Choice) -> Floats:
    """Return the dimensions of the chosen columns, in the order of the table."""
    places = [at for one in sorted(choice) for at in range(matrix.ends[one], matrix.ends[one + 1])]
    return np.ascontiguousarray(matrix.X[:, places])


def _judged(X: Floats, labels: Labels, k: int, names: tuple[str, ...]) -> Judged:
    records = canonical(X, k)
    groups = int(labels.max()) + 1
    means = np.column_stack([exact_group_means(column, labels, groups) for column in X.T])
    risk = linkage(Compared((), labels.astype(np.int64), X, means[labels]))
    return Judged(names, loss(records, labels[records.order]), risk.released_to_original)
