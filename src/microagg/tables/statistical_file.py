"""Files of SPSS, Stata and SAS in: the values, and what such a file says about its variables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyreadstat

from microagg.errors import InputError
from microagg.tables.mixed import counted_from_one
from microagg.tables.source import Source

_READERS: dict[str, Any] = {
    ".sav": pyreadstat.read_sav,
    ".dta": pyreadstat.read_dta,
    ".sas7bdat": pyreadstat.read_sas7bdat,
}
_STORED = {"int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "float": pa.float32()}
_WHOLE = re.compile(r"F\d+(\.0)?")  # how SPSS shows numbers without decimals

Codes = Mapping[int, float | str]
"""The values of some records, by their places."""


class StatisticalFile(NamedTuple):
    """What a file says about its variables, by their names.

    `missing` says which values of a variable stand for missing ones, as the file defines them: numbers,
    text or ranges in SPSS, letters in Stata. `codes` holds these values where they stood: the table has
    only missing values there.
    """

    ending: str
    labels: Mapping[str, str]
    value_labels: Mapping[str, Mapping[Any, str]]
    formats: Mapping[str, str]
    measures: Mapping[str, str]
    missing: Mapping[str, Sequence[Any]]
    codes: Mapping[str, Codes]

    def where(self, record: int) -> str:
        """Say where a record stands."""
        return counted_from_one(record)


def read(path: Path, source: Source) -> tuple[pa.Table, StatisticalFile]:
    """Return the records of a file; values that it defines as missing are missing."""
    ending = path.suffix.lower()
    with path.open("rb"):  # for the system's own words if it may not be read
        pass
    try:
        values, said = _READERS[ending](path, output_format="dict", user_missing=True)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OverflowError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    missing = {**said.missing_ranges, **said.missing_user_values}
    codes = {name: _codes(values[name], defined, ending) for name, defined in missing.items()}
    columns = {name: _column(name, column, codes.get(name, {}), said) for name, column in values.items()}
    return pa.table(columns), StatisticalFile(
        ending,
        labels={name: label for name, label in said.column_names_to_labels.items() if label},
        value_labels=said.variable_value_labels,
        formats={name: shown or "" for name, shown in said.original_variable_types.items()},
        measures=said.variable_measure,
        missing=missing,
        codes=codes,
    )


def _codes(values: Sequence[Any], defined: Sequence[Any], ending: str) -> Codes:
    """Return the values that the file defines as missing, by their places."""
    if ending != ".sav":  # a letter among numbers
        return {place: value for place, value in enumerate(values) if isinstance(value, str)}
    ranges = [(part["lo"], part["hi"]) for part in defined]
    return {
        place: value
        for place, value in enumerate(values)
        if value is not None and any(low <= value <= high for low, high in ranges)
    }


def _column(name: str, values: Sequence[Any], codes: Codes, said: Any) -> Any:
    """Return the values as Arrow's, of the type in which they are stored, or shown as whole numbers."""
    filled = [None if value == "" or place in codes else value for place, value in enumerate(values)]
    stored, shown = said.readstat_variable_types[name], said.original_variable_types[name] or ""
    if stored == "string":
        return pa.array(filled, pa.string())
    if any(not isinstance(value, int | float) for value in filled if value is not None):
        return _to_the_millisecond(pa.array(filled))  # dates and times
    if stored in _STORED:
        return pa.array(filled, _STORED[stored])
    if said.file_format == "sav/zsav" and _are_whole(filled, shown):
        return pa.array([value if value is None else int(value) for value in filled], pa.int64())
    return pa.array(filled, pa.float64())


def _to_the_millisecond(column: Any) -> Any:
    """Return times as the files hold them; their microseconds are but an echo of floating point."""
    if not pa.types.is_timestamp(column.type):
        return column
    return pc.cast(pc.round_temporal(column, unit="millisecond"), pa.timestamp("ms"))


def _are_whole(values: Sequence[Any], shown: str) -> bool:
    return bool(_WHOLE.fullmatch(shown)) and all(
        value is None or (abs(value) <= 2**53 and float(value).is_integer()) for value in values
    )
