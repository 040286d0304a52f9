"""What a plan finds wrong with a request, and which columns it releases."""

from __future__ import annotations

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
