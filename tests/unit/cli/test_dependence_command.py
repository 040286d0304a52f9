"""`microagg dependence`: what is printed and drawn, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from microagg.datasets import correlated, write_csv
from tests.unit.cli.running import faults, microagg, told


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = correlated(200, 5, noise=0.4)
    columns = {f"column {at}": X[:, at].round(3) for at in range(5)}
    write_csv({**columns, "name": [f"firm {row}" for row in range(200)]}, tmp_path / "firms.csv")


def test_edges_degrees_and_possibilities_are_told():
    done = microagg("dependence", "firms.csv", "-n", "2", "-k", "4")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["column", "and", "emim"]
    heads = [line for line in lines if line.startswith(("column  ", "grouped by"))]
    assert len(heads) == 3
    titles = [line.split("  ")[0].strip() for line in lines[-4:]]
    assert titles[-3:] == ["Choice", "Cost", "Left out"]
    assert "at k = 4 " in done.stdout
    assert lines[-1].endswith("name")


def test_json_holds_the_tree_and_each_possibility():
    found = told("dependence", "firms.csv", "--weights", "correlation", "-n", "2")
    assert found["measure"] == "correlation"
    assert len(found["edges"]) == 4
    assert sum(found["degrees"].values()) == 8
    assert found["left_out"] == ["name"]
    assert set(found["possibilities"][0]) == {"columns", "loss", "linked"}


def test_a_width_for_all_or_for_each_is_taken():
    one = told("dependence", "firms.csv", "-q", "column 0,column 1", "-n", "1", "--width", "0.5")
    two = told(
        "dependence", "firms.csv", "-q", "column 0,column 1", "-n", "1",
        "--width", "column 0=0.5", "--width", "column 1=0.25",
    )  # fmt: skip
    assert one["classes"][0] == two["classes"][0]
    assert two["classes"][1] > 1.8 * one["classes"][1]
    fewer = told("dependence", "firms.csv", "-q", "column 0,column 1", "-n", "1", "--classes", "4")
    assert fewer["classes"] == [4, 4]


def test_the_tree_is_drawn():
    done = microagg("dependence", "firms.csv", "--picture", "tree.svg", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    assert Path("tree.svg").read_text().count('class="column chosen"') == 3


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-q", "column 0"], ["a tree needs at least two columns, found 1: there is nothing to choose from"]),
        (["--picture", "tree.png"], ["tree.png ends in .png: a picture is .svg"]),
        (["--width", "wide"], ["--width: expected a number or NAME=NUMBER, found 'wide'"]),
        (["-n", "9"], ["expected a number of variables from 1 to 5, found 9"]),
        (["--weights", "x"], ["there is no measure 'x': choose emim, chi2, correlation"]),
        (["-k", "1"], ["k = 1 protects nobody: a group must hold at least 2 records"]),
        (["--classes", "1"], ['classes must be "auto" or a whole number from 2: found 1']),
    ],
)
def test_what_is_wrong_is_told(arguments, expected):
    assert faults("firms.csv", *arguments, command="dependence") == expected


def test_two_columns_are_both_chosen():
    done = microagg("dependence", "firms.csv", "-q", "column 0,column 1", "--json")
    found = json.loads(done.stdout)
    assert found["possibilities"][0]["columns"] == ["column 0", "column 1"]
    assert found["complete"]


def test_faults_are_json_too():
    done = microagg("dependence", "none.csv", "--json")
    assert done.exit_code == 2
    assert json.loads(done.stderr)["error"] == "faults"
