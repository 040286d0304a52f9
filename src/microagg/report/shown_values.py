"""The values of each column before and after, in small pictures side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import microagg.report.drawing as drawing
from microagg.measures.compared import Compared
from microagg.measures.found import ColumnLoss
from microagg.report.blocks import Block, Picture, numbers
from microagg.report.distributions import Categories, Distribution, Histogram, distribution
from microagg.report.times import texts
from microagg.report.wording import count, number, ticks

MOST = 60
"""Columns that have a picture of their own: a page of more takes long to open, and nobody looks at all."""


def values_block(
    compared: Compared, losses: Mapping[str, ColumnLoss], levels: Mapping[str, Sequence[str]]
) -> Block:
    """Return how often each value occurs, of the columns that lost most if there are many."""
    names = [pair.name for pair in compared.pairs]
    most = set(sorted(names, key=lambda name: -losses[name].percent if name in losses else 0.0)[:MOST])
    found = {
        pair.name: distribution(pair, levels.get(pair.name, ()))
        for pair in compared.pairs
        if pair.name in most
    }
    shown = [of for of in found.values() if of]
    shown.sort(key=lambda of: isinstance(of, Categories))  # of one height, side by side
    pictures = tuple(_distribution(f"values-{at}", of) for at, of in enumerate(shown, 1))
    said = tuple(_said(names, most, [name for name, of in found.items() if of is None]))
    return Block("Values before and after", said, pictures=pictures, are_small=True)


def _said(names: Sequence[str], most: set[str], empty: Sequence[str]) -> Iterator[str]:
    yield "How often each value occurs, counted in records, in the original and in what is released."
    left_out = [name for name in names if name not in most]
    if left_out:
        yield (
            f"Drawn are the {len(most)} of {count(len(names))} variables that lost most; the tables hold "
            f"all. Left out are: {', '.join(left_out)}."
        )
    if empty:
        yield f"All values are missing, before or after: {', '.join(empty)}."


def _distribution(name: str, of: Distribution) -> Picture:
    caption = of.name
    if isinstance(of, Histogram):
        caption += "".join(f" ({said})" for said in _remarks(of))
    rows = _rows_of_bins(of) if isinstance(of, Histogram) else _rows_of_values(of)
    table = numbers(f"{of.name}: records by value", ("Value", "Before", "After"), rows)
    return Picture(drawing.distribution(name, of), caption, table, is_before_after=True)


def _remarks(of: Histogram) -> Iterator[str]:
    if of.kind == "ordinal":
        yield "places in the order of its values"
    if of.scale.is_stretched:
        yield "logarithmic"
    if any(of.missing):
        yield "missing values stand in the table"


def _rows_of_bins(of: Histogram) -> Iterator[tuple[str, str, str]]:
    if of.each:
        middles = [float(low + high) / 2 for low, high in pairwise(of.edges)]
        names = texts(of.calendar, middles) if of.calendar else list(map(number, middles))
    else:
        edges = texts(of.calendar, of.edges) if of.calendar else ticks(of.edges.tolist())
        names = [f"{low} to {high}" for low, high in pairwise(edges)]
    for name, before, after in zip(names, of.before.tolist(), of.after.tolist(), strict=True):
        if before or after:
            yield name, count(before), count(after)
    if any(of.missing):
        yield "missing", count(of.missing[0]), count(of.missing[1])


def _rows_of_values(of: Categories) -> Iterator[tuple[str, str, str]]:
    for text, before, after in zip(of.labels, of.before, of.after, strict=True):
        yield text, count(before), count(after)
