"""Whatever a table is read from and written to, larger than memory: the same as in memory."""

from __future__ import annotations

import pickle

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import microagg
from microagg.errors import InputError
from microagg.run import engines
from tests.engines.running import in_parts_of, release

ASKED = {"k": 3, "quasi_identifiers": ["turnover", "staff", "town"], "method": "blocked(mdav, max_leaf=40)"}


def firms(n=900):
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "name": [f'Firm "{value}", Ltd' for value in rng.integers(0, 300, n)],
            "turnover": rng.lognormal(size=n).round(2),
            "staff": [None if value < 3 else value for value in rng.integers(0, 50, n).tolist()],
            "town": rng.choice(["York", "Bath", "Ely", "St. Ives"], n).tolist(),
            "born": pa.array(rng.integers(0, 9000, n).astype("datetime64[D]")),
        }
    )


def as_parquet(folder):
    pq.write_table(firms(), folder / "firms.parquet", row_group_size=70)
    return folder / "firms.parquet"


def as_folder(folder):
    for number in range(3):
        (folder / f"part={number}").mkdir()
        pq.write_table(firms().slice(300 * number, 300), folder / f"part={number}" / "f.parquet")
    return folder


def as_pattern(folder):
    for number in range(3):
        pq.write_table(firms().slice(300 * number, 300), folder / f"f{number}.parquet")
    return str(folder / "f*.parquet")


def as_csv(folder):
    pa.csv.write_csv(firms(), folder / "firms.csv")
    return folder / "firms.csv"


def as_foreign_csv(folder):
    lines = ["\ufeffname;turnover;staff;town;born"]
    for row in firms().to_pylist():
        name = row["name"].replace('"', '""')
        staff = "" if row["staff"] is None else row["staff"]
        lines.append(f'"{name}";{row["turnover"]:.2f};{staff};{row["town"]}é;{row["born"]}'.replace(".", ","))
    (folder / "firms.csv").write_bytes(("\r\n".join(lines) + "\r\n").encode("utf-16-le"))
    return microagg.Source(folder / "firms.csv", decimal=",", delimiter=";")


def as_duckdb(folder):
    given = firms()  # noqa: F841 - named in the query
    with duckdb.connect(str(folder / "survey.duckdb")) as connection:
        connection.sql('CREATE TABLE "the firms" AS FROM given')
    return f"{folder / 'survey.duckdb'}#the firms"


def as_query(folder):
    as_duckdb(folder)
    return microagg.Source(folder / "survey.duckdb", query='FROM "the firms" WHERE turnover > 0.2;')


def as_table(folder):
    return firms()


SOURCES = [as_parquet, as_folder, as_pattern, as_csv, as_foreign_csv, as_duckdb, as_table]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("make", SOURCES)
def test_any_source_and_target(make, ending, tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    data = make(given)
    whole, expected = release("memory", data, tmp_path / f"memory{ending}", keep="rest", **ASKED)
    result, found = release("duckdb", data, tmp_path / f"parts{ending}", keep="rest", **ASKED)
    assert found == expected
    assert (result.loss, result.classes) == (whole.loss, whole.classes)
    assert result.fingerprints.under(b"key") == whole.fingerprints.under(b"key")
    assert result.data.read().num_rows == result.classes.records


def _made(folder):
    folder.mkdir()
    return folder


def as_view(folder):
    as_duckdb(folder)
    with duckdb.connect(str(folder / "survey.duckdb")) as connection:
        connection.sql('CREATE VIEW "some firms" AS FROM "the firms" WHERE turnover > 0.2')
    return f"{folder / 'survey.duckdb'}#some firms"


@pytest.mark.parametrize("make", [as_query, as_view])
def test_what_may_have_another_order_at_each_look_is_worked_on_in_memory_only(make, tmp_path):
    """Kept values would else go to the rows of others."""
    with pytest.raises(InputError, match=r"in another order at each look.*save it as a table first"):
        release("duckdb", make(tmp_path), tmp_path / "safe.csv", keep="rest", **ASKED)
    whole, _ = release(
        "memory", make(_made(tmp_path / "in memory")), tmp_path / "safe.csv", keep="rest", **ASKED
    )
    assert whole.classes.records_below_k == 0


def test_a_table_without_records_is_told(tmp_path):
    (tmp_path / "none.csv").write_text("turnover,staff,town,born\n")
    with pytest.raises(InputError, match="no records"):
        release("duckdb", tmp_path / "none.csv", tmp_path / "safe.csv", keep="rest", **ASKED)


def test_that_sensitive_columns_are_not_looked_at_is_told(tmp_path):
    result, _ = release("duckdb", firms(), tmp_path / "safe.csv", sensitive=["name"], drop="rest", **ASKED)
    assert any("what groups give away of name was not looked at" in note for note in result.notes)


@pytest.mark.parametrize("said", [{"memory_limit": "1GB"}, {"temporary": "."}])
def test_what_is_for_the_work_on_disk_says_nothing_in_memory(said, tmp_path):
    with pytest.raises(InputError, match="is for the work on disk"):
        microagg.protect(firms(), engine="memory", drop="rest", **said, **ASKED)


def test_a_dataset_of_arrow_is_a_source(tmp_path):
    as_folder(tmp_path)
    data = ds.dataset(tmp_path, format="parquet")
    with in_parts_of(50, "duckdb"):
        result = microagg.protect(
            data, to=tmp_path.parent / "safe.parquet", engine="duckdb", drop="rest", **ASKED
        )
    _, expected = release("memory", firms(), tmp_path.parent / "memory.parquet", drop="rest", **ASKED)
    assert result.data.read().equals(expected)


@pytest.mark.parametrize("name", ["firms.feather", "firms.sqlite#firms"])
def test_what_can_only_be_read_as_a_whole_is_told(name, tmp_path):
    (tmp_path / "firms.feather").write_bytes(b"ARROW1")
    with pytest.raises(InputError, match=r"cannot be read in parts.*take engine='memory'"):
        release("duckdb", tmp_path / name, tmp_path / "safe.csv", drop="rest", **ASKED)


def test_what_can_only_be_written_as_a_whole_is_told(tmp_path):
    with pytest.raises(InputError, match="is no CSV file and no Parquet"):
        release("duckdb", as_parquet(tmp_path), tmp_path / "safe.arrow", drop="rest", **ASKED)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_result_can_be_pickled_and_tells_what_it_cannot(ending, tmp_path):
    result, _ = release("duckdb", as_parquet(tmp_path), tmp_path / f"safe{ending}", drop="rest", **ASKED)
    again = pickle.loads(pickle.dumps(result))
    assert again.data.read().equals(result.data.read())
    assert again.loss == result.loss
    with pytest.raises(InputError, match=r"microagg.evaluate\(original, released\) measures"):
        result.evaluate()


def test_no_labels_are_kept(tmp_path):
    result, _ = release("duckdb", as_parquet(tmp_path), tmp_path / "safe.csv", drop="rest", **ASKED)
    assert result.labels is None
    with pytest.raises(InputError, match="no labels are kept"):
        _ = result.group_sizes
    assert {"read", "prepare", "partition", "write", "check"} == set(result.seconds)


def test_an_open_method_is_blocked_and_the_plan_says_so(tmp_path):
    asked = {name: value for name, value in ASKED.items() if name != "method"}
    result, found = release("duckdb", as_parquet(tmp_path), tmp_path / "safe.csv", drop="rest", **asked)
    assert result.plan.method == "blocked(mdav)"
    assert "larger than memory" in result.account["choice"]
    microagg.protect(as_parquet(tmp_path), plan=result.plan, to=tmp_path / "again.csv", engine="memory")
    assert (tmp_path / "again.csv").read_bytes() == found


def test_auto_works_on_disk_only_beyond_a_share_of_memory(tmp_path, monkeypatch):
    data, to = as_parquet(tmp_path), tmp_path / "safe.csv"
    assert microagg.protect(data, to=to, drop="rest", **ASKED).labels is not None
    monkeypatch.setattr("microagg.run.engines.free_memory", lambda: 1e4)
    assert microagg.protect(data, to=to, drop="rest", **ASKED).labels is None
    assert microagg.protect(firms(), to=to, drop="rest", **ASKED).labels is not None


def test_text_of_a_csv_file_has_the_types_that_spell_what_is_released(tmp_path):
    """Of nominal values the odd one is rare enough to vanish, so that what is left are numbers."""
    rng = np.random.default_rng(5)
    table = pa.table(
        {
            "code": ["odd" if row == 7 else str(row % 3) for row in range(400)],
            "size": rng.choice(["low", "high"], 400),
            "empty": [""] * 400,
            "late": ["1.0"] * 390 + ["2.50"] * 10,
            "float": [f"{row}.0" for row in range(400)],
            "day": ["2024-02-03"] * 399 + [""],
            "staff": rng.integers(0, 9, 400),
        }
    )
    pa.csv.write_csv(table, tmp_path / "in.csv", pa.csv.WriteOptions(quoting_style="none"))
    asked = {
        "k": 3,
        "quasi_identifiers": ["code", "size", "staff"],
        "kinds": {"code": "nominal"},
        "keep": "rest",
    }
    asked["method"] = "blocked(mdav, max_leaf=50)"
    _, expected = release("memory", tmp_path / "in.csv", tmp_path / "memory.parquet", **asked)
    _, found = release("duckdb", tmp_path / "in.csv", tmp_path / "parts.parquet", **asked)
    assert expected.schema.field("code").type == pa.int64()
    assert expected.schema.field("late").type == pa.string()
    assert found.schema == expected.schema
    assert found.equals(expected)


def test_free_memory_is_that_of_the_machine_or_less_in_a_container(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "_PROC", tmp_path)
    monkeypatch.setattr(engines, "_GROUP", tmp_path)
    assert engines.free_memory() == float("inf")
    (tmp_path / "meminfo").write_text("MemTotal: 99 kB\nMemAvailable:    80 kB\n")
    assert engines.free_memory() == 80 * 1024
    (tmp_path / "memory.stat").write_text("anon 1000\nfile 5000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert engines.free_memory() == 80 * 1024
    (tmp_path / "memory.max").write_text("9000\n")
    assert engines.free_memory() == 8000
