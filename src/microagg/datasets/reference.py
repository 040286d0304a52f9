"""The three reference sets of the CASC project that nearly every microaggregation paper uses.

The data are not part of this package. They are looked for on this machine, and otherwise fetched
once from a public repository: an address, a size and a checksum pinned in `SOURCES`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.datasets.csv_file import read_csv, write_csv
from microagg.datasets.download import download, require_content
from microagg.datasets.r_data import read_data_frame
from microagg.datasets.sources import ADDRESS, SOURCES, Source
from microagg.errors import InputError, ReferenceDataError

Table = Mapping[str, NDArray[Any]]
Say = Callable[[str], None]

FOLDER_VARIABLE = "MICROAGG_REFERENCE_DATA"
ADDRESS_VARIABLE = "MICROAGG_REFERENCE_ADDRESS"


@dataclass(frozen=True, eq=False)
class Reference:
    """A reference set: the matrix the papers work on, and the whole table it comes from."""

    name: str
    origin: str
    columns: tuple[str, ...]
    """The names of the columns of X."""
    X: NDArray[np.float64] = field(repr=False)
    """One row per record, as published (not standardised)."""
    table: Table = field(repr=False)
    """Every column of the file by its name: whole numbers (int64) or texts."""


def load_reference(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    fetch: bool = True,
    address: str | None = None,
    say: Say | None = None,
) -> Reference:
    """Return the reference set "census", "tarragona" or "eia".

    It is looked for in `folder`, in the folder named by the environment variable
    MICROAGG_REFERENCE_DATA and in the user's cache, as a CSV file (census.csv) or as the file it is
    published in (CASCrefmicrodata.rda). If it is nowhere and `fetch` is true, it is fetched, checked,
    converted and put into the cache; what is fetched from where is told to `say` (by default on
    stderr). `address`, or the environment variable MICROAGG_REFERENCE_ADDRESS, names a mirror: the
    address that the file's name is appended to.

    Examples
    --------
    >>> census = load_reference("census")  # doctest: +SKIP
    >>> census.X.shape  # doctest: +SKIP
    (1080, 13)
    """
    source = _source(name)
    say = say or _say_on_stderr
    folders = _folders(folder)
    table = _found(source, folders, say)
    if table is None:
        address = f"{(address or os.environ.get(ADDRESS_VARIABLE) or ADDRESS).rstrip('/')}/{source.file}"
        if not fetch:
            raise ReferenceDataError(_how_to_get(source, address, folders, "not tried, as asked"))
        table = _fetched(source, address, folders, say)
    matrix = np.column_stack([table[column] for column in source.used]).astype(np.float64)
    return Reference(source.name, source.origin, source.used, matrix, table)


def _source(name: str) -> Source:
    if name in SOURCES:
        return SOURCES[name]
    near = get_close_matches(str(name).lower(), SOURCES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"choose {', '.join(SOURCES)}"
    raise InputError(f"there is no reference set {name!r}: {hint}")


def _say_on_stderr(line: str) -> None:
    print(f"microagg: {line}", file=sys.stderr)


def _folders(folder: str | os.PathLike[str] | None) -> list[Path]:
    """List where a set may lie, in the order of search; the cache comes last."""
    if folder is not None and not Path(folder).is_dir():
        raise InputError(f"there is no folder {os.fspath(folder)}")
    named = [folder, os.environ.get(FOLDER_VARIABLE)]
    return [*(Path(given) for given in named if given), cache_folder()]


def cache_folder() -> Path:
    """Return the folder for this package's data in the user's cache, as the platform has it."""
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local, "microagg", "Cache")
    if sys.platform == "darwin":
        return Path("~/Library/Caches/microagg").expanduser()
    asked = os.environ.get("XDG_CACHE_HOME", "")
    return Path(asked if Path(asked).is_absolute() else "~/.cache", "microagg").expanduser()


def _found(source: Source, folders: list[Path], say: Say) -> Table | None:
    """Read the set from the first folder that has it; a spoilt copy in the cache is passed over."""
    *named, cache = folders
    for folder in named:
        if (table := _read_from(folder, source)) is not None:
            return table
    try:
        return _read_from(cache, source)
    except ReferenceDataError as error:
        say(f"passed over: {error}")
        return None


def _read_from(folder: Path, source: Source) -> Table | None:
    for path, read in (
        (folder / f"{source.name}.csv", _read_converted),
        (folder / source.file, _read_published),
    ):
        if path.is_file():
            try:
                return _checked(read(path, source), source)
            except (ReferenceDataError, ValueError, OSError) as error:
                raise ReferenceDataError(f"{path} is not the reference set {source.name}: {error}") from error
    return None


def _read_converted(path: Path, source: Source) -> Table:
    texts = read_csv(path)
    return {name: np.array(values) for name, values in texts.items()}


def _read_published(path: Path, source: Source) -> Table:
    content = path.read_bytes()
    require_content(content, size=source.size, sha256=source.sha256)
    return read_data_frame(content)


def _checked(table: Table, source: Source) -> Table:
    """Return the table with its numbers as int64, or raise if it is not the expected one."""
    if tuple(table) != source.columns:
        raise ReferenceDataError(f"its columns are {', '.join(table)}; expected {', '.join(source.columns)}")
    records = len(table[source.columns[0]])
    if records != source.records:
        raise ReferenceDataError(f"it has {records:,} records, expected {source.records:,}")
    typed = {name: _typed(name, column, source) for name, column in table.items()}
    if values_digest(typed) != source.values_sha256:
        raise ReferenceDataError("it has the right columns, but some values differ from those published")
    return typed


def _typed(name: str, column: NDArray[Any], source: Source) -> NDArray[Any]:
    """Return a column as text or as the whole numbers that all three sets consist of."""
    if name in source.texts:
        return column.astype(np.str_)
    numbers = column.astype(np.float64)
    whole = np.isfinite(numbers) & (numbers == np.trunc(numbers))
    if not whole.all():
        raise ReferenceDataError(f"column {name} holds {numbers[~whole][0]}, expected whole numbers")
    return numbers.astype(np.int64)


def values_digest(table: Table) -> str:
    """Return the SHA-256 of a table's names and values, however it was stored."""
    digest = hashlib.sha256()
    for name, column in table.items():
        values = (
            "\n".join(column.tolist()).encode()
            if column.dtype.kind == "U"
            else column.astype("<i8").tobytes()
        )
        digest.update(name.encode() + b"\0" + values + b"\0")
    return digest.hexdigest()


def _fetched(source: Source, address: str, folders: list[Path], say: Say) -> Table:
    say(
        f"fetching the reference set {source.name} ({source.records:,} records; {source.origin}): "
        f"{source.size:,} bytes from {address}"
    )
    try:
        content = download(address, size=source.size, sha256=source.sha256)
        table = _checked(read_data_frame(content), source)
    except ReferenceDataError as error:
        raise ReferenceDataError(_how_to_get(source, address, folders, str(error))) from error
    _keep(table, folders[-1] / f"{source.name}.csv", say)
    return table


def _keep(table: Table, path: Path, say: Say) -> None:
    """Put the converted set into the cache; a cache that cannot be written only costs another fetch."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_csv(table, path)
        say(f"kept as {path}")
    except OSError as error:
        say(f"could not be kept as {path} ({error}); it will be fetched again")


def _how_to_get(source: Source, address: str, folders: list[Path], reason: str) -> str:
    looked_in = ", ".join(dict.fromkeys(str(folder) for folder in folders))
    return (
        f"the reference set {source.name} is not on this machine and was not fetched\n"
        f"looked for {source.name}.csv and {source.file} in: {looked_in}\n"
        f"fetching {address}: {reason}\n"
        f"by hand: get {source.file} ({source.size:,} bytes) from that address, put it unchanged into "
        f"{folders[-1]}, or into any folder that you name by folder=... or by {FOLDER_VARIABLE}"
    )
