"""The SHA-256 of tables: the same for the same values, whatever Arrow's layout, and another for others."""

from __future__ import annotations

import datetime as dt
import hashlib
from decimal import Decimal
from itertools import pairwise

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.tables import digest, digest_of, digest_of_table, read

VALUES = {
    "int64": pa.array([1, None, 3, 4, 5, 6]),
    "uint8": pa.array([1, 2, None, 4, 5, 255], pa.uint8()),
    "float64": pa.array([0.0, -0.0, None, 1.5, 2.0, float("inf")]),
    "bool": pa.array([True, None, False, True, False, True]),
    "text": pa.array(["a", "", None, "ü", "bc", "d"]),
    "bytes": pa.array([b"a", b"", None, b"\0", b"bc", b"d"]),
    "date": pa.array([dt.date(2024, 1, day) for day in range(1, 7)]),
    "time": pa.array([dt.datetime(2024, 1, day) if day > 2 else None for day in range(1, 7)]),
    "decimal": pa.array([Decimal("1.5"), None, Decimal("2.5"), Decimal(3), Decimal(4), Decimal(5)]),
    "list": pa.array([[1], [], None, [2, 3], [4], [5]]),
    "null": pa.nulls(6),
}
BY_KIND = pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)


@pytest.fixture(autouse=True)
def few_records_at_once(monkeypatch):
    monkeypatch.setattr(digest, "_RECORDS_AT_ONCE", 4)


def of(values, name="x"):
    return digest_of_table(pa.table({name: values}))


@BY_KIND
@pytest.mark.parametrize("cuts", [[1], [4], [2, 2, 5]])
def test_it_does_not_depend_on_the_pieces_that_a_column_is_cut_into(values, cuts):
    ends = [0, *cuts, len(values)]
    pieces = [values.slice(start, end - start) for start, end in pairwise(ends)]
    assert of(pa.chunked_array(pieces)) == of(values)
    assert of(pa.concat_arrays([values[:3], values]).slice(3)) == of(values)


@BY_KIND
def test_another_value_order_name_or_type_makes_another(values):
    others = [values[::-1], values[:5], pa.concat_arrays([values, values[:1]])]
    found = {of(values), of(values, "y"), *map(of, others)}
    assert len(found) == (5 if values.null_count < 6 else 4)  # nulls are the same in any order
    assert of(values) == of(values)


def test_the_type_counts_and_so_does_what_is_missing():
    tables = [
        of(pa.array([1, 0], pa.int64())),
        of(pa.array([1, 0], pa.int32())),
        of(pa.array([1, None], pa.int64())),
        of(pa.array([None, 1], pa.int64())),
        of(pa.array([1.0, 0.0])),
        of(pa.array([1.0, -0.0])),
        of(pa.array(["1", "0"])),
        of(pa.array(["10", ""])),
        of(pa.array([b"1", b"0"])),
        of(pa.array(["1", None])),
        of(pa.array(["1", ""])),
    ]
    assert len(set(tables)) == len(tables)


def test_the_layout_of_text_and_of_categories_does_not_count():
    text = VALUES["text"]
    for kind in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.large_string())):
        assert of(
            text.cast(pa.large_string()).dictionary_encode() if "dict" in str(kind) else text.cast(kind)
        ) == of(text)
    frame = pl.DataFrame({"x": ["a", "", None]})
    assert digest_of(frame) == digest_of(pa.table({"x": ["a", "", None]}))
    assert digest_of(frame.with_columns(pl.col("x").cast(pl.Categorical))) == digest_of(frame)


@given(st.lists(st.none() | st.text()), st.lists(st.none() | st.text()))
def test_two_columns_have_the_same_just_if_they_hold_the_same(one, other):
    found = [of(pa.array(values, pa.string())) for values in (one, other)]
    assert (found[0] == found[1]) == (one == other)


def test_of_files_it_is_that_of_their_bytes(tmp_path):
    for name in "ba":
        pq.write_table(pa.table({"x": [name]}), tmp_path / f"{name}.parquet")
    contents = [(tmp_path / f"{name}.parquet").read_bytes() for name in "ab"]
    each = [hashlib.sha256(content).digest() for content in contents]
    assert digest_of(tmp_path / "a.parquet") == each[0]
    assert (
        digest_of(tmp_path) == digest_of(tmp_path / "*.parquet") == hashlib.sha256(each[0] + each[1]).digest()
    )
    assert digest_of(str(tmp_path / "a.parquet"), read(tmp_path / "b.parquet")) == each[0]
