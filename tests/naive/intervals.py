"""Interval disclosure of one column, in plain loops; None is a missing value."""

from __future__ import annotations

import math
from fractions import Fraction


def by_rank(before, after):
    """Return of how many cells, over all ten widths, the original is inside, and how many there are."""
    originals = sorted(x for x in before if x is not None)
    inside = cells = 0
    for x, y in zip(before, after, strict=True):
        if x is None or y is None:
            continue
        place = Fraction(sum(z < y for z in originals) + sum(z <= y for z in originals), 2)
        places = [i + Fraction(1, 2) for i, z in enumerate(originals) if z == x]
        gap = max(places[0] - place, place - places[-1], 0)
        for percent in range(1, 11):
            cells += 1
            inside += gap <= Fraction(percent * len(originals), 100)
    return inside, cells


def by_deviation(before, after):
    """Return how far each original lies from the released value, in percent of a standard deviation.

    None where one of them is missing.
    """
    there = [x for x in before if x is not None]
    mean = math.fsum(there) / len(there)
    unit = math.sqrt(math.fsum((x - mean) ** 2 for x in there) / (len(there) - 1))
    return [
        None if x is None or y is None else 100 * abs(x - y) / unit
        for x, y in zip(before, after, strict=True)
    ]


def records(columns_before, columns_inside):
    """Return the share of records with some original value, of which all are inside."""
    told = 0
    rows = zip(zip(*columns_before, strict=True), zip(*columns_inside, strict=True), strict=True)
    for originals, inside in rows:
        there = [bool(cell) for x, cell in zip(originals, inside, strict=True) if x is not None]
        told += bool(there) and all(there)
    return told / len(columns_before[0])
