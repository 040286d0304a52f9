"""`python -m microagg.datasets`: writes a set, never over a file, and ends with an honest status."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from microagg.datasets import __main__ as command
from microagg.datasets import business_survey, write_csv
from tests.unit.datasets.towns import TOWNS, put_csv, put_rda

EXAMPLE = Path(__file__).parents[3] / "examples" / "business_survey.csv"


def test_the_survey_is_written_as_asked(tmp_path, capsys):
    path = tmp_path / "firms.csv"
    options = ["--records", "50", "--seed", "3", "--missing", "0.1"]
    assert command.main(["business_survey", *options, str(path)]) == 0
    write_csv(business_survey(50, seed=3, missing=0.1), tmp_path / "expected.csv")
    assert path.read_bytes() == (tmp_path / "expected.csv").read_bytes()
    assert capsys.readouterr() == ("", f"wrote {path}\n")


def test_as_a_module_it_writes_the_shipped_example(tmp_path):
    asked = [sys.executable, "-m", "microagg.datasets", "business_survey", "firms.csv"]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "wrote firms.csv\n")
    assert (tmp_path / "firms.csv").read_bytes() == EXAMPLE.read_bytes()


def test_a_reference_set_is_written_whole(tmp_path):
    put_rda(tmp_path)
    assert command.main(["towns", "--folder", str(tmp_path), str(tmp_path / "out.csv")]) == 0
    put_csv(tmp_path / "expected", TOWNS)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "expected" / "towns.csv").read_bytes()


def test_a_file_that_is_there_is_left_as_it_is(tmp_path, capsys):
    path = tmp_path / "firms.csv"
    path.write_text("mine")
    assert command.main(["business_survey", str(path)]) == 2
    assert path.read_text() == "mine"
    assert capsys.readouterr() == ("", f"error: {path} exists and is left as it is: choose another name\n")


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        (["business_survey", "--seed", "-1", "out.csv"], "error: expected seed to be a whole number"),
        (["business_survey", "--records", "0", "out.csv"], "error: expected n to be a whole number"),
        (["business_survey", "--missing", "1", "out.csv"], "error: expected missing to be a share"),
        (
            ["business_survey", "nowhere/out.csv"],
            "error: nowhere/out.csv cannot be written: there is no folder",
        ),
        (["towns", "--folder", "nowhere", "out.csv"], "error: there is no folder nowhere"),
        (["towns", "out.csv"], "error: the reference set towns is not on this machine and was not fetched"),
    ],
)
def test_a_fault_is_a_message_and_status_2_and_nothing_is_written(
    monkeypatch, nobody_there, tmp_path, capsys, asked, fault
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MICROAGG_REFERENCE_ADDRESS", nobody_there)
    assert command.main(asked) == 2
    assert fault in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "asked", [[], ["iris", "out.csv"], ["business_survey"], ["business_survey", "--records", "x", "o"]]
)
def test_what_is_not_understood_ends_with_status_2(asked, capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(asked)
    assert "usage: python -m microagg.datasets" in capsys.readouterr().err
