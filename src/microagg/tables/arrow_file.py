"""Arrow's own files in and out, which are also called Feather."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from microagg.errors import InputError
from microagg.tables.frames import without_views
from microagg.tables.source import Source
from microagg.tables.table import Table

_MAGIC = b"ARROW1"  # a stream of batches, as some programs write it, has none


def read(path: Path, source: Source) -> tuple[pa.Table, None]:
    """Return the records of a file, or of a stream that was saved as one."""
    with path.open("rb") as start:
        opened = pa.ipc.open_file if start.read(len(_MAGIC)) == _MAGIC else pa.ipc.open_stream
    try:
        with pa.OSFile(str(path)) as file, opened(file) as reader:
            return without_views(reader.read_all()), None
    except pa.ArrowException as error:
        raise InputError(f"{path} cannot be read as an Arrow file: {error}") from None


def held(table: pa.Table, origin: Table, replaced: object) -> pa.Table:
    """Return the table: Arrow's files hold all of it."""
    return table


def write(table: pa.Table, stream: BinaryIO, origin: Table, replaced: object) -> None:
    """Write a table, batch by batch."""
    with pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table.unify_dictionaries())  # such a file holds one for all batches
