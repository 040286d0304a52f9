"""Judging a release: of a result, and of two tables from anywhere."""

from __future__ import annotations

import html
import math
import os
import pickle
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microagg
from microagg.errors import InputError

WITH_MICROAGG = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
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


@pytest.mark.parametrize("weighted", [False, True])
def test_released_strata_and_weights_tell_records_apart(weighted):
    weights = {"weight": "weight"} if weighted else {"weight": None, "drop": ["weight"]}
    table = PEOPLE.set_column(1, "age", pa.array(np.repeat([30, 40], 30)))
    result = microagg.protect(
        table,
        4,
        ["age"],
        strata=["town"],
        sensitive=["illness"],
        keep=["id", "income"],
        method="mdav",
        **weights,
    )
    of_result = result.evaluate()
    said = {"strata": ["town"], "sensitive": ["illness"], **({"weight": "weight"} if weighted else {})}
    of_tables = microagg.evaluate(table, result.data, ["age"], k=4, **said)
    assert of_result.risk.classes == of_tables.risk.classes == result.classes
    assert result.classes.count > 3 + 3 * weighted
    for (place, one), (_, other) in zip(figures(of_result), figures(of_tables), strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12), place


def test_weights_that_are_kept_as_they_are_single_nobody_out():
    result = protected(weight_release="keep")
    found = microagg.evaluate(PEOPLE, result.data, SEEN, weight="weight")
    assert found.risk.classes.count == result.classes.count


def test_classes_count_entities_where_records_belong_to_some():
    visits = pa.table({"person": np.repeat(range(8), 5), "age": np.repeat(np.arange(8) * 9, 5)})
    alone = microagg.evaluate(visits, visits, ["age"], k=5, entity="person")
    assert (alone.risk.classes.smallest, alone.risk.classes.records_below_k) == (1, 40)
    assert alone.risk.of_entities
    result = microagg.protect(visits, 4, ["age"], entity="person", method="mdav")
    found = microagg.evaluate(visits, result.data, ["age"], k=4, entity="person")
    assert found.risk.classes == result.classes == result.evaluate().risk.classes
    assert found.risk.classes.smallest == 4


def test_weights_and_sensitive_columns_go_with_their_rows():
    result, rows = protected(), RNG.permutation(60)[:40]
    said = {"match_by": "id", "weight": "weight", "sensitive": ["illness"], "k": 4}
    turned = microagg.evaluate(PEOPLE, result.data.take(rows), SEEN, **said)
    rows.sort()
    straight = microagg.evaluate(PEOPLE.take(rows), result.data.take(rows), SEEN, **said)
    for (place, one), (_, other) in zip(figures(turned.loss), figures(straight.loss), strict=True):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12), place
    assert turned.risk.sensitive == straight.risk.sensitive


def test_a_sensitive_column_that_is_not_released_as_it_was_is_told():
    released = protected().data
    left_out = judged(released=released.drop_columns("illness"), sensitive="illness")
    assert left_out.notes[0].startswith("'illness' is not in the release")
    changed = released.set_column(4, "illness", pa.array(["flu"] * 60))
    assert judged(released=changed, sensitive="illness").notes[0].startswith("'illness' has other values")


def test_the_page_tells_the_command_that_judges_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x, y;n\n1,5;a\n2,5;b\n3,5;c\n4,5;d\n")
    (tmp_path / "b.csv").write_text("x, y;n\n2;a\n2;b\n4;c\n4;d\n")
    source = [microagg.Source(name, decimal=",") for name in ("a.csv", "b.csv")]
    microagg.evaluate(*source, ["x, y"], k=2, match_by="n", report="page.html")
    shown = html.unescape((tmp_path / "page.html").read_text("utf-8"))
    command = "microagg evaluate a.csv b.csv --decimal , -k 2 --match-by n -q '\"x, y\"'"
    assert command in shown
    done = subprocess.run(["bash", "-c", f"{command} --quiet"], env=WITH_MICROAGG, check=False)
    assert done.returncode == 0


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
    assert judged(models="income ~ age + town").loss.models[0].predictors == ("age", "town")


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
        ({"k": 0}, "k = 0 protects nobody"),
        ({"entity": "person"}, "the original: there is no column 'person', named as entity"),
        ({"keep": ["id"]}, "the option 'keep' is not known"),
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


FAR = pa.table({"x": [-1.0, 0.5, 2.0, 4.0], "y": [1.0, None, 3.0, 4.0], "z": [1.0] * 4})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", [1e-200, 1e40, 1e76, 1e100, 1e150])
def test_a_release_far_out_of_scale_has_figures(factor):
    found = microagg.evaluate(FAR, times(FAR, "x", factor), ["x", "y"])
    assert [place for place, number in figures(found) if not math.isfinite(number)] == []
    assert found.loss.by_column["x"].deviation.before == pytest.approx(np.std(FAR["x"], ddof=1))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "factor"), [("x", 1e155), ("x", 1e300), ("y", 1e300), ("y", 4e307), ("z", 1e300)]
)
def test_one_so_far_out_that_nothing_can_be_computed_is_told(name, factor):
    with pytest.raises(InputError) as raised:
        microagg.evaluate(FAR, times(FAR, name, factor), ["x", "y", "z"])
    assert raised.value.faults == (
        f"column {name!r} of the released table lies so far from the original that no loss can be computed: "
        "are the units the same?",
    )


def test_one_on_the_other_side_of_all_numbers_is_told():
    original, released = ({"x": pa.array([value, 0.0])} for value in (1.7e308, -1.7e308))
    with pytest.raises(InputError, match="'x' of the released table lies so far from the original"):
        microagg.evaluate(pa.table(original), pa.table(released), ["x"])


def times(table, name, factor):
    """Return the table with a column multiplied."""
    values = [None if value is None else value * factor for value in table[name].to_pylist()]
    return table.set_column(table.column_names.index(name), name, pa.array(values))


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
