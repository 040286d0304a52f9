"""The 2^d-tree and the fusing of its leaves, told in plain Python."""

from __future__ import annotations

from collections import defaultdict

BITS = 52


def codes(rows):
    """Return for each record where in the range of each column it lies, as whole numbers below 2^52."""
    columns = []
    for column in zip(*rows, strict=True):
        low, span = min(column), max(column) - min(column)
        columns.append([min(int((x - low) / span * 2.0**BITS), 2**BITS - 1) if span else 0 for x in column])
    return list(zip(*columns, strict=True))


def leaves(points, members, most, level=BITS):
    """Yield the records of each leaf: cells of more than `most` are split at the midpoints of all ranges."""
    if len(members) <= most or level == 0:
        yield members
        return
    children = defaultdict(list)
    for record in members:
        children[tuple(q >> (level - 1) & 1 for q in points[record])].append(record)
    for _, child in sorted(children.items()):
        yield from leaves(points, child, most, level - 1)


def fused(points, spans, parts, k):
    """Return the blocks: in rounds, each of fewer than k records is fused with that of nearest centroid."""
    blocks = sorted((list(part) for part in parts), key=lambda part: centre(points, spans, part))
    while len(blocks) > 1 and any(len(block) < k for block in blocks):
        centres = [centre(points, spans, block) for block in blocks]
        friends = {a: {a} for a in range(len(blocks))}
        for a, block in enumerate(blocks):
            if len(block) < k:
                gaps = [(gap(centres[a], centres[b]), b) for b in range(len(blocks)) if b != a]
                together = friends[a] | friends[min(gaps)[1]]
                for member in together:
                    friends[member] = together
        firsts = sorted({min(together) for together in friends.values()})
        blocks = [[record for b in sorted(friends[first]) for record in blocks[b]] for first in firsts]
    return blocks


def centre(points, spans, block):
    sums = [sum(points[record][j] for record in block) for j in range(len(spans))]
    return [float(total) / len(block) * 2.0**-BITS * span for total, span in zip(sums, spans, strict=True)]


def gap(x, y):
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += (a - b) * (a - b)
    return total
