"""`microagg evaluate`: what is printed, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from microagg.cli.printed import as_json
from tests.unit.cli.running import microagg

SURVEY = "id,name,staff,turnover,region\n" + "".join(
    f"{row},firm {row},{row % 7},{row * 10 + row % 3},north\n" for row in range(1, 61)
)

SAFE = ["-k", "4", "-q", "staff,turnover", "--drop", "id,name", "--keep", "rest", "-m", "mdav", "--quiet"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firms.csv").write_text(SURVEY)
    assert microagg("protect", "firms.csv", *SAFE, "-o", "safe.csv").exit_code == 0


def test_the_figures_are_told():
    done = microagg(
        "evaluate", "firms.csv", "safe.csv", "-k", "4", "-q", "staff,turnover", "--sensitive", "region"
    )
    assert (done.exit_code, done.stderr) == (0, "")
    titles = [line.split()[0] for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert titles[:7] == ["Records", "k", "Loss", "Linkage", "Intervals", "Patterns", "Sensitive"]
    assert "4 found, 4 asked for" in done.stdout
    assert "region: 100.0 % of the classes give it away" in done.stdout


def test_json_holds_every_figure_and_nothing_of_single_records():
    done = microagg(
        "evaluate", "firms.csv", "safe.csv", "-q", "staff,turnover", "--model", "turnover", "--json"
    )
    found = json.loads(done.stdout)
    assert found["loss"]["by_column"]["staff"]["kind"] == "integer"
    assert found["loss"]["models"][0]["predictors"] == ["staff"]
    assert "by_record" not in found["risk"]["linkage"]
    assert 0 < found["risk"]["linkage"]["released_to_original"] <= 1


def test_dates_are_told_as_dates():
    days = [f"2021-0{1 + row % 9}-1{row % 7}" for row in range(12)]
    for name, told in (("a.csv", days), ("b.csv", days[:6] + ["2021-03-05"] * 6)):
        Path(name).write_text("day,x\n" + "".join(f"{day},{row}\n" for row, day in enumerate(told)))
    done = microagg("evaluate", "a.csv", "b.csv", "-q", "day")
    assert re.search(r"\nday +date .* 2021-0\d-\d\d  2021-0\d-\d\d\n", done.stdout)
    found = json.loads(microagg("evaluate", "a.csv", "b.csv", "-q", "day", "--json").stdout)
    told = found["loss"]["by_column"]["day"]
    assert re.fullmatch(r"2021-0\d-\d\d", told["mean"]["before"])
    assert set(told["quantiles"]["0.5"]) == {"before", "after", "days"}


def test_a_loss_of_more_than_all_is_explained_and_short():
    safe = Path("safe.csv").read_text().splitlines()
    for factor, told in ((1, "% of the information"), (-1, "than if all records were alike"), (1e40, "e+")):
        rows = (line.split(",") for line in safe[1:])
        text = "".join(f"{float(row[0]) * factor},{row[1]},{row[2]}\n" for row in rows)
        Path("far.csv").write_text(f"{safe[0]}\n{text}")
        done = microagg(
            "evaluate", "firms.csv", "far.csv", "-q", "staff,turnover", "--kind", "staff=continuous"
        )
        assert done.stderr == ""
        (line,) = (line for line in done.stdout.splitlines() if line.startswith("Loss"))
        assert told in line
        assert max(map(len, done.stdout.splitlines())) < 250


def test_a_release_too_far_out_is_refused():
    text = Path("safe.csv").read_text().splitlines()
    Path("far.csv").write_text("\n".join([text[0], *(f"{row}e250,1,north" for row in range(60))]))
    done = microagg("evaluate", "firms.csv", "far.csv", "-q", "staff", "--kind", "staff=continuous", "--json")
    assert done.exit_code == 2
    assert "are the units the same?" in json.loads(done.stdout or done.stderr)["faults"][0]


def test_json_never_holds_what_is_no_number():
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"loss": float("inf")})


def test_reports_are_written_on_the_way():
    done = microagg(
        "evaluate",
        "firms.csv",
        "safe.csv",
        "--report",
        "all.html",
        "--external-report",
        "public.html",
        "--quiet",
    )
    assert (done.exit_code, done.output) == (0, "")
    assert "microagg evaluate firms.csv safe.csv" in Path("all.html").read_text()
    assert "firms.csv" not in Path("public.html").read_text()


def test_protect_writes_reports_beside_the_release():
    done = microagg(
        "protect", "firms.csv", *SAFE, "-o", "safe.csv", "--report", "r.html", "--external-report", "e.html"
    )
    assert done.exit_code == 0
    assert "--plan plan.toml" in Path("r.html").read_text()
    assert Path("e.html").read_text() != Path("r.html").read_text()


def test_all_faults_are_told_at_once_and_nothing_is_written():
    done = microagg(
        "evaluate", "firms.csv", "safe.csv", "-q", "staf", "--match-by", "key", "--report", "safe.csv"
    )
    assert done.exit_code == 2
    told = done.stderr.splitlines()
    assert told[0] == "safe.csv is asked for twice, or read: choose another name"
    assert "the original: there is no column 'staf', named as quasi-identifier: did you mean 'staff'?" in told
    assert len(told) == 5
