"""compare(): every figure is that of a release by itself, whatever the number of hands."""

from __future__ import annotations

import threading
from collections import Counter
from time import perf_counter

import numpy as np
import pyarrow as pa
import pytest

import microagg.run.comparison as comparison
from microagg import MDAV, VMDAV, Plan, compare, protect
from microagg.errors import InputError
from tests.stand_ins import Alone

COLUMNS = ["staff", "turnover", "region"]
DETAILS = {"sensitive": ["name", "late"], "strata": [], "drop": "rest"}


def firms(records=120, seed=3):
    rng = np.random.default_rng(seed)
    turnover = np.exp(rng.normal(7, 1.5, records))
    return pa.table(
        {
            "name": [f"firm {number}" for number in range(records)],
            "staff": np.rint(turnover / 100 * rng.uniform(0.5, 1.5, records)).astype(int) + 1,
            "turnover": turnover.round(1),
            "region": rng.choice(["north", "south", "west"], records),
            "late": rng.choice(["no", "no", "no", "yes"], records),
            "part": np.arange(records) % 2 + (np.arange(records) < 4) * 2,
        }
    )


TABLE = firms()
GRID = {"methods": ["mdav", "vmdav(gamma=0.2)", "refined(mdav, iterations=500)"], "k": [3, 5, 8]}


@pytest.fixture(scope="module")
def found():
    return compare(TABLE, COLUMNS, **GRID, **DETAILS, loss_at_most=45, seed=7)


def test_candidates_stand_method_by_method(found):
    assert [(of.method, of.k) for of in found.candidates] == [
        (method, k) for method in GRID["methods"] for k in GRID["k"]
    ]
    assert {of.fault for of in found.candidates} == {""}
    assert all(of.seconds > 0.0 for of in found.candidates)


def test_the_figures_are_those_of_the_release(found):
    for of in found.candidates:
        result = protect(TABLE, of.k, COLUMNS, method=of.method, **DETAILS, seed=7)
        risk = result.risk
        broken = np.any([column.by_class for column in risk.dominance.values()], axis=0)
        assert of.plan == result.plan
        assert of.loss == result.loss.percent
        assert of.risk == risk.linkage.released_to_original
        assert of.smallest_class == result.classes.smallest == risk.classes.smallest
        assert of.sensitive == risk.sensitive["late"].records_given_away > 0.0
        assert risk.sensitive["name"].records_given_away == 0.0
        assert of.dominated == broken.sum()


def test_the_plan_that_is_chosen_gives_the_same_again(found, tmp_path):
    assert found.chosen in found.frontier
    assert found.chosen.loss <= 45
    found.chosen.plan.save(tmp_path / "chosen.toml")
    again = protect(TABLE, plan=tmp_path / "chosen.toml")
    assert (again.loss.percent, again.classes.smallest) == (found.chosen.loss, found.chosen.smallest_class)
    assert Plan.load(tmp_path / "chosen.toml") == found.chosen.plan


@pytest.mark.parametrize("hands", [1, 2, 5])
def test_the_number_of_hands_changes_nothing(found, hands, monkeypatch):
    monkeypatch.setattr(comparison, "_hands", lambda values: hands)
    assert compare(TABLE, COLUMNS, **GRID, **DETAILS, loss_at_most=45, seed=7) == found


def test_the_order_of_the_rows_changes_nothing(found):
    shuffled = TABLE.take(np.random.default_rng(5).permutation(TABLE.num_rows))
    again = compare(shuffled, COLUMNS, **GRID, **DETAILS, loss_at_most=45, seed=7)
    for one, other in zip(again.candidates, found.candidates, strict=True):
        assert (one.loss, one.smallest_class, one.dominated) == (
            other.loss,
            other.smallest_class,
            other.dominated,
        )
        assert one.risk == pytest.approx(other.risk, rel=1e-12)


@pytest.mark.parametrize(("records", "hands"), [(1, 4), (3_000_000, 3), (10**9, 1)])
def test_fewer_work_on_what_is_large(records, hands, monkeypatch):
    monkeypatch.setattr(comparison, "cores", lambda: 16)
    assert comparison._hands(2 * records) == hands


def test_the_data_are_read_once_and_one_may_stand_alone():
    once = compare(TABLE.to_reader(), COLUMNS, methods=MDAV(), k=np.int64(4), drop="rest")
    (of,) = once.candidates
    assert (of.method, of.k, of.plan.method) == ("MDAV()", 4, "MDAV()")
    assert once.chosen is None


def test_a_plan_says_all_but_method_and_k(tmp_path):
    plan = Plan(k=100_000, quasi_identifiers=("staff",), drop="rest", method="nonsense", scale="range")
    (tmp_path / "plan.toml").write_text(plan.as_toml().replace("k = 100000", ""))
    for given in (plan, tmp_path / "plan.toml"):
        (of,) = compare(TABLE, plan=given, methods="univariate", k=3).candidates
        assert of.plan == Plan(
            k=3, quasi_identifiers=("staff",), drop="rest", method="univariate", scale="range"
        )


def test_auto_is_a_method_too():
    (of,) = compare(TABLE, ["staff"], methods="auto", k=3, drop="rest").candidates
    assert (of.method, of.plan.method) == ("auto", "univariate")


def test_what_cannot_be_made_is_kept_with_its_fault():
    found = compare(
        TABLE, ["staff"], methods=["mdav", "optimal", Alone()], k=[2, 30, 200], drop="rest", risk_at_most=1
    )
    faults = {(of.method, of.k): of.fault for of in found.candidates}
    assert faults["mdav", 2] == faults["mdav", 30] == ""
    assert faults["mdav", 200] == "k = 200 is more than the 120 records there are"
    assert faults["optimal", 2].startswith("120 records are too many")
    assert faults["Alone()", 2].startswith("not safe for k = 2: ")
    assert found.candidates[2].plan == Plan(k=200, quasi_identifiers=("staff",), drop="rest", method="mdav")
    assert {of.method for of in found.frontier} == {"mdav"}
    assert found.faults[0] == "mdav with k = 200: k = 200 is more than the 120 records there are"
    assert found.faults[1].startswith("optimal with k = 2, 30: 120 records are too many")
    assert found.figure.faults == found.faults
    assert len(found.figure.marks) == 2


def test_strata_that_are_too_small_for_some_k():
    first, second = compare(TABLE, ["staff"], methods="mdav", k=[2, 5], strata="part", drop="rest").candidates
    assert first.smallest_class == 2
    assert second.fault.startswith("2 of 4 strata hold fewer than k = 5")


FAULTY = {
    "methods": ["mdav", "mdaw", "MDAV()", MDAV],
    "k": [3, 1, 3, "many"],
    "loss_at_most": -1,
    "risk_at_most": float("nan"),
}


def test_all_faults_come_at_once_and_before_any_work(monkeypatch):
    monkeypatch.setattr(comparison, "tried", lambda *of: pytest.fail("work has begun"))
    with pytest.raises(InputError) as caught:
        compare(TABLE, ["staf"], **FAULTY, kinds={"region": "whole"}, weight="region")
    faults = caught.value.faults
    assert faults[:8] == (
        "there is no method 'mdaw': "
        "the methods are blocked, genetic, mdav, optimal, refined, univariate, vmdav",
        "the method 'MDAV()' is named twice: name it once",
        "<class 'microagg.partition.mdav.MDAV'> is no method: expected a name, or a value such as MDAV()",
        "k = 1 protects nobody: a group must hold at least 2 records",
        "k = 3 is named twice: name it once",
        "k must be a whole number, found 'many'",
        "the loss allowed must be a number from 0 to 100, percent: found -1",
        "the risk allowed must be a number from 0 to 1, a share of the records: found nan",
    )
    assert "there is no column 'staf', named as quasi-identifier: did you mean 'staff'?" in faults
    assert len(set(faults)) == len(faults)


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"methods": []}, "no method to compare: name at least one"),
        ({"k": ()}, "no k to compare: name at least one"),
        ({"k": [[3]]}, "k must be a whole number, found [3]"),
        ({"risk_at_most": True}, "the risk allowed must be a number from 0 to 1"),
        (
            {"risk_at_most": 20},
            "the risk allowed must be a number from 0 to 1, a share of the records: found 20",
        ),
        ({"loss_at_most": 100.5}, "the loss allowed must be a number from 0 to 100, percent: found 100.5"),
        ({"k": [0, 0]}, "k = 0 is named twice: name it once"),
        ({"method": "mdav"}, "several methods are compared: name them as methods, not as method"),
        ({"kay": 3}, "the option 'kay' is not known"),
        ({"k": 121}, "k = 121 is more than the 120 records there are"),
    ],
)
def test_each_fault_is_told(asked, fault):
    with pytest.raises(InputError) as caught:
        compare(TABLE, ["staff"], drop="rest", **asked)
    *others, told = caught.value.faults
    assert told.startswith(fault)
    assert others == (
        ["k = 0 protects nobody: a group must hold at least 2 records"] if "twice" in fault else []
    )


def test_data_that_cannot_be_read_are_told_with_the_rest():
    with pytest.raises(InputError, match=r"no method to compare(.|\n)*nowhere\.csv cannot be read"):
        compare("nowhere.csv", ["staff"], methods=[])


def test_progress_is_told_where_the_work_was_asked_for():
    told = []
    compare(
        TABLE,
        ["staff"],
        methods=["mdav", VMDAV()],
        k=[3, 5],
        drop="rest",
        progress=lambda *state: told.append((*state, threading.get_ident())),
    )
    assert {total for _, total, _ in told} == {400}
    assert {thread for *_, thread in told} == {threading.get_ident()}
    done = [done for done, *_ in told]
    assert done == sorted(done)
    assert done[-1] == 400


class StopError(Exception):
    pass


def test_what_is_raised_in_progress_stops_the_work(monkeypatch):
    begun = Counter()
    real = comparison.tried

    def tried(trial, progress):
        begun[trial.k] += 1
        return real(trial, progress)

    def progress(done, total):
        raise StopError

    monkeypatch.setattr(comparison, "tried", tried)
    monkeypatch.setattr(comparison, "_hands", lambda values: 2)
    sizes = list(range(3, 33))
    began = perf_counter()
    with pytest.raises(StopError):
        compare(
            TABLE,
            ["staff", "turnover"],
            methods="refined(mdav, iterations=3000000)",
            k=sizes,
            drop="rest",
            progress=progress,
        )
    assert sum(begun.values()) <= 2
    assert perf_counter() - began < 5.0


def test_pictures_are_written_by_their_ending(found, tmp_path):
    found.save_picture(tmp_path / "map.svg")
    assert (tmp_path / "map.svg").read_text().startswith("<svg ")
    found.save_picture(tmp_path / "map.HTML")
    assert (tmp_path / "map.HTML").read_text().startswith("<!doctype html>")
    with pytest.raises(InputError, match=r"map\.png ends in \.png: a picture is \.svg, or a page \.html"):
        found.save_picture(tmp_path / "map.png")


def test_the_picture_shows_what_was_found(found):
    shown = found.figure
    assert [(mark.method, mark.k, mark.loss, mark.risk) for mark in shown.marks] == [
        (of.method, of.k, of.loss, of.risk) for of in found.candidates
    ]
    assert sum(mark.on_frontier for mark in shown.marks) == len(found.frontier)
    assert (shown.chosen.method, shown.chosen.k) == (found.chosen.method, found.chosen.k)
    assert (shown.loss_at_most, shown.risk_at_most, shown.reason) == (45, None, found.reason)


def test_where_nothing_could_be_made_there_is_nothing_to_draw(tmp_path):
    found = compare(TABLE, ["staff"], methods="optimal", k=3, drop="rest", loss_at_most=5)
    assert (found.chosen, found.reason) == (None, "none is chosen: no candidate could be made")
    with pytest.raises(InputError, match="there is nothing to draw"):
        found.save_picture(tmp_path / "map.svg")
