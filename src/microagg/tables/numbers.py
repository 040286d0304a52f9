"""A column as float64 numbers, or every reason why it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.errors import InputError

Floats = NDArray[np.float64]
Where = Callable[[int], str]
"""Says in words where a record stands, as its owner sees it."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_DECIMAL_COMMA = r"^[+-]?[\d.]*,\d+$"


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
    if column.null_count:
        raise InputError(_missing(name, _true_at(pc.is_null(column)), where))
    return _finite(name, _array(pc.cast(column, pa.float64(), safe=False)), where)


def _faults_of_text(name: str, text: Any, where: Where) -> list[str]:
    filled = pc.cast(pc.binary_length(text), pa.bool_())
    wrong = _true_at(pc.and_not(filled, pc.match_substring_regex(text, _NUMBER)))
    empty = _true_at(pc.invert(filled))
    faults = [_missing(name, empty, where)] if empty.size else []
    if wrong.size:
        value = text[int(wrong[0])]
        with_comma = pc.match_substring_regex(value, _DECIMAL_COMMA).as_py()
        hint = "; a decimal point is expected, not a comma" if with_comma else ""
        faults.append(
            f"column {name!r} holds text where a number is expected: "
            f"{value.as_py()!r} in {where(int(wrong[0]))}{_in_all(wrong)}{hint}"
        )
    return faults


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
    return f" ({records.size} such values in all)" if records.size > 1 else ""


def _true_at(mask: Any) -> NDArray[np.integer]:
    return np.asarray(pc.indices_nonzero(mask))


def _array(column: Any) -> Floats:
    """Return the numbers of a column without nulls; `to_numpy` would import pandas, which takes long."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.asarray(np.from_dlpack(whole), dtype=np.float64)
