"""`microagg plan`: shows what it proposes with the reasons, and writes it down once."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from microagg.errors import InputError
from microagg.plan import Plan
from tests.unit.cli.running import SURVEY, faults, microagg, names_in

REASONS = {"name": "nearly every record has its own", "staff": "whole numbers", "region": "few values"}


@pytest.fixture
def proposed(monkeypatch):
    """Stand in for the proposal with one whose answer is known, and give what it is asked."""
    asked = []

    def propose(data, k):
        asked.append((data, k))
        if k < 2:
            raise InputError("k is too small")
        plan = Plan(k, ("staff",), keep=("region",), drop=("name",), kinds={"staff": "integer"})
        return SimpleNamespace(plan=plan, reasons=REASONS)

    module = ModuleType("microagg.proposal")
    module.propose = propose
    monkeypatch.setitem(sys.modules, "microagg.proposal", module)
    return asked


def test_roles_kinds_and_reasons_are_shown_and_the_plan_is_written(folder, proposed):
    result = microagg("plan", "firms.csv")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "Column  Role               Kind     Reason",
        "name    direct identifier           nearly every record has its own",
        "staff   quasi-identifier   integer  whole numbers",
        "region  other                       few values",
        "",
        "Written    plan.toml",
        "Next       read it, then: microagg protect FILE --plan plan.toml -o OUT",
    ]
    assert Plan.load("plan.toml") == Plan(
        5, ("staff",), keep=("region",), drop=("name",), kinds={"staff": "integer"}
    )
    assert "# nearly every record has its own" in (folder / "plan.toml").read_text()


def test_the_table_is_read_as_its_owner_says(folder, proposed):
    said = ["--delimiter", ";", "--encoding", "cp1252", "-k", "3", "-o", "other.toml", "--quiet"]
    assert microagg("plan", "firms.csv", *said).stdout == ""
    ((source, k),) = proposed
    assert (source.place, source.delimiter, source.encoding, k) == ("firms.csv", ";", "cp1252", 3)
    assert names_in(folder) == ["firms.csv", "other.toml"]


def test_a_plan_that_is_there_is_left_as_it_is(folder, proposed):
    (folder / "plan.toml").write_text("mine")
    assert faults("firms.csv", "-k", 1, command="plan") == [
        "plan.toml exists and is left as it is: choose another name, or --overwrite it",
        "k is too small",
    ]
    assert microagg("plan", "firms.csv", "--overwrite").exit_code == 0
    assert Plan.load("plan.toml").k == 5


def test_the_table_itself_is_never_overwritten(folder, proposed):
    assert faults("firms.csv", "-o", "firms.csv", "--overwrite", command="plan") == [
        "firms.csv is asked for twice, or read: choose another name"
    ]


def test_the_plan_that_is_proposed_can_be_carried_out(folder):
    shown = microagg("plan", "firms.csv", "-k", 3)
    assert (shown.exit_code, shown.stderr) == (0, "")
    plan = Plan.load("plan.toml")
    assert (plan.k, plan.drop) == (3, ("id", "name"))
    assert [line.split()[0] for line in shown.stdout.splitlines()[1:6]] == SURVEY.split("\n")[0].split(",")
    result = microagg("protect", "firms.csv", "--plan", "plan.toml", "-o", "safe.csv")
    assert (result.exit_code, result.stderr) == (0, "")
