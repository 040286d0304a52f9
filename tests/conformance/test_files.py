"""Every case in every format of file and database: the same released values, and they read back."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest

from microagg import Source, protect
from microagg.tables import Destination, Table, as_written, read, target_of, write

RECORDS = 60
PLACES = ["t.csv", "t.parquet", "t.arrow", "t.feather", "t.xlsx", "t.sav", "t.dta", "t.sqlite#firms"]


def repeated(values, kind=None):
    return pa.array([values[row % len(values)] for row in range(RECORDS)], kind)


TABLE = pa.table(
    {
        "name": repeated(["ann", "bob, jr", 'c "x"', "dée"]),
        "staff": repeated([3, None, 40, 1, 5, 8, 12], pa.int32()),
        "sales": pa.array(np.round(np.random.default_rng(1).lognormal(3, 1, RECORDS), 2)),
        "region": repeated(["north", "south", None, "east", "north"]),
        "size": repeated(["small", "large", "medium", "small", None, "small", "medium"]),
        "day": repeated([dt.date(2020, 1, 2), None, dt.date(2021, 5, 7), dt.date(2019, 3, 4)]),
        "at": repeated([dt.datetime(2020, 1, 2, 3, 4, 5), dt.datetime(2023, 7, 1, 1)], pa.timestamp("ms")),
        "weight": repeated([1.5, 2.0, 7.25]),
    }
)
REQUEST = {
    "k": 4,
    "quasi_identifiers": ["staff", "sales", "region", "size", "day", "at"],
    "keep": ["name"],
    "weight": "weight",
    # what the formats tell less of than Arrow does: Excel has one kind of numbers, SQLite no dates
    "kinds": {"staff": "integer", "day": "date", "at": "datetime"},
    "orders": {"size": ["small", "medium", "large"]},
}


def saved(place, table=TABLE):
    target = target_of(place, None)
    write(as_written(table, Table(table), target), Table(table), target)
    return place


def plain(value):
    """Return a value as all formats can tell it: a number, a text, a day, or nothing."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, dt.date):
        return value.isoformat()
    try:
        return round(float(value), 9)
    except ValueError:
        text = str(value)
        return text.replace("T", " ")[:19] if text[:2] in ("19", "20") else text


def columns(place):
    return {name: [plain(v) for v in read(place).data[name].to_pylist()] for name in TABLE.column_names}


@pytest.mark.parametrize("given", PLACES)
def test_from_every_format_into_itself_the_released_values_are_those_of_a_frame(given, tmp_path):
    expected = protect(TABLE, **REQUEST)
    place = saved(str(tmp_path / given))
    target = Destination(str(tmp_path / given).replace("t.", "safe.").replace("#firms", "#safe"))
    result = protect(place, **REQUEST, to=target)
    assert np.array_equal(result.labels, expected.labels)
    found = columns(target.place)
    for name in TABLE.column_names:
        assert found[name] == [plain(value) for value in expected.data[name].to_pylist()], name


@pytest.mark.parametrize("written", PLACES)
def test_a_released_file_of_every_format_is_checked_as_it_is_written(written, tmp_path):
    result = protect(TABLE, **REQUEST, to=tmp_path / written)
    assert result.classes.smallest >= 4
    seen = columns(str(tmp_path / written))
    tuples = list(zip(*(seen[name] for name in REQUEST["quasi_identifiers"]), strict=True))
    assert min(tuples.count(one) for one in set(tuples)) >= 4


def test_a_file_of_another_dialect_comes_out_in_that_dialect(tmp_path):
    lines = ["name;sales;region", *(f"f{row};{row}.{100 + row},5;{'ns'[row % 2]}" for row in range(1, 13))]
    path = tmp_path / "t.csv"
    path.write_text("\r\n".join(lines) + "\r\n", encoding="cp1252", newline="")
    source = Source(path, decimal=",", thousands=".", encoding="cp1252")
    protect(source, 3, ["sales", "region"], keep="name", to=tmp_path / "safe.csv")
    content = (tmp_path / "safe.csv").read_bytes()
    assert content.startswith(b"name;sales;region\r\nf1;")
    released = [line.split(";")[1] for line in content.decode("cp1252").splitlines()[1:]]
    assert all(text.count(",") <= 1 and "." not in text for text in released)
