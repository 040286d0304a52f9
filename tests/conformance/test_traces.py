"""No release holds more than the values that it shows, nor rests a value on one record unawares."""

from __future__ import annotations

import datetime as dt

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

from microagg import check_release, preview, protect
from microagg.errors import InputError

RARE = pa.table(
    {"n": pa.array(["common"] * 5 + ["RARE"]).dictionary_encode(), "y": [1, 1, 2, 2, 2, 2]},
)


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_a_category_that_nobody_has_any_more_is_not_in_the_file(ending, tmp_path):
    result = protect(RARE, 3, ["n", "y"], to=tmp_path / f"safe.{ending}")
    assert result.data["n"].to_pylist() == ["common"] * 6
    assert b"RARE" not in (tmp_path / f"safe.{ending}").read_bytes()
    assert result.data.schema == RARE.schema


def test_a_category_that_nobody_has_any_more_is_not_in_a_frame():
    frame = protect(RARE.to_pandas(), 3, ["n", "y"]).data
    assert frame["n"].dtype == "category"
    assert list(frame["n"].cat.categories) == ["common"]


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_labels_of_persons_are_not_those_of_the_numbers_in_their_place(ending, tmp_path):
    given, safe = tmp_path / f"in.{ending}", tmp_path / f"safe.{ending}"
    frame = pd.DataFrame({"e": [3, 3, 4, 4, 1, 1, 2, 2], "x": [1.0, 2, 3, 4, 5, 6, 7, 8]})
    labels = {"e": {1: "Anna", 2: "Bob", 3: "Cy", 4: "Di"}, "x": {1: "one"}}
    getattr(pyreadstat, f"write_{ending}")(frame, given, variable_value_labels=labels)
    protect(given, 2, "x", entity="e", link_entities=True, kinds={"x": "continuous"}, to=safe)
    released, said = getattr(pyreadstat, f"read_{ending}")(safe)
    assert sorted(set(released["e"])) == [1, 2, 3, 4]
    assert list(said.variable_value_labels) == ["x"]


def test_weights_that_are_equal_but_written_otherwise_are_written_alike(tmp_path):
    (tmp_path / "w.csv").write_text("x,w\n1,1\n2,1.0\n3,1.00\n9,1\n")
    protect(tmp_path / "w.csv", 2, "x", weight="w", to=tmp_path / "safe.csv")
    assert check_release(tmp_path / "safe.csv", 2, ["x", "w"]).records_below_k == 0


def test_a_trimmed_mean_rests_on_more_than_one_entity():
    table = pa.table({"p": ["A"] * 8 + ["B"], "x": [5.0, 6, 7, 5, 6, 7, 8, 9, 100]})
    result = protect(table, 2, "x", entity="p", centres={"x": "trimmed mean"})
    assert result.data["x"].to_pylist() == [17.0] * 9


def test_what_is_released_as_missing_is_lost_by_its_distance():
    x = [float(row % 7) for row in range(60)]
    lost = {}
    for outlier in (3.0, 1e6):
        table = pa.table({"x": [*x, outlier, None, None], "s": ["a"] * 60 + ["b"] * 3})
        lost[outlier] = protect(table, 3, "x", strata="s", scale="none").loss.percent
    assert lost[1e6] > 90 > 10 > lost[3.0]


def test_totals_of_totals_are_kept_whatever_the_order_in_which_they_are_stated():
    a, b, c = [1, 2, 6, 8], [2, 3, 7, 10], [1, 1, 20, 20]
    t = [one + other for one, other in zip(a, b, strict=True)]
    u = [one + other for one, other in zip(t, c, strict=True)]
    table = pa.table({"a": a, "b": b, "c": c, "t": t, "u": u})
    for edits in (["t = a + b", "u = t + c"], ["u = t + c", "t = a + b"]):
        result = protect(table, 2, list("abctu"), edits=edits, method="mdav")
        for row in result.data.to_pylist():
            assert (row["a"] + row["b"], row["t"] + row["c"]) == (row["t"], row["u"])
        assert not any("edit" in note for note in result.notes)


def test_a_total_that_its_column_cannot_hold_is_left_and_told(tmp_path):
    (tmp_path / "t.csv").write_text("w,c,t\n0.5,0.5,1\n1.2,0.8,2\n7.5,7.5,15\n8.5,8.5,17\n")
    result = protect(tmp_path / "t.csv", 2, ["w", "c", "t"], edits="t = w + c")
    assert result.data["t"].to_pylist()[0] in (1, 2)
    assert any("the edit 't = w + c' held in 4 of 4" in note for note in result.notes)


def test_merged_strata_of_categories_have_their_new_names_in_every_frame():
    table = pa.table({"s": pa.array(list("newww")).dictionary_encode(), "x": [1.0, 2, 3, 4, 5]})
    enum = pl.DataFrame(table).with_columns(pl.col("s").cast(pl.Enum(["n", "e", "w"])))
    expected = ["e + n", "e + n", "w", "w", "w"]
    for frame in (table, table.to_pandas(), pl.DataFrame(table), enum, enum.lazy()):
        found = protect(frame, 2, "x", strata="s", small_strata="merge").data
        found = found.collect() if isinstance(found, pl.LazyFrame) else found
        assert list(found["s"].to_pylist() if isinstance(found, pa.Table) else found["s"]) == expected


def test_a_stratum_that_is_not_merged_keeps_what_it_had():
    table = pa.table({"s": [None, None, "p", "q"], "x": [1.0, 2, 3, 4]})
    result = protect(table, 2, "x", strata="s", small_strata="merge")
    assert result.data["s"].to_pylist() == [None, None, "p + q", "p + q"]


def test_entities_that_lie_in_several_strata_count_once_where_these_are_merged():
    table = pa.table({"e": list("AABCD"), "s": list("pqrrr"), "x": [1.0, 2, 3, 4, 5]})
    result = protect(table, 2, "x", entity="e", strata="s", small_strata="merge")
    assert result.classes.smallest >= 2
    assert protect(table, np.int64(2), "x", entity="e", strata="s", small_strata="merge").data == result.data


@pytest.mark.parametrize("column", [pa.nulls(4, pa.date32()), pa.nulls(4, pa.timestamp("us"))])
def test_dates_can_all_be_missing(column):
    table = pa.table({"d": column, "x": [1, 2, 3, 4]})
    assert protect(table, 2, ["d", "x"]).data["d"].null_count == 4


def test_no_date_is_beyond_the_calendar():
    times = "CASE WHEN range < 3 THEN 'infinity'::timestamp ELSE '2020-01-01'::timestamp END"
    relation = duckdb.sql(f"SELECT range AS x, {times} AS t FROM range(6)")
    with pytest.raises(InputError, match=r"^column 't' holds a time beyond the calendar in row 1 .* of 3"):
        protect(relation, 3, ["t", "x"])


def test_one_text_among_dates_is_a_fault(tmp_path):
    (tmp_path / "d.csv").write_text("d,x\n2020-01-01,1\n2020-02-30,2\n2020-03-01,3\n2020-03-02,4\n")
    with pytest.raises(InputError, match=r"^column 'd' holds '2020-02-30' in row 3 "):
        protect(tmp_path / "d.csv", 2, ["d", "x"])


def test_equal_texts_are_spelled_alike_and_those_of_a_frame_are_as_they_are(tmp_path):
    table = pa.table({"c": ["a", " a", "a", " a", "", ""]})
    assert protect(table, 2, "c").data["c"].to_pylist() == table["c"].to_pylist()
    (tmp_path / "c.csv").write_text("c,x\n a,1\na,1\n")
    assert protect(tmp_path / "c.csv", 2, ["c", "x"]).data["c"].to_pylist() == ["a", "a"]


def test_categories_without_an_order_have_none_as_ordinals_either():
    table = pa.table({"c": pa.array(["low", "mid", "high"] * 2).dictionary_encode()})
    with pytest.raises(InputError, match=r"^column 'c' is ordinal, and text has no order of its own"):
        protect(table, 3, "c", kinds={"c": "ordinal"})


def test_faults_of_parts_are_told_together():
    columns = {"x": [1.0, None, 3.0, 4.0], "s": list("aaab"), "w": [0.0, None, 1, 1]}
    table = pa.table({**columns, "e": ["p", None, "q", "r"]})
    request = {"strata": "s", "entity": "e", "weight": "w", "missing": "own-group"}
    with pytest.raises(InputError) as caught:
        preview(table, 2, "x", **request, edits=["x >= s", "1 = 1"])
    found = "\n".join(caught.value.faults)
    for told in (
        "the entity 'e' is missing in row 2",
        "1 of 2 strata hold fewer than k = 2: s = 'b' (1)",
        "only 1 record(s) have 'x' missing",
        "the weight 'w' is missing in row 2",
        "the weight 'w' is 0 in row 1",
        "the edit 'x >= s' names 's'",
        "the edit '1 = 1' names no column",
    ):
        assert told in found
    with pytest.raises(InputError, match="but no column says whose each record is: name the entity"):
        protect(table, 2, "x", drop="rest", link_entities=True)


def test_days_that_are_stored_with_a_time_stay_days():
    noons = pa.array([dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 2, 12)] * 2)
    days = noons.cast(pa.date64(), safe=False)
    assert protect(pa.table({"d": days}), 2, "d").data["d"].type == pa.date64()
