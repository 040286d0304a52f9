"""Judging a release: of a result, and of two tables from anywhere."""

from __future__ import annotations

import math
import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microagg
from microagg.errors import InputError

RNG = np.random.default_rng(5)
PEOPLE = pa.table(
    {
        "id": list(range(60)),
        "age": RNG.integers(18, 80, 60),
        "income": np.round(RNG.lognormal(7, 1, 60), 2),
        "town": RNG.choice(["Ayr", "Bath", "Crewe"], 60),
        "illness": RNG.choice(["flu", "cold", "none"], 60),
        "weight": RNG.uniform(1, 3, 60),
    }
)
SEEN = ["age", "income", "town"]


def protected(data=PEOPLE, **options):
    said = {"sensitive": ["illness"], "weight": "weight", "keep": ["id"], "method": "mdav", **options}
    return microagg.protect(data, 4, SEEN, **said)


def judged(original=PEOPLE, released=None, names=SEEN, **options):
    released = protected().data if released is None else released
    return microagg.evaluate(original, released, names, **options)


def figures(value, path=""):
    """Yield every number in an evaluation, and where it stands."""
    if is_dataclass(value):
        for field in fields(value):
            yield from figures(getattr(value, field.name), f"{path}.{field.name}")
    elif hasattr(value, "items"):
        for name, part in value.items():
            yield from figures(part, f"{path}[{name}]")
    elif isinstance(value, tuple | list):
        for part in value:
            yield from figures(part, path)
    elif isinstance(value, np.ndarray):
        yield from ((path, float(number)) for number in value.ravel())
    elif isinstance(value, int | float):
        yield path, float(value)


def test_a_result_and_its_tables_have_the_same_figures():
    of_result = protected().evaluate()
    of_tables = judged(k=4, sensitive="illness", weight="weight")
    for (place, one), (_, other) in zip(figures(of_result), figures(of_tables), strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12), place


def test_the_loss_is_that_of_the_result():
    result = protected()
    found = result.evaluate()
    assert found.loss.percent == result.loss.percent
    assert {name: of.percent for name, of in found.loss.by_column.items()} == result.loss.by_column
    assert result.risk.classes == result.classes == found.risk.classes


def test_what_did_not_change_lost_nothing_and_hides_nothing():
    found = judged(released=PEOPLE)
    assert found.loss.percent == 0.0
    assert found.risk.linkage.released_to_original == pytest.approx(1.0)


def test_the_order_of_the_rows_does_not_matter():
    rows = RNG.permutation(60)
    released = protected().data
    one, other = judged(released=released), judged(PEOPLE.take(rows), released.take(rows))
    assert one.loss.percent == other.loss.percent
    assert one.risk.linkage.released_to_original == pytest.approx(other.risk.linkage.released_to_original)
    assert one.risk.linkage.among_first_two == pytest.approx(other.risk.linkage.among_first_two)


def test_rows_are_matched_by_a_column():
    released = protected().data
    turned = judged(released=released.take(RNG.permutation(60)), match_by="id")
    assert turned.loss.percent == judged(released=released).loss.percent
    fewer = judged(released=released.slice(0, 50), match_by="id")
    assert "10 of 60 original records are not in the release" in fewer.notes


def test_without_names_the_columns_that_differ_are_compared():
    found = judged(names=None)
    assert sorted(found.loss.by_column) == ["age", "income", "town", "weight"]
    assert found.notes[0].startswith("no quasi-identifiers are named: compared are the columns that differ")


def test_a_plan_says_what_the_columns_are(tmp_path):
    result = protected()
    result.plan.save(tmp_path / "plan.toml")
    found = microagg.evaluate(PEOPLE, result.data, plan=tmp_path / "plan.toml")
    assert found.risk.k == 4
    assert list(found.risk.sensitive) == ["illness"]


def test_tables_of_any_kind_are_judged(tmp_path):
    result = protected(to=tmp_path / "safe.csv")
    frame = PEOPLE.to_pandas()
    found = microagg.evaluate(frame, tmp_path / "safe.csv", SEEN)
    assert found.loss.percent == pytest.approx(judged(released=result.data).loss.percent)


def test_models_are_named_by_the_user():
    (model,) = protected().evaluate(models=["income ~ age + town"]).loss.models
    assert (model.target, model.predictors) == ("income", ("age", "town"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"released": PEOPLE.slice(0, 59)},
            "60 records and the released table 59: they are compared row by row",
        ),
        ({"released": PEOPLE.slice(0, 0)}, "the released table: it holds no records"),
        ({"names": ["aeg"]}, r"the original: there is no column 'aeg'.*did you mean 'age'"),
        ({"released": PEOPLE.drop_columns("age")}, "the released table: there is no column 'age'"),
        ({"released": PEOPLE, "names": None}, "no column differs between the tables"),
        ({"match_by": "town"}, "stands in 'town' of more than one row of the original"),
        ({"k": 1}, "k = 1 protects nobody"),
        ({"sensitive": ["ilness"]}, "did you mean 'illness'"),
        ({"kinds": {"town": "continuous"}}, "in the original, column 'town' holds"),
        ({"weight": "id"}, "a weight is above zero"),
        ({"models": ["incom ~ age"]}, "did you mean 'income'"),
    ],
)
def test_what_cannot_be_judged_is_told(change, message):
    with pytest.raises(InputError, match=message):
        judged(**change)


def test_all_faults_come_at_once():
    with pytest.raises(InputError) as raised:
        judged(names=["aeg", "incom"], match_by="key", released=PEOPLE)
    assert len(raised.value.faults) == 6


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [1.0] * 6},
        {"a": [1.0, 2, 3, 4, 5, 6], "b": [7] * 6},
        {"a": [1.0, 2, 3, 4, 5, 6], "b": pa.nulls(6, pa.float64())},
        {"a": ["x", "y", "z", "x", "y", "z"]},
        {"a": [1e300, -1e300, 1e299, 0, 1e-300, 5]},
        {"a": [True, False, None, True, None, None], "b": [1, 2, 3, None, 5, 6]},
    ],
    ids=["constant", "one constant", "one all missing", "nominal alone", "huge", "missing"],
)
@pytest.mark.parametrize("k", [2, 6])
def test_no_figure_is_ever_not_a_number(columns, k):
    result = microagg.protect(pa.table(columns), k, list(columns), method="mdav")
    assert [place for place, number in figures(result.evaluate()) if not math.isfinite(number)] == []


def test_the_original_does_not_go_along_when_a_result_is_pickled():
    result = protected(data=pd.DataFrame(PEOPLE.to_pandas()))
    assert result.risk
    copy = pickle.loads(pickle.dumps(result))
    assert copy.loss == result.loss
    with pytest.raises(InputError, match="the original stayed where this result was made"):
        copy.evaluate()


def test_groups_that_look_the_same_are_one_class():
    table = pa.table({"a": [1.0, 3.0, 1.5, 2.5, 9.0, 9.5], "b": ["x", "x", "x", "x", "y", "y"]})
    result = microagg.protect(table, 2, ["a", "b"], method="mdav")
    compared = result.evidence.compared()
    assert np.unique(compared.classes).size == result.classes.count
    assert np.bincount(compared.classes).max() == result.classes.largest
