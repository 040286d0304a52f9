"""Maximum spanning trees: the first, how many there are, and all of them in a fixed order.

Own code of a few lines, since the libraries' trees do not do here: SciPy's takes an edge of weight zero for
one that is missing, and none says which of several equal trees it returns, or that there are several.

Edges of equal weight are a level. Whatever trees there are, after each level of Kruskal's algorithm the same
nodes are joined; so the trees are all the ways to choose a spanning forest in each level, and their number is
the product over the levels, each by Kirchhoff's theorem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, product

from microagg.dependence.classes import Floats

Edge = tuple[int, int]
Edges = tuple[Edge, ...]

_SAME = 1e-9
"""By what share of the largest weight two weights may differ and count as equal."""


class _Sets:
    """Which nodes are joined."""

    def __init__(self, of: Sequence[int]) -> None:
        self.of = list(of)

    def root(self, node: int) -> int:
        """Return the node that stands for all that are joined to this one."""
        while self.of[node] != node:
            node = self.of[node]
        return node

    def are_apart(self, edge: Edge) -> bool:
        """Say whether two nodes are not joined."""
        return self.root(edge[0]) != self.root(edge[1])

    def join(self, edge: Edge) -> None:
        """Join two nodes."""
        one, other = self.root(edge[0]), self.root(edge[1])
        self.of[max(one, other)] = min(one, other)


def trees(weights: Floats, nodes: Sequence[int], most: int) -> list[Edges]:
    """Return up to so many maximum spanning trees of some nodes, the first that of Kruskal's algorithm.

    Of equal edges those of lesser nodes come first; each tree has its edges with the heaviest first.
    """
    joined = _Sets(range(len(weights)))
    forests = []
    for level in _levels(weights, nodes):
        forests.append(list(islice(_forests(level, joined), most)))
        for edge in level:
            joined.join(edge)
    return [tuple(chain.from_iterable(parts)) for parts in islice(product(*forests), most)]


def count_trees(weights: Floats, nodes: Sequence[int]) -> int:
    """Return how many maximum spanning trees there are."""
    joined, count = _Sets(range(len(weights))), 1
    for level in _levels(weights, nodes):
        count *= _count_forests([(joined.root(one), joined.root(other)) for one, other in level])
        for edge in level:
            joined.join(edge)
    return count


def _levels(weights: Floats, nodes: Sequence[int]) -> list[list[Edge]]:
    """Return the edges by weight, the heaviest first; those of equal weight together."""
    edges = [(one, other) for place, one in enumerate(nodes) for other in nodes[place + 1 :]]
    edges.sort(key=lambda edge: -weights[edge])
    slack = _SAME * max((float(weights[edge]) for edge in edges), default=0.0)
    levels: list[list[Edge]] = []
    last = float("inf")
    for edge in edges:
        weight = float(weights[edge])
        if weight < last - slack:
            levels.append([])
        levels[-1].append(edge)
        last = weight
    return [sorted(level) for level in levels]


def _forests(edges: Sequence[Edge], joined: _Sets) -> Iterator[Edges]:
    """Yield the ways to join all that these edges can join, those with the first edges first."""
    place = next((at for at, edge in enumerate(edges) if joined.are_apart(edge)), None)
    if place is None:
        yield ()
        return
    first, rest = edges[place], edges[place + 1 :]
    with_first = _Sets(joined.of)
    with_first.join(first)
    for forest in _forests(rest, with_first):
        yield (first, *forest)
    without = _Sets(joined.of)
    for edge in rest:
        without.join(edge)
    if not without.are_apart(first):  # the others join as much without it
        yield from _forests(rest, joined)


def _count_forests(edges: Sequence[Edge]) -> int:
    """Return how many spanning forests there are: by Kirchhoff's theorem, part by part."""
    edges = [edge for edge in edges if edge[0] != edge[1]]
    nodes = sorted({node for edge in edges for node in edge})
    place = {node: at for at, node in enumerate(nodes)}
    joined = _Sets(range(len(nodes)))
    laplacian = [[0] * len(nodes) for _ in nodes]
    for one, other in ((place[one], place[other]) for one, other in edges):
        joined.join((one, other))
        laplacian[one][one] += 1
        laplacian[other][other] += 1
        laplacian[one][other] -= 1
        laplacian[other][one] -= 1
    kept = [at for at in range(len(nodes)) if joined.root(at) != at]  # all but one node of each part
    return _determinant([[laplacian[row][column] for column in kept] for row in kept])


def _determinant(matrix: list[list[int]]) -> int:
    """Return a determinant in whole numbers (Bareiss); its leading minors are above zero."""
    size, before = len(matrix), 1
    for at in range(size - 1):
        for row in range(at + 1, size):
            for column in range(at + 1, size):
                product = matrix[row][column] * matrix[at][at] - matrix[row][at] * matrix[at][column]
                matrix[row][column] = product // before
        before = matrix[at][at]
    return matrix[-1][-1] if matrix else 1
