"""Whatever ends a run: the old target is whole, the input as it was, and a later run works."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microagg import protect
from microagg.errors import InputError
from microagg.run import protection
from microagg.tables import Destination, databases, read
from tests import postgres_server
from tests.crashing import ROOT, stalled_job
from tests.databases import Database

RECORDS = 6000
OLD = {"x": [1.0, 1.0, 1.0], "note": ["old"] * 3}


@pytest.fixture
def given(tmp_path):
    path = tmp_path / "given.parquet"
    draw = np.random.default_rng(0)
    pq.write_table(pa.table({name: draw.random(RECORDS) for name in "xyz"}), path)
    return path


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "released"
    path.mkdir()
    return path


def job(given, to, **options):
    return protect(given, 3, ["x", "y"], keep="rest", method="mdav", to=to, **options)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def leftovers(folder):
    return list(folder.glob(".microagg-*.part"))


FILES = pytest.mark.parametrize("name", ["safe.csv", "safe.parquet", "safe.arrow"])


@FILES
def test_a_run_that_is_killed_leaves_the_old_file_and_the_next_one_clears_up(given, folder, name):
    target, input_before = folder / name, digest(given)
    target.write_text("old")
    with stalled_job(given, target):
        assert leftovers(folder)
    assert target.read_text() == "old"
    assert digest(given) == input_before
    (left,) = leftovers(folder)
    assert left.stat().st_size > 0
    hour_ago = time.time() - 3600
    os.utime(left, (hour_ago, hour_ago))
    job(given, target)
    assert read(target).records == RECORDS
    assert [path.name for path in folder.iterdir()] == [name]


@FILES
def test_a_run_beside_one_that_still_writes_does_not_disturb_it(given, folder, name):
    target = folder / name
    with stalled_job(given, target):
        (part,) = leftovers(folder)
        hour_ago = time.time() - 3600
        os.utime(part, (hour_ago, hour_ago))
        job(given, target)
        assert leftovers(folder) == [part]


def test_a_new_file_that_a_killed_run_began_is_not_there(given, folder):
    with stalled_job(given, folder / "safe.csv"):
        pass
    assert not (folder / "safe.csv").exists()


def test_a_run_that_is_killed_leaves_the_old_table_and_the_next_one_works(given, database):
    database.put("safe", OLD)
    expected, input_before = database.rows("safe"), digest(given)
    with stalled_job(given, database.address, "safe"):
        pass
    if database.kind == "SQLite":  # the file itself was changed already, and is to be mended from this
        assert Path(f"{database.address.removeprefix('sqlite:///')}-journal").stat().st_size > 0
    assert read(f"{database.address}#safe").records == len(expected)
    assert database.rows("safe") == expected
    assert database.tables() == ["firms", "safe"]
    assert digest(given) == input_before
    job(given, Destination(database.address, table="safe", overwrite=True))
    assert len(database.rows("safe")) == RECORDS
    assert database.tables() == ["firms", "safe"]


def test_a_new_file_of_sqlite_that_a_killed_run_began_can_be_written_by_the_next(given, folder):
    database = Database("SQLite", f"sqlite:///{folder}/new.sqlite")
    with stalled_job(given, database.address, "safe"):
        pass
    job(given, f"{database.address}#safe")
    assert database.tables() == ["safe"]
    assert len(database.rows("safe")) == RECORDS
    assert [path.name for path in folder.iterdir()] == ["new.sqlite"]


def test_when_the_server_stops_the_old_table_is_whole_as_soon_as_it_is_back(given, monkeypatch):
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    with postgres_server.running() as server:
        database = Database("PostgreSQL", server.address())
        database.put("safe", OLD)
        expected = database.rows("safe")

        def stop_midway(table):
            batches = table.to_batches(max_chunksize=1000)
            yield from batches[:2]
            server.stop()
            yield from batches[2:]

        destination = Destination(database.address, table="safe", overwrite=True)
        monkeypatch.setattr(databases, "_batches", stop_midway)
        with pytest.raises(InputError, match="cannot be written; nothing was changed: ") as caught:
            job(given, destination)
        assert postgres_server.PASSWORD not in str(caught.value)
        monkeypatch.undo()
        with pytest.raises(InputError, match="cannot be written; nothing was changed: "):
            job(given, destination)
        server.start()
        assert database.rows("safe") == expected
        job(given, destination)
        assert len(database.rows("safe")) == RECORDS


@pytest.fixture
def full_disk():
    """Let no file grow beyond some bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill(most):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[0][1]))

    yield fill
    resource.setrlimit(resource.RLIMIT_FSIZE, before[0])
    signal.signal(signal.SIGXFSZ, before[1])


@FILES
def test_on_a_full_disk_the_old_file_stays_and_nothing_else(given, folder, full_disk, name):
    target = folder / name
    target.write_text("old")
    full_disk(50_000)
    with pytest.raises(InputError, match=f"{name} could not be written: File too large; nothing was changed"):
        job(given, target)
    full_disk(1 << 30)
    assert target.read_text() == "old"
    assert [path.name for path in folder.iterdir()] == [name]
    job(given, target)
    assert read(target).records == RECORDS


def test_on_a_full_disk_the_old_table_of_sqlite_stays(given, folder, full_disk):
    database = Database("SQLite", f"sqlite:///{folder}/survey.sqlite")
    database.put("safe", OLD)
    expected = database.rows("safe")
    destination = Destination(database.address, table="safe", overwrite=True)
    full_disk(50_000)
    with pytest.raises(InputError, match=r"survey\.sqlite cannot be written; nothing was changed: "):
        job(given, destination)
    full_disk(1 << 30)
    assert database.rows("safe") == expected
    assert database.tables() == ["safe"]
    job(given, destination)
    assert len(database.rows("safe")) == RECORDS


def at_once(action):
    """Return a progress that does this when the work begins, after all was made sure of."""
    done = []

    def progress(*_):
        if not done:
            done.append(action())

    return progress


@FILES
def test_when_the_folder_goes_meanwhile_it_is_told(given, folder, name):
    with pytest.raises(
        InputError, match="could not be written: No such file or directory; nothing was chang"
    ):
        job(given, folder / name, progress=at_once(lambda: shutil.rmtree(folder)))
    assert not folder.exists()


def test_when_a_folder_takes_the_place_of_the_target_meanwhile_it_is_told(given, folder):
    target = folder / "safe.csv"
    with pytest.raises(InputError, match="could not be written: Is a directory; nothing was changed"):
        job(given, target, progress=at_once(target.mkdir))
    assert list(folder.iterdir()) == [target]


STAGES = [
    "checked",
    "unit_of",
    "matrix_of",
    "grouped",
    "centres_of",
    "checked_release",
    "information_loss",
    "notes_of",
]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", ["safe.csv", "survey.sqlite"])
def test_ctrl_c_in_any_stage_leaves_all_as_it_was(given, folder, monkeypatch, stage, name):
    def interrupted(*_, **__):
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("the signal did not stop the work")

    target = folder / name
    monkeypatch.setattr(protection, stage, interrupted)
    with pytest.raises(KeyboardInterrupt):
        job(given, f"{target}#safe" if name == "survey.sqlite" else target)
    assert list(folder.iterdir()) == []


def test_ctrl_c_in_the_partition_leaves_all_as_it_was(given, folder):
    target = folder / "safe.csv"
    target.write_text("old")

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        job(given, target, progress=at_once(interrupt))
    assert target.read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["safe.csv"]


LONG = """
import sys, numpy as np, pyarrow as pa
from microagg import protect
draw = np.random.default_rng(0)
given = pa.table({name: draw.random(1_000_000) for name in "xy"})
def progress(done, total):
    print(done, flush=True)
protect(given, 3, ["x", "y"], method="mdav", to=sys.argv[1], progress=progress)
"""


def test_ctrl_c_stops_the_partition_of_a_million_records_at_once(folder):
    """At once is not measured in seconds, which would be another test's, but in records still done."""
    target = folder / "safe.parquet"
    arguments = [sys.executable, "-c", LONG, str(target)]
    with subprocess.Popen(
        arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        done = next(done for done in map(int, process.stdout) if done > 1000)
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate()
    assert told.strip().endswith("KeyboardInterrupt")
    assert max(map(int, printed.split()), default=done) < 800_000
    assert list(folder.iterdir()) == []
