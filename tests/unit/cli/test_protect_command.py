"""`microagg protect`: one clear message for every mistake, an exit code, and never a traceback."""

from __future__ import annotations

import csv
import os

import pytest

from tests.unit.cli.running import EVERYTHING, command, faults, microagg, names_in, told

SHORT = ["firms.csv", "-k", 5, "-q", "staff,turnover", "--drop", "rest"]


def lines_of(result):
    return dict(line.split(maxsplit=1) for line in result.stdout.splitlines())


def test_a_table_is_protected_and_the_account_is_shown(folder):
    result = microagg("protect", "firms.csv", "-k", 5, *EVERYTHING)
    assert (result.exit_code, result.stderr) == (0, "")
    with (folder / "safe.csv").open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["staff", "turnover", "region"]
    assert len(rows) == 20
    lines = lines_of(result)
    assert list(lines)[:5] == ["Records", "k", "Method", "Loss", "Written"]
    assert lines["Records"].startswith("20 in ")
    assert " groups of 5" in lines["Records"]
    assert lines["k"] == "5 asked for, 5 found by the independent check"
    assert lines["Method"].startswith("refined, which loses least")
    assert lines["Loss"].endswith(" % of the information")
    assert lines["Written"].startswith("safe.csv in ")
    note = "Note       kept columns are released as they are, and can still identify: region"
    assert note in result.stdout.splitlines()


def test_a_method_that_is_asked_for_is_told_without_a_reason(folder):
    lines = lines_of(microagg("protect", *SHORT, "-m", "vmdav(gamma=0.2)", "-o", "safe.csv"))
    assert lines["Method"] == "vmdav(gamma=0.2)"
    assert lines_of(microagg("protect", *SHORT, "-m", "mdav", "-o", "safe.csv"))["Method"] == "mdav"


def test_quiet_says_nothing_but_faults(folder):
    done = microagg("protect", *SHORT, "-o", "safe.csv", "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "safe.csv").exists()
    assert faults(*SHORT, "-o", "safe.txt", "--quiet")[0].startswith("safe.txt ends in .txt")


def test_a_dry_run_tells_all_and_writes_nothing(folder):
    for more in ([], ["-o", "safe.csv"], ["-o", "safe.csv", "--save-plan", "p.toml"]):
        result = microagg("protect", *SHORT, "--dry-run", *more)
        assert (result.exit_code, result.stderr) == (0, "")
        lines = lines_of(result)
        assert result.stdout.startswith("Dry run    nothing is written")
        assert lines["Records"] == "20"
        assert lines["Protected"] == "staff (integer), turnover (integer)"
        assert lines["Dropped"] == "the rest"
        assert lines["Method"].startswith("refined, which loses least")
        assert lines["Time"] == "about 1 s, and some seconds more on a machine where nothing is compiled yet"
        assert lines["Memory"].endswith(" MB")
        assert names_in(folder) == ["firms.csv"]


def test_a_dry_run_finds_the_faults_of_the_request(folder):
    assert faults("firms.csv", "-k", 1, "-q", "stuff", "--drop", "rest", "--dry-run") == [
        "k = 1 protects nobody: a group must hold at least 2 records",
        "there is no column 'stuff', named as quasi-identifier: did you mean 'staff'?",
    ]


def test_a_program_can_read_the_account(folder):
    account = told("protect", "firms.csv", "-k", 5, *EVERYTHING)
    assert {name: account[name] for name in ("records", "k")} == {"records": 20, "k": 5}
    assert account["groups"]["smallest"] == account["classes"]["smallest"] == 5
    assert account["groups"]["count"] == account["classes"]["count"] > 1
    assert account["method"]["name"] == "refined(mdav, iterations=1200)"
    assert account["method"]["choice"].startswith("refined, which loses least")
    assert set(account["loss"]["by_column"]) == {"staff", "turnover"}
    assert 0.0 < account["loss"]["percent"] < 100.0
    assert account["written"] == str((folder / "safe.csv").resolve())
    assert "kept columns are released as they are, and can still identify: region" in account["notes"]
    assert account["seconds"]["all"] >= sum(account["seconds"][stage] for stage in ("read", "write"))


def test_a_program_can_read_a_dry_run(folder):
    account = told("protect", *SHORT, "-m", "mdav", "--dry-run")
    assert account["dry_run"] is True
    assert account["kinds"] == {"staff": "integer", "turnover": "integer"}
    assert (account["records"], account["method"]["name"], account["written"]) == (20, "mdav", None)
    assert set(account["estimate"]) == {"seconds", "memory_bytes", "compiles"}


def test_names_are_given_in_one_option_or_several_and_may_hold_commas(folder):
    (folder / "odd.csv").write_text('"turnover, net",staff,größe,\n' + "1,2,3,4\n" * 4)
    several = ["-q", '"turnover, net"', "-q", "staff, größe", "--drop", "", "-o", "a.csv"]
    assert microagg("protect", "odd.csv", "-k", 2, *several).exit_code == 0
    assert (folder / "a.csv").read_text() == '"turnover, net",staff,größe\n' + "1,2,3\n" * 4
    found = faults("odd.csv", "-k", 2, "-q", '"turnover', "-o", "b.csv")
    assert found[0].startswith("cannot read the names '\"turnover': put a name that holds a comma")


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
        (
            ["firms.csv", "-k", 3, "-q", "", "--drop", "rest", "-o", "a.csv"],
            ["there is no column '', named as "],
        ),
        (
            ["firms.csv"],
            [
                "it is not said where to write: give -o, or --dry-run to write nothing",
                "k is not said: give it, or a plan",
                "which columns are quasi-identifiers is not said: give it, or a plan",
            ],
        ),
        (
            ["firms.csv", "-k", 1, "-q", "Staff", "--keep", "regoin", "-m", "x(", "--kind", "staff"],
            [
                "--kind 'staff': expected NAME=KIND",
                "it is not said where to write: give -o, ",
                "k = 1 protects nobody: a group must hold at least 2 records",
                "cannot read the method 'x(': expected a name, or name(option=value, ...)",
                "there is no column 'Staff', named as quasi-identifier: did you mean 'staff'?",
                "there is no column 'regoin', named as kept: did you mean 'region'?",
                "no role for 'id', 'name', 'staff', 'turnover', 'region': keep or drop each by name, ",
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
        ("a,b\n1,2\n3\n", "t.csv: row 3 (the header is row 1) has 1 value(s), the header has 2"),
    ],
    ids=["empty", "no records", "twins", "infinite", "ragged"],
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


def test_names_that_the_terminal_has_no_letters_for_do_no_harm(folder):
    (folder / "t.csv").write_text("a,数量\n1,2\n3,4\n", encoding="utf-8")
    arguments = ["protect", "t.csv", "-k", 2, "-q", "a", "--keep", "数量", "-o", "safe.csv"]
    result = command(*arguments, env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert (result.returncode, result.stderr) == (0, "")
    assert r"can still identify: \u6570\u91cf" in result.stdout
