"""V-MDAV as the paper tells it (section 2): plain loops over plain lists."""

from __future__ import annotations

import math

from tests.naive.mdav import centroid, farthest, in_canonical_order, labels_of, nearest, squared_distance


def vmdav(rows, k, gamma, weights=None):
    """Return the group of each row."""
    positions, points, weights = in_canonical_order(rows, weights)
    unassigned = list(range(len(points)))
    centre_of_all = centroid(unassigned, points, weights)
    groups = []
    while len(unassigned) >= k:
        e = farthest(unassigned, points, centre_of_all)
        unassigned.remove(e)
        group = [e, *nearest(unassigned, points, points[e], k - 1)]
        unassigned = [i for i in unassigned if i not in group]
        while len(group) < 2 * k - 1 and unassigned:
            d_in, e_min = min(
                (squared_distance(points[member], points[i]), i) for i in unassigned for member in group
            )
            d_out = min(
                (squared_distance(points[e_min], points[i]) for i in unassigned if i != e_min),
                default=math.inf,
            )
            if not d_in < gamma * gamma * d_out:  # NaN, so no, for gamma 0 and the last record
                break
            group.append(e_min)
            unassigned.remove(e_min)
        groups.append(group)
    centres = [centroid(group, points, weights) for group in groups]
    for i in unassigned:
        closest = min(range(len(groups)), key=lambda g: (squared_distance(centres[g], points[i]), g))
        groups[closest].append(i)
    return labels_of(groups, positions)
