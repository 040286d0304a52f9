"""The best partition by trying every one there is, of whatever group sizes."""

from __future__ import annotations


def all_partitions(records):
    """Give every partition of a list into groups."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for partition in all_partitions(rest):
        yield [[first], *partition]
        for place, group in enumerate(partition):
            yield [*partition[:place], [first, *group], *partition[place + 1 :]]


def sum_of_squares(rows, weights, group):
    mass = sum(weights[i] for i in group)
    total = 0.0
    for column in range(len(rows[0])):
        mean = sum(weights[i] * rows[i][column] for i in group) / mass
        total += sum(weights[i] * (rows[i][column] - mean) ** 2 for i in group)
    return total


def least_loss(rows, k, weights=None):
    """Return the least SSE of a partition into groups of at least k."""
    weights = weights or [1.0] * len(rows)
    return min(
        sum(sum_of_squares(rows, weights, group) for group in partition)
        for partition in all_partitions(list(range(len(rows))))
        if min(len(group) for group in partition) >= k
    )
