"""How commands end: exit codes, Ctrl-C at any moment, a closed pipe, a full disk, a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from microagg.errors import InputError
from microagg.result import Result
from tests.stand_ins import Alone, Interrupted
from tests.unit.cli.running import (
    EVERYTHING,
    command,
    installed,
    microagg,
    names_in,
    on_a_terminal,
)

posix = pytest.mark.skipif(os.name != "posix", reason="signals and pipes are those of Unix")


def test_an_unsafe_release_is_not_written(folder, called):
    called("alone", Alone)
    result = microagg("protect", "firms.csv", "-k", 3, *EVERYTHING, "-m", "alone")
    assert (result.exit_code, result.stdout) == (3, "")
    first, last = result.stderr.splitlines()
    assert first.startswith(
        "not safe for k = 3: 20 of 20 records share their quasi-identifiers with fewer than 2"
    )
    assert last == "Nothing was written."
    assert names_in(folder) == ["firms.csv"]


def test_faults_are_told_to_programs_too(folder, called):
    called("alone", Alone)
    called("interrupted", Interrupted)
    for method, code, word, start in (
        ("alone", 3, "unsafe", "not safe for k = 3: "),
        ("alon(", 2, "faults", "cannot read the method 'alon(': "),
        ("interrupted", 130, "stopped", "Stopped. Nothing was written."),
    ):
        result = microagg("protect", "firms.csv", "-k", 3, *EVERYTHING, "-m", method, "--json")
        assert (result.exit_code, result.stdout) == (code, "")
        told = json.loads(result.stderr)
        assert (told["error"], told["exit_code"], len(told["faults"])) == (word, code, 1)
        assert told["faults"][0].startswith(start)


def test_a_plan_or_account_that_cannot_be_written_has_a_code_of_its_own(folder, monkeypatch):
    def disk_full(self, path, key=None):
        raise InputError(f"{path} cannot be written: No space left on device")

    monkeypatch.setattr(Result, "save_account", disk_full)
    result = microagg("protect", "firms.csv", "-k", 3, *EVERYTHING, "--account", "account.json")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.splitlines() == [
        "account.json cannot be written: No space left on device",
        "Apart from this, safe.csv was written.",
    ]
    assert (folder / "safe.csv").exists()


def test_too_little_memory_is_a_message(folder, monkeypatch):
    monkeypatch.setattr("microagg.tables.read", lambda data: np.empty(10**16))
    result = microagg("protect", "firms.csv", "-k", 3, *EVERYTHING)
    assert result.exit_code == 2
    assert result.stderr.startswith("there is not enough memory for this")


def test_ctrl_c_stops_with_a_word_and_nothing_is_written(folder, called):
    called("interrupted", Interrupted)
    result = microagg("protect", "firms.csv", "-k", 3, *EVERYTHING, "-m", "interrupted")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "Stopped. Nothing was written.\n"
    assert names_in(folder) == ["firms.csv"]


def test_an_import_that_ctrl_c_breaks_in_its_own_way_is_stopped_too(folder, monkeypatch):
    def broken(*arguments, **options):
        raise ImportError("numpy.core.multiarray failed to import")

    monkeypatch.setattr("microagg.run.protect", broken)
    monkeypatch.setattr("microagg.cli.stopping.asked_for", lambda: True)
    result = microagg("protect", "firms.csv", "-k", 3, *EVERYTHING)
    assert (result.exit_code, result.stderr) == (130, "Stopped. Nothing was written.\n")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Give a file that takes some seconds to read and group."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    rows = np.random.default_rng(0).integers(0, 10**6, size=(1_000_000, 4))
    np.savetxt(path, rows, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
    return path


@posix
@pytest.mark.parametrize("moment", ["imports", "reading", "grouping"])
def test_ctrl_c_is_answered_within_a_second_wherever_it_falls(folder, large, moment):
    (folder / "safe.csv").write_text("old")
    arguments = ["protect", large, "-k", "3", "-q", "a,b,c,d", "-m", "mdav", "-o", "safe.csv"]
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, moment, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout.readline() == "now\n"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "Stopped. Nothing was written.\n")
    assert (folder / "safe.csv").read_text() == "old"
    assert names_in(folder) == ["firms.csv", "safe.csv"]


PROGRAM = """
import builtins, sys
from microagg import cli

moment, sys.argv[1:] = sys.argv[1], sys.argv[2:]
def now():
    print("now", flush=True)
if moment == "imports":
    class Finder:
        def find_spec(self, name, path, target=None):
            if name == "pyarrow":
                now()
    sys.meta_path.insert(0, Finder())
else:
    from microagg import tables
    from microagg.cli.progress import Grouping
    read, call = tables.read, Grouping.__call__
    def tables_read(data):
        if moment == "reading":
            now()
        return read(data)
    def told(self, done, total):
        if moment == "grouping" and 0 < done:
            globals().__setitem__("moment", "over")
            now()
        call(self, done, total)
    tables.read, Grouping.__call__ = tables_read, told
cli.main()
"""


DEAF = """
import hashlib, sys, threading
from microagg import cli, run

def protect(*arguments, **options):
    threading.Timer(0.5, print, ["now"], {"flush": True}).start()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # one step of many minutes

run.protect = protect
cli.main()
"""


@posix
def test_a_step_that_hears_no_signal_is_ended_from_outside(folder):
    running = subprocess.Popen(
        [sys.executable, "-c", DEAF, "protect", "firms.csv", "-k", "3", *EVERYTHING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout.readline() == "now\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    finally:
        running.kill()
    assert (running.returncode, out, err) == (130, "", "Stopped. Nothing was written.\n")
    assert names_in(folder) == ["firms.csv"]


@posix
@pytest.mark.parametrize(
    "arguments", [["protect", "-k", "3", *EVERYTHING], ["check", "-k", "9", "-q", "staff"]]
)
def test_a_reader_who_goes_away_is_no_fault(folder, arguments):
    name, *others = arguments
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [installed(), name, "firms.csv", *others], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == ({"protect": 0, "check": 3}[name], b"")
    assert (folder / "safe.csv").exists() == (name == "protect")


def test_a_full_disk_leaves_the_old_file(folder):
    resource = pytest.importorskip("resource", reason="only Unix limits the size of files")
    (folder / "safe.csv").write_text("old")
    limit = (16, resource.RLIM_INFINITY)  # no file may grow beyond so many bytes
    result = command(
        "protect",
        "firms.csv",
        "-k",
        3,
        *EVERYTHING,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert result.returncode == 2
    assert result.stderr.endswith(
        "could not be written: File too large; nothing was changed\nNothing was written.\n"
    )
    assert (folder / "safe.csv").read_text() == "old"
    assert names_in(folder) == ["firms.csv", "safe.csv"]


ON_A_TERMINAL = """
import sys, time
from microagg import cli
from microagg.cli import progress
progress.PATIENCE = {patience}
grouping = progress.Grouping.__call__
def slowly(self, done, total):
    grouping(self, done, total)
    time.sleep({seconds})
progress.Grouping.__call__ = slowly
sys.argv = {arguments}
cli.main()
"""


def test_a_person_sees_long_work_move_and_is_not_bothered_by_short_work(folder):
    arguments = ["microagg", "protect", "firms.csv", "-k", "3", *EVERYTHING, "-m", "mdav"]
    slow = ON_A_TERMINAL.format(patience=0.0, seconds=0.15, arguments=arguments)
    long = on_a_terminal(slow)
    assert "Reading firms.csv" in long
    assert "Grouping 20 records" in long
    assert "Checking and writing" in long
    assert long.count("\x1b[?25l") == long.count("\x1b[?25h") > 0  # the cursor is hidden and shown again
    assert on_a_terminal(ON_A_TERMINAL.format(patience=60, seconds=0, arguments=arguments)) == ""
    quiet = ON_A_TERMINAL.format(patience=0.0, seconds=0.15, arguments=[*arguments, "--quiet"])
    assert on_a_terminal(quiet) == ""
