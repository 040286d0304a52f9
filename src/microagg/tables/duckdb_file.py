"""Tables of DuckDB databases, read as a stream of Arrow batches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from microagg.errors import InputError
from microagg.tables.address import Name, name_of
from microagg.tables.source import Place, Source

_PLACE = re.compile(r"(?P<path>.*?\.(?:duckdb|ddb))(?:#(?P<table>.*))?", re.DOTALL | re.IGNORECASE)
_AT_ONCE = 1 << 17  # records
_MEMORY = "1GB"  # enough for what is read as it stands

MISSING = "larger than memory needs DuckDB, not installed here: pip install 'microagg[large]'"


class Opened(NamedTuple):
    """A table of a database that can be read."""

    path: Path
    query: str
    schema: pa.Schema
    size: float  # bytes that it would take in memory, about
    is_stored: bool  # whether it is a table as it lies there, whose records have one order at every look

    def batches(self, names: list[str]) -> Iterator[pa.RecordBatch]:
        """Yield the records in the order of the table."""
        with closing(_connected(self.path)) as connection:
            chosen = ", ".join(quoted(name) for name in names)
            with _explained(self.path):
                found = connection.sql(f"SELECT {chosen} FROM ({self.query})")
                yield from read_in_batches(found)


def read_in_batches(relation: Any) -> pa.RecordBatchReader:
    """Return what a query finds, batch by batch, under the name that this DuckDB has for it."""
    name = "to_arrow_reader" if hasattr(relation, "to_arrow_reader") else "fetch_arrow_reader"
    return getattr(relation, name)(_AT_ONCE)


def is_duckdb(place: Place | Source) -> bool:
    """Say whether a place is a table of a DuckDB database."""
    return bool(_PLACE.fullmatch(os.fspath(place.place if isinstance(place, Source) else place)))


def library() -> Any:
    """Return DuckDB, or say what to install."""
    try:
        import duckdb
    except ImportError:
        raise InputError(MISSING) from None
    return duckdb


def opened(source: Source) -> Opened:
    """Return a table or query of a database, made sure of."""
    found = _PLACE.fullmatch(os.fspath(source.place))
    assert found is not None
    source.require_only(("table", "query"), "a database")
    path, table = Path(found["path"]), source.table or found["table"]
    if (not table) == (source.query is None):
        raise InputError(f"{path} is a database: say which table, as in {path}#table, or give a query")
    if not path.is_file():
        raise InputError(f"{path} cannot be read: there is no such file")
    query = (
        source.query.strip().rstrip(";") if source.query else f"SELECT * FROM {name_of(str(table)).quoted}"
    )
    with closing(_connected(path)) as connection, _explained(path):
        reader = read_in_batches(connection.sql(f"SELECT * FROM ({query}) LIMIT 0"))
        records = connection.sql(f"SELECT count(*) FROM ({query})").fetchall()[0][0]
        is_stored = not source.query and _is_stored(connection, name_of(str(table)))
    return Opened(path, query, reader.schema.remove_metadata(), 8.0 * records * len(reader.schema), is_stored)


def _is_stored(connection: Any, name: Name) -> bool:
    """Say whether a name is that of a table, and of no view, which is a query."""
    tables, views = (
        {found.lower() for (found,) in connection.sql(f"SELECT {kind}_name FROM duckdb_{kind}s()").fetchall()}
        for kind in ("table", "view")
    )
    return name.table.lower() in tables - views


def table_of(source: Source) -> pa.Table:
    """Return a table or query of a database as a whole."""
    found = opened(source)
    return pa.Table.from_batches(found.batches(found.schema.names), found.schema)


def quoted(name: str) -> str:
    """Return the name of a column as it stands in a query."""
    return '"' + name.replace('"', '""') + '"'


def _connected(path: Path) -> Any:
    with _explained(path):
        return library().connect(str(path), read_only=True, config={"memory_limit": _MEMORY})


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what DuckDB has against a query into an InputError."""
    try:
        yield
    except library().Error as error:
        raise InputError(f"{path} cannot be read: {error}") from None
