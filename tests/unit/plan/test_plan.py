"""What a plan finds wrong with a request, and which columns it releases."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from microagg.plan import Plan

COLUMNS = ["id", "age", "income", "town"]


def faults_for(columns=COLUMNS, records=10, **request):
    plan = Plan(**{"k": 3, "quasi_identifiers": ("age",), "drop": "rest", **request})
    assert plan.faults() == []
    return plan.faults_for(columns, records)


def faults(**request):
    return Plan(**{"k": 3, "quasi_identifiers": ("age",), **request}).faults()


def test_a_sound_request_has_no_faults():
    assert faults_for() == []
    assert faults_for(k=np.int64(10), keep="rest", drop=("id",), quasi_identifiers=("age", "income")) == []
    assert faults_for(keep=("town",), drop=("id", "income")) == []


@pytest.mark.parametrize("k", [1, 0, -3])
def test_groups_of_less_than_two_protect_nobody(k):
    assert faults(k=k) == [f"k = {k} protects nobody: a group must hold at least 2 records"]


@pytest.mark.parametrize("k", [2.0, "3", None, True])
def test_k_is_a_whole_number(k):
    assert faults(k=k) == [f"k must be a whole number, found {k!r}"]


@pytest.mark.parametrize("seed", [-1, 0.5, None, True])
def test_the_seed_is_a_whole_number(seed):
    assert faults(seed=seed) == [f"the seed must be a whole number from 0, found {seed!r}"]


def test_all_faults_of_a_request_are_told_at_once():
    assert faults(k=1, seed=-1, quasi_identifiers=(), keep="rest", drop="rest") == [
        "k = 1 protects nobody: a group must hold at least 2 records",
        "the seed must be a whole number from 0, found -1",
        "no quasi-identifiers: name at least one column to protect",
        "keep and drop cannot both be the rest: choose one",
    ]


def test_a_column_has_one_role_and_is_named_once():
    assert faults(quasi_identifiers=("age", "age"), keep=("town", "age"), drop=("town",)) == [
        "column 'age' is named 2 times as quasi-identifier: name it once",
        "column 'age' is named as quasi-identifier and as kept: give it one role",
        "column 'town' is named as kept and as dropped: give it one role",
    ]


def test_k_may_be_as_large_as_the_table_and_no_larger():
    assert faults_for(k=10) == []
    assert faults_for(k=11) == ["k = 11 is more than the 10 records there are"]
    assert faults_for(records=0) == ["the table holds no records"]


def test_names_must_be_told_apart():
    assert faults_for(["age", "town", "town"]) == ["2 columns are called 'town': give each its own name"]
    (fault,) = faults_for([*COLUMNS, "rest"])
    assert fault.startswith("a column is called 'rest', so 'rest' is not clear")
    assert faults_for(["age", "rest"], drop=("rest",)) == []


@pytest.mark.parametrize(
    ("name", "meant"), [("Age", "age"), ("incme", "income"), (" town", "town"), ("TOWN ", "town")]
)
def test_an_unknown_column_is_answered_with_the_nearest(name, meant):
    assert faults_for(quasi_identifiers=("id", name)) == [
        f"there is no column {name!r}, named as quasi-identifier: did you mean {meant!r}?"
    ]


def test_without_a_near_name_the_answer_is_what_there_is():
    assert faults_for(keep=("xyz",)) == [
        "there is no column 'xyz', named as kept: there are 'id', 'age', 'income', 'town'"
    ]
    many = [f"x{number}" for number in range(30)]
    (fault,) = faults_for(many, quasi_identifiers=("x1",), keep=("town",))
    assert fault.endswith("'x18', 'x19' and 10 more")


def test_rest_among_names_is_explained():
    assert faults_for(keep=("town", "rest"), drop=("id", "income")) == [
        "there is no column 'rest', named as kept: say 'rest' alone to mean every column not named"
    ]


def test_a_column_without_a_role_is_a_fault():
    assert faults_for(drop=(), keep=("town",)) == [
        "no role for 'id', 'income': keep or drop each by name, or say that the rest is kept or dropped"
    ]


@pytest.mark.parametrize(
    ("roles", "released"),
    [
        ({"drop": "rest"}, ["age"]),
        ({"keep": "rest"}, COLUMNS),
        ({"keep": "rest", "drop": ("id",)}, ["age", "income", "town"]),
        ({"keep": ("town", "id"), "drop": "rest"}, ["id", "age", "town"]),
        ({"keep": ("id",), "drop": ("income", "town")}, ["id", "age"]),
        ({}, ["age"]),
    ],
)
def test_columns_are_released_in_the_order_of_the_table_and_none_by_default(roles, released):
    assert Plan(3, ("age",), **roles).released(COLUMNS) == released


WRONG = [3, 2.5, "x", ["x", 3], (("x",),), {"x": 3}, None, True, {"age": "x"}, {"age": ("x", 3)}, {3: "x"}]


@pytest.mark.parametrize("part", [field.name for field in fields(Plan)])
def test_whatever_a_part_is_the_faults_of_all_others_are_told(part):
    for wrong in WRONG:
        plan = replace(Plan(3, ("age",), keep=("age",), seed=-1), **{part: wrong})
        if part != "seed":
            assert "the seed must be a whole number from 0, found -1" in plan.faults()
        if part not in ("keep", "quasi_identifiers"):
            assert "column 'age' is named as quasi-identifier and as kept: give it one role" in plan.faults()
        assert isinstance(plan.faults_for(COLUMNS, 10), list)


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        ({"keep": 3}, "keep must be a list of column names, or 'rest', found 3"),
        ({"keep": "town"}, "keep must be a list of column names, or 'rest', found 'town'"),
        ({"weight": ("w",)}, "weight must be the name of one column, found ('w',)"),
        ({"strata": "town"}, "strata must be a list of column names, found 'town'"),
        ({"kinds": "integer"}, "kinds must say the kind of each column by its name, found 'integer'"),
        ({"kinds": {3: "integer"}}, "kinds must be said by the names of columns, found 3"),
        ({"kinds": {"age": "int"}}, "the kind of column 'age', 'int' is not known: did you mean 'integer'?"),
        ({"importance": {"age": -1}}, "the importance of column 'age' must be a number from 0, found -1"),
        (
            {"orders": {"age": "low"}},
            "the order of column 'age' must be a list of texts, from the least value to the greatest, "
            "found 'low'",
        ),
        (
            {"orders": {"age": ("low", "low")}},
            "the order of column 'age' must name two values or more, each of them once",
        ),
        (
            {"orders": {"age": ("low", "high")}, "kinds": {"age": "nominal"}},
            "column 'age' has an order, but its kind is nominal: only an ordinal has one",
        ),
        (
            {"kinds": {"age": "nominal"}, "centres": {"age": "mean"}},
            "column 'age' is nominal, which has no mean: choose mode",
        ),
        (
            {"centres": {"town": "mode"}},
            "column 'town' has a centre, but is no quasi-identifier: leave that out",
        ),
        ({"missing": "drop"}, "missing 'drop' is not known: there are shared, own-group, error"),
        ({"budget": 0}, "the budget must be a number of seconds above 0, found 0"),
    ],
)
def test_a_part_that_is_not_what_it_must_be_is_told(request_, fault):
    assert faults(**request_) == [fault]


@pytest.mark.parametrize(
    ("role", "released"),
    [
        ({"sensitive": ("town",)}, ["age", "town"]),
        ({"strata": ("town",)}, ["age", "town"]),
        ({"weight": "income"}, ["age", "income"]),
        ({"weight": "income", "weight_release": "drop"}, ["age"]),
        ({"entity": "id"}, ["age"]),
        ({"entity": "id", "link_entities": True}, ["id", "age"]),
    ],
)
def test_each_role_says_whether_a_column_is_released(role, released):
    plan = Plan(3, ("age",), drop="rest", **role)
    assert plan.faults() == []
    assert plan.released(COLUMNS) == released


def test_a_plan_for_other_columns_gets_one_fault():
    plan = Plan(3, tuple(f"x{number}" for number in range(50)), keep=("town",), kinds={"y": "integer"})
    assert plan.faults_for(COLUMNS, 10) == [
        "the plan is for other columns: of the 52 that it names, 51 are not in this table, such as 'x0', "
        "'x1', 'x2'; this table has 'id', 'age', 'income', 'town'"
    ]


def test_many_unknown_columns_are_told_together():
    columns = [f"x{number}" for number in range(60)]
    (fault,) = Plan(3, (*columns, *(f"y{number}" for number in range(21)))).faults_for(columns, 10)
    assert fault.startswith(
        "the plan is for other columns: of the 81 that it names, 21 are not in this table, "
    )


def test_few_unknown_columns_are_told_one_by_one():
    assert len(faults_for(quasi_identifiers=("xx", "yy", "zz"))) == 3
    assert len(faults_for(quasi_identifiers=("xx", "yy", "zz", "ww"))) == 1
    assert len(faults_for(quasi_identifiers=("xx", "yy", "zz", "ww", *COLUMNS))) == 4


def test_what_is_said_of_a_column_that_is_not_there_is_told():
    assert faults_for(kinds={"ag": "integer"}, orders={"twn": ("a", "b")}) == [
        "there is no column 'ag', named as a column with a kind: did you mean 'age'?",
        "there is no column 'twn', named as a column with an order: did you mean 'town'?",
    ]
