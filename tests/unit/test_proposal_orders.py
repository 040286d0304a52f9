"""Orders that are proposed: those that the data state, and those that are plain from the values."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

from microagg.proposal import propose
from microagg.tables import read


def repeated(*values):
    return [values[place % len(values)] for place in range(240)]


@pytest.mark.parametrize(
    "order",
    [
        ("low", "medium", "high"),
        ("Very Low", "low", "HIGH"),
        ("never", "sometimes", "often", "always"),
        ("klein", "mittel", "groß"),
        ("faible", "moyen", "élevé"),
        ("baja", "media", "alta"),
        ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
        ("0", "1-4", "5-9", "10-49", "50+"),
        ("under 18", "18 to 64", "65 and over"),
        ("<1,000 €", "1,000 \N{EN DASH} 4,999 €", ">= 5,000 €"),
        ("5-9 years", "10-14 years", "100-104 years"),
        ("1-9", "10-19"),
    ],
)
def test_an_order_that_is_plain_is_proposed(order):
    values = repeated(*sorted(order))
    for column in (pa.array(values), pa.array(values).dictionary_encode()):
        table = pa.table({"x": column})
        plan = propose(table).plan
        assert (plan.kinds, plan.orders) == ({"x": "ordinal"}, {"x": order})
        assert read(table).encoded("x", "ordinal", order).column.values[:2].max() < len(order)


@pytest.mark.parametrize(
    "values",
    [
        ("low", "high"),
        ("low", "medium", "moderate"),
        ("low", "medium", "high", "unknown"),
        ("red", "green", "blue"),
        ("10-19", "15-24"),
        ("10-19", "20-29", "40-31"),
        ("5", "7", "9"),
        ("A1", "B2", "C3"),
    ],
)
def test_an_order_that_is_not_plain_is_not_guessed(values):
    plan = propose(pa.table({"x": repeated(*values)})).plan
    assert (plan.kinds, plan.orders) == ({"x": "nominal"}, {})


def test_categories_with_an_order_keep_it():
    sizes = pd.Categorical(repeated("S", "L", "M"), categories=["S", "M", "L"], ordered=True)
    plan = propose(pd.DataFrame({"x": sizes})).plan
    assert (plan.kinds, plan.orders) == ({"x": "ordinal"}, {})


def test_a_file_of_spss_says_what_is_ordinal(tmp_path):
    path = tmp_path / "t.sav"
    frame = pl.DataFrame(
        {
            "mood": repeated(1, 2, 3),
            "grade": repeated("a", "b"),
            "level": repeated(3, 2, 1),
            "colour": repeated(1, 2, 3),
            "band": repeated("10-19", "1-9"),
        }
    )
    labels = {
        "level": {1: "high", 2: "medium", 3: "low"},
        "colour": {1: "red", 2: "low", 3: "blue"},
    }
    measures = {"mood": "ordinal", "grade": "ordinal", "band": "ordinal", "level": "nominal"}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, variable_measure=measures)
    plan = propose(path).plan
    assert plan.kinds == {
        "mood": "ordinal",
        "grade": "nominal",
        "level": "nominal",
        "colour": "nominal",
        "band": "ordinal",
    }
    assert plan.orders == {"band": ("1-9", "10-19")}


def test_labels_in_a_plain_order_make_a_labelled_column_ordinal(tmp_path):
    path = tmp_path / "t.dta"
    labels = {"level": {1: "high", 2: "medium", 3: "low"}, "colour": {1: "medium", 2: "low", 3: "high"}}
    frame = pl.DataFrame({"level": repeated(3, 2, 1), "colour": repeated(1, 2, 3)})
    pyreadstat.write_dta(frame, path, variable_value_labels=labels)
    proposal = propose(path)
    assert proposal.plan.kinds == {"level": "ordinal", "colour": "nominal"}
    assert proposal.reasons["level"].startswith(
        "the labels of its values have a plain order: low, medium, high"
    )
