"""A dependence tree as a file: a picture of its own."""

from __future__ import annotations

import os
import re
from pathlib import Path

from markupsafe import Markup

from microagg.errors import InputError
from microagg.report.page import put
from microagg.report.svg import tag
from microagg.report.tree_drawing import ROW, drawn, tree_style
from microagg.report.tree_figure import TreeFigure, laid_out

_WIDTH = 760  # pixels
_LEFT, _ABOVE, _RIGHT, _BELOW = 24, 16, 130, 16  # pixels around the tree


def as_file(of: TreeFigure) -> str:
    """Return the tree as the text of an SVG file, with colours that every program understands."""
    high = ROW * laid_out(of).rows
    whole = _ABOVE + high + _BELOW
    inner = tag(
        "svg", drawn(of), x=_LEFT, y=_ABOVE, width=_WIDTH - _LEFT - _RIGHT, height=high, class_="field"
    )
    style = re.sub(r"var\(--[\w-]+, ([^)]*)\)", r"\1", tree_style())
    file = tag(
        "svg",
        tag("style", Markup(f"{style}.field {{ overflow: visible; }}\n")),
        tag("rect", width="100%", height="100%", fill="#ffffff"),
        inner,
        xmlns="http://www.w3.org/2000/svg",
        width=_WIDTH,
        height=whole,
        viewBox=f"0 0 {_WIDTH} {whole}",
    )
    return f"{file}\n"


def save(of: TreeFigure, to: str | os.PathLike[str]) -> None:
    """Write the tree to an SVG file, or leave the old one whole; raises InputError if it cannot be."""
    require_svg(to)
    put(to, as_file(of), "picture")


def require_svg(to: str | os.PathLike[str]) -> None:
    """Raise an InputError if a file is not called as a picture is."""
    ending = Path(to).suffix.lower()
    if ending != ".svg":
        raise InputError(f"{to} ends in {ending or 'nothing'}: a picture is .svg")
