"""The risk-utility map as a file: a picture, or a page that tells of it too."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from microagg.errors import InputError
from microagg.report.blocks import Block, Part, Picture, Sheet, Table, Tile
from microagg.report.map import Map
from microagg.report.map_drawing import as_file, drawn, map_style
from microagg.report.page import put, rendered
from microagg.report.wording import count, percent, share

_READING = (
    "Each mark is a candidate: a method with the k that stands beside it. What lies further to the left "
    "loses less, and what lies further down risks less. The line is the efficient frontier: a candidate on "
    "it is beaten by no other in both.",
    "The risk is that of an attacker who holds the original values of all quasi-identifiers, of every "
    "record, and links each released record to the nearest original. It is no risk of any single record, "
    "and tells nothing of what classes give away of sensitive columns.",
)


def save(of: Map, path: str | os.PathLike[str]) -> None:
    """Write the map to a file, or leave the old one whole: SVG, or a page (HTML), by its ending.

    Raises InputError if there is nothing to show, or the file cannot be written.
    """
    written = form_of(path)
    if not of.marks:
        raise InputError("there is nothing to draw: no candidate could be made")
    put(path, written(of), "picture")


def form_of(path: str | os.PathLike[str]) -> Callable[[Map], str]:
    """Return how the map is written to a file of this name; raises InputError if it cannot be."""
    ending = Path(path).suffix.lower()
    if ending not in _FORMS:
        raise InputError(f"{path} ends in {ending or 'nothing'}: a picture is .svg, or a page .html")
    return _FORMS[ending]


def _page(of: Map) -> str:
    return rendered(_sheet(of), map_style())


def _sheet(of: Map) -> Sheet:
    faults = (Block("Could not be made", points=of.faults),) if of.faults else ()
    return Sheet(
        title="Risk-utility map",
        kind="Comparison",
        who="For those who choose how a table is protected.",
        facts=(("Candidates", count(len(of.marks))), ("Methods", ", ".join(of.methods))),
        tiles=_tiles(of),
        parts=(Part("map", "The map", (Block(text=_READING, pictures=(_picture(of),)), *faults)),),
    )


def _tiles(of: Map) -> tuple[Tile, ...]:
    if not of.chosen:
        return (Tile("Choice", "None", _sentence(f"{of.reason[:1].upper()}{of.reason[1:]}")),)
    return (
        Tile("Choice", f"k = {of.chosen.k}", _sentence(of.reason)),
        Tile(
            "Loss",
            percent(of.chosen.loss),
            "of the information is lost: 0 would be no change, 100 all records alike.",
        ),
        Tile("Risk", share(of.chosen.risk), "of the released records are linked to their own original."),
    )


def _sentence(text: str) -> str:
    return f"{text}.".replace(" %", "\u202f%") if text else ""


def _picture(of: Map) -> Picture:
    rows = tuple(
        (
            mark.method,
            str(mark.k),
            percent(mark.loss),
            share(mark.risk),
            _word(mark.on_frontier, mark.is_chosen),
        )
        for mark in of.marks
    )
    head = ("Method", "k", "Loss", "Linked", "Standing")
    table = Table("The candidates", "tnnnt", head, rows)
    return Picture(drawn(of), "What the candidates lose and risk; the numbers beside the marks are k.", table)


def _word(on_frontier: bool, is_chosen: bool) -> str:
    return "chosen" if is_chosen else "frontier" if on_frontier else ""


_FORMS: dict[str, Callable[[Map], str]] = {".svg": as_file, ".html": _page, ".htm": _page}
