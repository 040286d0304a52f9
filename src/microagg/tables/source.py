"""Where a table is read and where it is written, and how, if that is not plain from the place itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from microagg.errors import InputError

_ADDRESS = re.compile(r"(postgres(?:ql)?|sqlite)://", re.IGNORECASE)
_SQLITE_FILE = re.compile(r"\.(db|sqlite3?)(#|$)", re.IGNORECASE)
_SECRET = re.compile(r"(?<=://)(.*)@", re.DOTALL)
_SECRET_OPTION = re.compile(r"(?<=[?&])([^=&#]*password)=[^&#]*", re.IGNORECASE)

Place = str | os.PathLike[str]


@dataclass(frozen=True)
class Source:
    """A file or database to read, with what it cannot say about itself.

    Parameters
    ----------
    place
        The path of a file, of a folder of Parquet files or a pattern such as ``"2024/*.parquet"``, or the
        address of a database, such as ``"postgresql://user@host/database"`` or ``"survey.sqlite"``.
    delimiter, encoding, decimal, thousands
        How a CSV file is written, as in ``delimiter=";", encoding="cp1252", decimal=",", thousands="."``.
    sheet
        The sheet of an Excel file; the first if you say nothing.
    table
        The table of a database. It can also stand behind the address: ``"survey.sqlite#firms"``.
    query
        What to ask the database, in place of a table.

    Examples
    --------
    >>> Source("postgresql://me:secret@host/survey", table="public.firms")
    Source('postgresql://me@host/survey', table='public.firms')
    """

    place: Place
    delimiter: str | None = field(default=None, kw_only=True)
    encoding: str | None = field(default=None, kw_only=True)
    decimal: str | None = field(default=None, kw_only=True)
    thousands: str | None = field(default=None, kw_only=True)
    sheet: str | None = field(default=None, kw_only=True)
    table: str | None = field(default=None, kw_only=True)
    query: str | None = field(default=None, kw_only=True)

    def __repr__(self) -> str:
        return _shown(self)

    def require_only(self, known: Iterable[str], kind: str) -> None:
        """Raise an InputError for every option that means nothing for this kind of place."""
        InputError.raise_any(
            f"{without_secrets(self.place)} is {kind}, which has no {name}: leave that option out"
            for name, value in options_of(self).items()
            if value is not None and name not in known
        )


@dataclass(frozen=True)
class Destination:
    """A file or database to write.

    Parameters
    ----------
    place
        The path of a file, or the address of a database.
    table
        The table of a database. It can also stand behind the address: ``"survey.sqlite#safe_firms"``.
    overwrite
        Whether a table of that name may be replaced. A file always may.

    Examples
    --------
    >>> Destination("survey.sqlite", table="safe_firms", overwrite=True)
    Destination('survey.sqlite', table='safe_firms', overwrite=True)
    """

    place: Place
    table: str | None = field(default=None, kw_only=True)
    overwrite: bool = field(default=False, kw_only=True)

    def __repr__(self) -> str:
        return _shown(self)

    def require_file(self, kind: str) -> None:
        """Raise an InputError if it asks for what only a database has."""
        if self.table is not None:
            raise InputError(f"{self.place} is {kind}, which has no table: leave that option out")


def options_of(value: Source | Destination) -> dict[str, Any]:
    """Return what is said beside the place."""
    return {option.name: getattr(value, option.name) for option in fields(value) if option.name != "place"}


def is_place(data: Any) -> bool:
    """Say whether data are given as a place, rather than as a frame."""
    return isinstance(data, str | os.PathLike | Source)


def is_database(place: Place) -> bool:
    """Say whether a place is the address of a database."""
    text = os.fspath(place)
    return bool(_ADDRESS.match(text) or _SQLITE_FILE.search(text))


def without_secrets(place: Place) -> str:
    """Return a place as it may be shown: an address without its password.

    >>> without_secrets("postgresql://me:se:cr@et@host/db?sslmode=require&sslpassword=x#firms")
    'postgresql://me@host/db?sslmode=require&sslpassword=...#firms'
    """
    text = os.fspath(place)
    if not _ADDRESS.match(text):
        return text
    text = _SECRET.sub(lambda found: found[1].partition(":")[0] + "@", text)
    return _SECRET_OPTION.sub(r"\1=...", text)


def _shown(value: Source | Destination) -> str:
    said = [f"{name}={option!r}" for name, option in options_of(value).items() if option]
    return f"{type(value).__name__}({', '.join([repr(without_secrets(value.place)), *said])})"


def source_of(data: Place | Source) -> Source:
    """Return a place as a source.

    >>> source_of("firms.csv")
    Source('firms.csv')
    """
    return data if isinstance(data, Source) else Source(data)


def destination_of(place: Place | Destination) -> Destination:
    """Return a place as a destination."""
    return place if isinstance(place, Destination) else Destination(place)
