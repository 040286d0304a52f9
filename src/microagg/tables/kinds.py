"""What kind of values a column holds, as far as the column itself tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from microagg.errors import InputError
from microagg.plan import Kind
from microagg.tables.numbers import DECIMAL_COMMA, NUMBER, with_nulls

MOSTLY_NUMBERS = "mostly numbers"
LABELLED = "its values have labels"
"""Reasons after which a second look at the values may tell more."""

WHOLE = r"^[+-]?\d+$"
LEADING_ZERO = r"^0\d"
TRUTHS = ({"true", "false"}, {"yes", "no"})
DATE = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}|$)"
TIME = r"^\d{4}-\d{2}-\d{2}[T ]"
_MEASURES: Mapping[str, Kind] = {"nominal": "nominal", "ordinal": "ordinal"}


class Seen(NamedTuple):
    """A kind, and what shows it."""

    kind: Kind
    reason: str


def kind_of_typed(name: str, column: Any) -> Seen:
    """Return the kind that the type of a column tells."""
    return kind_of_type(name, column.type)


def kind_of_type(name: str, form: Any) -> Seen:
    """Return the kind that a type tells."""
    for matches, kind, reason in (
        (pa.types.is_boolean, "boolean", "truth values"),
        (pa.types.is_integer, "integer", "whole numbers"),
        (pa.types.is_floating, "continuous", "numbers"),
        (pa.types.is_decimal, "continuous", "numbers"),
        (pa.types.is_date, "date", "dates"),
        (pa.types.is_timestamp, "datetime", "points in time"),
        (_is_ordered, "ordinal", "categories with an order"),
        (_is_category, "nominal", "categories"),
        (is_text, "nominal", "text"),
        (pa.types.is_null, "nominal", "no values at all"),
    ):
        if matches(form):
            return Seen(kind, reason)  # type: ignore[arg-type]
    raise InputError(f"column {name!r} holds {form}, which cannot be protected: make it numbers or text")


def kind_of_text(column: Any) -> Seen:
    """Return the kind that the text of a column tells, as it stands in a CSV file.

    More numbers than other text, with whatever decimal mark, are taken for a column of numbers, in which
    the others are faults; so are more dates.
    """
    text = with_nulls(column)
    if text.null_count == len(text):
        return Seen("nominal", "no values at all")
    if can_be(text, pa.float64()):
        return _kind_of_numbers(text)
    numbers = pc.match_substring_regex(text, f"{NUMBER}|{DECIMAL_COMMA}")
    if pc.sum(numbers).as_py() * 2 > len(text) - text.null_count:
        return Seen("continuous", MOSTLY_NUMBERS)
    days = pc.match_substring_regex(text, DATE)
    if pc.sum(days).as_py() * 2 > len(text) - text.null_count:
        kind: Kind = "datetime" if pc.any(pc.match_substring_regex(text, TIME)).as_py() else "date"
        return Seen(kind, f"{kind}s as ISO 8601 writes them")
    if _is_truth(text):
        return Seen("boolean", "truth values")
    return Seen("nominal", "text")


def kind_by_labels(name: str, origin: object) -> Seen | None:
    """Return the kind that a file of SPSS or Stata says of a variable, if it does."""
    measure = str(getattr(origin, "measures", {}).get(name))
    if measure in _MEASURES:
        return Seen(_MEASURES[measure], f"{measure} by the file's own account")
    if getattr(origin, "value_labels", {}).get(name) and measure != "scale":
        return Seen("nominal", LABELLED)
    return None


def is_text(form: Any) -> bool:
    """Say whether a type is one of text."""
    return bool(pa.types.is_string(form) or pa.types.is_large_string(form))


def _kind_of_numbers(text: Any) -> Seen:
    if pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py():
        return Seen("nominal", "digits that begin with zero: codes rather than numbers")
    if can_be(text, pa.int64()) or pc.all(pc.match_substring_regex(text, WHOLE)).as_py():
        return Seen("integer", "whole numbers")
    return Seen("continuous", "numbers")


def can_be(text: Any, form: Any) -> bool:
    """Say whether text spells values of a type throughout."""
    try:
        pc.cast(text, form)
    except pa.ArrowInvalid:
        return False
    return True


def _is_truth(text: Any) -> bool:
    values = pc.unique(text).drop_null()
    return len(values) <= 2 and any({value.as_py().lower() for value in values} <= truth for truth in TRUTHS)


def _is_category(form: Any) -> bool:
    return bool(pa.types.is_dictionary(form))


def _is_ordered(form: Any) -> bool:
    return _is_category(form) and bool(form.ordered)
