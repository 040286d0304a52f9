"""Which columns may be worth grouping by, judged by covariances alone: a guess that costs nothing.

A good choice of columns leaves little of the others open. The guess at its loss is the share of the variance
that a linear regression of all columns on the chosen ones leaves unexplained. It is found for every column
that may be added by one step of Gaussian elimination (a sweep), so that thousands of choices are judged in
no time; the best are then tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from microagg.partition.matrix import Floats

Choice = tuple[int, ...]
"""The places of columns, in ascending order."""

_KEPT = 200  # choices of each number of columns that are extended: all pairs of up to 20 columns
_SPENT = 1e-9  # the share that is left of a column's variance when the others tell it
_DIGITS = 9  # to which guesses are compared, so that rounding does not order them


class _Guess(NamedTuple):
    """A choice of columns, and what it leaves of the covariances."""

    choice: Choice
    left: Floats


def promising(covariances: Floats, columns: Sequence[Sequence[int]], most: int) -> Iterator[list[Choice]]:
    """Yield the best choices of one column, of two, and so on: up to `most` of each, the best first.

    Parameters
    ----------
    covariances
        Of the dimensions; their scale does not matter.
    columns
        The dimensions of each column that can be chosen.
    most
        How many choices are returned of each number.
    """
    spread = covariances.diagonal()
    scaled = covariances / (spread.sum() or 1.0)
    spent = _SPENT * scaled.diagonal()
    guesses = [_Guess((), scaled)]
    for _ in columns:
        found: dict[Choice, tuple[float, _Guess, int]] = {}
        for guess in guesses:
            for column, left_open in _extended(guess, columns, spent):
                more = tuple(sorted((*guess.choice, column)))
                found.setdefault(more, (left_open, guess, column))
        best = sorted(found, key=lambda choice: (found[choice][0], choice))
        guesses = [
            _Guess(choice, _swept(guess.left, columns[column], spent))
            for choice, (_, guess, column) in ((choice, found[choice]) for choice in best[:_KEPT])
        ]
        yield best[:most]


def _extended(guess: _Guess, columns: Sequence[Sequence[int]], spent: Floats) -> Iterator[tuple[int, float]]:
    """Yield each column that may be added, and the share of the variance that is then open."""
    left, pivots = guess.left, guess.left.diagonal()
    told = (left * left).sum(axis=0) / np.where(pivots > spent, pivots, np.inf)
    total = float(pivots.sum())
    for column, dimensions in enumerate(columns):
        if column in guess.choice:
            continue
        if len(dimensions) == 1:
            yield column, round(total - float(told[dimensions[0]]), _DIGITS)
        else:
            yield column, round(float(_swept(left, dimensions, spent).trace()), _DIGITS)


def _swept(left: Floats, dimensions: Sequence[int], spent: Floats) -> Floats:
    """Return what is left of the covariances when some dimensions are known."""
    for dimension in dimensions:
        pivot = left[dimension, dimension]
        if pivot > spent[dimension]:
            left = left - np.multiply.outer(left[dimension], left[dimension] / pivot)
    return left
