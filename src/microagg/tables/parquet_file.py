"""Parquet in and out: a file, or all files of a folder or pattern as one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from microagg.errors import InputError
from microagg.tables.source import Source
from microagg.tables.table import Table


def read(path: Path, source: Source) -> tuple[pa.Table, None]:
    """Return the records of a file."""
    try:
        with pq.ParquetFile(path) as file:
            return file.read(), None
    except pa.ArrowException as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from None


def read_several(paths: Sequence[Path]) -> pa.Table:
    """Return the records of several files, one after the other; their columns must agree."""
    try:
        return dataset_of(paths).to_table().replace_schema_metadata()
    except pa.ArrowException as error:
        raise InputError(f"the files cannot be read as Parquet: {error}") from None


def dataset_of(paths: Sequence[Path]) -> Any:
    """Return several files as one table; their columns must agree.

    Folders called `year=2024` in the paths become a column.
    """
    import pyarrow.dataset as ds  # a tenth of a second that a single file does not pay

    try:
        files = ds.dataset([str(path) for path in paths], format="parquet", partitioning="hive")
        fragments = list(files.get_fragments())
        expected = fragments[0].physical_schema
        InputError.raise_any(
            f"{fragment.path} has other columns, or other types, than {fragments[0].path}: expected one table"
            for fragment in fragments
            if not fragment.physical_schema.equals(expected)
        )
        return files
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"the files cannot be read as Parquet: {error}") from None


def held(table: pa.Table, origin: Table, replaced: object) -> pa.Table:
    """Return the table: Parquet holds all of it."""
    return table


def write(table: pa.Table, stream: BinaryIO, origin: Table, replaced: object) -> None:
    """Write a table, row group by row group."""
    pq.write_table(table, stream)
