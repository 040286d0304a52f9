"""Tables in from anywhere, and out to files that are whole or not there at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import pyarrow as pa

import microagg.tables.databases as databases
from microagg.errors import InputError
from microagg.tables.databases import TableTarget
from microagg.tables.digest import digest_of_table
from microagg.tables.duckdb_file import is_duckdb
from microagg.tables.duckdb_file import table_of as duckdb_table
from microagg.tables.formats import PARQUET, Format, format_of
from microagg.tables.forms import as_typed
from microagg.tables.frames import arrow_of
from microagg.tables.source import (
    Destination,
    Place,
    Source,
    destination_of,
    is_database,
    is_place,
    source_of,
)
from microagg.tables.table import Table
from microagg.whole_files import replacing


@dataclass(frozen=True)
class Target:
    """A file to write: where it really lies, behind any link, and which kind of file it is."""

    path: Path
    format: Format

    @property
    def written(self) -> Path:
        """The file as it may be shown."""
        return self.path


def read(data: Any) -> Table:
    """Return the table of a place or source, or of a data frame; one that is read already as it is.

    Raises InputError if there is no such place, or it holds no table.
    """
    if isinstance(data, Table):
        return data
    if not is_place(data):
        return Table(arrow_of(data))
    source = source_of(data)
    if is_duckdb(source.place):
        return Table(duckdb_table(source))
    table = Table(databases.read(source)) if is_database(source.place) else _read_file(source)
    pa.default_memory_pool().release_unused()  # of the reader: of a large Parquet file as much as it holds
    return table


def _read_file(source: Source) -> Table:
    path = Path(source.place)
    with _explained(path, "read"):
        several = _several(path)
        if several is not None:
            from microagg.tables.parquet_file import read_several

            source.require_only(PARQUET.options, "Parquet")
            return Table(read_several(several))
        kind = _known_format(path)
        source.require_only(kind.options, kind.name)
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty: expected a table")
        return Table(*kind.load(kind.reader).read(path, source))


def files_of(path: Path) -> list[Path]:
    """Return the files that stand behind a path: itself, or those of a folder or pattern."""
    return _several(path) or [path]


def _several(path: Path) -> list[Path] | None:
    """Return the Parquet files of a folder or pattern, in the order of their names; None for one file."""
    if path.is_dir():
        found = path.rglob("*.parquet")
    elif set("*?[") & set(str(path)) and not path.exists():
        found = Path(path.anchor).glob(str(path.relative_to(path.anchor)))
    else:
        return None
    paths = sorted(file for file in found if not file.name.startswith((".", "_")))
    if not paths:
        raise InputError(f"there are no Parquet files in {path}")
    InputError.raise_any(
        f"{file} is {kind.name}: several files can be read together only from Parquet"
        for file in paths
        if (kind := format_of(file)) is not PARQUET
    )
    return paths


def target_of(place: Place | Destination, data: Any) -> Target | TableTarget:
    """Return the file or table to write, made sure of before work starts.

    Raises InputError if nothing can be written there, or if it is the very file that is read.
    """
    destination = destination_of(place)
    if is_database(destination.place):
        return databases.target_of(destination, data)
    target = Path(destination.place)
    with _explained(target, "written"):
        if target.is_dir():
            raise InputError(f"{target} is a folder: expected a file")
        kind = _known_format(target, written=True)
        destination.require_file(kind.name)
        kind.load(str(kind.writer))
        real = _behind_links(target)
        _require_not_read(target, real, data)
        if not real.parent.is_dir():
            raise InputError(f"{target} cannot be written: there is no folder {real.parent}")
        _try_to_write(real)
    return Target(real, kind)


def _require_not_read(target: Path, real: Path, data: Any) -> None:
    """Raise if the file to write is one that is read, or would be the next time."""
    if not is_place(data):
        return
    read = Path(source_of(data).place)
    try:
        files = files_of(read)
    except InputError:  # which reading will tell
        return
    if read.is_dir() and read.resolve() in real.parents:
        raise InputError(f"{target} lies in the folder that is read: choose another, or it will be read too")
    if real.exists() and any(file.exists() and real.samefile(file) for file in files):
        raise InputError(f"{target} is the file that is read: choose another, the input is never touched")


def _behind_links(path: Path) -> Path:
    real = Path(os.path.realpath(path))
    if real.is_symlink():  # the links lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return real


def _try_to_write(target: Path) -> None:
    """Raise OSError if the file may not be changed, or none be put beside it; change nothing."""
    if target.exists():
        with target.open("ab"):
            pass
    with TemporaryFile(dir=target.parent):
        pass


@contextmanager
def _explained(path: Path, done: str) -> Iterator[None]:
    """Turn what the system has against a file into an InputError: it cannot be read, or written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be {done}: {_reason(error)}") from None


def _known_format(path: Path, *, written: bool = False) -> Format:
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is a device or a pipe: expected a file")
    return format_of(path, written=written)


def as_written(
    released: pa.Table,
    origin: Table,
    target: Target | TableTarget | None,
    replaced: Sequence[str] | None = None,
) -> pa.Table:
    """Return the table just as a file of this kind, or a database, holds it.

    `replaced` names the columns whose values are new. For all others what the origin alone knows is
    written too, such as the codes that stand for missing values; without it, for none.
    """
    if target is None:
        return released
    if isinstance(target, TableTarget):
        return databases.held(_typed(released, origin), target)
    typed = released if target.format.name == "CSV" else _typed(released, origin)
    held: pa.Table = _writer(target).held(typed, origin, replaced)
    return held


def _typed(released: pa.Table, origin: Table) -> pa.Table:
    return as_typed(released, origin.csv) if origin.csv else released


def _writer(target: Target) -> Any:
    return target.format.load(str(target.format.writer))


def write(
    written: pa.Table,
    origin: Table,
    target: Target | TableTarget,
    replaced: Sequence[str] | None = None,
) -> bytes:
    """Write the table beside its target and then rename it, so that a crash leaves the old one.

    Returns the SHA-256 of the file, or of the table as the database holds it.
    """
    if isinstance(target, TableTarget):
        databases.write(written, target)
        return digest_of_table(written)
    return _write_file(written, origin, target, replaced)


def _write_file(written: pa.Table, origin: Table, target: Target, replaced: Sequence[str] | None) -> bytes:
    try:
        with replacing(target.path) as stream:
            _write_to(stream, written, origin, target, replaced)
            stream.seek(0)
            return file_digest(stream, "sha256").digest()
    except (OSError, UnicodeError, pa.ArrowException) as error:
        raise InputError(
            f"{target.path} could not be written: {_reason(error)}; nothing was changed"
        ) from error


def _write_to(
    stream: BinaryIO, written: pa.Table, origin: Table, target: Target, replaced: Sequence[str] | None
) -> None:
    _writer(target).write(written, stream, origin, replaced)


def digest_of(data: Any, table: Table | None = None) -> bytes:
    """Return the SHA-256 of a file or of a table; `table` is what was read from the data, if it was already.

    Of several files that are read as one it is the SHA-256 of theirs, in the order of their names.
    Raises InputError if there is no such place, or it holds no table.
    """
    if not is_place(data) or is_database(source_of(data).place) or is_duckdb(source_of(data).place):
        return digest_of_table((table or read(data)).data)
    path = Path(source_of(data).place)
    with _explained(path, "read"):
        found = [_digest_of_file(file) for file in files_of(path)]
    return found[0] if len(found) == 1 else sha256(b"".join(found)).digest()


def _digest_of_file(path: Path) -> bytes:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").digest()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
