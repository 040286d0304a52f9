"""A column as float64 numbers, or every reason why it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.columns import NONE_MISSING, Floats, Mask
from microagg.errors import Faults, InputError
from microagg.tables.csv_file import text_scalar
from microagg.tables.forms import in_one_piece

Where = Callable[[int], str]
"""Says in words where a record stands, as its owner sees it."""

NUMBER = r"^(?i:[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|-?(nan|inf|infinity))$"
DECIMAL_COMMA = r"^[+-]?[\d.]*,\d+$"

_ZERO = pc.cast(text_scalar("0"), pa.float64())


def numbers_of_text(name: str, column: Any, where: Where) -> tuple[Floats, Mask]:
    """Return the numbers that a column of text spells, and which are missing, as the empty text is."""
    text = with_nulls(column)
    try:
        spelled = pc.cast(text, pa.float64())
    except pa.ArrowInvalid as error:
        raise InputError(_faults_of_text(name, text, where) or f"column {name!r}: {error}") from None
    return _finite(name, spelled, where)


def numbers_of_typed(name: str, column: Any, where: Where) -> tuple[Floats, Mask]:
    """Return the numbers of a column that has a type, and which are missing."""
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(f"column {name!r} holds {kind} where numbers are expected")
    return _finite(name, pc.cast(column, pa.float64(), safe=False), where)


def with_nulls(text: Any) -> Any:
    """Return text without blanks around it, nulls for the empty text."""
    trimmed = pc.utf8_trim_whitespace(text)
    filled = pc.cast(pc.binary_length(trimmed), pa.bool_())
    if pc.all(filled).as_py():
        return trimmed
    return pc.if_else(filled, trimmed, pa.nulls(1, trimmed.type)[0])


def _faults_of_text(name: str, text: Any, where: Where) -> list[str]:
    spells_number = pc.fill_null(pc.match_substring_regex(text, NUMBER), True)
    wrong = true_at(pc.invert(spells_number))
    faults = Faults()
    if wrong.size:
        faults.append(_no_number(name, text[int(wrong[0])], wrong, where))
    numbers = pc.if_else(spells_number, text, text_scalar("0"))
    faults.attempt(_finite, name, pc.cast(numbers, pa.float64()), where)
    return faults


def _no_number(name: str, value: Any, records: NDArray[np.integer], where: Where) -> str:
    with_comma = pc.match_substring_regex(value, DECIMAL_COMMA).as_py()
    hint = "; a decimal point is expected, not a comma" if with_comma else ""
    return (
        f"column {name!r} holds text where a number is expected: "
        f"{value.as_py()!r} in {where(int(records[0]))}{in_all(records)}{hint}"
    )


def _finite(name: str, column: Any, where: Where) -> tuple[Floats, Mask]:
    """Return numbers, or raise if one is not finite or they are too far apart to be subtracted."""
    missing = missing_in(column)
    values = array(pc.fill_null(column, _ZERO) if missing.size else column)
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        first = int(wrong[0])
        raise InputError(
            f"column {name!r} holds {values[first]} in {where(first)}{in_all(wrong)}: "
            "a finite number is expected"
        )
    values = _with_least(values, missing)
    with np.errstate(over="ignore"):
        if values.size and not np.isfinite(np.ptp(values)):
            raise InputError(f"column {name!r} spans more than a number can hold: rescale it")
    return values, missing


def _with_least(values: Floats, missing: Mask) -> Floats:
    """Return the values with the least of them where one is missing."""
    if not missing.size or missing.all():
        return values
    return np.where(missing, values[~missing].min(), values)


def missing_in(column: Any) -> Mask:
    """Return which values of a column are missing; nothing if none is."""
    if not column.null_count:
        return NONE_MISSING
    missing = np.zeros(len(column), dtype=np.bool_)
    missing[true_at(pc.is_null(column))] = True
    return missing


def in_all(records: NDArray[np.integer]) -> str:
    """Say of how many values the first was told."""
    return f", one of {records.size:,} such values" if records.size > 1 else ""


def true_at(mask: Any) -> NDArray[np.integer]:
    """Return the places where a column of truth values is true."""
    return np.asarray(pc.indices_nonzero(mask))


def array(column: Any) -> Any:
    """Return the numbers of a column without nulls; `to_numpy` would import pandas, which takes long."""
    return np.from_dlpack(in_one_piece(column))
