"""The kind of values that a column seems to hold, and what shows it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from types import SimpleNamespace

import pyarrow as pa
import pytest

from microagg.errors import InputError
from microagg.tables import Source, read
from microagg.tables.kinds import kind_by_labels, kind_of_text
from microagg.tables.table import Table


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-2", "", "+3"], "integer"),
        (["1", "2.0"], "continuous"),
        ([" 1e3 ", ".5"], "continuous"),
        (["007", "123"], "nominal"),
        (["0", "0.5"], "continuous"),
        (["1", "2", "n/a"], "continuous"),  # a column of numbers, in which n/a is a fault
        (["A1", "12", "B2"], "nominal"),
        (["1,5", "2,25"], "continuous"),  # with a decimal comma, which is a fault too
        (["2024-12-31", "", "1999-01-01"], "date"),
        (["2024-12-31 23:59:00", "1999-01-01T00:00:00"], "datetime"),
        (["31.12.2024"], "nominal"),
        (["true", "FALSE", ""], "boolean"),
        (["yes", "no"], "boolean"),
        (["yes", "no", "perhaps"], "nominal"),
        (["", " "], "nominal"),
        (["inf", "1"], "continuous"),
    ],
)
def test_text_tells_its_kind(texts, kind):
    assert kind_of_text(pa.chunked_array([texts])).kind == kind


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array([1, None], pa.int8()), "integer"),
        (pa.array([1.0]), "continuous"),
        (pa.array([Decimal("1.5")]), "continuous"),
        (pa.array([True]), "boolean"),
        (pa.array(["1"]), "nominal"),
        (pa.array(["1"], pa.large_string()), "nominal"),
        (pa.array(["1"]).dictionary_encode(), "nominal"),
        (pa.DictionaryArray.from_arrays([0], ["low"], ordered=True), "ordinal"),
        (pa.array([dt.date(2020, 1, 1)]), "date"),
        (pa.array([dt.datetime(2020, 1, 1)]), "datetime"),
        (pa.nulls(1), "nominal"),
    ],
)
def test_a_type_tells_its_kind(array, kind):
    assert Table(pa.table({"x": array})).kind("x").kind == kind


def test_types_that_cannot_be_protected_are_refused():
    with pytest.raises(InputError, match=r"^column 'x' holds list<.*>, which cannot be protected: "):
        Table(pa.table({"x": [[1]]})).kind("x")


def test_numbers_in_the_notation_of_the_file_are_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1.234,5;7\n2,5;8\n")
    table = read(Source(path, delimiter=";", decimal=",", thousands="."))
    assert (table.kind("a").kind, table.kind("b").kind) == ("continuous", "integer")


def test_what_a_file_says_of_a_variable_counts_more():
    said = SimpleNamespace(
        measures={"a": "nominal", "b": "ordinal", "c": "scale", "d": "unknown"},
        value_labels={"c": {1: "one"}, "d": {1: "one"}, "e": {}},
    )
    found = [kind_by_labels(name, said) for name in "abcdef"]
    assert [seen and seen.kind for seen in found] == ["nominal", "ordinal", None, "nominal", None, None]
    assert kind_by_labels("a", None) is None
