"""Two tables of the same records brought into the same numbers, whatever program wrote the second."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import microagg.tables as tables
from microagg.errors import InputError


def table(**columns):
    return tables.read(pa.table(columns))


def csv(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return tables.read(tmp_path / name)


def test_means_of_whole_numbers_keep_their_fractions():
    both = tables.paired("a", table(a=[1, 2]), table(a=[1.5, 1.5]), "integer")
    assert both.original.values.tolist() == [1.0, 2.0]
    assert both.released.values.tolist() == [1.5, 1.5]


def test_levels_are_the_same_numbers_in_both_tables():
    both = tables.paired("a", table(a=["x", "y", "z"]), table(a=["z", "z", "w"]), "nominal")
    assert both.levels == ("w", "x", "y", "z")
    assert both.original.values.tolist() == [1.0, 2.0, 3.0]
    assert both.released.values.tolist() == [3.0, 3.0, 0.0]
    assert both.original.levels == both.released.levels == 4


def test_an_order_that_is_stated_holds_for_both():
    both = tables.paired(
        "a", table(a=["low", "high"]), table(a=["mid", "mid"]), "ordinal", ("low", "mid", "high")
    )
    assert both.original.values.tolist() == [0.0, 2.0]
    assert both.released.values.tolist() == [1.0, 1.0]


def test_days_are_counted_from_the_same_day():
    first = dt.date(2024, 1, 10)
    both = tables.paired("a", table(a=[first, first]), table(a=[first, dt.date(2024, 1, 7)]), "date")
    assert (both.released.values - both.original.values).tolist() == [0.0, -3.0]


def test_no_part_of_a_day_is_lost():
    day, noon = dt.date(2024, 1, 10), dt.datetime(2024, 1, 10, 12)
    both = tables.paired("a", table(a=[day, day]), table(a=[noon, noon]), "date")
    assert (both.released.values > both.original.values).all()
    assert tables.differ("a", table(a=[day]), table(a=[noon]), tables.Matching(np.arange(1), np.arange(1)))


def test_times_of_different_precision_are_compared_in_the_finer():
    rough = table(a=pa.array([1_000_000], pa.timestamp("us")))
    fine = table(a=pa.array([1_000_000_001], pa.timestamp("ns")))
    both = tables.paired("a", rough, fine, "datetime")
    assert (both.released.values - both.original.values).tolist() == [1.0]


def test_a_csv_file_is_compared_with_a_typed_table(tmp_path):
    one = csv(tmp_path, "a.csv", "code,flag\n7,true\n12,false\n")
    both = tables.paired("code", one, table(code=[12, 7]), "nominal")
    assert both.original.values.tolist() == both.released.values.tolist()[::-1]
    flags = tables.paired("flag", one, table(flag=[True, True]), "boolean")
    assert flags.original.values.tolist() == [1.0, 0.0]
    assert flags.released.values.tolist() == [1.0, 1.0]


def test_files_may_be_written_differently(tmp_path):
    one = csv(tmp_path, "a.csv", "pay\n1.5\n2.5\n")
    (tmp_path / "b.csv").write_text("pay;x\n1,5;1\n2,5;1\n")
    two = tables.read(tables.Source(tmp_path / "b.csv", decimal=","))
    both = tables.paired("pay", one, two, "continuous")
    assert both.original.values.tolist() == both.released.values.tolist() == [1.5, 2.5]


def test_missing_values_stay_with_their_table():
    both = tables.paired("a", table(a=["x", None]), table(a=["x", "x"]), "nominal")
    assert both.original.missing.tolist() == [False, True]
    assert both.released.missing.size == 0


def test_a_fault_says_in_which_table_it_is(tmp_path):
    one = csv(tmp_path, "a.csv", "age\n30\n41\n")
    two = csv(tmp_path, "b.csv", "age\n30\n40-49\n")
    with pytest.raises(InputError, match=r"in the released table, .*'40-49' in row 3.* is nominal$"):
        tables.paired("age", one, two, "integer")


def test_rows_are_matched_by_a_column_and_some_may_be_left_out():
    found = tables.matched(table(id=[5, 6, 7, 8]), table(id=[8, 5, 7]), "id")
    assert found.original.tolist() == [0, 2, 3]
    assert found.released.tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ([1, 1], [1, 2], "1 stands in 'id' of more than one row of the original"),
        ([1, 2], [2, 2], "2 stands in 'id' of more than one row of the released table"),
        ([1, None], [1, 2], "'id' is missing in row 2"),
        (
            [1, 2],
            [1, 3],
            r"1 records of the released table have a value in 'id' that the original has not, first 3",
        ),
    ],
)
def test_rows_that_cannot_be_matched_are_told(one, other, message):
    with pytest.raises(InputError, match=message):
        tables.matched(table(id=one), table(id=other), "id")


def test_columns_differ_by_their_values_not_their_types():
    rows = tables.Matching(np.arange(2), np.arange(2))
    assert not tables.differ("a", table(a=[1, 2]), table(a=[1.0, 2.0]), rows)
    assert tables.differ("a", table(a=[1, 2]), table(a=[1.0, 2.5]), rows)
    turned = tables.Matching(np.arange(2), np.array([1, 0]))
    assert not tables.differ("a", table(a=["x", "y"]), table(a=["y", "x"]), turned)
