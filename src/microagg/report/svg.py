"""A little writer of SVG that stands in a page: its text stays text, and whatever is not markup is escaped.

A picture is as wide as its place. All positions are percentages of the field in which the data lie, so that
letters and lines keep their size on a telephone and on paper; names and ticks stand around the field, in the
margins that the page's style leaves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup


def tag(name: str, *children: str, **attributes: str | float) -> Markup:
    """Return an element; `class_` and `text_anchor` are written as `class` and `text-anchor`.

    >>> tag("text", "a < b", x=1.5, class_="tick")
    Markup('<text x="1.5" class="tick">a &lt; b</text>')
    """
    said = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _value(value))
        for key, value in attributes.items()
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), said, Markup("").join(children))


def plot(name: str, title: str, description: str, height: float, *children: str, kind: str = "") -> Markup:
    """Return a picture of this height, with what it is called by those who do not see it."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", description, id=f"{name}-desc"),
        *children,
        class_=f"plot {kind}".strip(),
        role="img",
        width="100%",
        height=height,
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-desc",
    )


def field(*shapes: str) -> Markup:
    """Return shapes in a field of 100 by 100 that fills the picture, whatever its width."""
    return tag(
        "svg",
        *shapes,
        class_="field",
        width="100%",
        height="100%",
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
    )


def label(text: str, x: float, y: float, class_: str = "label", **attributes: str | float) -> Markup:
    """Return text at a place of the field, in percent."""
    return tag("text", text, x=f"{_value(x)}%", y=f"{_value(y)}%", class_=class_, **attributes)


def bar(x: float, y: float, width: float, height: float, class_: str) -> Markup:
    """Return a bar in the field."""
    return tag("rect", x=x, y=y, width=width, height=height, class_=class_)


def path(parts: Iterable[str], class_: str) -> Markup:
    """Return a path of parts such as `point` and `line` return."""
    return tag("path", d="".join(parts), class_=class_)


def line(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return a line, as part of a path."""
    return f"M{_value(x)} {_value(y)}L{_value(to_x)} {_value(to_y)}"


def point(x: float, y: float) -> str:
    """Return a point, as part of a path whose round ends make it a dot that the field does not distort."""
    return f"M{_value(x)} {_value(y)}h0"


def _value(value: str | float) -> str:
    """Return a number as short as a picture needs it; what is none lies at 0."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return "0"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
