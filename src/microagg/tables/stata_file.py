"""Stata files out, with labels, and the letters that stand for missing values in what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import pyarrow as pa
from pyreadstat import write_dta

import microagg.tables.statistical_cells as cells
from microagg.tables.table import Table

_STATA = cells.Kind("Stata", ".dta", largest=8.9884656743e307, largest_int32=2_147_483_620)
"""All numbers from there on are Stata's codes for missing values."""


def held(table: pa.Table, origin: Table, replaced: Sequence[str] | None) -> pa.Table:
    """Return the table as Stata holds it."""
    return cells.held(table, _STATA, write_dta)


def write(table: pa.Table, stream: BinaryIO, origin: Table, replaced: Sequence[str] | None) -> None:
    """Write a table, with what the file that was read said about its variables."""
    said = cells.said_of(origin)
    if said is None or said.ending != _STATA.ending:
        cells.save(write_dta, table, stream, said)
    else:
        kept = cells.kept(table, replaced)
        cells.save(
            write_dta,
            table,
            stream,
            said,
            {name: said.codes[name] for name in kept if name in said.codes},
            missing_user_values={name: said.missing[name] for name in kept if name in said.missing},
            variable_format={
                name: said.formats[name] for name in kept if not said.formats[name].endswith("s")
            },
        )
