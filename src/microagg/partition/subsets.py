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
    """A choice of columns, what it leaves of the covariances, and of the variance."""

    choice: Choice
    left: Floats
    open: float


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
    guesses = [_Guess((), scaled, 1.0)]
    for _ in columns:
        found: dict[Choice, _Guess] = {}
        for guess in guesses:
            for column, dimensions in enumerate(columns):
                if column not in guess.choice:
                    more = tuple(sorted((*guess.choice, column)))
                    if more not in found:
                        found[more] = _with(guess, more, dimensions, spent)
        guesses = sorted(found.values(), key=lambda guess: (guess.open, guess.choice))[:_KEPT]
        yield [guess.choice for guess in guesses[:most]]


def _with(guess: _Guess, choice: Choice, dimensions: Sequence[int], spent: Floats) -> _Guess:
    """Return the guess when the dimensions of one more column are known."""
    left = guess.left
    for dimension in dimensions:
        pivot = left[dimension, dimension]
        if pivot > spent[dimension]:
            left = left - np.multiply.outer(left[dimension], left[dimension] / pivot)
    return _Guess(choice, left, round(float(left.diagonal().sum()), _DIGITS))
