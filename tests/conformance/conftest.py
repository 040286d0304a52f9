"""A real PostgreSQL server, and a database of each kind with one table in it."""

from __future__ import annotations

import pytest

from tests import postgres_server
from tests.databases import FIRMS, Database


@pytest.fixture(scope="session")
def server():
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    with postgres_server.running() as server:
        yield server


@pytest.fixture
def postgresql(server):
    database = Database("PostgreSQL", server.address())
    database.run(
        'DROP SCHEMA IF EXISTS public, "Survey 1" CASCADE',
        "CREATE SCHEMA public",
        "GRANT USAGE ON SCHEMA public TO PUBLIC",
    )
    return database


@pytest.fixture
def sqlite(tmp_path):
    return Database("SQLite", f"sqlite:///{tmp_path}/survey.sqlite")


@pytest.fixture(params=["postgresql", "sqlite"])
def database(request):
    found = request.getfixturevalue(request.param)
    found.put("firms", FIRMS)
    return found
