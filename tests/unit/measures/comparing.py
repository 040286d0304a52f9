"""An original and its release, from plain lists: what the tests of measures look at."""

from __future__ import annotations

import numpy as np

from microagg.aggregate import centres_of
from microagg.columns import NONE_MISSING, Column
from microagg.measures.compared import CATEGORIES, NO_WEIGHTS, Compared, Pair, Watched
from microagg.plan import CENTRES
from microagg.prepare import matrix_of, unit_of


def column(name, values, kind="continuous"):
    """Return a column of numbers, or of places in an order; None is missing."""
    missing = np.array([value is None for value in values])
    least = min((value for value in values if value is not None), default=0.0)
    filled = np.array([least if value is None else value for value in values], dtype=float)
    levels = int(filled.max(initial=-1)) + 1 if kind in (*CATEGORIES, "ordinal") else 0
    return Column(name, kind, filled, missing if missing.any() else NONE_MISSING, levels)


def pair(name, before, after, kind="continuous", importance=1.0):
    """Return a column before and after, with standard deviations as the unit."""
    original, released = column(name, before, kind), column(name, after, kind)
    levels = max(original.levels, released.levels)
    original, released = original._replace(levels=levels), released._replace(levels=levels)
    return Pair(original, released, unit_of(original, "zscore"), importance)


def compared(before, after, kinds=None, weights=None, classes=None, sensitive=()):
    """Return both tables, given as a dict of lists or a matrix; kinds by name, continuous if not said.

    Records are of one class if their released values are all equal, unless their classes are given.
    """
    before, after = named(before), named(after)
    pairs = tuple(
        pair(name, before[name], after[name], (kinds or {}).get(name, "continuous")) for name in before
    )
    with np.errstate(over="ignore"):  # of a release out of all proportion
        points = points_of(pairs)
    if classes is None:
        shown = [both.released for both in pairs]
        values = np.column_stack(
            [one.values for one in shown] + [one.missing for one in shown if one.missing.size]
        )
        classes = np.unique(values, axis=0, return_inverse=True)[1].ravel()
    return Compared(
        pairs,
        np.asarray(classes, dtype=np.int64),
        *points,
        weights=NO_WEIGHTS if weights is None else np.asarray(weights, dtype=float),
        sensitive=tuple(sensitive),
    )


def named(table):
    """Return a dict of columns; those of a matrix are called a, b, c ..."""
    if isinstance(table, dict):
        return {name: list(values) for name, values in table.items()}
    return {_letters(j): list(values) for j, values in enumerate(np.asarray(table, dtype=float).T)}


def _letters(j):
    return chr(ord("a") + j) if j < 26 else _letters(j // 26 - 1) + _letters(j % 26)


def points_of(pairs):
    """Return both tables as points of one space."""
    stacked = [_stacked(both.original, both.released) for both in pairs]
    records = pairs[0].original.values.size
    matrix = matrix_of(
        stacked,
        [both.unit for both in pairs],
        [both.importance for both in pairs],
        np.arange(2 * records),
    )
    return matrix[:records], matrix[records:]


def _stacked(one, other):
    missing = np.concatenate(
        [of.missing if of.missing.size else np.zeros(of.values.size, bool) for of in (one, other)]
    )
    return one._replace(
        values=np.concatenate((one.values, other.values)), missing=missing if missing.any() else NONE_MISSING
    )


def grouped(before, labels, kinds=None, weights=None, sensitive=()):
    """Return a table and its release, in which every group has its centre: mean, median or mode."""
    before = named(before)
    labels = np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int32)
    after = {}
    for name, values in before.items():
        one = column(name, values, (kinds or {}).get(name, "continuous"))
        centres = centres_of(one, labels, int(labels.max()) + 1, CENTRES[one.kind][0])
        gone = centres.missing if centres.missing.size else np.zeros(centres.values.size, bool)
        shown = [None if away else value for value, away in zip(centres.values.tolist(), gone, strict=True)]
        after[name] = [shown[label] for label in labels]
    return compared(before, after, kinds, weights, labels, sensitive)


def watched(name, places, ordered=False):
    """Return a sensitive column from the places of its values."""
    places = np.asarray(places, dtype=np.int64)
    return Watched(name, places, int(places.max()) + 1, ordered)
