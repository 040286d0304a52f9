"""SPSS files out, with labels, and the values that stand for missing ones in what is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, BinaryIO

import pyarrow as pa
from pyreadstat import write_sav

import microagg.tables.statistical_cells as cells
from microagg.errors import InputError
from microagg.tables.table import Table

_SPSS = cells.Kind("SPSS", ".sav", largest=1.7976931348623155e308, largest_int32=2**31 - 1)
"""The largest number of all is what SPSS calls missing."""


def held(table: pa.Table, origin: Table, replaced: Sequence[str] | None) -> pa.Table:
    """Return the table as SPSS holds it, to which capital letters are no different."""
    several = [name for name, times in Counter(map(str.casefold, table.column_names)).items() if times > 1]
    alike = ([repr(name) for name in table.column_names if name.casefold() == folded] for folded in several)
    InputError.raise_any(
        f"columns are called {' and '.join(names)}, one name to SPSS: rename one" for names in alike
    )
    return cells.held(table, _SPSS, write_sav)


def write(table: pa.Table, stream: BinaryIO, origin: Table, replaced: Sequence[str] | None) -> None:
    """Write a table, with what the file that was read said about its variables.

    A released mean could fall among the values that stand for missing ones: a column that was replaced
    has none.
    """
    said = cells.said_of(origin)
    if said is None or said.ending != _SPSS.ending:
        cells.save(write_sav, table, stream, said)
    else:
        kept = cells.kept(table, replaced)
        cells.save(
            write_sav,
            table,
            stream,
            said,
            {name: said.codes[name] for name in kept if name in said.codes},
            variable_measure=said.measures,
            missing_ranges={name: _ranges(said.missing[name]) for name in kept if name in said.missing},
            variable_format={
                name: said.formats[name] for name in kept if not said.formats[name].startswith("A")
            },
        )


def _ranges(defined: Sequence[Any]) -> list[Any]:
    return [part["lo"] if part["lo"] == part["hi"] else part for part in defined]
