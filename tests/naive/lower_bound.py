"""The least loss there is, and the reduced costs of groups, by trying everything in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def exact_sse(rows, group):
    """Return the sum of squared distances of a group to its mean, as a fraction."""
    total = Fraction(0)
    for column in zip(*(rows[i] for i in group), strict=True):
        values = [Fraction(value) for value in column]
        mean = sum(values) / len(values)
        total += sum((value - mean) ** 2 for value in values)
    return total


def least_sse(rows, k):
    """Return the least SSE of any partition into groups of at least k, as a fraction."""
    return least_cost(len(rows), k, lambda group: exact_sse(rows, group))


def least_cost(n, k, cost_of):
    """Return what the cheapest partition of n records into groups of k to 2k - 1 costs."""
    known = {(): 0}
    costs = {}

    def cost(group):
        if group not in costs:
            costs[group] = cost_of(group)
        return costs[group]

    def least(left):
        if left not in known:
            found = []
            for size in range(k, min(2 * k - 1, len(left)) + 1):
                if len(left) - size == 0 or len(left) - size >= k:
                    for rest in combinations(left[1:], size - 1):
                        remaining = tuple(i for i in left[1:] if i not in rest)
                        found.append(cost((left[0], *rest)) + least(remaining))
            known[left] = min(found)
        return known[left]

    return least(tuple(range(n)))


def whole_cost(distances, group):
    """Return the sum of the distances of a group's pairs over its size, rounded down."""
    return sum(int(distances[a][b]) for a, b in combinations(group, 2)) // len(group)


def reduced_costs(distances, duals, cuts, penalties, k):
    """Return the reduced cost of every group of k to 2k - 1 records, as a fraction."""
    n = len(distances)
    costs = {}
    for size in range(k, min(2 * k - 1, n) + 1):
        for group in combinations(range(n), size):
            cost = Fraction(sum(int(distances[a][b]) for a, b in combinations(group, 2)), size)
            cost -= sum(int(duals[i]) for i in group)
            for cut, penalty in zip(cuts, penalties, strict=True):
                if len(set(cut) & set(group)) >= 2:
                    cost += int(penalty)
            costs[group] = cost
    return costs
