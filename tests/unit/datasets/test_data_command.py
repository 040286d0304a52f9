"""`microagg data`: writes a set, never over a file unless told, and ends with an honest code."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from microagg.datasets import business_survey, clustered, load_reference, tree_dependent, vector, write_csv
from microagg.datasets.catalogue import catalogue, table_of
from tests.unit.cli.running import command, faults, microagg, names_in
from tests.unit.datasets.towns import TOWNS, put_csv, put_rda

EXAMPLE = Path(__file__).parents[3] / "examples" / "business_survey.csv"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firms.csv").write_text("mine\n")
    return tmp_path


def test_the_survey_is_written_as_asked(folder):
    options = ["--records", 50, "--seed", 3, "--missing", 0.1]
    result = microagg("data", "business_survey", "new.csv", *options)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "wrote new.csv\n", "")
    write_csv(business_survey(50, seed=3, missing=0.1), "expected.csv")
    assert (folder / "new.csv").read_bytes() == (folder / "expected.csv").read_bytes()


def test_without_options_it_writes_the_shipped_example(folder):
    done = command("data", "business_survey", "new.csv", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "new.csv").read_bytes() == EXAMPLE.read_bytes()


def test_matrices_get_names_for_their_columns(folder):
    assert (
        microagg("data", "clustered", "new.csv", "--records", 60, "--columns", 3, "--seed", 2).exit_code == 0
    )
    with (folder / "new.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["x1", "x2", "x3"]
    assert np.array_equal(np.array(rows, dtype=float), clustered(60, 3, seed=2))


def test_every_set_is_listed_with_its_options(folder):
    result = microagg("data", "--list")
    assert (result.exit_code, result.stderr) == (0, "")
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["Name", "Records", "What", "it", "is", "Options"]
    assert [row.split()[0] for row in rows] == list(catalogue())
    assert any(row.startswith("census") and "1,080" in row and row.endswith("--folder") for row in rows)


@pytest.mark.parametrize(
    "name", [name for name, entry in catalogue().items() if "folder" not in entry.options]
)
def test_every_drawn_set_has_the_records_that_are_listed(name):
    columns = table_of(name, {}).values()
    assert {len(column) for column in columns} == {catalogue()[name].records}


def test_sets_are_those_of_the_library():
    assert np.array_equal(table_of("tree_dependent", {"seed": 1})["x2"], tree_dependent(seed=1).X[:, 1])
    assert np.array_equal(table_of("normal", {"records": 9})["x1"], vector("normal", 9))


def test_a_reference_set_is_written_whole(folder):
    put_rda(folder)
    assert microagg("data", "towns", "out.csv", "--folder", folder).exit_code == 0
    put_csv(folder / "expected", TOWNS)
    assert (folder / "out.csv").read_bytes() == (folder / "expected" / "towns.csv").read_bytes()
    assert load_reference("towns", folder).table.keys() == table_of("towns", {"folder": folder}).keys()


def test_a_file_that_is_there_is_left_as_it_is_unless_told(folder):
    assert faults("toy", "firms.csv", command="data") == [
        "firms.csv exists and is left as it is: choose another name, or --overwrite it"
    ]
    assert microagg("data", "toy", "firms.csv", "--overwrite").exit_code == 0
    assert (folder / "firms.csv").read_text().startswith("x1,x2\n2.4,3.0\n")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([], ["it is not said what to write: expected microagg data NAME OUT, or --list"]),
        (["toy"], ["it is not said what to write: "]),
        (
            ["iris", "out.txt"],
            [
                "out.txt ends in .txt: a CSV file is written, ",
                "there is no set 'iris': there are business_survey, ",
            ],
        ),
        (
            ["toy", "out.csv", "--seed", 1, "--columns", 2],
            ["toy has no columns: leave ", "toy has no seed: "],
        ),
        (["business_survey", "out.csv", "--seed", -1], ["expected seed to be a whole number"]),
        (["business_survey", "out.csv", "--records", 0], ["expected n to be a whole number"]),
        (["business_survey", "out.csv", "--missing", 1], ["expected missing to be a share"]),
        (["toy", "no/out.csv"], ["no/out.csv cannot be written: there is no folder no"]),
        (["towns", "out.csv", "--folder", "nowhere"], ["there is no folder nowhere"]),
    ],
)
def test_a_fault_is_a_message_and_nothing_is_written(folder, asked, expected):
    found = faults(*asked, command="data")
    assert [message[: len(start)] for message, start in zip(found, expected, strict=True)] == expected
    assert names_in(folder) == ["firms.csv"]


def test_a_reference_set_that_is_not_to_be_had_is_told(folder, monkeypatch, nobody_there):
    monkeypatch.setenv("MICROAGG_REFERENCE_ADDRESS", nobody_there)
    result = microagg("data", "towns", "out.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the reference set towns is not on this machine and was not fetched" in result.stderr
    assert names_in(folder) == ["firms.csv"]
