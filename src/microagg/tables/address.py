"""Addresses of databases, and the names of tables in them."""

from __future__ import annotations

import os
import re
from typing import NamedTuple
from urllib.parse import unquote

from microagg.errors import InputError
from microagg.tables.source import Place, without_secrets

_NAME = re.compile(r'(?:"(?P<quoted>(?:[^"]|"")+)"|(?P<bare>[^".]+))(?P<dot>\.|$)')
_SQLITE = re.compile(r"(?:sqlite:///)?(?P<path>.+?)(?:#(?P<table>[^#]*))?", re.DOTALL)
_SQLITE_FILE = re.compile(r"(?P<path>.*?\.(?:db|sqlite3?))(?:#(?P<table>.*))?", re.DOTALL | re.IGNORECASE)


class Address(NamedTuple):
    """Where a database is, and perhaps which of its tables is meant."""

    kind: str  # the module that knows such databases
    place: str  # what its driver takes, with any password
    table: str | None

    @property
    def shown(self) -> str:
        """The address as it may be shown, without a password."""
        return without_secrets(self.place)

    def without_secrets(self, text: str) -> str:
        """Return a text, such as an error of the driver, with dots for any password of this address."""
        _, _, login = self.place.rpartition("@")[0].partition("://")
        options = re.findall(r"password=([^&]*)", self.place)
        for secret in [login.partition(":")[2], *options]:
            for form in (secret, unquote(secret)):
                text = text.replace(form, "...") if form else text
        return text


class Name(NamedTuple):
    """The name of a table, and of the schema that it is in, if that is said."""

    table: str
    schema: str | None = None

    @property
    def quoted(self) -> str:
        """The name as it stands in a query."""
        return ".".join(quoted(part) for part in (self.schema, self.table) if part is not None)


def address_of(place: Place, table: str | None) -> Address:
    """Return the address of a database, and the table that is named behind it or beside it.

    >>> address_of("postgresql://me@host/survey#public.firms", None)
    Address(kind='postgresql', place='postgresql://me@host/survey', table='public.firms')
    >>> address_of("sqlite:///data/survey", "firms")
    Address(kind='sqlite', place='data/survey', table='firms')
    """
    text = os.fspath(place)
    if text.lower().startswith("postgres"):
        before, at, behind = text.rpartition("@")  # a password may hold the mark
        behind, _, named = behind.partition("#")
        found = Address("postgresql", f"{before}{at}{behind}", named or None)
    else:
        parts = _SQLITE_FILE.fullmatch(text) or _SQLITE.fullmatch(text)
        assert parts is not None  # the second matches whatever is an address of SQLite
        path = re.sub("^sqlite:///", "", parts["path"], flags=re.IGNORECASE)
        found = Address("sqlite", path, parts["table"] or None)
    if table and found.table:
        raise InputError(
            f"{found.shown}: the table is named twice, {found.table!r} and {table!r}: name it once"
        )
    return found._replace(table=table or found.table)


def name_of(text: str) -> Name:
    """Return the name that a text tells; a name that holds a point goes in double quotes.

    >>> name_of('public."my.firms"')
    Name(table='my.firms', schema='public')
    """
    parts, place = [], 0
    while place < len(text) and (found := _NAME.match(text, place)):
        parts.append(found["bare"] or found["quoted"].replace('""', '"'))
        place = found.end()
    if place < len(text) or not 1 <= len(parts) <= 2 or text.endswith("."):
        raise InputError(
            f"{text!r} is no name of a table: expected table or schema.table; a name that holds a point goes "
            "in double quotes"
        )
    *schema, table = parts
    return Name(table, *schema)


def quoted(name: str) -> str:
    """Return a name as it stands in a query, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'
