"""A dependence tree, drawn in a page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from microagg.report.blocks import Block, Picture, numbers
from microagg.report.svg import field, label, line, path, plot, point, tag
from microagg.report.tree_figure import Layout, Node, TreeFigure, laid_out
from microagg.report.wording import number, shortened

ROW = 38
"""Pixels of a row of the picture."""

_THINNEST, _THICKEST = 1.0, 8.0  # pixels of an edge
_LETTERS = 18  # of a name

MEASURED_BY = {
    "emim": "the expected mutual information, in nats",
    "chi2": "chi-squared for each record",
    "correlation": "the absolute correlation",
}
"""What the weight of an edge is, by the measure."""


def block(of: TreeFigure, text: tuple[str, ...]) -> Block:
    """Return the tree as a piece of a page."""
    rows = [(f"{one} – {other}", number(weight)) for one, other, weight in of.edges]
    table = numbers("The edges", ("Columns", "Weight"), rows)
    caption = (
        f"The larger its weight, {MEASURED_BY[of.measure]}, the thicker an edge; chosen columns in bold."
    )
    return Block("Which columns it was grouped by", text, pictures=(Picture(drawn(of), caption, table),))


def drawn(of: TreeFigure) -> Markup:
    """Return the tree for a page that has the style of `tree_style`."""
    found = laid_out(of)
    shapes = [
        *(_branch(branch.start, branch.end, branch.share) for branch in found.branches),
        *(path([point(node.x, node.y)], f"column{_chosen(node)}") for node in found.nodes),
    ]
    described = "; ".join(f"{one} and {other}: {number(weight)}" for one, other, weight in of.edges)
    return plot(
        "tree",
        f"Dependence tree of {len(of.names)} columns",
        f"{described}. Chosen: {', '.join(of.chosen)}." if of.chosen else described,
        ROW * found.rows,
        field(*shapes),
        *_texts(found),
        kind="tree",
    )


@cache
def tree_style() -> Markup:
    """Return the style of the tree in a page."""
    return Markup(files("microagg.report").joinpath("tree.css").read_text("utf-8"))


def _branch(start: Node, end: Node, share: float) -> Markup:
    width = _THINNEST + (_THICKEST - _THINNEST) * share
    return tag("path", d=line(start.x, start.y, end.x, end.y), class_="branch", stroke_width=width)


def _texts(found: Layout) -> Iterator[Markup]:
    """Yield the weights of the edges, nearer to where they lead, and the names of the columns."""
    for branch in found.branches:
        x, y = (
            0.28 * a + 0.72 * b for a, b in ((branch.start.x, branch.end.x), (branch.start.y, branch.end.y))
        )
        yield label(number(branch.weight, 3), x, y, "strength", dy="1.15em")
    for node in found.nodes:
        yield label(
            shortened(node.name, _LETTERS), node.x, node.y, f"name{_chosen(node)}", dx=11, dy="-0.45em"
        )


def _chosen(node: Node) -> str:
    return " chosen" if node.is_chosen else ""
