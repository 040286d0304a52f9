"""Two tables of the same records: columns of both in the same numbers, and rows brought together.

One table may be the release of the other, by whatever program: types and spellings can differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.columns import NONE_MISSING, Column
from microagg.errors import Faults, InputError
from microagg.plan import Kind
from microagg.tables.encoding import Given, encoded, texts_of_levels
from microagg.tables.forms import array_of, as_typed, in_one_piece
from microagg.tables.table import Table

Rows = NDArray[np.intp]

ORIGINAL, RELEASED = "original", "released table"
"""The words for either table, in what users read."""

_GENERALISED = "; if the release generalises its values, say that the column is nominal"
_FINEST_FIRST = ("ns", "us", "ms", "s")


class Matching(NamedTuple):
    """Which rows of two tables belong together."""

    original: Rows
    released: Rows


class Paired(NamedTuple):
    """A column of both tables in the same numbers, and the texts of its values if it has levels."""

    original: Column
    released: Column
    levels: tuple[str, ...] = ()

    def of_rows(self, rows: Matching) -> Paired:
        """Return the column for the rows that belong together."""
        return Paired(
            part_of(self.original, rows.original), part_of(self.released, rows.released), self.levels
        )


def paired(name: str, original: Table, released: Table, kind: Kind, order: Sequence[str] = ()) -> Paired:
    """Return a column of both tables in the same numbers; raises InputError for values not of this kind."""
    if kind in ("continuous", "integer"):
        return _numbers(name, original, released, kind)
    is_csv = original.csv is not None and released.csv is not None
    given = Given(name, _stacked(name, original, released), _where(original, released), order, is_csv)
    both = encoded(given, kind)
    first, second = slice(None, original.records), slice(original.records, None)
    return Paired(part_of(both.column, first), part_of(both.column, second), texts_of_levels(both))


def part_of(column: Column, rows: slice | Rows) -> Column:
    """Return some rows of a column."""
    missing = column.missing[rows] if column.missing.size else NONE_MISSING
    return column._replace(values=column.values[rows], missing=missing if missing.any() else NONE_MISSING)


def _numbers(name: str, original: Table, released: Table, kind: Kind) -> Paired:
    """Return numbers as they stand: the release may have means where there were whole numbers."""
    faults, found = Faults(), []
    for told, table in ((ORIGINAL, original), (RELEASED, released)):
        own = Faults()
        column = own.attempt(table.encoded, name, "continuous")
        way_out = _GENERALISED if told == RELEASED else ""
        faults += [f"in the {told}, {fault}{way_out}" for fault in own]
        if column:
            found.append(column.column._replace(kind=kind))
    InputError.raise_any(faults)
    return Paired(found[0], found[1])


def _where(original: Table, released: Table) -> Any:
    def where(record: int) -> str:
        if record < original.records:
            return f"{original.where(record)} of the {ORIGINAL}"
        return f"{released.where(record - original.records)} of the {RELEASED}"

    return where


def _stacked(name: str, original: Table, released: Table) -> Any:
    """Return the values of both tables one after the other, in a type that holds both."""
    if (original.csv is None) != (released.csv is None):
        original, released = _typed(original, name), _typed(released, name)
    columns = [_plain(table.data.column(name)) for table in (original, released)]
    if columns[0].type != columns[1].type:
        columns = _alike(*columns)
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)


def _typed(table: Table, name: str) -> Table:
    """Return a column of text from a CSV file with the type that it spells."""
    return Table(as_typed(table.data.select([name]), table.csv)) if table.csv else table


def _plain(column: Any) -> Any:
    """Return categories as the values that they stand for, unless these have an order."""
    form = column.type
    if pa.types.is_dictionary(form) and not form.ordered:
        return pc.cast(column, form.value_type)
    return column


def _alike(one: Any, other: Any) -> list[Any]:
    """Return columns of different types in one that holds the values of both, or else both as text."""
    forms = [one.type, other.type]
    if any(map(pa.types.is_temporal, forms)):
        return _as_times(one, other)
    for form in (one.type, pa.string()):
        try:
            return [pc.cast(one, form), pc.cast(other, form)]
        except pa.ArrowException:
            continue
    raise _not_comparable(one, other)


def _as_times(one: Any, other: Any) -> list[Any]:
    """Return dates and times in the finest type of both that holds all, so that no part of a day is lost."""
    zones = {form.tz for form in (one.type, other.type) if pa.types.is_timestamp(form)}
    for unit in _FINEST_FIRST:
        try:
            form = pa.timestamp(unit, max(zones, key=str, default=None))
            return [pc.cast(one, form), pc.cast(other, form)]
        except pa.ArrowException:
            continue
    raise _not_comparable(one, other)


def _not_comparable(one: Any, other: Any) -> InputError:
    return InputError(f"the tables hold {one.type} and {other.type}, which cannot be compared")


def matched(original: Table, released: Table, name: str) -> Matching:
    """Return the rows whose values in a column are the same, in the order of the original.

    Released records that the original has not are a fault; those of the original that are not released
    are left out. Raises InputError if a value is missing or stands in two rows of a table.
    """
    whole = encoded(Given(name, _stacked(name, original, released), _where(original, released)), "nominal")
    places = whole.column.values.astype(np.intp)
    first, second = places[: original.records], places[original.records :]
    faults = [
        fault
        for told, table, of in ((ORIGINAL, original, first), (RELEASED, released, second))
        for fault in _faults_of_key(told, table, name, of)
    ]
    InputError.raise_any(faults)
    row_of = np.full(whole.column.levels, -1)
    row_of[second] = np.arange(second.size)
    strange = np.setdiff1d(second, first)
    if strange.size:
        row = int(row_of[strange[0]])
        raise InputError(
            f"{strange.size:,} records of the {RELEASED} have a value in {name!r} that the {ORIGINAL} has "
            f"not, first {released.value(name, row)!r} in {released.where(row)}"
        )
    there = np.flatnonzero(row_of[first] >= 0)
    return Matching(there, row_of[first[there]])


def _faults_of_key(told: str, table: Table, name: str, places: Rows) -> list[str]:
    missing = np.flatnonzero(table.missing(name))
    if missing.size:
        return [
            f"{name!r} is missing in {table.where(int(missing[0]))} of the {told}: rows cannot be matched"
        ]
    twice = np.flatnonzero(np.bincount(places)[places] > 1)
    if twice.size:
        return [
            f"{table.value(name, int(twice[0]))!r} stands in {name!r} of more than one row of the {told}: "
            "rows can be matched only by a column whose values are all different"
        ]
    return []


def differ(name: str, original: Table, released: Table, rows: Matching) -> bool:
    """Say whether a column holds another value in the one table than in the other."""
    one, other = (_plain(table.data.column(name)) for table in (original, released))
    if one.type != other.type:
        one, other = _alike(one, other)
    one, other = (
        in_one_piece(column.take(array_of(of)))
        for column, of in ((one, rows.original), (other, rows.released))
    )
    return not one.equals(other)
