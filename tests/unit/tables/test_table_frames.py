"""Data frames in, and the same kind of frame out."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from microagg.errors import InputError
from microagg.run import protect

COLUMNS = {"name": ["a", "b", "c", "d"], "staff": [1, 3, 20, 24], "turnover": [1.0, 2.0, 9.0, 8.0]}
RELEASED = {"staff": [2.0, 2.0, 22.0, 22.0], "turnover": [1.5, 1.5, 8.5, 8.5]}


def protected(data, **request):
    return protect(data, 2, ["turnover", "staff"], **{"keep": "rest", **request}).data


def fault(data, **request):
    with pytest.raises(InputError) as caught:
        protected(data, **request)
    (only,) = caught.value.faults
    return only


@pytest.mark.parametrize(
    ("given", "columns"),
    [
        (pd.DataFrame(COLUMNS), lambda frame: frame.to_dict("list")),
        (pl.DataFrame(COLUMNS), lambda frame: frame.to_dict(as_series=False)),
        (pa.table(COLUMNS), lambda table: table.to_pydict()),
    ],
    ids=["pandas", "Polars", "Arrow"],
)
def test_a_frame_comes_back_as_the_kind_that_was_given(given, columns):
    before = columns(given)
    kept = protected(given)
    assert type(kept) is type(given)
    assert list(columns(kept).items()) == [("name", COLUMNS["name"]), *RELEASED.items()]
    assert columns(protected(given, drop=["name"], keep=())) == RELEASED
    assert columns(given) == before


class Elsewhere:
    """A frame of a library that nobody has told us of."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)


def test_other_frames_come_back_as_arrow():
    released = protected(Elsewhere(), drop="rest", keep=())
    assert isinstance(released, pa.Table)
    assert released.to_pydict() == RELEASED


@pytest.mark.parametrize("short", ["float32", "Float32", "float32[pyarrow]"])
def test_pandas_keeps_the_types_of_kept_columns_and_of_floating_numbers(short):
    frame = pd.DataFrame(COLUMNS).astype({"turnover": short, "name": "category"})
    frame["when"] = pd.date_range("2020-01-01", periods=4, tz="Europe/Paris")
    released = protected(frame)
    assert released.dtypes.equals(frame.dtypes)
    assert released[["name", "when"]].equals(frame[["name", "when"]])
    assert released["turnover"].tolist() == RELEASED["turnover"]


def test_polars_keeps_the_types_of_kept_columns_and_of_floating_numbers():
    frame = pl.DataFrame(COLUMNS, schema={"name": pl.Categorical, "staff": pl.Int16, "turnover": pl.Float32})
    released = protected(frame)
    assert dict(released.schema) == {"name": pl.Categorical, "staff": pl.Int16, "turnover": pl.Float32}
    assert released["name"].equals(frame["name"])


def test_pandas_keeps_an_index_of_places():
    frame = pd.DataFrame(COLUMNS, index=[7, 3, 3, 1])
    assert protected(frame).index.equals(frame.index)


def test_an_index_that_tells_something_needs_a_role():
    frame = pd.DataFrame(COLUMNS).set_index("name")
    assert fault(frame, keep=()).startswith("no role for 'name': ")
    assert protected(frame).index.equals(frame.index)
    assert protected(frame, keep=(), drop=["name"]).index.equals(pd.RangeIndex(4))


def test_an_index_without_a_name_that_tells_something_needs_a_role():
    frame = pd.DataFrame(COLUMNS, index=["w", "x", "y", "z"])
    assert fault(frame, keep=["name"]).startswith("no role for 'index': ")


def test_what_a_frame_says_beside_its_columns_is_left_out():
    frame = pd.DataFrame(COLUMNS)
    frame.attrs["source"] = "the list of names"
    assert protected(frame).attrs == {}


def test_names_that_arrow_does_not_know_are_refused():
    frame = pd.DataFrame([[1, 2, 3]] * 4, columns=["staff", 5, "staff"])
    with pytest.raises(InputError) as caught:
        protected(frame)
    assert caught.value.faults == (
        "a column is called 5, which is not text: rename it",
        "several columns are called 'staff': give each its own name",
    )


def test_a_column_may_be_called_as_an_argument_is():
    frame = pd.DataFrame({"self": [1, 3, 20, 24]})
    assert protect(frame, 2, "self").data["self"].tolist() == RELEASED["staff"]


def test_every_column_of_several_kinds_is_told_with_its_row_and_value():
    odd = {"odd": [None, 1, "x", 2.5], "sex": ["f", True, "m", "f"], "fine": [1, 2.5, None, 4]}
    with pytest.raises(InputError) as caught:
        protected(pd.DataFrame({**COLUMNS, **odd}, dtype=object))
    assert caught.value.faults == (
        "column 'odd' mixes kinds: 'x' in row 3 (the first record is row 1) is a text, "
        "where others are a number: make all of them the same",
        "column 'sex' mixes kinds: True in row 2 (the first record is row 1) is a truth value, "
        "where others are a text: make all of them the same",
    )


@pytest.mark.parametrize("value", [1j, object()])
def test_what_arrow_has_no_type_for_is_refused(value):
    frame = pd.DataFrame({**COLUMNS, "odd": pd.Series([value] * 4, dtype=object)})
    assert fault(frame) == "column 'odd' holds values of a kind that no table has: make them text or drop it"


def test_records_of_a_frame_are_counted_from_one():
    assert fault(pl.DataFrame({**COLUMNS, "staff": [1.0, 2.0, float("inf"), 4.0]})).startswith(
        "column 'staff' holds inf in row 3 (the first record is row 1): "
    )
