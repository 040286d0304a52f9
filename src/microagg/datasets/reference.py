"""The three reference sets of the CASC project that nearly every microaggregation paper uses.

The data are not part of this package. They are looked for on this machine, and otherwise fetched
once from a public repository: an address, a size and a checksum pinned in `SOURCES`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from microagg.datasets.csv_file import read_csv, write_csv
from microagg.datasets.download import download
from microagg.datasets.r_data import read_data_frame
from microagg.datasets.sources import ADDRESS, SOURCES, Source
from microagg.datasets.verify import Table, require_published, verified_table
from microagg.errors import InputError, ReferenceDataError

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
    """Read the first copy there is; a spoilt one is an error, but in the cache it is passed over."""
    names = (f"{source.name}.csv", source.file)
    for path in [folder / name for folder in folders for name in names]:
        try:
            return _read(path, source)
        except FileNotFoundError:
            continue
        except (ValueError, OSError) as error:
            fault = f"{path} is not the reference set {source.name}: {error}"
            if path.parent != folders[-1]:
                raise InputError(fault) from error
            say(f"passed over: {fault}")
    return None


def _read(path: Path, source: Source) -> Table:
    if path.suffix == ".csv":
        return verified_table(read_csv(path), source)
    with path.open("rb") as file:
        return _converted(file.read(source.size + 1), source)


def _converted(content: bytes, source: Source) -> Table:
    """Convert the published file; that it is the very one is made sure of before it is unpacked."""
    require_published(content, source)
    return verified_table(read_data_frame(content), source)


def _fetched(source: Source, address: str, folders: list[Path], say: Say) -> Table:
    say(
        f"fetching the reference set {source.name} ({source.records:,} records; {source.origin}): "
        f"{source.size:,} bytes from {address}"
    )
    try:
        table = _converted(download(address, size=source.size), source)
    except (ReferenceDataError, ValueError) as error:
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
