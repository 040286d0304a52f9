"""Linking records by least distance, told in plain loops."""

from __future__ import annotations

import math

ALIKE = math.sqrt(1 + 1e-9)
ROUNDING = 2.0**-50


def chances(original, released, strata=None):
    """Return for each record the chance that it is linked rightly: forth, among two, back, and to its class.

    `released` may hold the same point many times: these are the records of a class. Of records with
    strata those of others are not looked at.
    """
    if strata is not None:
        return chances_by_stratum(original, released, strata)
    records = range(len(original))
    forth = [tiers(released[i], original) for i in records]
    back = [tiers(original[i], released) for i in records]
    return [
        (
            chance_of_one(i, forth[i]),
            chance_of_two(i, forth[i]),
            chance_of_one(i, back[i]),
            sum(chance_of_one(j, back[i]) for j in records if released[j] == released[i]),
        )
        for i in records
    ]


def chances_by_stratum(original, released, strata):
    found = [None] * len(strata)
    for stratum in set(strata):
        members = [i for i, of in enumerate(strata) if of == stratum]
        alone = chances([original[i] for i in members], [released[i] for i in members])
        for i, chance in zip(members, alone, strict=True):
            found[i] = chance
    return found


def chance_of_one(own, found):
    return 1 / len(found[0]) if own in found[0] else 0.0


def chance_of_two(own, found):
    nearest, next_to_it = found
    if own in nearest:
        return min(1.0, 2 / len(nearest))
    return 1 / len(next_to_it) if len(nearest) == 1 and own in next_to_it else 0.0


def tiers(query, points):
    """Return which points lie nearest to the query, and which next to them."""
    distances = [math.dist(query, point) for point in points]
    slack = ROUNDING * math.hypot(*query)
    nearest = up_to_least(distances, slack)
    others = [math.inf if i in nearest else distance for i, distance in enumerate(distances)]
    return nearest, up_to_least(others, slack) if len(nearest) < len(points) else set()


def up_to_least(distances, slack):
    limit = (min(distances) + slack) * ALIKE
    return {i for i, distance in enumerate(distances) if distance <= limit}
