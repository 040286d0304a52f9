"""protect() from a table to a safe table, with methods known to be good and bad."""

from __future__ import annotations

import csv
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microagg import MDAV, protect
from microagg.datasets import correlated
from microagg.errors import InputError, UnsafeReleaseError
from tests.stand_ins import Alone, Chunks

FIRMS = {
    "id": ["007", "08", "9", "010", "11", "12"],
    "staff": ["1", "2", "3", "40", "50", "60"],
    "note": ["", 'said "no"', "a,b", "two\nlines", " x ", "ü"],
    "turnover": ["1.5", "2.5", "3.5", "4e1", " 50 ", "60"],
    "rate": ["1.50", "0", "", "2", "3", "4"],
}
RELEASED = {"staff": [2.0] * 3 + [50.0] * 3, "turnover": [2.5] * 3 + [50.0] * 3}


@pytest.fixture
def firms(tmp_path):
    path = tmp_path / "firms.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=";", lineterminator="\r\n")
        writer.writerow(FIRMS)
        writer.writerows(zip(*FIRMS.values(), strict=True))
    return path


def columns_of_csv(path, delimiter=","):
    with path.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream, delimiter=delimiter)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_csv_to_csv_replaces_the_quasi_identifiers_and_nothing_else(firms, tmp_path):
    before = firms.read_bytes()
    result = protect(firms, 3, ["turnover", "staff"], keep="rest", drop=["rate"], to=tmp_path / "safe.csv")
    found = columns_of_csv(tmp_path / "safe.csv", ";")
    assert list(found) == ["id", "staff", "note", "turnover"]
    assert (found["id"], found["note"]) == (FIRMS["id"], FIRMS["note"])
    assert (found["staff"], found["turnover"]) == (["2"] * 3 + ["50"] * 3, ["2.5"] * 3 + ["50"] * 3)
    assert (tmp_path / "safe.csv").read_bytes().count(b"\r\n") == 7
    assert firms.read_bytes() == before
    assert result.written == tmp_path / "safe.csv"


def test_csv_to_parquet_gives_types_to_what_a_type_spells_alike(firms, tmp_path):
    protect(firms, 3, ["turnover", "staff"], keep="rest", to=tmp_path / "safe.parquet")
    found = pq.read_table(tmp_path / "safe.parquet")
    assert found.to_pydict() == {**FIRMS, **RELEASED}  # 007 and 1.50 stay text
    assert list(found.column_names) == list(FIRMS)


TYPED = pa.table(
    {
        "when": pa.array([0, 1, 2, 3, 4, None], pa.timestamp("ms")),
        "staff": pa.array([1, 2, 3, 40, 50, 60], pa.int16()),
        "kind": pa.array(["a", "b", None, "a", "", "c"]).dictionary_encode(),
        "turnover": pa.array([1.5, 2.5, 3.5, 40, 50, 60], pa.float32()),
        "tags": pa.array([[1], [], None, [2], [3], [4]]),
    }
)


def test_parquet_to_parquet_keeps_the_types_of_kept_columns(tmp_path):
    given, safe = tmp_path / "given.parquet", tmp_path / "safe.parquet"
    pq.write_table(TYPED, given)
    protect(given, 3, ["turnover", "staff"], keep="rest", to=safe)
    found = pq.read_table(safe)
    assert found.drop_columns(list(RELEASED)).equals(TYPED.drop_columns(list(RELEASED)))
    assert found.select(list(RELEASED)).to_pydict() == RELEASED
    assert [found.schema.field(name).type for name in RELEASED] == [pa.int16(), pa.float32()]
    assert found.column_names == TYPED.column_names


def test_parquet_to_csv_writes_missing_values_as_empty_text(tmp_path):
    given, safe = tmp_path / "given.parquet", tmp_path / "safe.csv"
    pq.write_table(TYPED, given)
    protect(given, 3, ["turnover", "staff"], keep=["kind"], drop="rest", to=safe)
    assert columns_of_csv(safe) == {
        "staff": ["2"] * 3 + ["50"] * 3,
        "kind": ["a", "b", "", "a", "", "c"],
        "turnover": ["2.5"] * 3 + ["50"] * 3,
    }


def test_what_csv_cannot_hold_is_refused_before_work_starts(tmp_path):
    with pytest.raises(InputError) as caught:
        protect(TYPED, 1, ["staff"], keep="rest", to=tmp_path / "safe.csv")
    assert [fault.split(":")[0] for fault in caught.value.faults] == [
        "k = 1 protects nobody",
        "column 'tags' holds list<item",
    ]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_classes_are_those_of_the_file_as_it_is_read_back(tmp_path, ending):
    X = np.round(correlated(500, 3, seed=4), 1)
    given, safe = pa.table(dict(zip("abc", X.T, strict=True))), tmp_path / f"safe{ending}"
    result = protect(given, 4, ["a", "b", "c"], to=safe)
    columns = columns_of_csv(safe) if ending == ".csv" else pq.read_table(safe).to_pydict()
    sizes = Counter(zip(*columns.values(), strict=True)).values()
    assert (len(sizes), min(sizes), max(sizes)) == (
        result.classes.count,
        result.classes.smallest,
        result.classes.largest,
    )
    for name in "abc":
        assert [float(value) for value in columns[name]] == result.data[name].to_pylist()


def test_released_values_are_the_means_of_the_groups_of_the_labels():
    X = correlated(200, 2, seed=2)
    result = protect(pa.table({"a": X[:, 0], "b": X[:, 1]}), 5, ["b", "a"])
    for label in range(result.labels.max() + 1):
        members = np.flatnonzero(result.labels == label)
        assert len(members) >= 5
        for j, name in enumerate("ab"):
            assert np.unique(result.data[name].to_numpy()[members]) == pytest.approx(X[members, j].mean())
    assert result.group_sizes.tolist() == np.bincount(result.labels).tolist()


def test_labels_and_values_stand_in_the_order_of_the_rows():
    result = protect(pa.table({"a": [9.0, 1.0, 8.0, 2.0], "b": list("wxyz")}), 2, "a", keep="rest")
    assert result.data.to_pydict() == {"a": [8.5, 1.5, 8.5, 1.5], "b": list("wxyz")}
    assert result.labels[0] == result.labels[2] != result.labels[1] == result.labels[3]


def test_the_account_says_what_was_done():
    result = protect(
        pa.table({"a": [1.0, 2.0, 9.0, 8.0], "b": [3, 3, 3, 3], "c": list("wwyy")}),
        2,
        ["b", "a"],
        keep="rest",
    )
    assert result.loss.by_column == {"a": pytest.approx(100 * 1.0 / 50.0), "b": 0.0}
    assert result.loss.percent == result.loss.by_column["a"]
    assert (result.classes.records, result.classes.count, result.classes.records_below_k) == (4, 2, 0)
    assert list(result.seconds) == ["read", "prepare", "partition", "aggregate", "check", "measure", "write"]
    assert {"microagg", "python", "numpy", "pyarrow"} <= set(result.versions)
    assert result.plan.quasi_identifiers == ("b", "a")
    assert result.plan.method == "refined(mdav, iterations=600)"
    assert result.account["choice"].startswith("refined, which loses least; it takes less than a second")
    assert [note.split(":")[0] for note in result.notes] == [
        "with k = 2 each member of a pair can compute the other's values from the mean",
        "kept columns are released as they are, and can still identify",
        "the same value throughout, so without weight in the grouping",
        "refined in 600 iterations",
    ]
    assert "firm" not in repr(result)


def test_a_careful_request_has_no_notes():
    assert protect(pa.table({"a": [1, 2, 3, 7, 8, 9]}), 3, "a").notes == ()


def test_columns_that_do_not_vary_are_allowed():
    result = protect(pa.table({"a": [5, 5, 5, 5]}), 2, "a")
    assert result.data["a"].to_pylist() == [5.0] * 4
    assert result.loss.percent == 0.0
    assert result.classes.count == 1


def test_a_method_is_a_name_or_a_value():
    table = pa.table({"a": [1.0, 2.0, 9.0, 8.0]})
    by_name, by_value = protect(table, 2, "a", method="MDAV"), protect(table, 2, "a", method=MDAV())
    assert by_name.data.equals(by_value.data)
    assert by_value.plan.method == "MDAV()"
    assert protect(table, 2, "a", method=by_value.plan.method).data.equals(by_name.data)


def test_an_unsafe_partition_is_caught_and_nothing_is_written(tmp_path):
    target = tmp_path / "safe.csv"
    target.write_text("old")
    with pytest.raises(UnsafeReleaseError, match=r"^not safe for k = 2: 3 of 3 records share "):
        protect(pa.table({"a": [1, 2, 3]}), 2, "a", method=Alone(), to=target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_groups_that_look_the_same_count_as_one():
    twins = pa.table({"a": [1, 1, 1]})
    assert protect(twins, 3, "a", method=Alone()).classes.smallest == 3


def test_progress_is_told_from_none_to_all():
    told = []
    protect(pa.table({"a": list(range(30))}), 3, "a", progress=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 30)
    assert told == sorted(told)
    assert told[-1] == (30, 30)


def test_an_exception_in_progress_stops_the_work_and_nothing_is_written(tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        protect(pa.table({"a": [1, 2, 3]}), 2, "a", progress=stop, to=tmp_path / "safe.csv")
    assert not list(tmp_path.iterdir())


def test_the_methods_see_standardised_records_in_canonical_order():
    seen = {}

    class Watching(Chunks):
        def partition(self, X, k, **options):
            seen.update(options, X=X, k=k)
            return super().partition(X, k)

    protect(pa.table({"b": [3, 1, 2], "a": [9, 9, 5]}), 2, ["b", "a"], method=Watching(), seed=7)
    ordered = seen["X"][:, 0].tolist()
    assert ordered == sorted(ordered)
    assert seen["X"].std(axis=0) == pytest.approx([1.0, 1.0])
    assert (seen["k"], seen["seed"]) == (2, 7)


@pytest.mark.parametrize(
    ("request_", "faults"),
    [
        (
            {"quasi_identifiers": [], "keep": "rest"},
            ["no quasi-identifiers: name at least one column to protect"],
        ),
        (
            {"quasi_identifiers": ["a", 5]},
            ["quasi_identifiers must be a list of column names, found ('a', 5)", "no role for 'a': "],
        ),
        ({"k": 5}, ["k = 5 is more than the 4 records there are"]),
        (
            {"keep": []},
            ["no role for 'b': keep or drop each by name, or say that the rest is kept or dropped"],
        ),
        ({"method": "vmdv"}, ["there is no method 'vmdv': the methods are "]),
        (
            {"method": MDAV},
            ["<class 'microagg.partition.mdav.MDAV'> is no method: expected a name, or a value"],
        ),
        ({"method": "mdav(gamma=1)"}, ["the method mdav has no option 'gamma': "]),
        (
            {"k": 1, "quasi_identifiers": ["b", "A"], "keep": "rest", "method": "mdav(", "to": "x.txt"},
            [
                "k = 1 protects nobody: a group must hold at least 2 records",
                "cannot read the method 'mdav(': expected a name, or name(option=value, ...)",
                "x.txt ends in .txt: supported are .csv, .parquet, .arrow, ",
                "there is no column 'A', named as quasi-identifier: did you mean 'a'?",
            ],
        ),
    ],
)
def test_all_that_is_wrong_is_told_at_once(request_, faults):
    table = pa.table({"a": [1, 2, 3, 4], "b": list("wxyz")})
    with pytest.raises(InputError) as caught:
        protect(table, **{"k": 2, "quasi_identifiers": "a", "keep": ["b"], **request_})
    found = caught.value.faults
    assert len(found) == len(faults)
    assert [fault[: len(start)] for fault, start in zip(found, faults, strict=True)] == faults


def test_a_method_that_chooses_tells_what_and_why():
    X = np.round(correlated(60, 2, seed=1), 3)
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    result = protect(table, 3, ["a", "b"], method="vmdav")
    gamma, losses = result.account["gamma"], result.account["loss_by_gamma"]
    assert losses[gamma] == min(losses.values()) == pytest.approx(result.loss.percent)
    assert f"gamma {gamma:g}, the best of" in result.notes[-1]
    assert protect(table, 3, ["a", "b"], method="mdav").account == {}
