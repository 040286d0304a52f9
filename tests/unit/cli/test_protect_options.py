"""Every option of `microagg protect` arrives where it means something."""

from __future__ import annotations

import json
import re
import sqlite3

import pytest

from microagg import fingerprint
from microagg.plan import Plan
from tests.unit.cli.running import faults, microagg, names_in, told

PEOPLE = "id,age,size,day,mass,town,who\n" + "".join(
    f"{row},{row or ''},{('small', 'medium', 'large')[row % 3]},"
    f"2024-01-{row % 28 + 1:02},{1 + row % 3},{'ab'[row // 20]},{row // 2}\n"
    for row in range(40)
)
BASE = ["people.csv", "-k", 3, "-q", "age,size", "--drop", "rest", "-o", "safe.csv"]


@pytest.fixture
def people(folder):
    (folder / "people.csv").write_text(PEOPLE)
    return folder


def planned(*arguments):
    """Return the plan that a command saves, and what it tells."""
    account = told("protect", *arguments, "--save-plan", "said.toml")
    return Plan.load("said.toml"), account


@pytest.mark.parametrize(
    ("said", "name", "expected"),
    [
        (["--keep", "day"], "keep", ("day",)),
        (["--sensitive", "day,town"], "sensitive", ("day", "town")),
        (["--weight", "mass"], "weight", "mass"),
        (["--weight", "mass", "--weight-release", "keep"], "weight_release", "keep"),
        (["--strata", "town"], "strata", ("town",)),
        (["--strata", "town", "--small-strata", "merge"], "small_strata", "merge"),
        (["--entity", "who"], "entity", "who"),
        (["--entity", "who", "--link-entities"], "link_entities", True),
        (
            ["--kind", "age=continuous", "--kind", "size=nominal"],
            "kinds",
            {"age": "continuous", "size": "nominal"},
        ),
        (["--order", "size=small<medium<large"], "orders", {"size": ("small", "medium", "large")}),
        (["--centre", "age=trimmed mean"], "centres", {"age": "trimmed mean"}),
        (["--importance", "age=2", "--importance", "size=0.5"], "importance", {"age": 2.0, "size": 0.5}),
        (["--scale", "robust"], "scale", "robust"),
        (["--missing", "shared"], "missing", "shared"),
        (["-m", "vmdav(gamma=0.2)"], "method", "vmdav(gamma=0.2)"),
        (["--budget", "5.5"], "budget", 5.5),
        (["--seed", "7"], "seed", 7),
    ],
)
def test_what_is_said_is_in_the_plan(people, said, name, expected):
    plan, _ = planned(*BASE, *said)
    assert getattr(plan, name) == expected


def test_edits_are_looked_after(people):
    table = "a,b,total\n" + "".join(f"{row},{row % 5},{row + row % 5}\n" for row in range(20))
    (people / "sums.csv").write_text(table)
    plan, _ = planned(
        "sums.csv",
        "-k",
        3,
        "-q",
        "a,b,total",
        "--edit",
        "total = a + b",
        "--edit",
        "total >= a",
        "-o",
        "safe.csv",
    )
    assert plan.edits == ("total = a + b", "total >= a")
    (message,) = faults(
        "sums.csv", "-k", 3, "-q", "a,b", "--drop", "rest", "--edit", "total ~ a", "-o", "b.csv"
    )
    assert "total ~ a" in message


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["--kind", "age"], "--kind 'age': expected NAME=KIND"),
        (["--kind", "age=integer", "--kind", "age=date"], "--kind names column 'age' twice: name it once"),
        (["--kind", "age=whole"], "the kind of column 'age', 'whole' is not known: there are continuous, "),
        (["--order", 'size="small<large'], "--order 'size=\"small<large': expected NAME=A<B<C, found "),
        (["--centre", "size=mean"], "column 'size' is nominal, which has no mean: choose mode"),
        (["--importance", "age=much"], "--importance 'age=much': expected NAME=NUMBER, found 'much'"),
        (["--scale", "zcore"], "scale 'zcore' is not known: did you mean 'zscore'?"),
        (["--missing", "err"], "missing 'err' is not known: did you mean 'error'?"),
        (["--missing", "error"], "column 'age' has a missing value in row 2 (the header is row 1): "),
        (["--missing", "own-group"], "only 1 record(s) have 'age' missing, "),
        (["--budget", "0"], "the budget must be a number of seconds above 0, found 0.0"),
        (["--seed", "-1"], "the seed must be a whole number from 0, found -1"),
        (["--key", "key"], "--key is for the fingerprints in an account: give --account too"),
        (["--account", "people.csv"], "people.csv is asked for twice, or read: choose another name"),
        (["--account", "no/a.json"], "no/a.json cannot be written: there is no folder no"),
        (["--save-plan", "."], ". is a folder: expected a file"),
        (["--to-table", "safe"], "safe.csv is CSV, which has no table: leave that option out"),
        (["--sheet", "1"], "people.csv is CSV, which has no sheet: leave that option out"),
        (["--plan", "none.toml"], "none.toml cannot be read: No such file or directory"),
    ],
)
def test_what_makes_no_sense_is_a_fault(people, said, expected):
    assert any(message.startswith(expected) for message in faults(*BASE, *said))


def test_names_before_the_sign_may_hold_any_letter(people):
    (people / "odd.csv").write_text('a=b,"c"\n' + "1,2\n" * 4)
    plan, _ = planned(
        "odd.csv",
        "-k",
        2,
        "-q",
        "a=b,c",
        "--kind",
        '"a=b" = continuous',
        "--kind",
        "c=integer",
        "-o",
        "safe.csv",
    )
    assert plan.kinds == {"a=b": "continuous", "c": "integer"}


def test_options_beside_a_plan_count_more(people):
    first, _ = planned(*BASE, "--kind", "age=continuous", "--importance", "size=2", "--scale", "range")
    beside = [
        "--plan",
        "said.toml",
        "-k",
        4,
        "--kind",
        "size=nominal",
        "--importance",
        "size=3",
        "--keep",
        "rest",
    ]
    account = told("protect", "people.csv", *beside, "-o", "safe.csv", "--save-plan", "new.toml")
    second = Plan.load("new.toml")
    assert account["k"] == second.k == 4
    assert (first.drop, second.drop, second.keep) == ("rest", (), "rest")
    assert second.kinds == {"age": "continuous", "size": "nominal"}
    assert second.importance == {"size": 3.0}
    assert (second.scale, second.quasi_identifiers) == ("range", first.quasi_identifiers)


def test_a_saved_plan_says_all_that_is_needed(people):
    told("protect", *BASE, "--save-plan", "said.toml")
    again = microagg("protect", "people.csv", "--plan", "said.toml", "-o", "again.csv")
    assert (again.exit_code, again.stderr) == (0, "")
    assert (people / "again.csv").read_bytes() == (people / "safe.csv").read_bytes()
    assert faults("people.csv", "--plan", "said.toml", "-o", "b.csv", "--save-plan", "said.toml") == [
        "said.toml is asked for twice, or read: choose another name"
    ]


def test_an_account_is_saved_with_its_key(people):
    asked = ["protect", *BASE, "--account", "account.json"]
    assert microagg(*asked, "--key", "key").exit_code == 0
    account = json.loads((people / "account.json").read_text())
    assert account["plan"]["k"] == 3
    assert fingerprint("people.csv", key="key") in account["fingerprints"].values()
    (people / "key").unlink()
    assert microagg(*asked).exit_code == 0
    assert names_in(people) == ["account.json", "firms.csv", "people.csv", "safe.csv"]
    assert faults(*BASE, "--account", "a.json", "--key", "a.json") == [
        "a.json is asked for twice, or read: choose another name"
    ]


def test_a_csv_file_is_read_as_its_owner_writes_it(people):
    text = "größe;preis\n" + "".join(f"{row};1.0{row:02},5\n" for row in range(10))
    (people / "german.csv").write_bytes(text.encode("cp1252"))
    said = ["--delimiter", ";", "--encoding", "cp1252", "--decimal", ",", "--thousands", "."]
    account = told("protect", "german.csv", "-k", 10, "-q", "größe,preis", *said, "-o", "safe.parquet")
    assert account["records"] == 10
    checked = told("check", "safe.parquet", "-k", 10, "-q", "preis")
    assert checked["classes"] == {"count": 1, "smallest": 10, "largest": 10}


def test_databases_are_read_and_written(people):
    pytest.importorskip("adbc_driver_sqlite")
    with sqlite3.connect("firms.sqlite") as connection:
        connection.execute("CREATE TABLE firms (staff INTEGER, town TEXT)")
        connection.executemany("INSERT INTO firms VALUES (?, ?)", [(row, "x") for row in range(12)])
    connection.close()
    base = ["protect", "firms.sqlite", "-k", 3, "-q", "staff", "--drop", "rest", "-o"]
    table = told(*base, "safe.sqlite", "--table", "firms", "--to-table", "safe")
    assert table["written"] == "safe.sqlite#safe"
    query = told(*base, "safe.csv", "--query", "SELECT * FROM firms WHERE staff < 9")
    assert (table["records"], query["records"]) == (12, 9)
    again = [*base[1:], "safe.sqlite", "--table", "firms", "--to-table", "safe"]
    assert "has a table 'safe' already: name another, or overwrite it" in faults(*again)[0]
    result = microagg("protect", *again, "--overwrite")
    assert "Written    safe.sqlite#safe in " in result.stdout
    assert names_in(people) == ["firms.csv", "firms.sqlite", "people.csv", "safe.csv", "safe.sqlite"]


def test_a_sheet_is_named(people):
    writer = pytest.importorskip("xlsxwriter")
    pytest.importorskip("python_calamine")
    with writer.Workbook("book.xlsx") as book:
        for name, rows in (("cover", 1), ("firms", 6)):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["staff"])
            for row in range(rows):
                sheet.write_row(row + 1, 0, [row])
    asked = ["protect", "book.xlsx", "--sheet", "firms", "-k", 3, "-q", "staff", "-o", "safe.csv"]
    assert told(*asked)["records"] == 6


def test_the_work_may_be_done_on_disk(people):
    (people / "elsewhere").mkdir()
    asked = [*BASE, "-m", "blocked(mdav, max_leaf=10)", "--engine"]
    in_memory = told("protect", *asked, "memory")
    released = (people / "safe.csv").read_bytes()
    on_disk = told("protect", *asked, "duckdb", "--memory-limit", "1GB", "--temporary", "elsewhere")
    assert (people / "safe.csv").read_bytes() == released
    assert on_disk["loss"] == in_memory["loss"]
    assert on_disk["groups"] is None
    assert list((people / "elsewhere").iterdir()) == []
    shown = microagg("protect", *asked, "duckdb")
    assert re.search(r"40 in \d+ classes of 3", shown.stdout)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["--engine", "disk"], "the engine 'disk' is not known: there are auto, memory, duckdb"),
        (["--engine", "duckdb", "--memory-limit", "a lot"], "the memory limit 'a lot' cannot be read"),
        (["--engine", "duckdb", "--dry-run"], "--dry-run looks at the table in memory"),
        (["--engine", "duckdb", "--strata", "town"], "strata are not yet done larger than memory"),
    ],
)
def test_what_cannot_be_done_on_disk_is_told(people, said, expected):
    assert any(expected in fault for fault in faults(*BASE, *said))
