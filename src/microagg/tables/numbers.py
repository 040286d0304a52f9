"""A column as float64 numbers, or every reason why it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.errors import Faults, InputError
from microagg.tables.csv_file import text_scalar

Floats = NDArray[np.float64]
Where = Callable[[int], str]
"""Says in words where a record stands, as its owner sees it."""

_NUMBER = r"^(?i:[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|-?(nan|inf|infinity))$"
_DECIMAL_COMMA = r"^[+-]?[\d.]*,\d+$"

_ZERO = pc.cast(text_scalar("0"), pa.float64())


def numbers_of_text(name: str, column: Any, where: Where) -> Floats:
    """Return the numbers that a column of text spells."""
    text = pc.utf8_trim_whitespace(column)
    try:
        spelled = pc.cast(text, pa.float64())
    except pa.ArrowInvalid as error:
        raise InputError(_faults_of_text(name, text, where) or f"column {name!r}: {error}") from None
    return _finite(name, _array(spelled), where)


def numbers_of_typed(name: str, column: Any, where: Where) -> Floats:
    """Return the numbers of a column that has a type."""
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(f"column {name!r} holds {kind}: a quasi-identifier must hold numbers")
    numbers = pc.cast(column, pa.float64(), safe=False)
    if not column.null_count:
        return _finite(name, _array(numbers), where)
    missing = pc.is_null(column)
    faults = Faults([_missing(name, _true_at(missing), where)])
    faults.attempt(_finite, name, _array(pc.if_else(missing, _ZERO, numbers)), where)
    raise InputError(faults)


def _faults_of_text(name: str, text: Any, where: Where) -> list[str]:
    filled = pc.cast(pc.binary_length(text), pa.bool_())
    spells_number = pc.match_substring_regex(text, _NUMBER)
    empty = _true_at(pc.invert(filled))
    wrong = _true_at(pc.and_not(filled, spells_number))
    faults = Faults([_missing(name, empty, where)] if empty.size else [])
    if wrong.size:
        faults.append(_no_number(name, text[int(wrong[0])], wrong, where))
    numbers = pc.if_else(spells_number, text, text_scalar("0"))
    faults.attempt(_finite, name, _array(pc.cast(numbers, pa.float64())), where)
    return faults


def _no_number(name: str, value: Any, records: NDArray[np.integer], where: Where) -> str:
    with_comma = pc.match_substring_regex(value, _DECIMAL_COMMA).as_py()
    hint = "; a decimal point is expected, not a comma" if with_comma else ""
    return (
        f"column {name!r} holds text where a number is expected: "
        f"{value.as_py()!r} in {where(int(records[0]))}{_in_all(records)}{hint}"
    )


def _missing(name: str, records: NDArray[np.integer], where: Where) -> str:
    return (
        f"column {name!r} has a missing value in {where(int(records[0]))}{_in_all(records)}: "
        "missing values are not supported yet, so fill or drop them"
    )


def _finite(name: str, values: Floats, where: Where) -> Floats:
    """Return the values, or raise if one is not finite or they are too far apart to be subtracted."""
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        first = int(wrong[0])
        raise InputError(
            f"column {name!r} holds {values[first]} in {where(first)}{_in_all(wrong)}: "
            "a finite number is expected"
        )
    with np.errstate(over="ignore"):
        if values.size and not np.isfinite(np.ptp(values)):
            raise InputError(f"column {name!r} spans more than a number can hold: rescale it")
    return values


def _in_all(records: NDArray[np.integer]) -> str:
    return f", one of {records.size:,} such values" if records.size > 1 else ""


def _true_at(mask: Any) -> NDArray[np.integer]:
    return np.asarray(pc.indices_nonzero(mask))


def _array(column: Any) -> Floats:
    """Return the numbers of a column without nulls; `to_numpy` would import pandas, which takes long."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.asarray(np.from_dlpack(whole), dtype=np.float64)
