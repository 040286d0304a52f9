"""Columns as numbers, part by part: what all parts show together settles how each is read.

First every part is looked at. What is found adds up, in any order of the parts. Then each part can be
turned into numbers by itself, just the same ones as if the column were whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.columns import Centres, Column, Floats
from microagg.errors import InputError
from microagg.plan import Kind
from microagg.tables.csv_file import CsvFile
from microagg.tables.encoding import Given, comparable, encoded, stated_places, ticks_of
from microagg.tables.forms import array_of, in_one_piece
from microagg.tables.kinds import is_text
from microagg.tables.numbers import Where, array

NUMBERS: tuple[Kind, ...] = ("continuous", "integer")
TIMES: tuple[Kind, ...] = ("date", "datetime")

_MOST_LEVELS = 1_000_000
_LARGEST = 2.0**900  # beyond which sums may overflow


class Asked(NamedTuple):
    """A column that is to be numbers, as far as it is known before its values are."""

    name: str
    kind: Kind
    form: Any  # its type
    order: tuple[str, ...] = ()
    csv: CsvFile | None = None

    def given(self, part: Any, where: Where) -> Given:
        """Return a part of the column, its numbers spelled with a point."""
        if self.csv and self.kind in NUMBERS:
            part = self.csv.with_points(self.name, part, where)
        return Given(self.name, part, where, self.order, self.csv is not None)

    def require_readable_in_parts(self) -> None:
        """Raise InputError for a type whose values cannot be collected from parts."""
        wrong = (pa.types.is_dictionary, pa.types.is_nested, pa.types.is_null)
        if any(matches(self.form) for matches in wrong):
            raise InputError(
                f"column {self.name!r} holds {self.form}, which is not yet done larger than memory: make it "
                "numbers or text, or take engine='memory'"
            )


class Look(NamedTuple):
    """What some records show of a column."""

    records: int
    missing: int
    first_missing: int  # the record, -1 if none is
    least: float  # of numbers and times, which are whole; none at all give the largest there is
    largest: float
    levels: pa.Table | None = None  # the different values of others, and how many records have each


def look_at(asked: Asked, part: Any, first: int, where: Where) -> Look:
    """Return what the records from the first one on show; raises InputError for values not of the kind."""
    given = asked.given(part, lambda record: where(first + record))
    if asked.kind in NUMBERS:
        column = encoded(given, asked.kind).column
        return _seen(column.values, column.missing, first)
    if asked.kind in TIMES:
        ticks = ticks_of(given, asked.kind)
        return _seen(ticks.ticks, ticks.missing, first)
    values = comparable(part, is_csv=given.is_csv)
    missing = np.flatnonzero(array(pc.cast(pc.is_null(values), pa.int8())))
    found = pc.value_counts(values.drop_null())
    levels = pa.table({"value": found.field("values"), "count": found.field("counts")})
    return Look(len(part), missing.size, int(missing[0]) + first if missing.size else -1, 0, 0, levels)


def _seen(values: NDArray[Any], missing: NDArray[np.bool_], first: int) -> Look:
    at = np.flatnonzero(missing)
    there = values[~missing] if at.size else values
    least, largest = (there.min().item(), there.max().item()) if there.size else (np.inf, -np.inf)
    return Look(values.size, at.size, int(at[0]) + first if at.size else -1, least, largest)


def joined_looks(asked: Asked, looks: Sequence[Look]) -> Look:
    """Return what all parts show together."""
    levels = None
    if looks and looks[0].levels is not None:
        together = pa.concat_tables([look.levels for look in looks])
        levels = together.group_by("value").aggregate([("count", "sum")])
        levels = levels.select(["value", "count_sum"]).rename_columns(["value", "count"])
        if levels.num_rows > _MOST_LEVELS:
            raise InputError(
                f"column {asked.name!r} has more than {_MOST_LEVELS:,} different values, too many for the "
                f"kind {asked.kind} larger than memory: drop it, or make it coarser"
            )
    gaps = [look.first_missing for look in looks if look.first_missing >= 0]
    return Look(
        sum(look.records for look in looks),
        sum(look.missing for look in looks),
        min(gaps, default=-1),
        min((look.least for look in looks), default=np.inf),
        max((look.largest for look in looks), default=-np.inf),
        levels,
    )


@dataclass(frozen=True, eq=False)
class Coding:
    """How values of a column are numbers, and the way back; the same for all parts.

    `offset` is the least of times, which count from it; `least` the least number of the others.
    """

    asked: Asked
    look: Look
    offset: int
    values: Any = None  # of levels, the values in their order; null where a stated one does not occur
    frequency: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # of each level

    @property
    def has_missing(self) -> bool:
        """Whether any record of the whole has no value."""
        return self.look.missing > 0

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return int(self.frequency.size)

    @property
    def least(self) -> float:
        """The least number of the column."""
        return self.look.least if self.asked.kind in NUMBERS and np.isfinite(self.look.least) else 0.0

    @property
    def largest(self) -> float:
        """The largest number of the column."""
        if self.asked.kind in NUMBERS:
            return self.look.largest if np.isfinite(self.look.largest) else 0.0
        if self.asked.kind in TIMES:
            return float(self.look.largest - self.offset) if np.isfinite(self.look.largest) else 0.0
        there = np.flatnonzero(self.frequency)
        return float(there[-1]) if there.size else 0.0

    def numbers(self, part: Any, where: Where) -> Floats:
        """Return the values of some records as numbers, NaN for those that are missing."""
        given, kind = self.asked.given(part, where), self.asked.kind
        if kind in NUMBERS:
            column = encoded(given, kind).column
            return _with_gaps(column.values, column.missing)
        if kind in TIMES:
            ticks = ticks_of(given, kind)
            return _with_gaps((ticks.ticks - self.offset).astype(np.float64), ticks.missing)
        values = in_one_piece(comparable(part, is_csv=given.is_csv))
        places = pc.fill_null(pc.index_in(values, value_set=self.values, skip_nulls=True), -1)
        found = np.asarray(array(pc.cast(places, pa.int64())))
        return _with_gaps(found.astype(np.float64), found < 0)

    def column(self, numbers: Floats) -> Column:
        """Return the numbers of some records as a column, with gaps if the whole has any."""
        missing = np.isnan(numbers) if self.has_missing else np.zeros(0, dtype=np.bool_)
        if missing.size:
            numbers = np.where(missing, self.least, numbers)
        return Column(self.asked.name, self.asked.kind, numbers, missing, self.levels)

    def back(self, numbers: Floats) -> Any:
        """Return numbers, NaN for what is missing, as values of the column."""
        missing = np.isnan(numbers)
        centres = Centres(np.where(missing, 0.0, numbers) if missing.any() else numbers, missing)
        if self.asked.kind in NUMBERS:
            return encoded(self._nothing(), self.asked.kind).back(centres)
        if self.asked.kind in TIMES:
            return ticks_of(self._nothing(), self.asked.kind).back(centres, self.offset)
        places = pc.if_else(
            pc.cast(array_of(missing.astype(np.int8)), pa.bool_()),
            pa.nulls(1, pa.int64())[0],
            array_of(centres.values.astype(np.int64)),
        )
        return self.values.take(places)

    def _nothing(self) -> Given:
        empty = pa.chunked_array([], self.asked.form).combine_chunks()
        return Given(self.asked.name, empty, str, self.asked.order, self.asked.csv is not None)


def coding_of(asked: Asked, look: Look) -> Coding:
    """Return how a column is turned into numbers, from a look at all of it."""
    if asked.kind in TIMES:
        return Coding(asked, look, int(look.least) if np.isfinite(look.least) else 0)
    if asked.kind in NUMBERS:
        _require_room(asked, look)
        return Coding(asked, look, 0)
    assert look.levels is not None
    values, counts = (in_one_piece(look.levels.column(name)) for name in ("value", "count"))
    times = np.asarray(array(pc.cast(counts, pa.int64())))
    place_of = _places(asked, values)
    if asked.kind == "boolean" and values and len(values) > 2:
        raise InputError(f"column {asked.name!r} has {len(values)} values: a boolean has no more than two")
    levels = int(place_of.max(initial=-1)) + 1
    frequency, found_at = np.zeros(levels, np.int64), np.full(levels, -1)
    frequency[place_of], found_at[place_of] = times, np.arange(len(values))
    at = pc.if_else(pc.less(array_of(found_at), 0), pa.nulls(1, pa.int64())[0], array_of(found_at))
    return Coding(asked, look, 0, values.take(at), frequency)


def _places(asked: Asked, values: Any) -> NDArray[np.int64]:
    """Return the place of each value in the order that was stated, or else in that of the values."""
    if asked.order:
        return stated_places(asked.name, asked.order, [str(value) for value in values.to_pylist()])
    if asked.kind == "ordinal" and is_text(values.type):
        raise InputError(
            f"column {asked.name!r} is ordinal, and text has no order of its own: state its {len(values)} "
            "values from the least to the greatest"
        )
    place_of = np.empty(len(values), dtype=np.int64)
    place_of[array(pc.array_sort_indices(values)).astype(np.int64)] = np.arange(len(values))
    return place_of


def _require_room(asked: Asked, look: Look) -> None:
    if not look.records - look.missing:
        return
    if not np.isfinite(look.largest - look.least):
        raise InputError(f"column {asked.name!r} spans more than a number can hold: rescale it")
    if max(look.largest, -look.least) > _LARGEST:
        raise InputError(
            f"column {asked.name!r} holds numbers beyond 2**900, which is not yet done larger "
            "than memory: rescale it"
        )


def _with_gaps(numbers: Floats, missing: NDArray[np.bool_]) -> Floats:
    return np.where(missing, np.nan, numbers) if missing.any() else numbers
