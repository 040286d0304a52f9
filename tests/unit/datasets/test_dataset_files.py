"""CSV files of data sets: what is written is read back, and nothing is ever half written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from microagg.datasets import write_csv
from microagg.datasets.csv_file import read_csv

# Python before 3.13 writes a carriage return without quotes, and so does not read it back.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8)


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 5))
    column = st.lists(TEXT, min_size=rows, max_size=rows).map(tuple)
    return draw(st.dictionaries(TEXT, column, min_size=1, max_size=4))


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_texts_come_back_as_they_were(tmp_path, table):
    path = tmp_path / "table.csv"
    write_csv(table, path)
    assert read_csv(path) == table


def test_numbers_are_written_exactly_and_none_as_nothing(tmp_path):
    table = {
        "whole": np.array([3, -4]),
        "float": np.array([0.1, 1e300]),
        "some": [None, 2.5],
        "text": ["a,b", "c"],
    }
    write_csv(table, tmp_path / "t.csv")
    expected = b'whole,float,some,text\n3,0.1,,"a,b"\n-4,1e+300,2.5,c\n'
    assert (tmp_path / "t.csv").read_bytes() == expected


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "t.csv"
    write_csv({"a": [1]}, path)
    with pytest.raises(ValueError, match="shorter"):
        write_csv({"a": [1, 2], "b": [1]}, path)
    assert path.read_text() == "a\n1\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "it is empty"),
        (b"a,b\n1,2\n1,2,3\n", "record 2 has 3 fields, the header has 2"),
        (b"a,b\n1,2\n\n", "record 2 has 0 fields"),
        (b'a,b\n"1,2\n', "not a CSV file in UTF-8"),
        (b"a,b\n1,\xff\n", "not a CSV file in UTF-8"),
    ],
)
def test_what_is_no_table_is_refused_with_its_fault(tmp_path, content, fault):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(ValueError, match=fault):
        read_csv(tmp_path / "t.csv")


def test_a_byte_order_mark_is_not_part_of_a_name(tmp_path):
    (tmp_path / "t.csv").write_bytes("\ufeffa\r\n1\r\n".encode())
    assert read_csv(tmp_path / "t.csv") == {"a": ("1",)}
