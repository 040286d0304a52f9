"""Quasi-identifiers as numbers, and back: the one place that knows what the numbers stand for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.columns import Centres, Column, Floats, Mask
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
_EXAMPLES = {"date": "2024-12-31", "datetime": "2024-12-31 23:59:00"}


class Encoded(NamedTuple):
    """A column as numbers, and the way back."""

    column: Column
    back: Back


class Given(NamedTuple):
    """A column as it was given, and what a fault in it needs to be told."""

    name: str
    data: Any
    where: Where
    order: Sequence[str] = ()


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
    elif not (pa.types.is_floating(form) or pa.types.is_decimal(form)):
        form = pa.float64()
    return Encoded(Column(given.name, kind, values, missing), lambda centres: _cast(centres, form))


def _require_whole(given: Given, values: Floats) -> None:
    for wrong, told in (
        (values != np.rint(values), "a whole number is expected: call it continuous"),
        (np.abs(values) > _EXACT, "beyond 2**53 digits are lost: call it continuous"),
    ):
        places = np.flatnonzero(wrong)
        if places.size:
            first = int(places[0])
            raise InputError(
                f"column {given.name!r} holds {values[first]} in {given.where(first)}{in_all(places)}, where "
                f"{told}"
            )


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


def _times(given: Given, kind: Kind) -> Encoded:
    """Return dates as days, and points in time in the units of their type, from the least of them."""
    times, form = _as_times(given, kind)
    missing = missing_in(times)
    unit = _DAY if pa.types.is_date(form) else form
    plain = pa.int32() if unit == _DAY else pa.int64()
    whole = pc.cast(times, plain)
    ticks = array(pc.fill_null(whole, pc.min(whole)) if missing.size else whole).astype(np.int64)
    if missing.all() and missing.size:
        ticks = np.zeros(len(ticks), dtype=np.int64)
    least = ticks.min() if ticks.size else 0

    def back(centres: Centres) -> Any:
        ticks = array_of(np.rint(centres.values).astype(np.int64) + least)
        values = pc.cast(pc.cast(pc.cast(ticks, plain), unit), form)
        return _with_missing(values, centres.missing)

    return Encoded(Column(given.name, kind, (ticks - least).astype(np.float64), missing), back)


def _as_times(given: Given, kind: Kind) -> tuple[Any, Any]:
    form = given.data.type
    if is_text(form):
        return _times_of_text(given, kind)
    if pa.types.is_date64(form):
        return pc.cast(given.data, _DAY), form
    if not (pa.types.is_date(form) or pa.types.is_timestamp(form)):
        raise InputError(f"column {given.name!r} holds {form} where a {kind} is expected")
    return given.data, form


def _times_of_text(given: Given, kind: Kind) -> tuple[Any, Any]:
    text, form = with_nulls(given.data), _DAY if kind == "date" else pa.timestamp("us")
    try:
        return pc.cast(text, form), form
    except pa.ArrowInvalid:
        wrong = np.flatnonzero([not _is_time(value) for value in text.to_pylist()])
        first = int(wrong[0]) if wrong.size else 0
        raise InputError(
            f"column {given.name!r} holds {text[first].as_py()!r} in {given.where(first)}{in_all(wrong)}, "
            "where a "
            f"{kind} is expected that is written as {_EXAMPLES[kind]}"
        ) from None


def _is_time(text: str | None) -> bool:
    try:
        return text is None or bool(dt.datetime.fromisoformat(text))
    except ValueError:
        return False


def _levels(given: Given, kind: Kind) -> Encoded:
    """Return the place of each value among all values in their order.

    The centre of a group is again one of the values, so that the way back is to copy a record's.
    """
    missing, places, count = _places(given, kind)
    if kind == "boolean" and count > 2:
        raise InputError(f"column {given.name!r} has {count} values: a boolean has no more than two")
    record_of = np.zeros(max(count, 1), dtype=np.int64)
    there = np.flatnonzero(~missing)[::-1] if missing.size else np.arange(places.size)[::-1]
    record_of[places[there]] = there  # the first record of each value: it is written last

    def back(centres: Centres) -> Any:
        records = array_of(record_of[centres.values.astype(np.int64)])
        return given.data.take(_with_missing(records, centres.missing))

    values = places.astype(np.float64)
    if missing.size:
        values[missing] = 0.0
    return Encoded(Column(given.name, kind, values, missing, count), back)


def _places(given: Given, kind: Kind) -> tuple[Mask, NDArray[np.int64], int]:
    """Return which values are missing, the place of each in the order of values, and how many there are."""
    column = with_nulls(given.data) if is_text(given.data.type) else given.data
    if kind == "ordinal" and not given.order and pa.types.is_dictionary(column.type):
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
    stated = {text: place for place, text in enumerate(given.order)}
    unknown = [text for text in texts if text not in stated]
    if unknown:
        first = int(
            true_at(pc.equal(coded.indices, pa.array([texts.index(unknown[0])], coded.indices.type)[0]))[0]
        )
        others = f", and {len(unknown) - 1} other values" if len(unknown) > 1 else ""
        raise InputError(
            f"column {given.name!r} holds {unknown[0]!r} in {given.where(first)}{others}, which its order "
            "leaves "
            f"out: {', '.join(given.order)}"
        )
    return np.array([stated[text] for text in texts], dtype=np.int64)
