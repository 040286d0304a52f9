"""Whatever goes wrong with a database: nothing is lost, and nothing secret is told."""

from __future__ import annotations

import pytest

from microagg.errors import InputError
from microagg.tables import Destination, Source, Table, databases, read, target_of, write
from tests.databases import FIRMS, faults, many, save


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_when_writing_fails_the_old_table_is_whole_and_no_other_is_left(database, monkeypatch, failure):
    def fail_midway(table):
        yield from table.slice(0, 1000).to_batches()
        raise failure

    monkeypatch.setattr(databases, "_batches", fail_midway)
    before = database.rows("firms")
    with pytest.raises((InputError, KeyboardInterrupt)) as caught:
        save(many(200_000), Destination(database.address, table="firms", overwrite=True))
    if isinstance(failure, OSError):
        assert "cannot be written; nothing was changed: " in str(caught.value)
    assert database.tables() == ["firms"]
    assert database.rows("firms") == before


def test_when_the_server_goes_the_old_table_is_whole_and_no_other_is_left(postgresql, monkeypatch):
    postgresql.put("firms", FIRMS)

    def kill_midway(table):
        batches = table.to_batches(max_chunksize=1 << 14)
        yield from batches[:2]
        postgresql.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
        yield from batches[2:]

    monkeypatch.setattr(databases, "_batches", kill_midway)
    (only,) = faults(save, many(500_000), Destination(postgresql.address, table="firms", overwrite=True))
    assert "cannot be written; nothing was changed: " in only
    assert postgresql.tables() == ["firms"]
    assert len(postgresql.rows("firms")) == 4


def test_a_table_that_others_need_is_not_replaced(postgresql):
    postgresql.put("firms", FIRMS)
    postgresql.run("CREATE VIEW large AS SELECT * FROM firms WHERE staff > 10")
    (only,) = faults(save, many(3), Destination(postgresql.address, table="firms", overwrite=True))
    assert "cannot drop table firms because other objects depend on it" in only
    assert len(postgresql.rows("firms")) == 4
    (only,) = faults(target_of, Destination(postgresql.address, table="large", overwrite=True), None)
    assert only == '"large" is no ordinary table, so it cannot be replaced: name another'


def test_who_may_not_is_told_so_before_work_starts(server, postgresql):
    password = "another:one@#"
    postgresql.put("firms", FIRMS)
    postgresql.run("DROP ROLE IF EXISTS guest", f"CREATE ROLE guest LOGIN PASSWORD '{password}'")
    guest = server.address("guest", password)
    try:
        (only,) = faults(read, f"{guest}#firms")
        assert only.endswith("cannot be read: permission denied for table firms")
        assert password not in only
        (only,) = faults(target_of, f"{guest}#safe", None)
        assert only == "there is no permission to make tables in the schema 'public'"
        postgresql.run("GRANT CREATE ON SCHEMA public TO guest")
        (only,) = faults(target_of, Destination(guest, table="firms", overwrite=True), None)
        assert only == 'there is no permission to replace the table "firms": it belongs to another'
    finally:
        postgresql.run("DROP OWNED BY guest", "DROP ROLE guest")


def test_who_cannot_be_reached_is_told_without_the_password(server):
    wrong = "not:the@password%"
    shown = f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
    assert faults(read, f"{server.address(password=wrong)}#t")[0].startswith(f"{shown} cannot be read: ")
    (only,) = faults(target_of, f"{server.address(database='absent')}#t", None)
    assert only.endswith('FATAL:  database "absent" does not exist')
    (only,) = faults(read, "postgresql://me:top%ecret@127.0.0.1:1/x#t")
    assert "top" not in only
    assert "ecret" not in only
    assert "topsecret" not in repr(Source("postgresql://me:topsecret@h/x", table="t"))


def test_a_file_of_sqlite_is_never_made_by_reading(tmp_path):
    (only,) = faults(read, f"{tmp_path}/absent.sqlite#t")
    assert only.endswith("absent.sqlite cannot be read: No such file or directory")
    (tmp_path / "text.db").write_text("no database " * 100)
    (only,) = faults(read, f"{tmp_path}/text.db#t")
    assert only.endswith("text.db cannot be read: Failed to prepare query: file is not a database")
    assert [path.name for path in tmp_path.iterdir()] == ["text.db"]


def test_a_new_file_of_sqlite_is_there_only_if_all_went_well(tmp_path, monkeypatch):
    def fail(table):
        raise OSError(28, "No space left on device")

    target = target_of(f"{tmp_path}/new.sqlite#safe", None)
    assert not list(tmp_path.iterdir())
    with monkeypatch.context() as patched:
        patched.setattr(databases, "_batches", fail)
        faults(write, many(3), Table(many(3)), target)
    assert not list(tmp_path.iterdir())
    write(many(3), Table(many(3)), target)
    assert read(f"{tmp_path}/new.sqlite#safe").records == 3
    (only,) = faults(target_of, f"{tmp_path}/absent/new.sqlite#safe", None)
    assert only.endswith(f"cannot be written: there is no folder {tmp_path}/absent")
    assert "SQLite has none" in faults(target_of, f"{tmp_path}/new.sqlite#main.safe", None)[0]
