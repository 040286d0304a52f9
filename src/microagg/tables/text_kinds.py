"""The kind of a column of text whose parts are looked at one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from microagg.plan import Kind
from microagg.tables.csv_file import CsvFile
from microagg.tables.kinds import DATE, LEADING_ZERO, TIME, TRUTHS, WHOLE, can_be
from microagg.tables.numbers import DECIMAL_COMMA, NUMBER, with_nulls


class Spelled(NamedTuple):
    """How the values of some records are spelled."""

    present: int
    numbers: int
    days: int
    has_time: bool
    has_leading_zero: bool
    are_numbers: bool
    are_whole: bool
    fit_int64: bool
    words: frozenset[str]  # in lower case; after the third different value no more are told


def spelled_in(part: Any, csv: CsvFile) -> Spelled:
    """Return how the values of a part are spelled."""
    text = with_nulls(csv.plain(part)[0])
    numbers = pc.match_substring_regex(text, f"{NUMBER}|{DECIMAL_COMMA}")
    values = pc.unique(text).drop_null()
    return Spelled(
        present=len(text) - text.null_count,
        numbers=pc.sum(numbers).as_py() or 0,
        days=pc.sum(pc.match_substring_regex(text, DATE)).as_py() or 0,
        has_time=bool(pc.any(pc.match_substring_regex(text, TIME)).as_py()),
        has_leading_zero=bool(pc.any(pc.match_substring_regex(text, LEADING_ZERO)).as_py()),
        are_numbers=can_be(text, pa.float64()),
        are_whole=pc.all(pc.match_substring_regex(text, WHOLE)).as_py() is not False,
        fit_int64=can_be(text, pa.int64()),
        words=frozenset(str(value) for value in values.slice(0, 3).to_pylist()),
    )


def kind_of_spelled(parts: Sequence[Spelled]) -> Kind:
    """Return the kind that all parts together tell, as `kind_of_text` does of the whole."""
    present = sum(part.present for part in parts)
    if not present:
        return "nominal"
    if all(part.are_numbers for part in parts):
        if any(part.has_leading_zero for part in parts):
            return "nominal"
        whole = all(part.fit_int64 for part in parts) or all(part.are_whole for part in parts)
        return "integer" if whole else "continuous"
    if sum(part.numbers for part in parts) * 2 > present:
        return "continuous"
    if sum(part.days for part in parts) * 2 > present:
        return "datetime" if any(part.has_time for part in parts) else "date"
    words = frozenset().union(*(part.words for part in parts))
    truth = len(words) <= 2 and any({word.lower() for word in words} <= known for known in TRUTHS)
    return "boolean" if truth else "nominal"
