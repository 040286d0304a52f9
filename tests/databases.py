"""Databases for tests: how to look into one, and how to ask for what must fail."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

import adbc_driver_postgresql.dbapi
import adbc_driver_sqlite.dbapi
import pyarrow as pa
import pytest

from microagg.errors import InputError
from microagg.tables import Table, as_written, target_of, write
from tests import postgres_server

FIRMS = {"name": ["a", "b", "c", "d"], "staff": [1, 3, 20, 24], "turnover": [1.0, 2.0, None, 8.0]}


class Database(NamedTuple):
    """A database of its own for each test, and a connection of its owner."""

    kind: str
    address: str

    def connect(self):
        if self.kind == "PostgreSQL":
            return adbc_driver_postgresql.dbapi.connect(self.address, autocommit=True)
        return adbc_driver_sqlite.dbapi.connect(self.address.removeprefix("sqlite:///"), autocommit=True)

    def run(self, *commands):
        with closing(self.connect()) as connection, connection.cursor() as cursor:
            for command in commands:
                cursor.execute(command)
            return cursor.fetchall() if commands[-1].startswith("SELECT") else None

    def put(self, name, columns):
        with closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(name, pa.table(columns))

    def tables(self):
        catalogue = {
            "PostgreSQL": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
            "SQLite": "SELECT name FROM sqlite_master",
        }
        return sorted(name for (name,) in self.run(catalogue[self.kind]))

    def rows(self, name):
        return sorted(self.run(f'SELECT * FROM "{name}"'))


def faults(action, *arguments, **options):
    with pytest.raises(InputError) as caught:
        action(*arguments, **options)
    assert postgres_server.PASSWORD not in str(caught.value)
    return caught.value.faults


def save(table, destination):
    target = target_of(destination, None)
    write(as_written(table, Table(table), target), Table(table), target)
    return target


def many(records):
    return pa.table({"a": list(range(records))})
