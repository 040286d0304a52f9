"""Files of SPSS, Stata and SAS: values, labels, and what stands for missing values, in and out."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

from microagg.errors import InputError
from microagg.tables import Table, as_written, read, target_of, write

VALUES = {
    "person": ["p1", "p2", "", "p4", "p5"],
    "age": [20, 30, 40, 50, None],
    "income": [1500.5, -98.0, -99.0, None, 2500.0],
    "health": [1, 2, 9, 95, None],
    "born": [dt.date(2000, 1, 2), None, dt.date(1899, 12, 31), dt.date(1980, 5, 5), dt.date(1970, 1, 1)],
    "asked": [dt.datetime(2024, 1, 2, 3, 4, 5, 6000), None, None, None, None],
    "empty": [None] * 5,
}
FRAME = pl.DataFrame(VALUES, schema_overrides={"age": pl.Int16, "health": pl.Int8, "empty": pl.Float64})
SAID = {
    "column_labels": {"income": "Net income per month", "health": "Health, by own account"},
    "variable_value_labels": {"health": {1: "good", 2: "bad", 9: "refused"}, "age": {20: "twenty"}},
}
SPSS = {
    "missing_ranges": {
        "income": [{"lo": -99, "hi": -97}],
        "health": [9, {"lo": 90, "hi": 99}],
        "person": ["p4"],
    },
    "variable_measure": {"health": "ordinal", "income": "scale"},
    "variable_format": {"income": "DOLLAR10.2", "age": "F3.0", "health": "F2.0", "born": "EDATE10"},
}


@pytest.fixture
def spss(tmp_path):
    path = tmp_path / "given.sav"
    frame = FRAME.with_columns(empty=pl.lit(math.nan))
    pyreadstat.write_sav(frame, path, **SAID, **SPSS)
    return path


@pytest.fixture
def stata(tmp_path):
    path = tmp_path / "given.dta"
    frame = FRAME.with_columns(
        empty=pl.lit(math.nan),
        income=pl.Series([1500.5, "a", "b", None, 2500.0], dtype=pl.Object),
        health=pl.Series([1, 2, "r", "a", None], dtype=pl.Object),
    )
    labels = {**SAID["variable_value_labels"], "health": {1: "good", 2: "bad", "r": "refused"}}
    pyreadstat.write_dta(
        frame,
        path,
        column_labels=SAID["column_labels"],
        variable_value_labels=labels,
        missing_user_values={"income": ["a", "b"], "health": ["a", "r"]},
        variable_format={"income": "%9.1f", "age": "%3.0f"},
    )
    return path


MISSING = {
    "person": ["p1", "p2", None, None, "p5"],
    "income": [1500.5, None, None, None, 2500.0],
    "health": [1, 2, None, None, None],
}


def raw(path):
    """Return what stands in a file, apart from when it was made."""
    reader = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    values, said = reader(path, output_format="dict", user_missing=True)
    passing = {"creation_time", "modification_time", "value_labels", "variable_to_label"}
    return dict(values), {name: value for name, value in vars(said).items() if name not in passing}


def saved(table, path, replaced=None):
    target = target_of(path, None)
    write(as_written(table.data, table, target, replaced), table, target, replaced)
    return path


def fault(action, *arguments):
    with pytest.raises(InputError) as caught:
        action(*arguments)
    (only,) = caught.value.faults
    return only


def test_what_spss_defines_as_missing_is_missing(spss):
    found = read(spss).data
    assert found.to_pydict() == {**VALUES, **MISSING}
    assert [str(found.schema.field(name).type) for name in ("age", "income", "health", "born")] == [
        "int64",
        "double",
        "int64",
        "date32[day]",
    ]


def test_what_stata_defines_as_missing_is_missing(stata):
    found = read(stata).data
    assert found.to_pydict() == {**VALUES, **MISSING, "person": ["p1", "p2", None, "p4", "p5"]}
    assert [str(found.schema.field(name).type) for name in ("age", "income", "health", "born")] == [
        "int32",
        "double",
        "int32",
        "date32[day]",
    ]


@pytest.mark.parametrize("kind", ["spss", "stata"])
def test_what_is_kept_is_written_as_it_was(kind, request, tmp_path):
    given = request.getfixturevalue(kind)
    again = saved(read(given), tmp_path / f"again{given.suffix}", replaced=())
    assert raw(again) == raw(given)


@pytest.mark.parametrize("kind", ["spss", "stata"])
def test_a_replaced_column_keeps_its_labels_but_nothing_stands_for_missing_values(kind, request, tmp_path):
    given = request.getfixturevalue(kind)
    table = read(given)
    incomes = np.array([95.0, 95.0, -98.0, -98.0, -98.0])
    released = table.released(table.names, dict.fromkeys(["income", "health"], pa.array(incomes)))
    target = target_of(tmp_path / f"safe{given.suffix}", given)
    names = ["income", "health"]
    write(as_written(released, table, target, names), table, target, names)
    values, said = raw(target.path)
    assert values["income"] == values["health"] == incomes.tolist()
    assert values["age"] == raw(given)[0]["age"]
    assert not {"income", "health"} & {*said["missing_ranges"], *said["missing_user_values"]}
    assert said["column_names_to_labels"]["health"] == "Health, by own account"
    assert said["variable_value_labels"]["health"][1] == "good"
    assert saved(read(target.path), tmp_path / "again.parquet")  # and they are numbers to all others
    assert read(target.path).data["health"].to_pylist() == incomes.tolist()


@pytest.mark.parametrize("kind", ["spss", "stata"])
def test_where_it_is_unknown_what_was_replaced_nothing_stands_for_missing_values(kind, request, tmp_path):
    given = request.getfixturevalue(kind)
    values, said = raw(saved(read(given), tmp_path / f"again{given.suffix}"))
    assert values["income"] == MISSING["income"]
    assert said["missing_ranges"] == said["missing_user_values"] == {}


def test_from_spss_to_stata_and_back_labels_survive(spss, tmp_path):
    stata = saved(read(spss), tmp_path / "a.dta", replaced=())
    back = saved(read(stata), tmp_path / "b.sav", replaced=())
    for path in (stata, back):
        values, said = raw(path)
        assert values["income"] == MISSING["income"]
        assert said["column_names_to_labels"]["income"] == "Net income per month"
        assert said["variable_value_labels"] == SAID["variable_value_labels"]


def test_from_stata_to_spss_letters_for_missing_values_go(stata, tmp_path):
    _, said = raw(saved(read(stata), tmp_path / "a.sav", replaced=()))
    assert said["variable_value_labels"]["health"] == {1: "good", 2: "bad"}


TYPED = pa.table(
    {
        "n": pa.array([1, None, -3], pa.int16()),
        "large": pa.array([2**40, None, 1]),
        "x": [0.1 + 0.2, math.nan, None],
        "none": pa.array([None] * 3, pa.int8()),
        "kind": pa.array(["a", None, "a"]).dictionary_encode(),
        "yes": [True, None, False],
        "hour": [dt.time(3, 4, 5), None, dt.time(0)],
        "at": [dt.datetime(2024, 1, 2, 3, 4, 5, 678_000), None, dt.datetime(1600, 1, 1)],
    }
)


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_tables_from_elsewhere_read_back_as_the_check_saw_them(tmp_path, ending):
    target = target_of(tmp_path / f"t.{ending}", None)
    held = as_written(TYPED, Table(TYPED), target)
    write(held, Table(TYPED), target)
    found = read(target.path).data
    assert found.to_pydict() == held.to_pydict()
    assert found.to_pydict() == {**TYPED.to_pydict(), "x": [0.1 + 0.2, None, None], "yes": [1, None, 0]}
    assert pa.types.is_floating(found.schema.field("none").type)


@pytest.mark.parametrize(
    ("ending", "column", "expected"),
    [
        ("sav", pa.array([math.inf]), "holds inf, which SPSS cannot hold"),
        ("sav", pa.array([-1.7976931348623157e308]), "holds -1.7976931348623157e+308, which SPSS"),
        ("dta", pa.array([8.99e307]), "holds 8.99e+307, which Stata cannot hold"),
        ("dta", pa.array([2**53 + 1]), "holds whole numbers beyond 9,007,199,254,740,992"),
        ("sav", pa.array([0], pa.timestamp("ms", "UTC")), "holds timestamp[ms, tz=UTC], which SPSS"),
        ("dta", pa.array([[1]]), "holds list<item: int64>, which Stata cannot hold"),
    ],
)
def test_what_such_a_file_cannot_hold_is_refused(tmp_path, ending, column, expected):
    assert fault(saved, Table(pa.table({"a": column})), tmp_path / f"t.{ending}").startswith(
        f"column 'a' {expected}"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["sav", "dta"])
@pytest.mark.parametrize("name", ["two words", "x" * 70])
def test_names_that_such_a_file_cannot_hold_are_refused_before_work_starts(tmp_path, ending, name):
    table, target = pa.table({name: [1.5]}), target_of(tmp_path / f"t.{ending}", None)
    assert "cannot hold these columns: " in fault(as_written, table.slice(0, 0), Table(table), target)


def test_names_that_are_one_to_spss_are_refused(tmp_path):
    table = Table(pa.table({"Age": [1], "age": [2]}))
    assert (
        fault(saved, table, tmp_path / "t.sav")
        == "columns are called 'Age' and 'age', one name to SPSS: rename one"
    )
    assert saved(table, tmp_path / "t.dta").exists()


@pytest.mark.parametrize("ending", ["sav", "dta", "sas7bdat"])
def test_a_file_that_is_none_of_these_is_refused(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    path.write_bytes(b"something else " * 100)
    assert fault(read, path).startswith(f"{path} cannot be read: ")
    assert fault(read, tmp_path / f"absent.{ending}").endswith("cannot be read: No such file or directory")
