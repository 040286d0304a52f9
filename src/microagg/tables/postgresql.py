"""What is peculiar to PostgreSQL: its catalogue, its types, its rights."""

from __future__ import annotations

from typing import Any

import adbc_driver_postgresql.dbapi
import pyarrow as pa
import pyarrow.compute as pc

from microagg.errors import InputError
from microagg.tables.address import Address, Name, quoted

_LOOK = """
    SELECT c.oid, c.relkind = 'r', pg_has_role(c.relowner, 'USAGE')
    FROM pg_class c WHERE c.oid = to_regclass($1)
"""
_SCHEMA = """
    SELECT n.nspname, has_schema_privilege(n.oid, 'CREATE')
    FROM pg_namespace n WHERE n.nspname = coalesce($1, current_schema())
"""
_TABLES = """
    SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY 1
"""
_WHICH = (
    "SELECT pg_postmaster_start_time()::text, oid::bigint FROM pg_database WHERE datname = current_database()"
)


def connect(address: Address, *, write: bool) -> Any:
    """Return a connection with a transaction begun; one to read can do nothing else."""
    connection = adbc_driver_postgresql.dbapi.connect(address.place)
    if not write:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
    return connection


def tables(cursor: Any) -> list[str]:
    """Return the names of the tables and views there are."""
    cursor.execute(_TABLES)
    return [name for (name,) in cursor.fetchall()]


def is_there(cursor: Any, name: Name) -> bool:
    """Say whether there is such a table or view."""
    cursor.execute(_LOOK, [name.quoted])
    return cursor.fetchone() is not None


def identity(cursor: Any, name: Name | None) -> tuple[Any, ...]:
    """Return what no two databases, and no two of their tables, have in common."""
    cursor.execute(_WHICH)
    which = tuple(cursor.fetchone())
    if name is None:
        return which
    cursor.execute(_LOOK, [name.quoted])
    found = cursor.fetchone()
    return (*which, found and found[0])


def require_writable(cursor: Any, name: Name, overwrite: bool) -> Name:
    """Return the name with its schema; raise InputError if no such table can be made."""
    cursor.execute(_SCHEMA, [name.schema])
    schema = cursor.fetchone()
    if schema is None:
        raise InputError(f"there is no schema {name.schema!r}: create it, or name another")
    if not schema[1]:
        raise InputError(f"there is no permission to make tables in the schema {schema[0]!r}")
    whole = Name(name.table, schema[0])
    cursor.execute(_LOOK, [whole.quoted])
    found = cursor.fetchone()
    if found and overwrite and not found[1]:
        raise InputError(f"{name.quoted} is no ordinary table, so it cannot be replaced: name another")
    if found and overwrite and not found[2]:
        raise InputError(f"there is no permission to replace the table {name.quoted}: it belongs to another")
    return whole


def select(cursor: Any, query: str) -> pa.Table:
    """Return what a query gives; what Arrow has no type for comes as text."""
    within = f"FROM ({query}\n) AS microagg"
    cursor.execute(f"SELECT * {within} LIMIT 0")
    fields = cursor.fetch_arrow_table().schema
    columns = ", ".join(quoted(field.name) + ("::text" if _is_opaque(field) else "") for field in fields)
    cursor.execute(f"SELECT {columns} {within}" if len(fields) else query)
    found = cursor.fetch_arrow_table()
    typed = [
        _decimal(column) if _type_name(field) == "numeric" else column
        for field, column in zip(fields, found.columns, strict=True)
    ]
    return pa.Table.from_arrays(typed, names=fields.names)


def _type_name(field: Any) -> str:
    return str((field.metadata or {}).get(b"POSTGRESQL:type", b""), "ascii")


def _is_opaque(field: Any) -> bool:
    return isinstance(field.type, pa.BaseExtensionType)


def _decimal(text: Any) -> Any:
    """Return numbers as decimals with as many digits as there are, or else as floating-point numbers."""
    digits = pc.utf8_length(pc.replace_substring_regex(text, r"^[^.]*\.?", ""))
    scale = pc.max(digits).as_py() or 0
    try:
        return pc.cast(text, pa.decimal128(38, scale))
    except (pa.ArrowException, ValueError):
        return pc.cast(text, pa.float64())


def held(name: str, column: Any) -> Any:
    """Return a column in a type of PostgreSQL; raises InputError if there is none."""
    kind = column.type
    if pa.types.is_uint64(kind):
        return pc.cast(column, pa.decimal128(20, 0))
    if pa.types.is_float16(kind):
        return pc.cast(column, pa.float32())
    if pa.types.is_date64(kind):
        return pc.cast(column, pa.date32())
    if pa.types.is_timestamp(kind):
        return pc.cast(column, pa.timestamp("us", kind.tz), safe=False)
    if pa.types.is_null(kind):
        return pc.cast(column, pa.string())
    if pa.types.is_duration(kind) or pa.types.is_struct(kind) or pa.types.is_map(kind):
        raise InputError(
            f"column {name!r} holds {kind}, which PostgreSQL has no type for: write Parquet or drop it"
        )
    return column
