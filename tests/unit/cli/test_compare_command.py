"""`microagg compare`: a table of candidates, and the plan that is chosen, written for `protect`."""

from __future__ import annotations

import json

import pytest

from microagg.cli.asked import methods, whole_numbers
from microagg.errors import InputError
from microagg.plan import Plan
from tests.unit.cli.running import SURVEY, faults, microagg, names_in, on_a_terminal, told

SHORT = ["firms.csv", "-q", "staff,turnover", "--drop", "rest"]


def test_candidates_are_shown_as_a_table(folder):
    result = microagg("compare", *SHORT, "--methods", "mdav,vmdav(gamma=0.2)", "--k", "3,5")
    assert (result.exit_code, result.stderr) == (0, "")
    heads, *rows = [line.split() for line in result.stdout.partition("\n\n")[0].splitlines()]
    assert heads == ["method", "k", "loss", "%", "linked", "%", "smallest", "class", "dominated", "time"]
    assert [row[:2] for row in rows] == [
        ["mdav", "3"],
        ["mdav", "5"],
        ["vmdav(gamma=0.2)", "3"],
        ["vmdav(gamma=0.2)", "5"],
    ]
    assert all(row[7] == "s" for row in rows)
    assert "frontier" in result.stdout
    assert "Choice     none is chosen: state the most that may be lost" in result.stdout
    assert names_in(folder) == ["firms.csv"]


def test_the_plan_that_is_chosen_is_written_and_can_be_carried_out(folder):
    asked = ["-m", "mdav,refined(mdav, iterations=100)", "-k", "3", "-k", "5,7"]
    result = microagg("compare", *SHORT, *asked, "--loss-at-most", 30, "-o", "chosen.toml")
    assert (result.exit_code, result.stderr) == (0, "")
    (row,) = [line for line in result.stdout.splitlines() if line.endswith("  chosen")]
    plan = Plan.load("chosen.toml")
    assert row.startswith(plan.method)
    assert f" {plan.k} " in row
    assert "Written    chosen.toml" in result.stdout
    assert "Next       microagg protect FILE --plan chosen.toml -o OUT" in result.stdout
    loss = told("protect", "firms.csv", "--plan", "chosen.toml", "-o", "safe.csv")["loss"]["percent"]
    assert f" {loss:.2f} " in row


def test_ceilings_of_risk(folder):
    found = told("compare", *SHORT, "-m", "mdav", "-k", "3,5,9", "--risk-at-most", 0.3)
    within = [of for of in found["candidates"] if of["linked"] <= 0.3]
    best = min(within, key=lambda of: of["loss_percent"])
    assert found["chosen"] == {"method": best["method"], "k": best["k"]}
    assert [of["chosen"] for of in found["candidates"]] == [of is best for of in found["candidates"]]
    assert found["reason"].startswith("mdav with k = ")


def test_json_tells_every_figure(folder):
    found = told("compare", *SHORT, "--sensitive", "region", "-m", "mdav,optimal", "-k", "4")
    first, second = found["candidates"]
    assert {name: type(value) for name, value in first.items()} == {
        "method": str,
        "k": int,
        "loss_percent": float,
        "linked": float,
        "smallest_class": int,
        "given_away": float,
        "dominated_classes": int,
        "seconds": float,
        "on_frontier": bool,
        "chosen": bool,
        "fault": type(None),
    }
    assert first["given_away"] == 1.0
    assert second["fault"].startswith("20 records are too many")
    assert {second[name] for name in ("loss_percent", "linked", "seconds")} == {None}
    assert found["chosen"] is None


@pytest.mark.parametrize("more", [[], ["-o", "chosen.toml"]])
def test_where_none_keeps_to_the_ceilings_the_exit_code_tells(folder, more):
    result = microagg("compare", *SHORT, "-m", "mdav", "-k", "3,5", "--loss-at-most", 0.01, *more)
    assert (result.exit_code, result.stderr) == (5, "")
    assert (
        "Choice     none keeps to a loss of at most 0.01 %; the nearest is mdav with k = 3" in result.stdout
    )
    assert "Written" not in result.stdout
    assert names_in(folder) == ["firms.csv"]


def test_what_cannot_be_made_is_told_below_the_table(folder):
    result = microagg("compare", *SHORT, "-m", "optimal", "-k", "3,5", "--picture", "map.svg")
    assert result.exit_code == 5
    assert result.stdout.count("cannot be made") == 2
    assert "Choice     none is chosen: no candidate could be made" in result.stdout
    assert "Fault      optimal with k = 3, 5: 20 records are too many" in result.stdout
    assert names_in(folder) == ["firms.csv"]


@pytest.mark.parametrize("name", ["map.svg", "map.html"])
def test_the_picture_is_drawn(folder, name):
    result = microagg("compare", *SHORT, "-m", "mdav", "-k", "3,5", "--picture", name)
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"Picture    {name}" in result.stdout
    assert "Risk-utility map" in (folder / name).read_text("utf-8")


def test_quiet_prints_nothing(folder):
    result = microagg(
        "compare", *SHORT, "-m", "mdav", "-k", 3, "--risk-at-most", 1, "-o", "p.toml", "--quiet"
    )
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert Plan.load("p.toml").k == 3


def test_a_plan_can_say_all_but_method_and_k(folder):
    (folder / "plan.toml").write_text('rest = "drop"\n[columns.staff]\nrole = "quasi-identifier"\n')
    found = told("compare", "firms.csv", "--plan", "plan.toml", "-m", "mdav", "-k", "4")
    assert [of["k"] for of in found["candidates"]] == [4]
    found = told("compare", "firms.csv", "--plan", "plan.toml", "-m", "mdav", "-k", "4", "-q", "turnover")
    assert found["candidates"][0]["loss_percent"] > 0.0


def test_without_methods_and_k_the_usual_ones_are_tried(folder):
    (folder / "firms.csv").write_text("\n".join(SURVEY.splitlines()[:9]))
    found = told("compare", "firms.csv", "-q", "staff", "--drop", "rest")
    assert [(of["method"], of["k"]) for of in found["candidates"]] == [
        (method, k) for method in ("mdav", "vmdav", "refined") for k in (3, 5, 10, 20)
    ]
    assert [of["fault"] is None for of in found["candidates"]] == [True, True, False, False] * 3


def test_all_faults_come_at_once(folder):
    (folder / "there.toml").write_text("mine")
    asked = [
        "firms.csv",
        "-q",
        "stuff",
        "--drop",
        "rest",
        "--kind",
        "staff",
        "-m",
        "mdav,,mdaw",
        "-k",
        "3,x,1",
    ]
    assert faults(*asked, "-o", "there.toml", "--picture", "map.png", command="compare") == [
        "-k: expected whole numbers, found 'x'",
        "--kind 'staff': expected NAME=KIND",
        "there.toml exists and is left as it is: choose another name, or --overwrite it",
        "-o writes the plan that is chosen: state --loss-at-most or --risk-at-most",
        "map.png ends in .png: a picture is .svg, or a page .html",
        "cannot read the method '': expected a name, or name(option=value, ...)",
        "there is no method 'mdaw': "
        "the methods are blocked, genetic, mdav, optimal, refined, selected, univariate, vmdav",
        "there is no column 'stuff', named as quasi-identifier: did you mean 'staff'?",
    ]


def test_faults_of_the_data_are_told_without_any_of_the_command(folder):
    (fault,) = faults("firms.csv", "-q", "staff", "-k", "3", command="compare")
    assert fault.startswith("no role for 'id', 'name', 'turnover', 'region'")
    (fault,) = faults("firms.csv", "--plan", "no.toml", command="compare")
    assert fault.startswith("no.toml cannot be read")


@pytest.mark.parametrize("name", ["firms.csv", "plan.toml"])
def test_nothing_that_is_read_is_written_over(folder, name):
    Plan(3, ("staff",), drop="rest").save("plan.toml")
    asked = ["firms.csv", "--plan", "plan.toml", "--risk-at-most", 1, "--overwrite", "-o", name]
    assert faults(*asked, command="compare") == [f"{name} is asked for twice, or read: choose another name"]


def test_a_plan_is_written_over_if_that_is_said(folder):
    (folder / "plan.toml").write_text("mine")
    asked = ["-m", "mdav", "-k", 3, "--risk-at-most", 1, "-o", "plan.toml", "--overwrite"]
    assert microagg("compare", *SHORT, *asked).exit_code == 0
    assert Plan.load("plan.toml").method == "mdav"


def test_what_could_not_be_written_in_the_end_is_told_after_the_table(folder, monkeypatch):
    def fail(*_):
        raise InputError("map.svg cannot be written: no space left")

    monkeypatch.setattr("microagg.run.comparison.Comparison.save_picture", fail)
    result = microagg("compare", *SHORT, "-m", "mdav", "-k", 3, "--picture", "map.svg", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["candidates"]
    assert json.loads(result.stderr)["faults"] == ["map.svg cannot be written: no space left"]


def test_a_person_sees_how_far_it_has_come(tmp_path):
    (tmp_path / "firms.csv").write_text(SURVEY)
    asked = ["-q", "staff,turnover", "--drop", "rest", "-m", "refined(mdav, iterations=9999)", "-k", "3,4"]
    program = (
        "import sys, microagg.cli.progress as progress\n"
        "progress.PATIENCE = 0.0\n"
        f"sys.argv = {['microagg', 'compare', str(tmp_path / 'firms.csv'), *asked]!r}\n"
        "from microagg.cli import main; main()"
    )
    assert "Comparing" in on_a_terminal(program)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mdav", ["mdav"]),
        ("mdav, vmdav(gamma=0.2)", ["mdav", "vmdav(gamma=0.2)"]),
        ("refined(vmdav(gamma=0.2), iterations=9),mdav", ["refined(vmdav(gamma=0.2), iterations=9)", "mdav"]),
        ("mdav,", ["mdav", ""]),
        ("refined(mdav", ["refined(mdav"]),
        ("mdav),vmdav", ["mdav)", "vmdav"]),
        ("x(a=[1,2]),y", ["x(a=[1,2])", "y"]),
    ],
)
def test_methods_are_parted_outside_of_brackets(text, found):
    assert methods([text]) == found


def test_what_is_no_whole_number_is_told():
    assert whole_numbers("-k", ["3, 5", "-1"]) == [3, 5, -1]
    with pytest.raises(InputError) as caught:
        whole_numbers("-k", ["3.0,five", ""])
    assert caught.value.faults == (
        "-k: expected whole numbers, found '3.0'",
        "-k: expected whole numbers, found 'five'",
        "-k: expected whole numbers, found ''",
    )
