"""Excel files as people make them: what is read, what is refused, and what is written again."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InputError
from microagg.tables import Source, Table, as_written, excel_file, read, target_of, write


def workbook(path, **sheets):
    """Write rows of values to sheets, each from a corner on."""
    with xlsxwriter.Workbook(path) as book:
        date = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, (corner, rows) in sheets.items():
            sheet = book.add_worksheet(name)
            for row, values in enumerate(rows):
                for column, value in enumerate(values):
                    put = sheet.write_string if isinstance(value, str) else sheet.write
                    looks = [date] if isinstance(value, dt.date) else []
                    if value is not None:
                        put(corner[0] + row, corner[1] + column, value, *looks)
    return path


def sheet_of(folder, rows):
    return workbook(folder / "t.xlsx", Sheet1=((0, 0), rows))


def saved(folder, table):
    target = target_of(folder / "t.xlsx", None)
    write(as_written(table, Table(table), target), Table(table), target)
    return target.path


def faults(action, *arguments):
    with pytest.raises(InputError) as caught:
        action(*arguments)
    return caught.value.faults


def test_columns_get_the_type_of_their_cells(tmp_path):
    rows = [
        ["n", "x", "text", "day", "at", "yes", "none", 2024],
        [1, 1, "a", dt.date(2020, 1, 2), dt.date(2020, 1, 2), True, None, 7],
        [-3, 2.5, None, None, dt.datetime(2020, 1, 2, 3, 4, 5, 6000), False, None, 8],
        [None, None, "007", dt.date(2021, 1, 2), None, None, None, 9],
    ]
    found = read(sheet_of(tmp_path, rows)).data
    assert dict(zip(found.column_names, map(str, found.schema.types), strict=True)) == {
        "n": "int64",
        "x": "double",
        "text": "string",
        "day": "date32[day]",
        "at": "timestamp[ms]",
        "yes": "bool",
        "none": "null",
        "2024": "int64",
    }
    assert found.to_pydict() == {
        "n": [1, -3, None],
        "x": [1.0, 2.5, None],
        "text": ["a", None, "007"],
        "day": [dt.date(2020, 1, 2), None, dt.date(2021, 1, 2)],
        "at": [dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5, 6000), None],
        "yes": [True, False, None],
        "none": [None] * 3,
        "2024": [7, 8, 9],
    }


def test_blank_rows_and_columns_hold_nothing_but_count(tmp_path):
    rows = [["a", "", "b"], [1, "", 2], [], [3, "", 4]]
    table = read(workbook(tmp_path / "t.xlsx", Sheet1=((2, 1), rows)))
    assert table.data.to_pydict() == {"a": [1, 3], "b": [2, 4]}
    assert table.where(1) == "row 6 of sheet 'Sheet1' (the header is row 3)"


def test_a_sheet_can_be_chosen_and_its_name_survives(tmp_path):
    path = workbook(tmp_path / "t.xlsx", notes=((0, 0), [["x"], ["y"]]), Firmen=((0, 0), [["a"], [1]]))
    assert read(path).names == ["x"]
    table = read(Source(path, sheet="Firmen"))
    assert table.names == ["a"]
    target = target_of(tmp_path / "safe.xlsx", path)
    write(as_written(table.data, table, target), table, target)
    assert read(Source(tmp_path / "safe.xlsx", sheet="Firmen")).data == table.data
    assert faults(read, Source(path, sheet="firms")) == (
        f"{path} has no sheet 'firms': there are 'notes', 'Firmen'",
    )


def test_every_mixed_column_is_told_with_its_row_and_value(tmp_path):
    rows = [
        ["age", "name", "when"],
        [7, "a", 5],
        [8, 12, dt.date(2020, 1, 1)],
        ["n/a", "b", dt.date(2021, 1, 1)],
    ]
    assert [fault.partition(":")[2] for fault in faults(read, sheet_of(tmp_path, rows))] == [
        " 'n/a' in row 4 of sheet 'Sheet1' (the header is row 1) is a text, where others are a number: "
        "make all of them the same, or drop the column from the file",
        " 12.0 in row 3 of sheet 'Sheet1' (the header is row 1) is a number, where others are a text: "
        "make all of them the same, or drop the column from the file",
        " 5.0 in row 2 of sheet 'Sheet1' (the header is row 1) is a number, where others are a date: "
        "make all of them the same, or drop the column from the file",
    ]


def test_sheets_that_hold_no_table_are_refused(tmp_path):
    (only,) = faults(read, sheet_of(tmp_path, []))
    assert only.endswith("sheet 'Sheet1' is empty: expected a header and records")
    (only,) = faults(read, sheet_of(tmp_path, [["a", "b"]]))
    assert only.endswith("sheet 'Sheet1' holds a header but no records")
    (only,) = faults(read, sheet_of(tmp_path, [["a"], [1, 2]]))
    assert only.endswith("column B holds values, but row 1 has no name for it")
    (tmp_path / "t.xlsx").write_bytes(b"no workbook")
    (only,) = faults(read, tmp_path / "t.xlsx")
    assert only.startswith(f"{tmp_path}/t.xlsx cannot be read as Excel: ")


def test_a_file_with_a_password_is_told_so(tmp_path):
    """Excel puts an encrypted workbook into an older kind of file, under a name that tells it."""
    beginning = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(1024)
    (tmp_path / "t.xlsx").write_bytes(beginning + "EncryptedPackage".encode("utf-16-le") + bytes(1024))
    assert faults(read, tmp_path / "t.xlsx") == (
        f"{tmp_path}/t.xlsx is protected by a password: save it without one and read that",
    )


TYPED = pa.table(
    {
        "n": pa.array([1, None, -3], pa.int16()),
        "x": [0.1 + 0.2, 1e300, None],
        "short": pa.array([0.5, None, 2.0], pa.float32()),
        "text": ["=1+1", None, "http://x"],
        "kind": pa.array(["a", None, "a"]).dictionary_encode(),
        "day": pa.array([dt.date(1900, 1, 1), None, dt.date(2020, 2, 29)]),
        "at": [dt.datetime(2020, 1, 2, 3, 4, 5, 678_000), None, dt.datetime(1999, 12, 31)],
        "yes": [True, None, False],
        "hour": [dt.time(3, 4, 5), None, dt.time(0)],
    }
)


def test_what_is_written_reads_back_as_the_check_saw_it(tmp_path):
    target = target_of(tmp_path / "t.xlsx", None)
    held = as_written(TYPED, Table(TYPED), target)
    write(held, Table(TYPED), target)
    found = read(tmp_path / "t.xlsx").data.to_pydict()
    assert found == held.to_pydict()
    assert found == {**TYPED.to_pydict(), "x": [0.3, 1e300, None]}  # a cell holds 16 digits


@given(st.lists(st.floats(-9e307, 9e307), min_size=1, max_size=20))
def test_numbers_read_back_as_the_check_saw_them(tmp_path_factory, numbers):
    folder = tmp_path_factory.mktemp("excel")
    table = pa.table({"x": numbers})
    held = as_written(table, Table(table), target_of(folder / "t.xlsx", None))
    assert read(saved(folder, table)).data["x"].to_pylist() == held["x"].to_pylist()


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([2**53 + 1]), "holds whole numbers beyond 9,007,199,254,740,992"),
        (pa.array([1.0, float("-inf")]), "holds -inf, which Excel cannot hold"),
        (pa.array([1.0e308]), "holds 1e+308, which Excel cannot hold"),
        (pa.array(["x" * 32_768]), "holds text of over 32,767 characters"),
        (pa.array([dt.date(1899, 12, 31)]), "holds dates before 1900"),
        (pa.array([0], pa.timestamp("ms", "UTC")), "holds timestamp[ms, tz=UTC], which Excel cannot hold"),
        (pa.array([[1]]), "holds list<item: int64>, which Excel cannot hold"),
    ],
)
def test_what_a_sheet_cannot_hold_is_refused(tmp_path, column, expected):
    table = pa.table({"a": column})
    (only,) = faults(saved, tmp_path, table)
    assert only.startswith(f"column 'a' {expected}")
    assert not list(tmp_path.iterdir())


def test_more_than_a_sheet_holds_is_refused_before_work_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(excel_file, "_ROWS", 3)
    table = pa.table({"a": [1, 2, 3]})
    (only,) = faults(as_written, table.slice(0, 0), Table(table), target_of(tmp_path / "t.xlsx", None))
    assert only.startswith("3 records of 1 columns are more than a sheet of Excel holds (2 of 16,384)")
