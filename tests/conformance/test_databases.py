"""Databases in and out, each case on a real PostgreSQL server and on SQLite."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal

import pyarrow as pa
import pytest

from microagg import protect
from microagg.tables import Destination, Source, Table, as_written, read, target_of, write
from tests import postgres_server
from tests.databases import FIRMS, faults, many, save

RELEASED = {"staff": [2.0, 2.0, 22.0, 22.0]}


def test_a_table_is_protected_within_its_database(database):
    before = database.rows("firms")
    result = protect(
        f"{database.address}#firms", 2, "staff", keep=["name"], drop="rest", to=f"{database.address}#safe"
    )
    assert database.rows("safe") == [("a", 2.0), ("b", 2.0), ("c", 22.0), ("d", 22.0)]
    assert database.tables() == ["firms", "safe"]
    assert database.rows("firms") == before
    assert str(result.written).endswith("#public.safe" if database.kind == "PostgreSQL" else "#safe")
    assert postgres_server.PASSWORD not in str(result.written)


def test_a_table_or_a_query_is_read(database):
    assert read(f"{database.address}#firms").data.to_pydict() == FIRMS
    assert read(Source(database.address, table="firms")).names == list(FIRMS)
    query = "SELECT staff * 2 AS double FROM firms WHERE name < 'c' ORDER BY staff DESC; "
    assert read(Source(database.address, query=query)).data.to_pydict() == {"double": [6, 2]}
    assert read(Source(database.address, query="SELECT 1 AS one -- and no more")).data.to_pydict() == {
        "one": [1]
    }


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM firms",
        "INSERT INTO firms SELECT * FROM firms",
        "DROP TABLE firms",
        "DELETE FROM firms RETURNING *",
    ],
)
def test_a_query_never_changes_what_is_there(database, query):
    (only,) = faults(read, Source(database.address, query=query))
    assert " cannot be read: " in only
    assert len(database.rows("firms")) == 4


def test_a_function_cannot_write_either(postgresql):
    postgresql.run(
        "CREATE TABLE t (a int)",
        "CREATE FUNCTION sly() RETURNS int LANGUAGE sql AS 'INSERT INTO t VALUES (1) RETURNING a'",
    )
    (only,) = faults(read, Source(postgresql.address, query="SELECT sly() AS a"))
    assert "cannot execute INSERT in a read-only transaction" in only
    assert postgresql.rows("t") == []


def test_a_table_that_is_not_there_is_told_with_those_that_are(database):
    (only,) = faults(read, f"{database.address}#Firmss")
    assert only.endswith(" has no table 'Firmss': did you mean 'firms'?")
    (only,) = faults(read, f"{database.address}#people")
    assert only.endswith(" has no table 'people': there are 'firms'")


def test_a_table_that_is_there_is_replaced_only_if_asked(database):
    (only,) = faults(target_of, f"{database.address}#firms", None)
    assert only.endswith("has a table 'firms' already: name another, or overwrite it")
    save(pa.table({"a": [7]}), Destination(database.address, table="firms", overwrite=True))
    assert database.rows("firms") == [(7,)]
    assert database.tables() == ["firms"]


def test_the_table_that_is_read_is_never_written(database):
    to = Destination(database.address, table="firms", overwrite=True)
    for source in (
        Source(database.address, table="firms"),
        f"{database.address}#firms",
        Source(database.address, query="SELECT staff FROM FIRMS"),
    ):
        (only,) = faults(target_of, to, source)
        assert only == "the table 'firms' is read: write another, the input is never touched"


def test_a_table_is_the_same_by_whatever_address(postgresql, sqlite, tmp_path):
    postgresql.run("CREATE TABLE firms (a int)")
    other_name = postgresql.address.replace("127.0.0.1", "localhost")
    to = Destination(postgresql.address, table="firms", overwrite=True)
    assert "is read" in faults(target_of, to, f"{other_name}#public.firms")[0]
    sqlite.put("firms", FIRMS)
    (tmp_path / "link.db").symlink_to(tmp_path / "survey.sqlite")
    to = Destination(tmp_path / "link.db", table="Firms", overwrite=True)
    assert "is read" in faults(target_of, to, f"{sqlite.address}#firms")[0]
    sqlite.put("others", FIRMS)
    target_of(Destination(sqlite.address, table="others", overwrite=True), f"{sqlite.address}#firms")


@pytest.mark.parametrize("name", ['two "words"', "Größe", "SELECT", "a;b--"])
def test_names_may_hold_anything(database, name):
    table = pa.table({name: [1, 2], "order by": ["x", "y"]})
    save(table, Destination(database.address, table='"' + name.replace('"', '""') + '"'))
    assert (
        read(Source(database.address, table='"' + name.replace('"', '""') + '"')).data.to_pydict()
        == table.to_pydict()
    )


def test_what_is_missing_in_a_request_is_told(database):
    (only,) = faults(read, database.address)
    assert "is a database: say which table, as in " in only
    (only,) = faults(read, Source(database.address, table="firms", query="SELECT 1"))
    assert "is a database: say which table" in only
    (only,) = faults(target_of, database.address, None)
    assert "is a database: say which table to write" in only
    (only,) = faults(read, Source(f"{database.address}#firms", table="others"))
    assert "the table is named twice, 'firms' and 'others'" in only
    (only,) = faults(read, f"{database.address}#a.b.c")
    assert only.startswith("'a.b.c' is no name of a table: expected table or schema.table")
    (only,) = faults(read, Source(f"{database.address}#firms", encoding="utf-8"))
    assert only.endswith("is a database, which has no encoding: leave that option out")


COLUMNS = {
    "short": pa.array([1, None, -3], pa.int8()),
    "whole": pa.array([2**60, None, -1]),
    "unsigned": pa.array([2**32 - 1, None, 0], pa.uint32()),
    "real": pa.array([0.1, None, 1e300]),
    "half": pa.array([0.5, None, 2.0], pa.float16()),
    "float": pa.array([0.1, None, 2.0], pa.float32()),
    "yes": pa.array([True, None, False]),
    "text": pa.array(["ü\n'\"", None, ""]),
    "long": pa.array(["x", None, "y"], pa.large_string()),
    "kind": pa.array(["b", None, "b"]).dictionary_encode(),
    "bytes": pa.array([b"\0\xff", None, b""]),
    "day": pa.array([dt.date(2020, 2, 29), None, dt.date(1, 1, 1)]),
    "milliday": pa.array([dt.date(2020, 2, 29), None, dt.date(1900, 1, 1)], pa.date64()),
    "at": pa.array([dt.datetime(2020, 2, 29, 1, 2, 3, 4), None, dt.datetime(1800, 1, 1)]),
    "nano": pa.array([5_000, None, 0], pa.timestamp("ns")),
    "zone": pa.array([0, None, 7], pa.timestamp("ms", "Europe/Paris")),
    "hour": pa.array([dt.time(1, 2, 3, 4), None, dt.time(0)]),
    "sum": pa.array([Decimal("1.50"), None, Decimal("-0.01")]),
    "nothing": pa.nulls(3),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_values_read_back_as_the_check_saw_them(database, name):
    table = pa.table({name: COLUMNS[name], "place": [0, 1, 2]})
    target = target_of(f"{database.address}#safe", None)
    held = as_written(table, Table(table), target)
    write(held, Table(table), target)
    found = read(Source(database.address, query="SELECT * FROM safe ORDER BY place")).data
    assert found[name].to_pylist() == held[name].to_pylist()
    if database.kind == "PostgreSQL":
        assert found[name].to_pylist() == table[name].to_pylist()


@pytest.mark.parametrize(
    "column", [pa.array([{"a": 1}]), pa.array([dt.timedelta(1)])], ids=["struct", "duration"]
)
def test_what_a_database_cannot_hold_is_refused_before_work_starts(database, column):
    table, target = pa.table({"a": column}), target_of(f"{database.address}#safe", None)
    (only,) = faults(as_written, table.slice(0, 0), Table(table), target)
    assert " has no type for: write Parquet or drop it" in only


def test_types_that_arrow_does_not_have_come_as_text(postgresql):
    postgresql.run("CREATE TYPE size AS ENUM ('small', 'large')")
    found = read(
        Source(
            postgresql.address,
            query="SELECT 'large'::size AS size, '{\"a\": 1}'::jsonb AS json, '1.2.3.4'::inet AS net, "
            "'00000000-0000-0000-0000-00000000000a'::uuid AS id",
        )
    )
    assert found.data.to_pydict() == {
        "size": ["large"],
        "json": ['{"a": 1}'],
        "net": ["1.2.3.4/32"],
        "id": ["00000000-0000-0000-0000-00000000000a"],
    }


def test_numbers_of_any_digits_stay_exact(postgresql):
    query = (
        "SELECT 1.50::numeric(9, 2) AS a, 12345678901234567890.123 AS b, 'NaN'::numeric AS c, 7::numeric AS d"
    )
    found = read(Source(postgresql.address, query=query)).data
    assert [str(found[name][0].as_py()) for name in "abcd"] == [
        "1.50",
        "12345678901234567890.123",
        "nan",
        "7",
    ]
    assert read(Source(postgresql.address, query="SELECT NULL::numeric AS a")).data["a"].to_pylist() == [None]


def test_columns_of_several_kinds_are_told_with_row_and_value(sqlite):
    with closing(sqlite3.connect(sqlite.address.removeprefix("sqlite:///"))) as connection:
        connection.execute("CREATE TABLE t (a, b, c)")
        rows = [(1, "x", None), (2.5, 7, 3), (None, "y", None), ("n/a", "z", 4.5)]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(None, None, None)] * 2000 + rows)
        connection.commit()
    assert faults(read, f"{sqlite.address}#t") == (
        "column 'a' mixes kinds: 'n/a' in row 2004 (the first record is row 1) is a text, "
        "where others are a number: make all of them the same",
        "column 'b' mixes kinds: '7' in row 2002 (the first record is row 1) is a number, "
        "where others are a text: make all of them the same",
    )
    found = read(Source(sqlite.address, query="SELECT c FROM t")).data  # the types stand late in the table
    assert [value for value in found["c"].to_pylist() if value] == [3.0, 4.5]


def test_schemas_are_known_by_their_names(postgresql):
    postgresql.run('CREATE SCHEMA "Survey 1"', 'CREATE TABLE "Survey 1".firms (a int)')
    target = save(many(3), Destination(postgresql.address, table='"Survey 1".safe'))
    assert target.written.endswith("#Survey 1.safe")
    assert postgresql.run('SELECT count(*) FROM "Survey 1".safe') == [(3,)]
    assert read(f"{postgresql.address}#Survey 1.firms").names == ["a"]
    assert faults(target_of, f"{postgresql.address}#absent.safe", None) == (
        "there is no schema 'absent': create it, or name another",
    )


def test_csv_to_a_database_gets_types_where_they_spell_the_same(database, tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c\n1,5;007;1\n2,5;08;2\n")
    source = Source(tmp_path / "t.csv", decimal=",")
    protect(source, 2, "a", keep="rest", to=f"{database.address}#safe")
    assert database.rows("safe") == [(2.0, "007", 1), (2.0, "08", 2)]
