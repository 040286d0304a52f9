"""The dependence tree of a table's columns, and which of them it says to group by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np

from microagg.dependence.classes import Floats
from microagg.dependence.spanning import Edges, count_trees, trees
from microagg.dependence.strength import Measure
from microagg.errors import InputError

MOST = 1000
"""How many equal trees, and how many possibilities, are listed."""

Choice = tuple[int, ...]
"""The places of columns, the one of highest degree first."""


class Possibilities(NamedTuple):
    """Which columns the tree says to group by, where degrees or trees tie; in a fixed order."""

    choices: tuple[Choice, ...]
    complete: bool  # whether these are all


@dataclass(frozen=True)
class Tree:
    """The maximum spanning tree over the strengths with which columns depend on each other."""

    names: tuple[str, ...]
    measure: Measure
    strengths: Floats = field(repr=False, compare=False)  # d x d
    classes: tuple[int, ...] = ()  # of each column; none if the measure needs none
    alone: tuple[int, ...] = ()  # columns that do not vary, or have one class: no edge leads to them
    notes: tuple[str, ...] = ()

    @cached_property
    def _trees(self) -> list[Edges]:
        return trees(self.strengths, self._nodes, MOST)

    @property
    def _nodes(self) -> list[int]:
        return [node for node in range(len(self.names)) if node not in self.alone]

    @property
    def edges(self) -> Edges:
        """The edges of the first tree, the strongest first, as places of columns from 0."""
        return self._trees[0]

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each edge."""
        return tuple(float(self.strengths[edge]) for edge in self.edges)

    @cached_property
    def count(self) -> int:
        """How many trees there are of the same weight."""
        return count_trees(self.strengths, self._nodes)

    @property
    def degrees(self) -> tuple[int, ...]:
        """How many edges lead to each column."""
        return _degrees(len(self.names), self.edges)

    @property
    def ranked(self) -> Choice:
        """The columns by degree, the highest first; of equal ones the first."""
        return _ranked(self.degrees)

    def possibilities(self, variables: int, most: int = MOST) -> Possibilities:
        """Return the choices of so many columns of highest degree.

        Where degrees tie at the last place there are several; and so where trees tie. They come tree by
        tree, and for each tree in the order of the columns; each once.
        """
        if not 1 <= variables <= len(self.names):
            raise InputError(
                f"expected a number of variables from 1 to {len(self.names)}, found {variables!r}"
            )
        found: dict[frozenset[int], Choice] = {}
        for tree in self._trees:
            for choice in _choices(_degrees(len(self.names), tree), variables):
                if len(found) == most and frozenset(choice) not in found:
                    return Possibilities(tuple(found.values()), False)
                found.setdefault(frozenset(choice), choice)
        return Possibilities(tuple(found.values()), self.count <= MOST)

    def ties(self, variables: int) -> int:
        """Return among how many choices of so many columns the degrees of the first tree leave open."""
        _, tied, needed = _at_the_cut(self.degrees, variables)
        return comb(len(tied), needed)


def _degrees(d: int, edges: Edges) -> tuple[int, ...]:
    return tuple(np.bincount(np.array(edges, dtype=np.intp).ravel(), minlength=d).tolist())


def _ranked(degrees: Sequence[int]) -> Choice:
    return tuple(sorted(range(len(degrees)), key=lambda node: (-degrees[node], node)))


def _at_the_cut(degrees: Sequence[int], variables: int) -> tuple[Choice, Choice, int]:
    """Return the columns that are surely chosen, those that tie, and how many of these are needed."""
    ranked = _ranked(degrees)
    cut = degrees[ranked[variables - 1]]
    sure = tuple(node for node in ranked if degrees[node] > cut)
    return sure, tuple(node for node in ranked if degrees[node] == cut), variables - len(sure)


def _choices(degrees: Sequence[int], variables: int) -> Iterator[Choice]:
    sure, tied, needed = _at_the_cut(degrees, variables)
    yield from (sure + rest for rest in islice(combinations(tied, needed), MOST + 1))
