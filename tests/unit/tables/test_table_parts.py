"""Columns that are looked at in parts show, and are, the same as when they are whole."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.tables import Table, digest_of_table
from microagg.tables.csv_dialect import Dialect
from microagg.tables.csv_file import CsvFile
from microagg.tables.kinds import kind_of_text
from microagg.tables.parts import Asked, coding_of, joined_looks, look_at
from microagg.tables.streams import stream_of
from microagg.tables.text_kinds import kind_of_spelled, spelled_in

CSV = CsvFile(None, Dialect(), 1)
WORDS = [
    "",
    " ",
    "1",
    "2.5",
    "007",
    "-3e2",
    "3,5",
    "yes",
    "no",
    "true",
    "x",
    "2024-01-02",
    "2024-01-02 10:00",
    "9" * 20,
]


def cut(values, ends):
    places = [0, *sorted(end % (len(values) + 1) for end in ends), len(values)]
    return [values[first:last] for first, last in pairwise(places)]


@given(
    st.lists(st.sampled_from(WORDS), max_size=12) | st.lists(st.sampled_from(WORDS[:5]), max_size=12),
    st.lists(st.integers(0, 12), max_size=3),
)
def test_the_kind_of_text_is_that_of_the_whole(values, ends):
    parts = [spelled_in(pa.chunked_array([part], pa.string()), CSV) for part in cut(values, ends)]
    assert kind_of_spelled(parts) == kind_of_text(pa.chunked_array([values], pa.string())).kind


KINDS = {
    "continuous": (st.floats(-1e9, 1e9), pa.float64()),
    "integer": (st.integers(-99, 99), pa.int16()),
    "nominal": (st.sampled_from(["b", "a", "", "ä"]), pa.string()),
    "boolean": (st.booleans(), pa.bool_()),
    "date": (st.dates(), pa.date32()),
    "datetime": (st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2040, 1, 1)), pa.timestamp("us")),
    "ordinal": (st.integers(0, 5), pa.int64()),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), ends=st.lists(st.integers(0, 12), max_size=3))
def test_numbers_are_those_of_the_whole_and_lead_back(kind, data, ends):
    values, form = KINDS[kind]
    column = pa.array(data.draw(st.lists(values | st.none(), min_size=1, max_size=12)), form)
    whole = Table(pa.table({"x": column})).encoded("x", kind).column
    asked = Asked("x", kind, form)
    parts, first, looks = cut(column, ends), 0, []
    for part in parts:
        looks.append(look_at(asked, part, first, str))
        first += len(part)
    coding = coding_of(asked, joined_looks(asked, looks[::-1]))
    numbers = np.concatenate([coding.numbers(part, str) for part in parts])
    found = coding.column(numbers)
    assert found.missing.tolist() == whole.missing.tolist()
    assert found.present.tolist() == whole.present.tolist()
    assert (found.levels, found.kind) == (whole.levels, whole.kind)
    assert coding.back(numbers).equals(column)
    assert coding.look.first_missing == (whole.missing.argmax() if whole.missing.size else -1)
    if coding.look.missing < len(column):
        assert (coding.least, coding.largest) == (whole.present.min(), whole.present.max())


def test_the_digest_of_parts_is_that_of_the_whole(tmp_path):
    rng = np.random.default_rng(1)
    table = pa.table(
        {
            "a": rng.normal(size=150_000),
            "b": [None if value < 5 else f"n{value}" for value in rng.integers(0, 900, 150_000)],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=777)
    assert stream_of(tmp_path / "t.parquet").digest() == digest_of_table(table)


def test_parts_are_of_equal_size_whatever_the_file_is_made_of(tmp_path):
    table = pa.table({"a": np.arange(1000), "b": np.arange(1000) * 0.5})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=77)
    parts = list(stream_of(tmp_path / "t.parquet").parts(["b", "a"], 300))
    assert [part.num_rows for part in parts] == [300, 300, 300, 100]
    assert all(column.num_chunks == 1 for part in parts for column in part.columns)
    assert pa.concat_tables(parts).select(["a", "b"]).equals(table)
