"""DuckDB within bounds: so much memory, and the rest in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from microagg.errors import InputError
from microagg.kernels.cores import cores
from microagg.tables.duckdb_file import library


@contextmanager
def database(folder: Path, memory: int) -> Iterator[Any]:
    """Give a database of its own in a folder, which takes so many bytes of memory at most.

    Raises InputError if it finds no room, in memory or in the folder.
    """
    spilled = folder / "spilled"
    spilled.mkdir(exist_ok=True)
    options = {
        "memory_limit": f"{memory // 1_000_000}MB",
        "temp_directory": str(spilled),
        "threads": str(cores()),
        "preserve_insertion_order": "false",
    }
    duckdb = library()
    try:
        with closing(duckdb.connect(":memory:", config=options)) as connection:
            yield connection
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        raise InputError(
            f"there is no room for the temporary files in {folder.parent}, or the memory limit is too small; "
            f"nothing was written: {error}"
        ) from None
