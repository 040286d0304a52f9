"""DuckDB within bounds: so much memory, and the rest in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from microagg.partition.threads import cores
from microagg.tables.duckdb_file import library


def connected(folder: Path, memory: int) -> Any:
    """Return a database of its own in a folder, which takes so many bytes of memory at most."""
    spilled = folder / "spilled"
    spilled.mkdir(exist_ok=True)
    return library().connect(
        ":memory:",
        config={
            "memory_limit": f"{memory // 1_000_000}MB",
            "temp_directory": str(spilled),
            "threads": str(cores()),
            "preserve_insertion_order": "false",
        },
    )
