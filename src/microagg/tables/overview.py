"""What a column shows at a glance: how many values, how many of them different, and which."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microagg.columns import Floats
from microagg.errors import InputError
from microagg.plan import Kind
from microagg.tables.kinds import Seen, is_text
from microagg.tables.numbers import NUMBER, array, with_nulls
from microagg.tables.table import Table

FEW = 60
"""Up to so many different values are looked at one by one."""


class Overview(NamedTuple):
    """What a column shows.

    `seen` is None for a type that cannot be protected, and `fault` says why. `numbers` are the different
    finite numbers of the column, from the least. `levels` are the different values of a column of text, if
    they are few, and `labels` what the file calls the few values of any; both in the order of the values.
    """

    records: int
    present: int
    different: int
    seen: Seen | None
    fault: str = ""
    numbers: Floats = np.zeros(0)
    levels: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    has_order: bool = False  # whether its values have an order of their own, as text has none


def overview(table: Table, name: str) -> Overview:
    """Return what a column shows; each of its values is looked at once, each different one a few times."""
    column = table.data.column(name)
    try:
        seen = table.kind(name)
    except InputError as error:
        return Overview(table.records, len(column) - column.null_count, 0, None, error.faults[0])
    text = with_nulls(column) if is_text(column.type) else column
    different = _sorted(_different(text))
    return Overview(
        table.records,
        present=len(text) - text.null_count,
        different=len(different),
        seen=seen,
        numbers=_numbers(table, different, seen.kind),
        levels=_levels(different),
        labels=_labels(table, name, different),
        has_order=not is_text(different.type) or bool(getattr(column.type, "ordered", False)),
    )


def _different(column: Any) -> Any:
    """Return each value of a column once; categories as the values that they stand for."""
    if pa.types.is_float16(column.type):
        column = pc.cast(column, pa.float32())
    if not pa.types.is_dictionary(column.type):
        return pc.unique(column).drop_null()
    found = pc.unique(column).drop_null()
    return pc.unique(pc.cast(found, column.type.value_type)).drop_null()


def _sorted(values: Any) -> Any:
    """Return few values in their order; many need none."""
    return values.take(pc.array_sort_indices(values)) if 0 < len(values) <= FEW else values


def _numbers(table: Table, different: Any, kind: Kind) -> Floats:
    """Return the finite numbers among different values, also those that text spells."""
    if is_text(different.type) and kind in ("integer", "continuous"):
        text = table.csv.plain(different)[0] if table.csv else different
        different = text.filter(pc.match_substring_regex(text, NUMBER))
    elif not (pa.types.is_integer(different.type) or _is_real(different.type)):
        return np.zeros(0)
    numbers = array(pc.cast(different, pa.float64(), safe=False))
    return np.sort(numbers[np.isfinite(numbers)])


def _is_real(form: Any) -> bool:
    return bool(pa.types.is_floating(form) or pa.types.is_decimal(form))


def _levels(different: Any) -> tuple[str, ...]:
    return tuple(different.to_pylist()) if is_text(different.type) and len(different) <= FEW else ()


def _labels(table: Table, name: str, different: Any) -> tuple[str, ...]:
    """Return the labels that the file gives to different values, if they are few and all have one."""
    of = getattr(table.origin, "value_labels", {}).get(name, {})
    values = different.to_pylist() if of and len(different) <= FEW else []
    return tuple(of[value] for value in values) if values and all(value in of for value in values) else ()
