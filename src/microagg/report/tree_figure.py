"""A dependence tree as a picture shows it: where each column stands, as plain data."""

from __future__ import annotations

from typing import NamedTuple


class TreeFigure(NamedTuple):
    """Columns, the edges between them, and which of them are chosen."""

    names: tuple[str, ...]
    edges: tuple[tuple[str, str, float], ...]
    chosen: tuple[str, ...]
    measure: str


class Node(NamedTuple):
    """A column at its place, in percent of the field."""

    name: str
    x: float
    y: float
    is_chosen: bool


class Branch(NamedTuple):
    """An edge between two places, and its weight as a share of the largest."""

    start: Node
    end: Node
    weight: float
    share: float


class Layout(NamedTuple):
    """What is drawn, and in how many rows."""

    nodes: tuple[Node, ...]
    branches: tuple[Branch, ...]
    rows: int


def laid_out(of: TreeFigure) -> Layout:
    """Return the tree from left to right: a column of most edges first, and a row for each leaf.

    Columns that no edge leads to have a row of their own, below all others.
    """
    sides: dict[str, list[str]] = {name: [] for name in of.names}
    for one, other, _ in of.edges:
        sides[one].append(other)
        sides[other].append(one)
    depth: dict[str, int] = {}
    row: dict[str, float] = {}
    rows = 0
    for root in sorted(of.names, key=lambda name: (-len(sides[name]), of.names.index(name))):
        if root not in depth:
            depth[root] = 0
            rows = _place(root, sides, depth, row, rows)
    return _scaled(of, depth, row, rows)


def _place(
    node: str, sides: dict[str, list[str]], depth: dict[str, int], row: dict[str, float], rows: int
) -> int:
    """Place a column and all that hang on it, from this row on; return the next free row."""
    first = rows
    children = [other for other in sides[node] if other not in depth]
    for child in children:
        depth[child] = depth[node] + 1
        rows = _place(child, sides, depth, row, rows)
    row[node] = sum(row[child] for child in children) / len(children) if children else float(first)
    return rows if children else first + 1


def _scaled(of: TreeFigure, depth: dict[str, int], row: dict[str, float], rows: int) -> Layout:
    deepest = max(depth.values(), default=0) or 1
    nodes = {
        name: Node(name, 100.0 * depth[name] / deepest, 100.0 * (row[name] + 0.5) / rows, name in of.chosen)
        for name in of.names
    }
    most = max((weight for _, _, weight in of.edges), default=0.0) or 1.0
    branches = []
    for one, other, weight in of.edges:
        near, far = sorted((one, other), key=lambda name: depth[name])
        branches.append(Branch(nodes[near], nodes[far], weight, weight / most))
    return Layout(tuple(nodes.values()), tuple(branches), rows)
