"""Tables of databases in and out: read without a trace, written in one transaction or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from microagg.errors import Faults, InputError
from microagg.tables.address import Address, Name, address_of, name_of, quoted
from microagg.tables.source import Destination, Source, is_database, is_place, source_of

_RECORDS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class TableTarget:
    """A table to write, in a database that was made sure of."""

    address: Address
    name: Name
    overwrite: bool

    @property
    def written(self) -> str:
        """The table as it may be shown."""
        return (
            f"{self.address.shown}#{'.'.join(part for part in (self.name.schema, self.name.table) if part)}"
        )


def read(source: Source) -> pa.Table:
    """Return what a table or a query holds."""
    source.require_only(("table", "query"), "a database")
    address = address_of(source.place, source.table)
    if (address.table is None) == (source.query is None):
        raise InputError(
            f"{address.shown} is a database: say which table, as in {address.shown}#table, or give a query"
        )
    with _connected(address, write=False) as connection, connection.cursor() as cursor:
        found: pa.Table = _module(address).select(cursor, _query(address, source, cursor))
    return found.replace_schema_metadata()


def _query(address: Address, source: Source, cursor: Any) -> str:
    if source.query is not None:
        return source.query.strip().rstrip(";")
    name = name_of(str(address.table))
    if not _module(address).is_there(cursor, name):
        raise InputError(_no_table(address, cursor))
    return f"SELECT * FROM {name.quoted}"


def _no_table(address: Address, cursor: Any) -> str:
    there = _module(address).tables(cursor)
    near = get_close_matches(str(address.table).lower(), there, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, there)) or 'none'}"
    return f"{address.shown} has no table {address.table!r}: {hint}"


def target_of(destination: Destination, data: Any) -> TableTarget:
    """Return the table to write, made sure of before work starts.

    Raises InputError if it cannot be made, stands there already, or is the very table that is read.
    """
    address = address_of(destination.place, destination.table)
    if address.table is None:
        raise InputError(f"{address.shown} is a database: say which table to write, as {address.shown}#table")
    name = name_of(address.table)
    module = _module(address)
    if address.kind == "sqlite" and not Path(address.place).exists():
        return TableTarget(address, module.require_place(address, name), destination.overwrite)
    with _connected(address, write=True) as connection, connection.cursor() as cursor:
        whole = module.require_writable(cursor, name, destination.overwrite)
        _require_not_read(address, whole, cursor, data)
        if not destination.overwrite and module.is_there(cursor, whole):
            raise InputError(
                f"{address.shown} has a table {address.table!r} already: name another, or overwrite it"
            )
    return TableTarget(address, whole, destination.overwrite)


def _require_not_read(address: Address, name: Name, cursor: Any, data: Any) -> None:
    """Raise if the table to write is read, or may be: a query reads what it mentions."""
    if not is_place(data) or not is_database(source_of(data).place):
        return
    source = source_of(data)
    read = address_of(source.place, source.table)
    if read.kind != address.kind:
        return
    module = _module(address)
    try:
        with _connected(read, write=False) as connection, connection.cursor() as other:
            if module.identity(other, None) != module.identity(cursor, None):
                return
            same = read.table and module.identity(other, name_of(read.table)) == module.identity(cursor, name)
    except InputError:  # which reading will tell
        return
    if same or name.table.lower() in (source.query or "").lower():
        raise InputError(f"the table {address.table!r} is read: write another, the input is never touched")


def held(released: pa.Table, target: TableTarget) -> pa.Table:
    """Return the table as the database holds it; raises InputError for columns that it cannot hold."""
    faults = Faults()
    columns = [
        faults.attempt(_held, field.name, column, target)
        for field, column in zip(released.schema, released.columns, strict=True)
    ]
    InputError.raise_any(faults)
    return pa.Table.from_arrays(columns, names=released.column_names)


def _held(name: str, column: Any, target: TableTarget) -> Any:
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if isinstance(column.type, pa.BaseExtensionType):
        column = pc.cast(column, column.type.storage_type)
    return _module(target.address).held(name, column)


def write(written: pa.Table, target: TableTarget) -> None:
    """Write a table in one transaction: made under another name, filled, and renamed.

    Whatever goes wrong, the old table is whole and no other is left.
    """
    part = Name(f"microagg_{secrets.token_hex(6)}", target.name.schema)
    is_new = target.address.kind == "sqlite" and not Path(target.address.place).exists()
    try:
        with _connected(target.address, write=True) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(part.table, _reader(written), mode="create", db_schema_name=part.schema)
            if target.overwrite:
                cursor.execute(f"DROP TABLE IF EXISTS {target.name.quoted}")
            cursor.execute(f"ALTER TABLE {part.quoted} RENAME TO {quoted(target.name.table)}")
            connection.commit()
    except BaseException:
        if is_new:
            Path(target.address.place).unlink(missing_ok=True)
        raise


def _reader(table: pa.Table) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(table.schema, _batches(table))


def _batches(table: pa.Table) -> Iterator[Any]:
    yield from table.to_batches(max_chunksize=_RECORDS_AT_ONCE)


def _module(address: Address) -> Any:
    """Return what knows databases of this kind, or say what to install."""
    driver = f"adbc_driver_{address.kind}"
    if find_spec(driver) is None:
        raise InputError(f"{address.shown} needs {driver}, not installed here: pip install 'microagg[db]'")
    return import_module(f"microagg.tables.{address.kind}")


@contextmanager
def _connected(address: Address, *, write: bool) -> Iterator[Any]:
    """Give a connection; what is not committed in the end never was. Failures become an InputError."""
    module = _module(address)
    from adbc_driver_manager import Error

    done = "written; nothing was changed" if write else "read"
    try:
        with closing(module.connect(address, write=write)) as connection:
            yield connection
    except (Error, OSError, pa.ArrowException) as error:
        reason = address.without_secrets(_reason(error))
        raise InputError(f"{address.shown} cannot be {done}: {reason}") from None


def _reason(error: Exception) -> str:
    """Return the server's own words, without those of the layers between."""
    details = dict(getattr(error, "details", None) or ())
    primary = details.get(b"PG_DIAG_MESSAGE_PRIMARY")
    if primary:
        return bytes(primary).decode(errors="replace")
    text = getattr(error, "strerror", None) or str(error)
    for layer in ("IO: ", "INVALID_ARGUMENT: ", "[libpq] ", "[SQLite] ", "Failed to connect: "):
        text = text.removeprefix(layer)
    return text.strip().partition("\n")[0]
