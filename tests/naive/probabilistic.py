"""Linking by agreement patterns, told in plain loops over all pairs."""

from __future__ import annotations

from math import log


def rank(value, column):
    """Return twice the middle rank of a value among those of a column, or None if it is missing."""
    if value is None:
        return None
    return sum((x < value) + (x <= value) for x in column if x is not None)


def agrees(x, y, reach):
    """Say whether two values are near enough; None is missing."""
    return x is y if x is None or y is None else abs(x - y) <= reach


def fitted(patterns, columns, rounds=300):
    """Return m and u of each column after the EM algorithm; `patterns` has a row for each released record.

    A pattern that is None is one of two strata.
    """
    every = [pattern for row in patterns for pattern in row if pattern is not None]
    others = len(every) / len(patterns) - 1

    def clipped(shares):
        return [min(max(share, 1e-6), 1 - 1e-6) for share in shares]

    m = [0.9] * columns
    u = clipped(sum(pattern[j] for pattern in every) / len(every) for j in range(columns))
    for _ in range(rounds):
        true = []
        for pattern in every:
            same = different = 1.0
            for j, agreeing in enumerate(pattern):
                same *= m[j] if agreeing else 1 - m[j]
                different *= u[j] if agreeing else 1 - u[j]
            true.append(same / (same + others * different))
        whole = sum(true)
        old = m, u
        m = clipped(
            sum(t for t, pattern in zip(true, every, strict=True) if pattern[j]) / whole
            for j in range(columns)
        )
        u = clipped(
            sum(1 - t for t, pattern in zip(true, every, strict=True) if pattern[j]) / (len(every) - whole)
            for j in range(columns)
        )
        if max(abs(a - b) for a, b in zip([*m, *u], [*old[0], *old[1]], strict=True)) < 1e-7:
            break
    return m, u


def linked(before, after, kinds, tolerance, strata=None):
    """Return the share of released records linked to their own original, ties shared.

    Tables are lists of columns.
    """
    strata = strata or [0] * len(before[0])
    if len(set(strata)) == len(strata):
        return 1.0
    reaches = []
    for j, kind in enumerate(kinds):
        if kind in ("nominal", "boolean"):
            reaches.append(0)
            continue
        known = before[j]
        reaches.append(tolerance * 2 * sum(x is not None for x in known))
        before[j], after[j] = ([rank(x, known) for x in column] for column in (before[j], after[j]))
    patterns = [
        [tuple(map(agrees, original, released, reaches)) for original in zip(*before, strict=True)]
        for released in zip(*after, strict=True)
    ]
    for y, row in enumerate(patterns):
        row[:] = [of if strata[x] == strata[y] else None for x, of in enumerate(row)]
    m, u = fitted(patterns, len(kinds))
    right = 0.0
    for y, row in enumerate(patterns):
        weights = [-1e9 if pattern is None else round(weight(pattern, m, u), 6) for pattern in row]
        best = max(weights)
        if weights[y] == best:
            right += 1 / weights.count(best)
    return right / len(patterns)


def weight(pattern, m, u):
    return sum(
        log(m[j] / u[j]) if agreeing else log((1 - m[j]) / (1 - u[j])) for j, agreeing in enumerate(pattern)
    )
