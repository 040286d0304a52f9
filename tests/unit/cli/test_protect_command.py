"""The command line: one clear message for every mistake, an exit code, and never a traceback."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from microagg.cli import app
from microagg.partition import registry
from tests.stand_ins import Alone, Interrupted

SURVEY = "id,name,staff,turnover,region\n" + "".join(
    f"{row},firm {row},{row % 7},{row * 10},north\n" for row in range(1, 21)
)
EVERYTHING = ["-q", "staff,turnover", "--drop", "id,name", "--keep", "rest", "-o", "safe.csv"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firms.csv").write_text(SURVEY)
    return tmp_path


@pytest.fixture
def called(monkeypatch):
    """Give a function that lets the command line know a method by this name."""

    def call(name, method):
        monkeypatch.setitem(registry._HOME_OF, name, (method.__module__, method.__name__))

    return call


def microagg(*arguments):
    """Run a command that must not fail in a way that nobody foresaw."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def faults(*arguments):
    """Return the messages of a command that must refuse to work."""
    before = contents()
    result = microagg("protect", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    *messages, last = result.stderr.splitlines()
    assert last == "Nothing was written."
    assert contents() == before
    return messages


def contents():
    return {path: path.read_bytes() for path in Path.cwd().iterdir()}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_table_is_protected_and_the_account_is_shown(folder):
    result = microagg("protect", "firms.csv", "-k", 5, *EVERYTHING)
    assert (result.exit_code, result.stderr) == (0, "")
    with (folder / "safe.csv").open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["staff", "turnover", "region"]
    assert len(rows) == 20
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["Records"] == "20 in 4 groups of 5"
    assert lines["k"] == "5 asked for, 5 found by the independent check"
    assert lines["Loss"].endswith(" % of the information")
    assert lines["Written"].startswith("safe.csv in ")
    assert lines["Note"] == "kept columns are released as they are, and can still identify: region"


def test_names_are_given_in_one_option_or_several_and_may_hold_commas(folder):
    (folder / "odd.csv").write_text('"turnover, net",staff,größe,\n' + "1,2,3,4\n" * 4)
    several = ["-q", '"turnover, net"', "-q", "staff, größe", "--drop", "", "-o", "a.csv"]
    assert microagg("protect", "odd.csv", "-k", 2, *several).exit_code == 0
    assert (folder / "a.csv").read_text() == '"turnover, net",staff,größe\n' + "1,2,3\n" * 4
    (message,) = faults("odd.csv", "-k", 2, "-q", '"turnover', "-o", "b.csv")
    assert message.startswith("cannot read the names '\"turnover': put a name that holds a comma")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["firms.csv", "-k", 1, *EVERYTHING], ["k = 1 protects nobody"]),
        (["firms.csv", "-k", 21, *EVERYTHING], ["k = 21 is more than the 20 records there are"]),
        (["absent.csv", "-k", 3, *EVERYTHING], ["absent.csv cannot be read: No such file or directory"]),
        ([".", "-k", 3, *EVERYTHING], ["there are no Parquet files in ."]),
        (["firms.csv", "-k", 3, *EVERYTHING, "-o", "firms.csv"], ["firms.csv is the file that is read"]),
        (
            ["firms.csv", "-k", 3, *EVERYTHING, "-o", "no/safe.csv"],
            ["no/safe.csv cannot be written: there is no"],
        ),
        (["firms.csv", "-k", 3, *EVERYTHING, "-m", "vmdv"], ["there is no method 'vmdv': the methods are "]),
        (["firms.csv", "-k", 3, *EVERYTHING, "-m", "mdav(3)"], ["cannot read the method 'mdav(3)': "]),
        (["firms.csv", "-k", 3, *EVERYTHING, "-q", "region"], ["column 'region' holds text where a number "]),
        (
            ["firms.csv", "-k", 3, "-q", "", "--drop", "rest", "-o", "a.csv"],
            ["there is no column '', named as "],
        ),
        (
            ["firms.csv", "-k", 1, "-q", "Staff,name", "--keep", "regoin", "-m", "x(", "-o", "a.txt"],
            [
                "k = 1 protects nobody: a group must hold at least 2 records",
                "cannot read the method 'x(': expected a name, or name(option=value, ...)",
                "a.txt ends in .txt: supported are .csv, .parquet, .arrow, ",
                "there is no column 'Staff', named as quasi-identifier: did you mean 'staff'?",
                "there is no column 'regoin', named as kept: did you mean 'region'?",
                "no role for 'id', 'staff', 'turnover', 'region': keep or drop each by name, ",
                "column 'name' holds text where a number is expected: 'firm 1' in row 2 (the header",
            ],
        ),
    ],
)
def test_all_mistakes_are_told_at_once_and_nothing_is_written(folder, arguments, expected):
    found = faults(*arguments)
    assert [message[: len(start)] for message, start in zip(found, expected, strict=True)] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "t.csv is empty: expected a table"),
        ("a,b\n", "the table holds no records"),
        ("a,a\n1,2\n3,4\n", "2 columns are called 'a': give each its own name"),
        (
            "a,b\n1,2\n3,inf\n",
            "column 'b' holds inf in row 3 (the header is row 1): a finite number is expected",
        ),
        ("a,b\n1,2\n3,\n", "column 'b' has a missing value in row 3 (the header is row 1): "),
        (
            "a;b\n1;2,5\n3;4\n",
            "column 'b' holds text where a number is expected: '2,5' in row 2 (the header is row 1); ",
        ),
        ("a,b\n1,2\n3\n", "t.csv: row 3 (the header is row 1) has 1 value(s), the header has 2"),
    ],
    ids=["empty", "no records", "twins", "infinite", "missing", "decimal comma", "ragged"],
)
def test_what_is_wrong_with_a_file_is_told_with_the_row(folder, content, expected):
    (folder / "t.csv").write_text(content)
    names = "a" if "a,a" in content else "a,b"
    (message,) = faults("t.csv", "-k", 2, "-q", names, "-o", "safe.csv")
    assert message.startswith(expected)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "Missing argument 'FILE'"),
        (["firms.csv"], "Missing option '-k'"),
        (["firms.csv", "-k", "many", *EVERYTHING], "Invalid value for '-k'"),
        (["firms.csv", "-k", 3, *EVERYTHING, "--kep", "id"], "No such option"),
    ],
)
def test_what_is_no_command_is_refused_with_its_usage(folder, arguments, expected):
    result = microagg("protect", *arguments)
    assert result.exit_code == 2
    assert "Usage: " in result.stderr
    assert expected in result.stderr
    assert names_in(folder) == ["firms.csv"]


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


def test_ctrl_c_stops_with_a_word_and_nothing_is_written(folder, called):
    called("interrupted", Interrupted)
    result = microagg("protect", "firms.csv", "-k", 3, *EVERYTHING, "-m", "interrupted")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "Stopped. Nothing was written.\n"
    assert names_in(folder) == ["firms.csv"]


def command(*arguments, **options):
    """Run the installed command, in a process of its own."""
    program = Path(sys.executable).with_name("microagg")
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


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


def test_names_that_the_terminal_has_no_letters_for_do_no_harm(folder):
    (folder / "t.csv").write_text("a,数量\n1,2\n3,4\n", encoding="utf-8")
    arguments = ["protect", "t.csv", "-k", 2, "-q", "a", "--keep", "数量", "-o", "safe.csv"]
    result = command(*arguments, env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert (result.returncode, result.stderr) == (0, "")
    assert r"can still identify: \u6570\u91cf" in result.stdout


def on_a_terminal(program):
    """Return what a person at a terminal sees of a Python program's messages."""
    pty = pytest.importorskip("pty", reason="only Unix has such terminals")
    seen_by_person, terminal = pty.openpty()
    subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=terminal, check=True)
    os.write(terminal, b"END")
    seen = b""
    while not seen.endswith(b"END"):
        seen += os.read(seen_by_person, 4096)
    os.close(terminal)
    os.close(seen_by_person)
    return seen.removesuffix(b"END").decode()


def test_a_person_sees_long_work_move_and_is_not_bothered_by_short_work(folder):
    arguments = ["microagg", "protect", "firms.csv", "-k", "3", *EVERYTHING]
    program = (
        f"import sys; from microagg import cli; cli._PATIENCE = {{}}; sys.argv = {arguments}; cli.main()"
    )
    long, short = on_a_terminal(program.format(-1)), on_a_terminal(program.format(60))
    assert "Grouping 20 records" in long
    assert long.count("\x1b[?25l") == long.count("\x1b[?25h") > 0  # the cursor is hidden and shown again
    assert short == ""


def test_the_version_is_shown():
    from microagg import __version__

    assert microagg("--version").stdout == f"microagg {__version__}\n"
