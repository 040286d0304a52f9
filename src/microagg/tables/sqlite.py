"""What is peculiar to SQLite: a database in one file, in which any value may have any type."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import quote

import adbc_driver_sqlite.dbapi
import pyarrow as pa
import pyarrow.compute as pc

from microagg.errors import Faults, InputError
from microagg.tables.address import Address, Name, quoted
from microagg.tables.mixed import counted_from_one, mixed

_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1"


def connect(address: Address, *, write: bool) -> Any:
    """Return a connection with a transaction begun; one to read can do nothing else."""
    if Path(address.place).exists() or not write:
        with Path(address.place).open("ab" if write else "rb"):  # for the system's own words if it may not be
            pass
    mode = "rwc" if write else "rw" if _is_to_be_mended(address.place) else "ro"
    connection = adbc_driver_sqlite.dbapi.connect(f"file:{quote(address.place)}?mode={mode}")
    if not write:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = ON")
    return connection


def _is_to_be_mended(place: str) -> bool:
    """Say whether a journal lies beside the file, as it does when a program that wrote was killed.

    SQLite then brings the file back to what it was before, if only it may, and cannot read it else.
    """
    return Path(f"{place}-journal").exists()


def require_place(address: Address, name: Name) -> Name:
    """Return the name; raise InputError or OSError if no file can be made where there is none."""
    folder = Path(address.place).resolve().parent
    if not folder.is_dir():
        raise InputError(f"{address.shown} cannot be written: there is no folder {folder}")
    with TemporaryFile(dir=folder):
        pass
    return _without_schema(name)


def tables(cursor: Any) -> list[str]:
    """Return the names of the tables and views there are."""
    cursor.execute(_TABLES)
    return [name for (name,) in cursor.fetchall()]


def is_there(cursor: Any, name: Name) -> bool:
    """Say whether there is such a table or view."""
    return name.table.lower() in map(str.lower, tables(cursor))


def identity(cursor: Any, name: Name | None) -> tuple[Any, ...]:
    """Return what no two databases, and no two of their tables, have in common."""
    cursor.execute("SELECT file FROM pragma_database_list WHERE name = 'main'")
    (file,) = cursor.fetchone()
    about = Path(file).stat()
    which = (about.st_dev, about.st_ino)
    return which if name is None else (*which, name.table.lower())


def require_writable(cursor: Any, name: Name, overwrite: bool) -> Name:
    """Return the name; raise InputError if no such table can be made."""
    _without_schema(name)
    cursor.execute("SELECT type FROM sqlite_master WHERE name = ? COLLATE NOCASE", [name.table])
    found = cursor.fetchone()
    if found and overwrite and found[0] != "table":
        raise InputError(f"{name.quoted} is no ordinary table, so it cannot be replaced: name another")
    return name


def _without_schema(name: Name) -> Name:
    if name.schema is not None:
        raise InputError(f"{name.quoted} has a schema, and SQLite has none: name the table alone")
    return name


def select(cursor: Any, query: str) -> pa.Table:
    """Return what a query gives; raises InputError for columns that hold values of several kinds."""
    within = f"FROM ({query}\n)"
    cursor.execute(f"SELECT count(*) {within}")
    (records,) = cursor.fetchone()
    # The types of columns are taken from the first batch of records: let that be all of them.
    cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(max(records, 1))})
    cursor.execute(query)
    found = cursor.fetch_arrow_table()
    faults = Faults()
    for field in found.schema:
        if pa.types.is_string(field.type) or pa.types.is_binary(field.type):
            faults.attempt(_require_one_kind, cursor, within, field.name)
    InputError.raise_any(faults)
    return found


def _require_one_kind(cursor: Any, within: str, name: str) -> None:
    kind = f"replace(replace(typeof({quoted(name)}), 'integer', 'number'), 'real', 'number')"
    cursor.execute(f"SELECT count(DISTINCT {kind}) {within} WHERE {quoted(name)} IS NOT NULL")
    if cursor.fetchone()[0] > 1:
        cursor.execute(f"SELECT replace({kind}, 'null', ''), CAST({quoted(name)} AS TEXT) {within}")
        kinds, values = zip(*cursor.fetchall(), strict=True)
        raise InputError(mixed(name, values, kinds, counted_from_one, "make all of them the same"))


def held(name: str, column: Any) -> Any:
    """Return a column in a type of SQLite, which has numbers, text and bytes; or raise InputError."""
    kind = column.type
    if pa.types.is_floating(kind):
        real = pc.cast(column, pa.float64())
        return pc.if_else(pc.is_nan(real), pa.scalar(None, pa.float64()), real)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return _whole(name, column)
    if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
        raise InputError(
            f"column {name!r} holds {kind}, which SQLite has no type for: write Parquet or drop it"
        )
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        return pc.cast(column, pa.string())
    return column


def _whole(name: str, column: Any) -> Any:
    try:
        return pc.cast(column, pa.int64())
    except pa.ArrowInvalid:
        raise InputError(
            f"column {name!r} holds whole numbers beyond {2**63 - 1:,}, more than SQLite can hold: "
            "write Parquet or drop it"
        ) from None
