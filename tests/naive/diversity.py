"""l-diversity and t-closeness, told in plain Python with fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp, log


def classes_of(values, classes):
    """Return the values of each class, as lists."""
    return [[v for v, c in zip(values, classes, strict=True) if c == one] for one in sorted(set(classes))]


def shares(values):
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def distinct(values, classes):
    return min(len(set(members)) for members in classes_of(values, classes))


def entropy(values, classes):
    return min(
        exp(-sum(float(p) * log(p) for p in shares(members).values()))
        for members in classes_of(values, classes)
    )


def given_away(values, classes):
    """Return the share of classes, and that of records, whose class has one value."""
    groups = classes_of(values, classes)
    alike = [members for members in groups if len(set(members)) == 1]
    return len(alike) / len(groups), sum(map(len, alike)) / len(values)


def total_variation(values, classes):
    q = shares(values)
    return max(sum(abs(p.get(v, 0) - q[v]) for v in q) / 2 for p in map(shares, classes_of(values, classes)))


def along_the_order(p, q, levels):
    """Return how far records must be moved along the places 0 .. levels - 1, by the whole way."""
    if levels < 2:
        return Fraction(0)
    gap, moved = Fraction(0), Fraction(0)
    for place in range(levels):
        gap += p.get(place, 0) - q.get(place, 0)
        moved += abs(gap)
    return moved / (levels - 1)


def earth_mover(values, classes, levels):
    q = shares(values)
    return max(along_the_order(shares(members), q, levels) for members in classes_of(values, classes))


def earth_mover_with_missing(values, classes, levels):
    """Return the same where the last level is that of what is missing, which is far from all others."""

    def split(members):
        there = [value for value in members if value != levels - 1]
        return Fraction(len(there), len(members)), shares(there) if there else None

    in_table, q = split(values)
    farthest = Fraction(0)
    for members in classes_of(values, classes):
        in_class, p = split(members)
        moved = abs(in_class - in_table)
        if p is not None:
            moved += min(in_class, in_table) * along_the_order(p, q, levels - 1)
        farthest = max(farthest, moved)
    return farthest
