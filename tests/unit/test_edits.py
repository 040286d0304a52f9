"""What must hold between columns: how it is read, kept where means keep it, and told where not."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.columns import Centres, Column
from microagg.edits import edit_of, with_edits
from microagg.errors import InputError


@pytest.mark.parametrize(
    ("text", "factors", "constant", "total"),
    [
        ("total = wages + benefits", {"total": 1, "wages": -1, "benefits": -1}, 0, "total"),
        ("a + b == c", {"a": 1, "b": 1, "c": -1}, 0, "c"),
        ("a >= b", {"a": 1, "b": -1}, 0, None),
        ("a <= 2 * b + 3", {"a": -1, "b": 2}, 3, None),
        ('"turnover, net" - x_1 = 0.5*y.z', {"turnover, net": 1, "x_1": -1, "y.z": -0.5}, 0, "y.z"),
        ("-a + b >= -4", {"a": -1, "b": 1}, 4, None),
        ("umsatz >= löhne", {"umsatz": 1, "löhne": -1}, 0, None),
    ],
)
def test_an_edit_is_read(text, factors, constant, total):
    edit = edit_of(text)
    assert (edit.factors, edit.constant, edit.total) == (factors, constant, total)


@pytest.mark.parametrize(
    "text", ["", "a", "a = ", "a = b = c", "a b >= c", "a > b", "a = 3 b", "a = b +", "a = b * c"]
)
def test_what_is_no_edit_is_refused_with_its_text(text):
    with pytest.raises(InputError) as caught:
        edit_of(text)
    assert f"cannot read the edit {text!r}" in str(caught.value)


COLUMNS = {
    "a": Column("a", "integer", np.array([1.0, 2.0, 5.0, 8.0])),
    "b": Column("b", "integer", np.array([1.0, 3.0, 5.0, 9.0])),
    "t": Column("t", "integer", np.array([2.0, 5.0, 10.0, 17.0])),
}
LABELS = np.array([0, 0, 1, 1], dtype=np.int32)
ROUNDED = {
    "a": Centres(np.array([2.0, 6.0])),
    "b": Centres(np.array([2.0, 7.0])),
    "t": Centres(np.array([4.0, 14.0])),
}


def test_a_total_is_made_anew_of_rounded_parts():
    kept, notes = with_edits([edit_of("t = a + b")], COLUMNS, ROUNDED, LABELS)
    assert (kept["t"].values.tolist(), notes) == ([4.0, 13.0], [])
    assert ROUNDED["t"].values.tolist() == [4.0, 14.0]


def test_a_total_that_was_not_the_sum_of_its_parts_is_left_and_told():
    columns = {**COLUMNS, "t": Column("t", "integer", np.array([2.0, 6.0, 10.0, 17.0]))}
    kept, notes = with_edits([edit_of("t = a + b")], columns, ROUNDED, LABELS)
    assert kept == ROUNDED
    assert notes == ["the edit 't = a + b' held in 3 of 4 records, and holds in 2 of those released"]


def test_what_is_not_above_stays_so_and_what_is_not_kept_is_told():
    assert with_edits([edit_of("b >= a"), edit_of("a <= b")], COLUMNS, ROUNDED, LABELS)[1] == []
    broken = {**ROUNDED, "a": Centres(np.array([3.0, 6.0]))}
    assert with_edits([edit_of("b >= a")], COLUMNS, broken, LABELS)[1] == [
        "the edit 'b >= a' held in 4 of 4 records, and holds in 2 of those released"
    ]


def test_where_a_value_is_missing_an_edit_says_nothing():
    gap = Column("b", "integer", np.array([1.0, 1.0, 5.0, 9.0]), np.array([False, True, False, False]))
    missing = {**ROUNDED, "b": Centres(np.array([1.0, 7.0]), np.array([True, False]))}
    kept, notes = with_edits([edit_of("t = a + b")], {**COLUMNS, "b": gap}, missing, LABELS)
    assert (kept["t"].values.tolist(), notes) == ([4.0, 13.0], [])


def test_only_numbers_that_are_protected_can_be_looked_after():
    columns = {**COLUMNS, "s": Column("s", "nominal", np.zeros(4), levels=1)}
    assert edit_of("a >= s").faults(columns) == [
        "the edit 'a >= s' names 's', which is no quasi-identifier of numbers"
    ]
    assert edit_of("a >= x").faults(columns) == [
        "the edit 'a >= x' names 'x', which is no quasi-identifier of numbers"
    ]
