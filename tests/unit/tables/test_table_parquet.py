"""Parquet folders and patterns, and Arrow's files and streams."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microagg.errors import InputError
from microagg.tables import Destination, Source, Table, as_written, read, target_of, write


@pytest.fixture
def lake(tmp_path):
    """Make a folder of three files, in two years, and what does not belong to the table."""
    for year, month, numbers in ((2024, "b", [3, 4]), (2024, "a", [1, 2]), (2025, "a", [5])):
        folder = tmp_path / "lake" / f"year={year}"
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"a": numbers, "month": [month] * len(numbers)}), folder / f"{month}.parquet")
    (tmp_path / "lake" / "_SUCCESS").touch()
    (tmp_path / "lake" / ".part.parquet").touch()
    return tmp_path / "lake"


def fault(action, *arguments):
    with pytest.raises(InputError) as caught:
        action(*arguments)
    (only,) = caught.value.faults
    return only


def test_a_folder_is_one_table_in_the_order_of_its_files(lake):
    found = read(lake).data
    assert found["a"].to_pylist() == [1, 2, 3, 4, 5]
    assert found["month"].to_pylist() == list("aabba")
    assert found["year"].to_pylist() == [2024] * 4 + [2025]


def test_a_pattern_is_one_table(lake):
    assert read(f"{lake}/*/a.parquet").data["a"].to_pylist() == [1, 2, 5]
    assert read(Source(lake / "year=202[5-9]" / "*")).data["a"].to_pylist() == [5]


def test_a_file_called_like_a_pattern_is_a_file(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a[1]*.parquet")
    pq.write_table(pa.table({"a": [2]}), tmp_path / "a1.parquet")
    assert read(tmp_path / "a[1]*.parquet").data["a"].to_pylist() == [1]


def test_files_of_other_columns_are_named(lake):
    odd = lake / "year=2025" / "z.parquet"
    pq.write_table(pa.table({"a": ["x"]}), odd)
    assert fault(read, lake) == (
        f"{odd} has other columns, or other types, than {lake}/year=2024/a.parquet: expected one table"
    )


def test_where_there_are_no_parquet_files_this_is_said(tmp_path):
    assert fault(read, tmp_path) == f"there are no Parquet files in {tmp_path}"
    assert fault(read, f"{tmp_path}/*.parquet") == f"there are no Parquet files in {tmp_path}/*.parquet"
    (tmp_path / "t.csv").write_text("a\n1\n")
    assert fault(read, f"{tmp_path}/*.csv") == (
        f"{tmp_path}/t.csv is CSV: several files can be read together only from Parquet"
    )


def test_a_release_is_never_written_into_what_is_read(lake):
    inside = lake / "safe.parquet"
    assert fault(target_of, inside, lake) == (
        f"{inside} lies in the folder that is read: choose another, or it will be read too"
    )
    read_too = lake / "year=2024" / "a.parquet"
    assert "the file that is read" in fault(target_of, read_too, f"{lake}/*/a.parquet")
    target_of(lake / "year=2024" / "b.parquet", f"{lake}/*/a.parquet")


TYPED = pa.table(
    {
        "category": pa.chunked_array(
            [pa.array(["x", None]).dictionary_encode(), pa.array(["y"] * 2).dictionary_encode()]
        ),
        "list": [[1], [], None, [2]],
        "short": pa.array([1, None, 3, 4], pa.int8()),
    }
)


@pytest.mark.parametrize("ending", ["arrow", "feather"])
def test_arrow_files_keep_all_types(tmp_path, ending):
    target = target_of(tmp_path / f"t.{ending}", None)
    write(as_written(TYPED, Table(TYPED), target), Table(TYPED), target)
    assert read(target.path).data.equals(TYPED.unify_dictionaries())


def test_a_stream_saved_as_a_file_is_read(tmp_path):
    with pa.ipc.new_stream(tmp_path / "t.arrow", TYPED.schema) as writer:
        writer.write_table(TYPED)
    assert read(tmp_path / "t.arrow").data["short"].to_pylist() == [1, None, 3, 4]


@pytest.mark.parametrize("content", [b"ARROW1\0\0 and then no more", b"nonsense, and more of it"])
def test_a_broken_arrow_file_is_refused(tmp_path, content):
    (tmp_path / "t.arrow").write_bytes(content)
    assert fault(read, tmp_path / "t.arrow").startswith(f"{tmp_path}/t.arrow cannot be read")


def test_an_option_for_another_kind_of_file_is_refused(lake, tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(InputError) as caught:
        read(Source(tmp_path / "t.csv", sheet="1", table="x", encoding="utf-8"))
    assert caught.value.faults == (
        f"{tmp_path}/t.csv is CSV, which has no sheet: leave that option out",
        f"{tmp_path}/t.csv is CSV, which has no table: leave that option out",
    )
    assert "is Parquet, which has no encoding" in fault(read, Source(lake, encoding="utf-8"))
    assert "is CSV, which has no table" in fault(target_of, Destination(tmp_path / "s.csv", table="x"), None)
