"""The risk-utility map, drawn: in a page, or as a file of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from microagg.report.map import HEIGHT, Layout, Map, Spot, laid_out
from microagg.report.map_marks import LEFT, Legend, legend, marked, told
from microagg.report.svg import field, label, line, path, plot, tag
from microagg.report.wording import number

_WIDTH = 760  # pixels of a picture that is a file
_LEFT, _ABOVE, _RIGHT, _BELOW = 56, 24, 24, 60  # pixels around it


def drawn(of: Map) -> Markup:
    """Return the map with its legend, for a page that has the style of `map_style`."""
    found = laid_out(of)
    return _plot(of, found, legend(of, found))


def as_file(of: Map) -> str:
    """Return the map as the text of an SVG file, with colours that every program understands."""
    found = laid_out(of)
    above = legend(of, found)
    picture, high = _plot(of, found, above), above.height + HEIGHT
    inner = tag("svg", picture, x=_LEFT, y=_ABOVE, width=_WIDTH - _LEFT - _RIGHT, height=high, class_="field")
    whole = _ABOVE + high + _BELOW
    file = tag(
        "svg",
        tag("style", Markup(_with_colours(_read("map.css")))),
        tag("rect", width="100%", height="100%", class_="sheet"),
        inner,
        xmlns="http://www.w3.org/2000/svg",
        width=_WIDTH,
        height=whole,
        viewBox=f"0 0 {_WIDTH} {whole}",
    )
    return f"{file}\n"


def map_style() -> Markup:
    """Return the style of the map in a page."""
    return Markup(_read("map.css") + _read("map_page.css"))


@cache
def _read(name: str) -> str:
    return files("microagg.report").joinpath(name).read_text("utf-8")


def _with_colours(style: str) -> str:
    """Return the style with each colour in the place of its name.

    >>> _with_colours(".rule { stroke: var(--hairline, #d5dbe3); }")
    '.rule { stroke: #d5dbe3; }'
    """
    return re.sub(r"var\(--[\w-]+, ([^)]*)\)", r"\1", style)


def _plot(of: Map, found: Layout, above: Legend) -> Markup:
    marks = (
        mark
        for spot in _upmost_last(found.spots)
        for mark in marked(spot, of.methods.index(spot.mark.method))
    )
    inner = tag(
        "svg",
        field(*_lines(found)),
        *_names(found),
        *_limits(of, found),
        *marks,
        y=above.height,
        width="100%",
        height=HEIGHT,
        class_="field",
    )
    return plot(
        "map", "Risk-utility map", _described(of), above.height + HEIGHT, *above.shapes, inner, kind="map"
    )


def _upmost_last(spots: Sequence[Spot]) -> list[Spot]:
    """Return the marks so that those that matter most are drawn over the others."""
    return sorted(spots, key=lambda spot: (spot.mark.is_chosen, spot.mark.on_frontier))


def _described(of: Map) -> str:
    return "; ".join(
        told(mark) + (", chosen" if mark.is_chosen else ", on the frontier" if mark.on_frontier else "")
        for mark in of.marks
    )


def _lines(found: Layout) -> Iterator[Markup]:
    rules = [line(place, 0, place, 100) for _, place in found.loss_ticks]
    yield path([*rules, *(line(0, place, 100, place) for _, place in found.risk_ticks)], "rule")
    if found.loss_at_most is not None:
        yield path([line(found.loss_at_most, 0, found.loss_at_most, 100)], "ceiling")
    if found.risk_at_most is not None:
        yield path([line(0, found.risk_at_most, 100, found.risk_at_most)], "ceiling")
    if found.frontier:
        yield path(["M", "L".join(f"{x:.2f} {y:.2f}" for x, y in found.frontier)], "frontier")


def _names(found: Layout) -> Iterator[Markup]:
    """Yield the numbers along both axes, and what they are."""
    for value, place in found.loss_ticks:
        yield label(number(value), place, 100, "tick middle", dy="1.5em")
    for value, place in found.risk_ticks:
        yield label(number(value), 0, place, "tick end", dx=-8, dy="0.35em")
    yield label("Loss of information, %", 100, 100, "axis end", dy="3.2em")
    yield label("Released records linked to their original, %", 0, 0, "axis", dx=-LEFT, dy="-1em")


def _limits(of: Map, found: Layout) -> Iterator[Markup]:
    """Yield the figures of the ceilings that can be seen."""
    if found.loss_at_most is not None:
        is_right = found.loss_at_most > 75.0
        side, dx = ("end", -6) if is_right else ("start", 6)
        yield label(
            f"at most {of.loss_at_most:g} %", found.loss_at_most, 100, f"limit {side}", dx=dx, dy="-0.7em"
        )
    if found.risk_at_most is not None:
        text = f"at most {100.0 * (of.risk_at_most or 0.0):g} %"
        yield label(text, 100, found.risk_at_most, "limit end", dx=-6, dy="-0.5em")
