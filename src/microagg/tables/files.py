"""Tables in from anywhere, and out to files that are whole or not there at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import pyarrow as pa

from microagg.errors import InputError
from microagg.tables.csv_file import Dialect, read_csv, write_csv
from microagg.tables.forms import as_text, as_typed
from microagg.tables.frames import arrow_of
from microagg.tables.table import Table

_ENDINGS = (".csv", ".parquet")


@dataclass(frozen=True)
class Target:
    """A file to write: where it really lies, behind any link, and which kind of file it is."""

    path: Path
    ending: str


def read(data: Any) -> Table:
    """Return the table of a CSV or Parquet file, or of any object that offers Arrow's C stream.

    Raises InputError if there is no such file, or it holds no table.
    """
    if isinstance(data, str | os.PathLike):
        return _read_file(Path(data))
    if hasattr(data, "__arrow_c_stream__"):
        return Table(arrow_of(data))
    raise InputError(
        f"cannot read data from {type(data).__name__}: give the path of a file, "
        "an Arrow table, or a data frame that can be handed over as one"
    )


def _read_file(path: Path) -> Table:
    with _explained(path, "read"):
        ending = _known_ending(path)
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty: expected a table")
        return _read_parquet(path) if ending == ".parquet" else Table(*read_csv(path))


def _read_parquet(path: Path) -> Table:
    import pyarrow.parquet as pq  # only those who have such files pay for it

    try:
        with pq.ParquetFile(path) as file:
            return Table(file.read())
    except pa.ArrowException as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from None


def target_of(path: str | os.PathLike[str], data: Any) -> Target:
    """Return the file to write, made sure of before work starts.

    Raises InputError if nothing can be written there, or if it is the very file that is read.
    """
    target = Path(path)
    with _explained(target, "written"):
        ending = _known_ending(target)
        real = _behind_links(target)
        if isinstance(data, str | os.PathLike) and real.exists() and _is_file_at(real, Path(data)):
            raise InputError(f"{target} is the file that is read: choose another, the input is never touched")
        if not real.parent.is_dir():
            raise InputError(f"{target} cannot be written: there is no folder {real.parent}")
        _try_to_write(real)
    return Target(real, ending)


def _behind_links(path: Path) -> Path:
    real = Path(os.path.realpath(path))
    if real.is_symlink():  # the links lead in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return real


def _is_file_at(real: Path, other: Path) -> bool:
    return other.exists() and real.samefile(other)


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


def _known_ending(path: Path) -> str:
    if path.is_dir():
        raise InputError(f"{path} is a folder: expected a file")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is a device or a pipe: expected a file")
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise InputError(f"{path} ends in {ending or 'nothing'}: supported are {' and '.join(_ENDINGS)}")
    return ending


def as_written(released: pa.Table, origin: Table, target: Target | None) -> pa.Table:
    """Return the table just as a file of this kind holds it."""
    if target is None:
        return released
    if target.ending == ".csv":
        return as_text(released)
    return as_typed(released) if origin.csv else released


def write(written: pa.Table, origin: Table, target: Target) -> None:
    """Write the table beside its target and then rename it, so that a crash leaves the old file."""
    part = target.path.with_name(f".microagg-{secrets.token_hex(6)}.part")
    try:
        with part.open("xb") as stream:
            _write_to(stream, written, origin, target)
            stream.flush()
            os.fsync(stream.fileno())
        if target.path.exists():
            shutil.copymode(target.path, part)
        part.replace(target.path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{target.path} could not be written: {_reason(error)}; nothing was changed"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _write_to(stream: BinaryIO, written: pa.Table, origin: Table, target: Target) -> None:
    if target.ending == ".csv":
        write_csv(written, stream, origin.csv.dialect if origin.csv else Dialect())
        return
    import pyarrow.parquet as pq

    pq.write_table(written, stream)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
