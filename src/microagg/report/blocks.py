"""What a page consists of: parts, pictures and tables, before anything is laid out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup


class Table(NamedTuple):
    """Cells as text; `columns` has a letter for each: t of text, n of numbers, c of code."""

    caption: str
    columns: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Picture(NamedTuple):
    """A drawing, what it shows, and its numbers."""

    drawing: Markup
    caption: str
    numbers: Table
    is_before_after: bool = False  # whether it shows the values before and after, and needs their legend
    is_wide: bool = False  # whether it must be moved to be seen whole on a telephone


class Block(NamedTuple):
    """A piece of a part, in the order of these fields."""

    title: str = ""
    text: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    are_small: bool = False  # whether the pictures stand side by side
    tables: tuple[Table, ...] = ()
    code: str = ""


class Part(NamedTuple):
    """A part of the page, under a heading of its own."""

    name: str
    title: str
    blocks: tuple[Block, ...]


class Tile(NamedTuple):
    """One figure of the verdict, and what it means."""

    title: str
    figure: str
    text: str
    is_bad: bool = False


class Sheet(NamedTuple):
    """A whole page."""

    title: str
    kind: str
    who: str
    facts: tuple[tuple[str, str], ...]
    tiles: tuple[Tile, ...]
    parts: tuple[Part, ...]
    signed: tuple[str, ...] = ()  # what whoever signs has looked at; nobody does if there is nothing
    signed_for: str = ""  # the fingerprint of the release


def measures(caption: str, rows: Iterable[tuple[str, str, str]]) -> Table:
    """Return a table of measures, each with its figure and what it says."""
    return Table(caption, "tnt", ("Measure", "Figure", "What it says"), tuple(rows))


def numbers(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of numbers, with a name in front of each row."""
    return Table(caption, "t" + "n" * (len(head) - 1), tuple(head), tuple(map(tuple, rows)))


def told(blocks: Iterable[Block | None]) -> tuple[Block, ...]:
    """Return the blocks that there are."""
    return tuple(block for block in blocks if block)
