"""Quasi-identifiers as numbers, and back: the one place that knows what the numbers stand for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.columns import Calendar, Centres, Column, Floats, Mask
from microagg.errors import InputError
from microagg.plan import Kind
from microagg.tables.forms import array_of, in_one_piece
from microagg.tables.kinds import is_text
from microagg.tables.numbers import (
    Where,
    array,
    in_all,
    missing_in,
    numbers_of_text,
    numbers_of_typed,
    true_at,
    with_nulls,
)

Back = Callable[[Centres], Any]
"""Returns the centres of the groups as values of the column, one for each group."""

_EXACT = 2.0**53  # from here on not every whole number is a float64
_DAY = pa.date32()
_FIRST_DAY, _END_DAY = -719_162, 2_932_897  # from 1970: the first of year 1, and the day after year 9999
_TICKS = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
_EXAMPLES = {"date": "2024-12-31", "datetime": "2024-12-31 23:59:00"}


class Encoded(NamedTuple):
    """A column as numbers, and the way back."""

    column: Column
    back: Back


def texts_of_levels(of: Encoded) -> tuple[str, ...]:
    """Return the values of a nominal, boolean or ordinal column as text, in their order; of others none.

    A value that no record has, as a category can be, is not known: a dash.
    """
    levels = of.column.levels
    if not levels:
        return ()
    there = np.bincount(of.column.values.astype(np.intp), minlength=levels) > 0
    texts = of.back(Centres(np.arange(levels, dtype=np.float64))).to_pylist()
    return tuple(str(text) if known else "-" for text, known in zip(texts, there, strict=True))


class Given(NamedTuple):
    """A column as it was given, and what a fault in it needs to be told."""

    name: str
    data: Any
    where: Where
    order: Sequence[str] = ()
    is_csv: bool = False

    def fault(self, places: NDArray[np.integer], value: object, expected: str) -> InputError:
        """Return the error for a value that should not be there, at the first of these places."""
        where = f"{self.where(int(places[0]))}{in_all(places)}"
        return InputError(f"column {self.name!r} holds {value} in {where}, where {expected}")


def encoded(given: Given, kind: Kind) -> Encoded:
    """Return a column of this kind as numbers; raises InputError for values that are not of it."""
    if kind in ("continuous", "integer"):
        return _numbers(given, kind)
    if kind in ("date", "datetime"):
        return _times(given, kind)
    return _levels(given, kind)


def _numbers(given: Given, kind: Kind) -> Encoded:
    read = numbers_of_text if is_text(given.data.type) else numbers_of_typed
    values, missing = read(given.name, given.data, given.where)
    form = given.data.type
    if kind == "integer":
        _require_whole(given, values)
        form = form if not is_text(form) else pa.int64()
    elif pa.types.is_decimal(form):
        _require_digits(given, values * 10.0**form.scale, values)
    elif not pa.types.is_floating(form):
        form = pa.float64()
    return Encoded(Column(given.name, kind, values, missing), lambda centres: _cast(centres, form))


def _require_whole(given: Given, values: Floats) -> None:
    broken = np.flatnonzero(values != np.rint(values))
    if broken.size:
        raise given.fault(broken, values[broken[0]], "a whole number is expected: call it continuous")
    _require_digits(given, values, values)


def _require_digits(given: Given, whole: Floats, values: Floats) -> None:
    """Raise if numbers have more digits than are computed with."""
    long = np.flatnonzero(np.abs(whole) > _EXACT)
    if long.size:
        raise given.fault(long, values[long[0]], "beyond 2**53 digits are lost: make it float64")


def _cast(centres: Centres, form: Any) -> Any:
    """Return centres as numbers of a type; NumPy's masks are Arrow's the other way round."""
    values = array_of(centres.values)
    if pa.types.is_decimal(form):
        values = pc.round(values, ndigits=form.scale)
    return _with_missing(pc.cast(values, form), centres.missing)


def _with_missing(values: Any, missing: Mask) -> Any:
    if not missing.any():
        return values
    places = np.where(missing, -1, np.arange(missing.size))
    return values.take(pc.if_else(_mask(missing), pa.nulls(1, pa.int64())[0], array_of(places)))


def _mask(mask: Mask) -> Any:
    return pc.cast(array_of(mask.astype(np.int8)), pa.bool_())


class Ticks(NamedTuple):
    """Times as whole numbers: days, or the units of their type."""

    ticks: NDArray[np.int64]  # where one is missing, the least of them
    missing: Mask
    unit: Any
    form: Any

    @property
    def per_day(self) -> int:
        """How many of them make a day."""
        return 1 if self.unit == _DAY else 86_400 * _TICKS[self.unit.unit]

    def back(self, centres: Centres, least: int) -> Any:
        """Return ticks from the least one on as times."""
        ticks = array_of(np.rint(centres.values).astype(np.int64) + least)
        plain = pa.int32() if self.unit == _DAY else pa.int64()
        values = pc.cast(pc.cast(pc.cast(ticks, plain), self.unit), self.form)
        return _with_missing(values, centres.missing)


def _times(given: Given, kind: Kind) -> Encoded:
    """Return dates as days, and points in time in the units of their type, from the least of them."""
    ticks = ticks_of(given, kind)
    least = int(ticks.ticks.min()) if ticks.ticks.size else 0
    values = (ticks.ticks - least).astype(np.float64)
    calendar = Calendar(least, ticks.per_day)
    column = Column(given.name, kind, values, ticks.missing, calendar=calendar)
    return Encoded(column, lambda centres: ticks.back(centres, least))


def ticks_of(given: Given, kind: Kind) -> Ticks:
    """Return the times of a column as whole numbers."""
    times, form = _as_times(given, kind)
    missing = missing_in(times)
    unit = _DAY if pa.types.is_date(form) else form
    plain = pa.int32() if unit == _DAY else pa.int64()
    whole = pc.cast(times, plain)
    filling = _zero(plain) if missing.all() else pc.min(whole)
    ticks = array(pc.fill_null(whole, filling) if missing.size else whole).astype(np.int64)
    found = Ticks(ticks, missing, unit, form)
    _require_years(given, ticks, found.per_day)
    return found


def _zero(form: Any) -> Any:
    return pc.cast(array_of(np.zeros(1, dtype=np.int64)), form)[0]


def _require_years(given: Given, ticks: NDArray[np.int64], per_day: int) -> None:
    """Raise for times that no calendar has, as databases mark those without an end."""
    wrong = np.flatnonzero((ticks < _FIRST_DAY * per_day) | (ticks >= _END_DAY * per_day))
    if wrong.size:
        raise given.fault(wrong, "a time beyond the calendar", "the years 1 to 9999 are expected")


def _as_times(given: Given, kind: Kind) -> tuple[Any, Any]:
    form = given.data.type
    if is_text(form):
        return _times_of_text(given, kind)
    if pa.types.is_date64(form):
        return pc.cast(given.data, _DAY, safe=False), form
    if not (pa.types.is_date(form) or pa.types.is_timestamp(form)):
        raise InputError(f"column {given.name!r} holds {form} where a {kind} is expected")
    return given.data, form


def _times_of_text(given: Given, kind: Kind) -> tuple[Any, Any]:
    text, form = with_nulls(given.data), _DAY if kind == "date" else pa.timestamp("us")
    try:
        return pc.cast(text, form), form
    except pa.ArrowInvalid:
        wrong = np.flatnonzero([not _is_time(value) for value in text.to_pylist()])
        places = wrong if wrong.size else np.zeros(1, dtype=np.intp)
        value = repr(text[int(places[0])].as_py())
        raise given.fault(
            places, value, f"a {kind} without a time zone is expected, written as {_EXAMPLES[kind]}"
        ) from None


def _is_time(text: str | None) -> bool:
    try:
        return text is None or dt.datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def _levels(given: Given, kind: Kind) -> Encoded:
    """Return the place of each value among all values in their order.

    The centre of a group is again one of the values, so that the way back is to copy a record's, or what
    was stated of an order.
    """
    given = given._replace(data=comparable(given.data, is_csv=given.is_csv))
    missing, places, count = _places(given, kind)
    if kind == "boolean" and count > 2:
        raise InputError(f"column {given.name!r} has {count} values: a boolean has no more than two")
    record_of = np.zeros(max(count, 1), dtype=np.int64)
    there = np.flatnonzero(~missing)[::-1] if missing.size else np.arange(places.size)[::-1]
    record_of[places[there]] = there  # the first record of each value: it is written last

    stated = _stated_values(given, kind)

    def back(centres: Centres) -> Any:
        levels = centres.values.astype(np.int64)
        if stated is not None:
            return stated.take(_with_missing(array_of(levels), centres.missing))
        return _without_unused(given.data.take(_with_missing(array_of(record_of[levels]), centres.missing)))

    values = places.astype(np.float64)
    if missing.size:
        values[missing] = 0.0
    return Encoded(Column(given.name, kind, values, missing, count), back)


def _stated_values(given: Given, kind: Kind) -> Any:
    """Return the values of an ordinal column from the least to the greatest, if they are stated.

    A centre can be one that no record has. None if they are not stated, or not as the column spells them.
    """
    form = given.data.type
    is_category = pa.types.is_dictionary(form)
    if given.order:
        try:
            values = pc.cast(pa.array(given.order, pa.string()), form.value_type if is_category else form)
        except pa.ArrowException:
            return None
    elif kind == "ordinal" and is_category and form.ordered:
        values = in_one_piece(given.data.unify_dictionaries()).dictionary
    else:
        return None
    if not is_category:
        return values
    places = pc.cast(array_of(np.arange(len(values))), form.index_type)
    return pa.DictionaryArray.from_arrays(places, values, ordered=form.ordered)


def comparable(column: Any, *, is_csv: bool) -> Any:
    """Return a column in which values that count as one are spelled alike."""
    if is_csv:
        return with_nulls(column)
    return pc.add(column, 0.0) if pa.types.is_floating(column.type) else column  # there is no negative zero


def _without_unused(values: Any) -> Any:
    """Return categories without those that occur no more: a rare one would tell that it was there.

    Where they have an order it is that of the type, and they stay.
    """
    form = values.type
    if not pa.types.is_dictionary(form) or form.ordered:
        return values
    coded = in_one_piece(pc.cast(values, form.value_type)).dictionary_encode()
    return pa.DictionaryArray.from_arrays(pc.cast(coded.indices, form.index_type), coded.dictionary)


def _places(given: Given, kind: Kind) -> tuple[Mask, NDArray[np.int64], int]:
    """Return which values are missing, the place of each in the order of values, and how many there are."""
    column = given.data
    if kind == "ordinal" and not given.order and pa.types.is_dictionary(column.type) and column.type.ordered:
        coded = in_one_piece(column.unify_dictionaries() if isinstance(column, pa.ChunkedArray) else column)
        place_of = np.arange(len(coded.dictionary))
    else:
        plain = pc.cast(column, column.type.value_type) if pa.types.is_dictionary(column.type) else column
        coded = in_one_piece(plain).dictionary_encode()
        place_of = _place_of_each(given, kind, coded)
    missing = missing_in(coded)
    indices = pc.fill_null(coded.indices, 0) if missing.size else coded.indices
    if not place_of.size:
        return missing, np.zeros(len(coded), dtype=np.int64), 0
    return missing, place_of[array(indices)], int(place_of.max()) + 1


def _place_of_each(given: Given, kind: Kind, coded: Any) -> NDArray[np.int64]:
    """Return the place of each value in the order that was stated, or else in that of the values."""
    values = coded.dictionary
    if given.order:
        return _stated_places(given, coded)
    if kind == "ordinal" and is_text(values.type):
        raise InputError(
            f"column {given.name!r} is ordinal, and text has no order of its own: state its {len(values)} "
            "values "
            "from the least to the greatest"
        )
    place_of = np.empty(len(values), dtype=np.int64)
    place_of[array(pc.array_sort_indices(values)).astype(np.int64)] = np.arange(len(values))
    return place_of


def _stated_places(given: Given, coded: Any) -> NDArray[np.int64]:
    texts = [str(value) for value in coded.dictionary.to_pylist()]

    def first(text: str) -> str:
        place = pa.array([texts.index(text)], coded.indices.type)[0]
        return f" in {given.where(int(true_at(pc.equal(coded.indices, place))[0]))}"

    return stated_places(given.name, given.order, texts, first)


def stated_places(
    name: str, order: Sequence[str], texts: Sequence[str], where: Callable[[str], str] = lambda text: ""
) -> NDArray[np.int64]:
    """Return the place of each of the different values of a column in the order that was stated."""
    stated = {text: place for place, text in enumerate(order)}
    unknown = [text for text in texts if text not in stated]
    if unknown:
        others = f", and {len(unknown) - 1} other values" if len(unknown) > 1 else ""
        raise InputError(
            f"column {name!r} holds {unknown[0]!r}{where(unknown[0])}{others}, which its order leaves "
            f"out: {', '.join(order)}"
        )
    return np.array([stated[text] for text in texts], dtype=np.int64)
