"""Bad input and bad luck larger than memory: a clear error, nothing written, no temporary file left."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg
from microagg.engine import scratch, words
from microagg.errors import InputError, UnsafeReleaseError
from tests.engines.running import in_parts_of, release


def table(n=2000, seed=1):
    rng = np.random.default_rng(seed)
    return pa.table(
        {"a": rng.normal(size=n), "b": rng.lognormal(size=n), "name": [f"n{i}" for i in range(n)]}
    )


def protect(data, to, part=100, **request):
    asked = {"k": 3, "quasi_identifiers": ["a", "b"], "drop": "rest", "memory_limit": "1GB", **request}
    with in_parts_of(part, "duckdb"):
        return microagg.protect(data, to=to, engine="duckdb", **asked)


@pytest.fixture
def place(tmp_path):
    """Give a file in a folder in which nothing else may be after a failure."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "safe.parquet").write_bytes(b"old")
    yield folder / "safe.parquet"
    assert [path.name for path in folder.iterdir()] == ["safe.parquet"]


def refused(match, data, to, **request):
    with pytest.raises(InputError, match=match):
        protect(data, to, **request)
    assert to.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("request_", "match"),
    [
        ({"method": "mdav"}, "needs all records at once"),
        ({"weight": "name"}, "weights are not yet done larger than memory: take engine='memory'"),
        ({"strata": ["name"]}, "strata are not yet"),
        ({"entity": "name"}, "entities are not yet"),
        ({"edits": ["a >= b"]}, "edits are not yet"),
        ({"scale": "robust"}, "a robust scale is not yet"),
        ({"missing": "own-group"}, "missing values in groups of their own are not yet"),
        ({"kinds": {"b": "integer"}}, "column 'b' holds .* in row 1 .*, where a whole number is expected"),
        ({"kinds": {"b": "integer"}, "centres": {"b": "mode"}}, "the mode of column 'b'.* not yet done"),
        ({"quasi_identifiers": ["a", "x"]}, "no column 'x'"),
        ({"k": 2001}, "k = 2001 is more than the 2000 records"),
        ({"k": 1}, "k = 1 protects nobody"),
        ({"method": "blocked(mdav, max_leaf=5)"}, "max_leaf must be 6 at least"),
        ({"drop": ()}, "no role for 'name'"),
        ({"temporary": "/no/such/folder"}, "there is no folder /no/such/folder"),
        ({"memory_limit": "much"}, "the memory limit 'much' cannot be read"),
        ({"memory_limit": "1KB"}, "too small"),
    ],
)
def test_what_cannot_be_done_is_told_before_work_starts(request_, match, place, tmp_path):
    pq.write_table(table(), tmp_path / "in.parquet")
    refused(match, tmp_path / "in.parquet", place, **request_)


def test_all_faults_are_told_at_once(place, tmp_path):
    pq.write_table(table(), tmp_path / "in.parquet")
    with pytest.raises(InputError) as raised:
        protect(tmp_path / "in.parquet", place, strata=["name"], method="mdav", scale="robust")
    assert len(raised.value.faults) == 3


def test_a_place_to_write_is_needed(tmp_path):
    pq.write_table(table(), tmp_path / "in.parquet")
    with pytest.raises(InputError, match="needs a file to write"):
        protect(tmp_path / "in.parquet", None)


def test_a_value_that_is_no_number_is_told_with_its_row_in_the_whole_table(place, tmp_path):
    values = table().column("a").to_pylist()
    values[1234] = float("nan")
    pq.write_table(table().set_column(0, "a", pa.array(values)), tmp_path / "in.parquet")
    refused(r"column 'a' holds nan in row 1235 ", tmp_path / "in.parquet", place)


def test_a_missing_value_is_told_where_none_may_be(place, tmp_path):
    values = table().column("b").to_pylist()
    values[1500] = values[1700] = None
    pq.write_table(table().set_column(1, "b", pa.array(values)), tmp_path / "in.parquet")
    refused("missing value in row 1501 .*one of 2", tmp_path / "in.parquet", place, missing="error")


@pytest.mark.parametrize("fault", ["broken", "cut", "other columns"])
def test_a_bad_file_in_the_middle_is_told(fault, place, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        pq.write_table(table(seed=number), folder / f"{number}.parquet", row_group_size=500)
    bad = folder / "1.parquet"
    if fault == "other columns":
        pq.write_table(table().rename_columns(["a", "c", "name"]), bad)
    else:
        content = bytearray(bad.read_bytes())
        content[200:6000] = b"\xff" * 5800
        bad.write_bytes(content if fault == "broken" else content[:-400])
    refused({"other columns": "1.parquet has other columns"}.get(fault, "cannot be read"), folder, place)


def test_fewer_records_than_k_are_told(place, tmp_path):
    pq.write_table(table(2), tmp_path / "in.parquet")
    refused("k = 3 is more than the 2 records", tmp_path / "in.parquet", place)


def test_one_giant_cell_takes_no_more_memory_than_allowed(tmp_path, monkeypatch):
    """All records but a few are the same, so that no block can hold less than them."""
    same = pa.table({"a": [-0.0] * 1000 + [0.0] * 4000 + [2.0, 3.0, 4.0, 9.0], "note": np.arange(5004)})
    pq.write_table(same, tmp_path / "in.parquet")
    asked = {"k": 3, "quasi_identifiers": ["a"], "keep": ["note"], "method": "blocked(mdav, max_leaf=10)"}
    whole, expected = release("memory", tmp_path / "in.parquet", tmp_path / "memory.parquet", **asked)
    monkeypatch.setattr("microagg.engine.duckdb._BESIDE", 100_000)  # so that only smaller blocks fit
    result, found = release("duckdb", tmp_path / "in.parquet", tmp_path / "parts.parquet", **asked)
    assert found.equals(expected)
    assert result.loss == whole.loss
    assert result.account == whole.account


def test_a_block_that_does_not_fit_is_told(place, tmp_path, monkeypatch):
    pq.write_table(table(), tmp_path / "in.parquet")
    monkeypatch.setattr("microagg.engine.duckdb._BESIDE", 100_000)
    refused("does not fit into the memory allowed: take a smaller max_leaf", tmp_path / "in.parquet", place)


@pytest.mark.parametrize("after", [3, 30, 300])
def test_a_full_temporary_folder_is_told(after, place, tmp_path, monkeypatch):
    pq.write_table(table(), tmp_path / "in.parquet")
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    calls = []

    def pwrite(*args):
        calls.append(args)
        if len(calls) > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os_pwrite(*args)

    os_pwrite = os.pwrite
    monkeypatch.setattr(words.os, "pwrite", pwrite)
    asked = {"temporary": elsewhere, "method": "blocked(mdav, max_leaf=20)"}
    refused(f"{elsewhere} .*No space left", tmp_path / "in.parquet", place, part=10, **asked)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("calls", [1, 30, 60])
def test_an_interrupt_leaves_nothing(calls, place, tmp_path):
    pq.write_table(table(), tmp_path / "in.parquet")
    told = []

    def interrupt(done, total):
        told.append((done, total))
        if len(told) == calls:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        protect(tmp_path / "in.parquet", place, progress=interrupt)
    assert place.read_bytes() == b"old"


def test_a_release_that_the_check_refuses_is_not_put_in_its_place(place, tmp_path, monkeypatch):
    pq.write_table(table(), tmp_path / "in.parquet")
    monkeypatch.setattr(
        "microagg.engine.releasing.lexicographic_order", lambda columns: np.arange(len(columns[0]))
    )
    honest = microagg.engine.releasing.Releasing.released

    def unsafe(self, block):
        found = honest(self, block)
        found.released[0] += 1e-9
        return found

    monkeypatch.setattr("microagg.engine.releasing.Releasing.released", unsafe)
    with pytest.raises(UnsafeReleaseError, match="not safe for k = 3"):
        protect(tmp_path / "in.parquet", place)
    assert place.read_bytes() == b"old"


def test_a_table_that_changes_meanwhile_is_told(place, tmp_path, monkeypatch):
    pq.write_table(table(), tmp_path / "in.parquet")
    from microagg.run import larger

    honest = larger.seen_in

    def seen_in(request, watch):
        found = honest(request, watch)
        pq.write_table(table(2100), tmp_path / "in.parquet")
        return found

    monkeypatch.setattr(larger, "seen_in", seen_in)
    refused("changed while it was read", tmp_path / "in.parquet", place)


_KILLED = """
import sys
from pathlib import Path
from microagg.engine import scratch
with scratch(Path(sys.argv[1])) as folder:
    (folder / "numbers").write_bytes(b"secret")
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_run_left_is_removed_by_the_next_but_not_what_another_uses(tmp_path):
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _KILLED, tmp_path],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    try:
        for run in runs:
            assert run.stdout.readline() == "ready\n"
        runs[0].send_signal(signal.SIGKILL)
        runs[0].wait()
        assert len(list(tmp_path.iterdir())) == 2
        with scratch(tmp_path) as folder:
            assert len(list(tmp_path.iterdir())) == 2
        assert not folder.exists()
        assert len(list(tmp_path.glob("*/numbers"))) == 1
    finally:
        runs[1].communicate("")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_never_got_its_lock_is_removed_once_it_is_old(tmp_path):
    young, old = tmp_path / ".microagg-1.new", tmp_path / ".microagg-2.new"
    young.mkdir()
    old.mkdir()
    os.utime(old, (time.time() - 3600,) * 2)
    with scratch(tmp_path):
        assert young.exists()
        assert not old.exists()
    assert Path(young).exists()
