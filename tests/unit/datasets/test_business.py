"""The invented business survey keeps what it promises, and the shipped example is its very output."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.datasets import business_survey, write_csv
from microagg.datasets.business import (
    LEGAL_FORM_SHARES,
    LEGAL_FORMS,
    REGIONS,
    SECTORS,
    SIZE_CLASSES,
    SOMETIMES_UNANSWERED,
    SURVEY_YEAR,
)
from microagg.errors import InputError

EXAMPLE = Path(__file__).parents[3] / "examples" / "business_survey.csv"
TYPES = {
    "firm_id": str,
    "name": str,
    "region": str,
    "sector": str,
    "size_class": str,
    "legal_form": str,
    "founded": int,
    "employees": int,
    "turnover": int,
    "purchases": int,
    "wages": int,
    "costs": int,
    "assets": int,
    "export_share": float,
    "weight": float,
    "insolvency_warning": str,
}
BOUNDS = {size.name: (size.fewest, size.most) for size in SIZE_CLASSES}


@pytest.fixture(scope="module")
def large():
    return business_survey(20_000, seed=2)


def of(table, column):
    return np.array(table[column])


def test_the_shipped_example_is_what_the_generator_makes(tmp_path):
    write_csv(business_survey(), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == EXAMPLE.read_bytes()


def test_columns_and_types_are_those_documented():
    firms = business_survey(40, seed=3)
    assert list(firms) == list(TYPES)
    for column, values in firms.items():
        assert len(values) == 40
        assert {type(value) for value in values} == {TYPES[column]}, column
        assert column in business_survey.__doc__


def test_the_seed_alone_decides():
    assert business_survey(30, seed=4) == business_survey(30, seed=4)
    assert business_survey(30, seed=4) != business_survey(30, seed=5)


@settings(max_examples=25)
@given(st.integers(1, 300), st.integers(0, 2**64))
def test_the_books_of_every_firm_balance(n, seed):
    firms = business_survey(n, seed=seed)
    number = {column: np.array(firms[column]) for column, kind in TYPES.items() if kind is not str}
    assert (number["purchases"] + number["wages"] == number["costs"]).all()
    for column in ("turnover", "purchases", "wages", "assets", "employees"):
        assert (number[column] >= 1).all(), column
    assert ((number["export_share"] >= 0) & (number["export_share"] <= 100)).all()
    assert (number["weight"] >= 1).all()
    assert (number["founded"] <= SURVEY_YEAR).all()
    for size, employees in zip(firms["size_class"], firms["employees"], strict=True):
        assert BOUNDS[size][0] <= employees <= BOUNDS[size][1]


def test_identifiers_are_unique_and_names_are_those_of_firms(large):
    assert len(set(large["firm_id"])) == 20_000
    assert large["firm_id"][-1] == "F020000"
    trades = {sector.code: sector.trades for sector in SECTORS}
    endings = {"partnership": " & Partners", "limited company": " Ltd", "public company": " plc"}
    for name, sector, form in zip(large["name"], large["sector"], large["legal_form"], strict=True):
        assert name.endswith(endings.get(form, trades[sector]))
        assert any(f" {trade}" in name for trade in trades[sector])


@pytest.mark.parametrize(
    ("column", "shares"),
    [
        ("region", REGIONS),
        ("sector", {sector.code: sector.share for sector in SECTORS}),
        ("size_class", {size.name: size.share for size in SIZE_CLASSES}),
    ],
)
def test_categories_are_as_frequent_as_planned(large, column, shares):
    assert sum(shares.values()) == pytest.approx(1.0)
    drawn = Counter(large[column])
    assert {name: count / 20_000 for name, count in drawn.items()} == pytest.approx(shares, abs=0.015)


def test_legal_forms_go_with_size(large):
    for size, shares in LEGAL_FORM_SHARES.items():
        assert sum(shares) == pytest.approx(1.0)
        forms = of(large, "legal_form")[of(large, "size_class") == size]
        drawn = [np.mean(forms == form) for form in LEGAL_FORMS]
        assert drawn == pytest.approx(shares, abs=0.04)


def test_every_sector_has_as_many_trades():
    assert {len(sector.trades) for sector in SECTORS} == {4}


def test_money_is_heavy_tailed_and_goes_with_staff(large):
    staff = of(large, "employees")
    for column in ("turnover", "purchases", "wages", "assets"):
        money = of(large, column)
        assert money.mean() > 4 * np.median(money), column
        assert np.corrcoef(np.log(staff), np.log(money))[0, 1] > 0.8, column


def test_most_firms_gain_and_some_lose(large):
    margin = 1 - of(large, "costs") / of(large, "turnover")
    assert 0.0 < np.median(margin) < 0.15
    assert 0.05 < np.mean(margin < 0) < 0.4


def test_most_firms_export_nothing(large):
    assert 0.5 < np.mean(of(large, "export_share") == 0.0) < 0.9


def test_large_firms_are_all_asked_and_small_ones_stand_for_many(large):
    size, weight = of(large, "size_class"), of(large, "weight")
    assert (weight[size == "large"] == 1.0).all()
    means = [weight[size == each.name].mean() for each in SIZE_CLASSES]
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(62.0, rel=0.05)


def test_firms_that_lose_money_are_warned_more_often(large):
    warned = of(large, "insolvency_warning") == "yes"
    assert set(large["insolvency_warning"]) == {"yes", "no"}
    loses = of(large, "costs") > of(large, "turnover")
    assert warned[loses].mean() > 2 * warned[~loses].mean()
    assert 0.01 < warned.mean() < 0.1


def test_unanswered_questions_are_as_many_as_asked_and_change_no_answer(large):
    gaps = business_survey(20_000, seed=2, missing=0.2)
    for column, values in gaps.items():
        lost = [value is None for value in values]
        assert np.mean(lost) == pytest.approx(0.2 if column in SOMETIMES_UNANSWERED else 0.0, abs=0.015)
        given_answers = [
            (value, full) for value, full in zip(values, large[column], strict=True) if value is not None
        ]
        assert all(value == full for value, full in given_answers)
    assert set(SOMETIMES_UNANSWERED) <= set(gaps)


@pytest.mark.parametrize(
    "arguments",
    [{"n": 0}, {"n": 2.5}, {"seed": -1}, {"missing": 1.0}, {"missing": -0.1}, {"missing": float("nan")}],
)
def test_arguments_out_of_range_are_refused_by_name(arguments):
    with pytest.raises(InputError, match=f"expected {next(iter(arguments))} to be"):
        business_survey(**arguments)
