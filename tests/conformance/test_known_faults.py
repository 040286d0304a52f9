"""Faults that programs of this field are known for: here they must not come back."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import protect
from microagg.errors import InputError, UnsafeReleaseError
from microagg.run import protection
from microagg.run.grouping import Grouping


def groups_of(result, *columns):
    """Return the records of each group, as tuples of these columns."""
    members = defaultdict(list)
    for label, *record in zip(result.labels.tolist(), *columns, strict=True):
        members[label].append(tuple(record))
    return members.values()


@settings(deadline=None)
@given(st.integers(2, 6), st.integers(0, 40), st.sampled_from(["mdav", "vmdav", "auto"]), st.integers(1, 2))
def test_no_group_at_the_tail_is_too_small(k, more, method, columns):
    X = np.random.default_rng(more).integers(0, 9, (k + more, columns))
    table = pa.table({name: X[:, j] for j, name in zip(range(columns), "ab", strict=False)})
    result = protect(table, k, table.column_names, method=method)
    assert result.group_sizes.min() >= k
    assert min(Counter(map(tuple, zip(*result.data.to_pydict().values(), strict=True))).values()) >= k


def test_no_group_reaches_over_two_strata_and_a_small_one_is_named():
    rng = np.random.default_rng(1)
    regions = rng.choice(["n", "s", "e"], 60).tolist()
    table = pa.table({"x": rng.normal(size=60), "region": regions})
    result = protect(table, 4, "x", strata="region")
    assert all(len(set(members)) == 1 for members in groups_of(result, regions))
    assert result.data["region"].to_pylist() == regions
    small = pa.table({"x": range(9), "region": list("nnnnnnnss")})
    with pytest.raises(InputError) as caught:
        protect(small, 4, "x", strata="region")
    assert str(caught.value).startswith(
        "1 of 2 strata hold fewer than k = 4: region = 's' (2). Choose coarser"
    )


def test_merged_strata_share_one_label_and_are_counted_with_it():
    table = pa.table(
        {"x": [1, 1, 1, 1, 2, 2, 2, 2], "region": list("nnnnsses"), "year": [1, 1, 1, 1, 2, 2, 2, 3]}
    )
    result = protect(table, 4, "x", strata=["region", "year"], small_strata="merge")
    assert result.data["region"].to_pylist() == ["n"] * 4 + ["e + s"] * 4
    assert result.data["year"].to_pylist() == ["1"] * 4 + ["2 + 3"] * 4
    assert result.classes.smallest == 4
    assert "3 strata are merged into 1, since fewer than k = 4 records were in some" in result.notes


def test_weights_weigh_and_k_counts_records():
    rng = np.random.default_rng(2)
    x, weights = rng.normal(size=30), rng.integers(1, 50, 30)
    table = pa.table({"x": x, "w": weights})
    result = protect(table, 3, "x", weight="w", method="mdav")
    assert result.group_sizes.min() >= 3
    released, means = result.data["x"].to_numpy(), result.data["w"].to_numpy()
    for label in range(len(result.group_sizes)):
        own = result.labels == label
        assert released[own] == pytest.approx(np.average(x[own], weights=weights[own]), rel=1e-12)
        assert means[own] == pytest.approx(weights[own].mean(), rel=1e-12)
    assert protect(table, 3, "x", drop="w", method="mdav").data["x"].to_pylist() != released.tolist()


@pytest.mark.parametrize("weight", [0.0, -1.0, None])
def test_a_weight_is_above_zero_and_there(weight):
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "w": [1.0, 2.0, weight, 1.0]})
    with pytest.raises(InputError, match=r"the weight 'w' is .* in row 3 \(the first record is row 1\)"):
        protect(table, 2, "x", weight="w")


def test_minus_999_is_a_value_like_any_other():
    table = pa.table({"x": [-999, -998, -997, 10, 11, 12]})
    assert protect(table, 3, "x").data["x"].to_pylist() == [-998] * 3 + [11] * 3


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e9])
def test_a_large_offset_changes_no_group(offset):
    X = np.random.default_rng(3).integers(0, 4000, (300, 2)) / 8  # so that they are the same with the offset
    plain = protect(pa.table({"a": X[:, 0], "b": X[:, 1]}), 3, ["a", "b"], method="mdav")
    moved = protect(pa.table({"a": X[:, 0] + offset, "b": X[:, 1]}), 3, ["a", "b"], method="mdav")
    assert np.array_equal(moved.labels, plain.labels)
    assert moved.loss.percent == pytest.approx(plain.loss.percent, rel=1e-9)


def test_a_mean_counts_only_the_members_that_have_a_value():
    table = pa.table({"x": [10.0, None, 30.0, 11.0], "y": [1.0, 1.0, 1.0, 1.0]})
    result = protect(table, 4, ["x", "y"])
    assert result.data["x"].to_pylist() == [float(Fraction(51, 3))] * 4


def test_no_pattern_of_missing_values_tells_a_record_apart():
    rng = np.random.default_rng(4)
    columns = {
        name: [None if rng.random() < 0.3 else float(x) for x in rng.normal(size=80)] for name in "abc"
    }
    result = protect(pa.table(columns), 4, list("abc"))
    patterns = Counter(tuple(v is None for v in row.values()) for row in result.data.to_pylist())
    assert min(patterns.values()) >= 4
    for members in groups_of(result, *result.data.to_pydict().values()):
        assert len(set(members)) == 1


def test_missing_values_can_make_groups_of_their_own():
    table = pa.table({"x": [1.0, 2.0, 3.0, None, None, None, 7.0], "y": [1, 2, 3, 4, 5, 6, 7]})
    result = protect(table, 3, ["x", "y"], missing="own-group")
    assert [value is None for value in result.data["x"].to_pylist()] == [False] * 3 + [True] * 3 + [False]
    with pytest.raises(
        InputError, match=r"^only 3 record\(s\) have 'x' missing, the first of 1 such patterns"
    ):
        protect(table, 4, ["x", "y"], missing="own-group")
    with pytest.raises(
        InputError, match=r"^column 'x' has a missing value in row 4 .*, one of 3: fill or drop"
    ):
        protect(table, 3, ["x", "y"], missing="error")


def test_whole_numbers_stay_whole_and_dates_dates():
    table = pa.table({"x": pa.array([1, 2, 2, 5], pa.uint8()), "d": pa.array([1, 2, 4, 9], pa.date32())})
    found = protect(table, 2, ["x", "d"]).data
    assert found.schema == table.schema


def test_groups_that_show_what_no_record_had_are_told():
    table = pa.table({"sex": list("mmmmfff"), "job": list("aacdbbb")})
    result = protect(table, 7, ["sex", "job"])
    assert set(zip(*result.data.to_pydict().values(), strict=True)) == {("m", "b")}
    told = "1 of 1 groups show a combination of job, sex that no record had: each column has its own mode"
    assert told in result.notes
    assert told not in protect(table.set_column(1, "job", [list("bbbbbbb")]), 7, ["sex", "job"]).notes


def test_records_of_a_person_are_one_unit():
    rng = np.random.default_rng(5)
    persons = np.repeat(np.arange(20), rng.integers(1, 5, 20))
    table = pa.table({"x": rng.normal(size=persons.size), "person": persons})
    result = protect(table, 3, "x", entity="person")
    assert result.data.column_names == ["x"]
    for members in groups_of(result, persons.tolist()):
        assert len({person for (person,) in members}) >= 3
    assert len(set(zip(result.labels.tolist(), persons.tolist(), strict=True))) == 20


@pytest.mark.parametrize(
    ("lengths", "is_dropped"), [([2] * 9, False), ([2] * 6 + [1] * 3, False), ([2] * 8 + [5], True)]
)
def test_records_stay_linked_only_if_the_sequence_of_each_person_is_that_of_k(lengths, is_dropped):
    persons = np.repeat(np.arange(9), lengths)
    table = pa.table({"x": np.random.default_rng(6).normal(size=persons.size), "person": persons})
    result = protect(table, 3, "x", entity="person", link_entities=True)
    assert ("person" not in result.data.column_names) == is_dropped
    assert any(note.startswith("the entity 'person' is dropped") for note in result.notes) == is_dropped
    if not is_dropped:
        shown = defaultdict(list)
        for x, person in zip(*result.data.to_pydict().values(), strict=True):
            shown[person].append(x)
        assert min(Counter(map(tuple, shown.values())).values()) >= 3
        assert set(shown) == set(range(1, 10))  # numbers in their place


def test_records_in_several_strata_are_unlinked_if_their_sequences_differ():
    table = pa.table(
        {
            "x": [1.0, 2.0, 3.0, 101.0, 102.0, 103.0] * 2,
            "region": ["n"] * 6 + ["s"] * 6,
            "person": [0, 1, 2, 3, 4, 5, 0, 3, 4, 1, 2, 5],  # grouped otherwise in the south
        }
    )
    request = {"entity": "person", "strata": "region", "link_entities": True}
    assert protect(table, 3, "x", **request).data.column_names == ["x", "region"]
    alike = table.set_column(2, "person", [[0, 1, 2, 3, 4, 5] * 2])
    assert protect(alike, 3, "x", **request).data.column_names == ["x", "region", "person"]


def test_the_check_counts_strata_with_the_quasi_identifiers(monkeypatch):
    table = pa.table({"x": [1.0, 1, 9, 9, 1, 1, 9, 9], "region": list("nnnnssss")})

    def across(*arguments):
        labels = np.array([0, 0, 1, 1, 0, 0, 1, 1], dtype=np.int32)
        return Grouping(labels, 2, "one that forgets strata", {}, [])

    monkeypatch.setattr(protection, "grouped", across)
    with pytest.raises(UnsafeReleaseError):
        protect(table, 4, "x", strata="region")
    protect(table, 4, "x", drop="region")
