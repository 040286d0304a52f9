"""The marks of the risk-utility map, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from microagg.report.map import AWAY, Layout, Map, Mark, Spot
from microagg.report.svg import label, path, tag
from microagg.report.wording import percent, share, shortened

_SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.6 -4.6h9.2v9.2h-9.2z",
    "M0 -6L5.8 4.4H-5.8z",
    "M0 -6.6L6.6 0L0 6.6L-6.6 0z",
    "M0 6L5.8 -4.4H-5.8z",
    "M-2 -6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M-6 -3.4L-3.4 -6L0 -2.6L3.4 -6L6 -3.4L2.6 0L6 3.4L3.4 6L0 2.6L-3.4 6L-6 3.4L-2.6 0z",
)
_COLOURS = 6  # in the style; not as many as shapes, so that 42 methods look different
_RING = "M-10.5 0a10.5 10.5 0 1 0 21 0a10.5 10.5 0 1 0 -21 0z"
_SMALL_RING = "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0z"
_STROKE = "M-8 0h16"
_ROW = 22  # pixels of a line of the legend
_BELOW = 34  # pixels from the legend to the field, where the name of an axis stands
_LETTERS = 42  # of a name, that a telephone has room for
LEFT = 30
"""Pixels to the left of the field, from which on what stands above it begins."""


class Legend(NamedTuple):
    """What marks and lines mean, and how many pixels that takes, with the room below."""

    shapes: list[Markup]
    height: int


def marked(spot: Spot, method: int) -> Iterator[Markup]:
    """Yield a mark, and its k where that has room."""
    shapes = [tag("title", told(spot.mark)), _shape(method)]
    if spot.mark.is_chosen:
        shapes.append(path([_RING], "ring"))
    yield _at(f"{spot.x:.2f}%", f"{spot.y:.2f}%", _class(method, beaten=not spot.mark.on_frontier), *shapes)
    if spot.corner:
        right, down = spot.corner
        yield label(
            str(spot.mark.k),
            spot.x,
            spot.y,
            f"label small {'start' if right > 0 else 'end'}",
            dx=right * (spot.mark.reach + AWAY),
            dy=down * (spot.mark.reach + 6) + 4,
        )


def told(mark: Mark) -> str:
    """Return what a candidate is, loses and risks."""
    return f"{mark.method}, k = {mark.k}: loss {percent(mark.loss)}, linked {share(mark.risk)}"


def legend(of: Map, found: Layout) -> Legend:
    """Return what the marks and lines mean that are there, one below the other."""
    shapes = [
        tag(
            "svg",
            tag("g", key, transform="translate(9 0)"),
            tag("text", name, x=26, dy="0.36em", class_="label small"),
            x=-LEFT,
            y=_ROW * at,
            class_="field",
        )
        for at, (key, name) in enumerate(_keys(of, found))
    ]
    return Legend(shapes, _ROW * len(shapes) + _BELOW)


def _keys(of: Map, found: Layout) -> Iterator[tuple[Markup, str]]:
    for at, name in enumerate(of.methods):
        yield _at(0, 0, _class(at), _shape(at)), shortened(name, _LETTERS)
    if any(not mark.on_frontier for mark in of.marks):
        yield _at(0, 0, "mark beaten", _shape(0)), "hollow: another is better"
    yield path([_STROKE], "frontier"), "efficient frontier"
    if found.loss_at_most is not None or found.risk_at_most is not None:
        yield path([_STROKE], "ceiling"), "ceiling"
    if of.chosen:
        ring = path([_SMALL_RING], "ring")
        yield _at(0, 0, _class(of.methods.index(of.chosen.method)), ring), "chosen"


def _shape(method: int) -> Markup:
    return path([_SHAPES[method % len(_SHAPES)]], "shape")


def _class(method: int, *, beaten: bool = False) -> str:
    return f"mark series-{method % _COLOURS}{' beaten' if beaten else ''}"


def _at(x: str | float, y: str | float, class_: str, *shapes: Markup) -> Markup:
    """Return shapes around a place, in pixels whatever the width of the picture."""
    return tag("svg", *shapes, x=x, y=y, width=1, height=1, class_=class_)
