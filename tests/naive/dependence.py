"""Dependence trees, told in plain Python: classes, counts, weights, and every spanning tree there is."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log


def classes(values, width):
    """Return the class of each value, counted from the least one."""
    return [int((value - min(values)) // width) for value in values]


def emim(one, other):
    """Return the expected mutual information of two lists of classes."""
    n, joint, of_one, of_other = len(one), Counter(zip(one, other, strict=True)), Counter(one), Counter(other)
    return sum(c / n * log(c * n / (of_one[a] * of_other[b])) for (a, b), c in joint.items())


def chi2(one, other):
    """Return chi-squared for each record, over all pairs of classes, also those that no record has."""
    n, joint, of_one, of_other = len(one), Counter(zip(one, other, strict=True)), Counter(one), Counter(other)
    return sum(
        (joint[a, b] / n - of_one[a] * of_other[b] / n**2) ** 2 / (of_one[a] * of_other[b] / n**2)
        for a in of_one
        for b in of_other
    )


def maximum_trees(weights, nodes):
    """Return every tree of greatest weight that joins the nodes, found by trying all sets of edges."""
    edges = list(combinations(nodes, 2))
    trees = [tree for tree in combinations(edges, len(nodes) - 1) if joins(tree, nodes)]
    heaviest = max(sum(weights[edge] for edge in tree) for tree in trees)
    return {tree for tree in trees if sum(weights[edge] for edge in tree) > heaviest - 1e-9}


def joins(edges, nodes):
    """Say whether edges join all nodes."""
    reached, before = {nodes[0]}, 0
    while len(reached) > before:
        before = len(reached)
        reached |= {end for edge in edges if reached & set(edge) for end in edge}
    return reached == set(nodes)


def choices(trees, d, number):
    """Return the sets of so many columns of highest degree, of all trees."""
    found = set()
    for tree in trees:
        degree = Counter(end for edge in tree for end in edge)
        for choice in combinations(range(d), number):
            others = [degree[at] for at in range(d) if at not in choice]
            if min(degree[at] for at in choice) >= max(others, default=0):
                found.add(choice)
    return found
