"""Triples of records that a fractional solution uses too often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from microagg.certificate.master import Cut
from microagg.certificate.problem import Floats, Group

MOST = 250
"""Cuts added at a time."""

_PER_RECORD = 4  # of which no more hold the same record
_AT_LEAST = 1.02  # the share of the groups that hold two of the three; 1 is allowed


def violated_triples(groups: Sequence[Group], shares: Floats, known: set[Cut]) -> list[Cut]:
    """Return the triples of which groups with two or three of them have shares of more than one.

    The worst first, and no more of them than HiGHS takes well. The share of a triple is that of its three
    pairs, less twice that of the groups that hold all three, which its pairs count three times.
    """
    pairs: dict[tuple[int, int], float] = defaultdict(float)
    triples: dict[Cut, float] = defaultdict(float)
    beside: dict[int, set[int]] = defaultdict(set)
    for group, share in zip(groups, shares.tolist(), strict=True):
        if 1e-6 < share < 1 - 1e-6:
            for a, b in combinations(group, 2):
                pairs[a, b] += share
                beside[a].add(b)
                beside[b].add(a)
            for triple in combinations(group, 3):
                triples[triple] += share
    violation: dict[Cut, float] = {}
    for a, others in beside.items():
        for b, c in combinations(others, 2):
            x, y, z = sorted((a, b, c))
            if (x, y, z) not in violation and (x, y, z) not in known:
                share = pairs.get((x, y), 0.0) + pairs.get((x, z), 0.0) + pairs.get((y, z), 0.0)
                violation[x, y, z] = share - 2.0 * triples.get((x, y, z), 0.0)
    return _worst(violation)


def _worst(violation: dict[Cut, float]) -> list[Cut]:
    chosen: list[Cut] = []
    uses: dict[int, int] = defaultdict(int)
    for cut, share in sorted(violation.items(), key=lambda item: (-item[1], item[0])):
        if share <= _AT_LEAST or len(chosen) == MOST:
            break
        if max(uses[record] for record in cut) < _PER_RECORD:
            chosen.append(cut)
            for record in cut:
                uses[record] += 1
    return chosen
