"""Data frames of Spark: what comes out is what comes out in memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import microagg
from microagg.engine.spark import classes_of, digest_of, records, session
from microagg.errors import InputError
from tests.engines.dying import dying
from tests.engines.test_same_answer import CASES, tied

AS_MANY_KINDS_AS_POSSIBLE = {
    "numbers": "blocked(mdav, max_leaf=200)",
    "ties": "blocked(mdav, max_leaf=300, tree='2^d', hard_limit=True)",
    "all kinds": "blocked(vmdav, max_leaf=400, tree='2^d')",
    "all the same": "blocked(mdav)",  # a cell that cannot be split
}


@pytest.fixture(scope="module")
def spark():
    """Give a session that is used by all tests, or skip them."""
    try:
        return session.local_session(cores=2, spark__sql__shuffle__partitions="2")
    except InputError as error:
        pytest.skip(str(error))


def rows(table):
    return sorted(map(repr, zip(*(column.to_pylist() for column in table.columns), strict=True)))


@pytest.mark.parametrize("case", AS_MANY_KINDS_AS_POSSIBLE)
def test_released_values_loss_and_classes_are_those_of_the_work_in_memory(spark, case):
    make, request = CASES[case]
    asked = {"k": 3, "method": AS_MANY_KINDS_AS_POSSIBLE[case], **request}
    frame = spark.createDataFrame(make()).repartition(3)
    whole = microagg.protect(frame.toArrow(), engine="memory", **asked)
    result = microagg.protect(frame, **asked)
    found = result.data.toArrow()
    assert found.schema == whole.data.schema
    assert rows(found) == rows(whole.data)
    assert (result.loss, result.classes, result.account) == (whole.loss, whole.classes, whole.account)
    assert result.plan == whole.plan
    assert result.labels is None
    assert result.data.schema == frame.select(result.data.columns).schema


def test_one_worker_dies_and_some_partitions_are_empty(spark, tmp_path, monkeypatch):
    table = pa.table({"a.b": np.arange(400) % 37, "c d": np.arange(400.0)})
    asked = {"k": 3, "quasi_identifiers": ["a.b"], "keep": ["c d"], "method": "blocked(mdav, max_leaf=99)"}
    frame = spark.createDataFrame(table).repartition(4).filter("`c d` < 300")
    expected = microagg.protect(frame.toArrow(), **asked)
    some_empty = frame.repartitionByRange(7, (frame["c d"] / 100).cast("int"))
    monkeypatch.setattr(records, "_MOST_JOINED", 1)  # what is found in them is joined on the way
    monkeypatch.setattr(records, "_JOINED_BY_ONE", 2)
    with dying(tmp_path / "died"):
        found = microagg.protect(some_empty, **asked)
    assert rows(found.data.toArrow()) == rows(expected.data)
    assert found.fingerprints.output == digest_of(found.data.repartition(2)).hex()
    assert digest_of(found.data.limit(299)) != digest_of(found.data)


def test_nothing_is_kept_on_the_cluster_but_what_is_released(spark):
    frame = spark.createDataFrame(tied())
    spark.catalog.clearCache()
    result = microagg.protect(frame, 3, ["staff"], drop="rest", method="blocked(mdav)")
    kept = spark.sparkContext._jsc.getPersistentRDDs()
    assert (len(kept), frame.is_cached, result.data.is_cached) == (1, False, True)
    result.data.unpersist()
    assert not spark.sparkContext._jsc.getPersistentRDDs()


def test_what_is_the_owners_to_keep_stays(spark):
    frame = spark.createDataFrame(tied()).persist()
    with pytest.raises(InputError):
        microagg.protect(frame, 900, ["staff"], drop="rest")
    assert frame.is_cached
    frame.unpersist()


def test_all_faults_of_the_data_come_at_once(spark):
    frame = spark.createDataFrame(
        pa.table({"a": [1.0, np.inf, 2.0] * 3, "b": [1.0, None, 2.0] * 3, "c": [-np.inf] * 9})
    )
    with pytest.raises(InputError) as raised:
        microagg.protect(frame, 3, ["a", "b", "c"], missing="error")
    told = "\n".join(raised.value.faults)
    assert "column 'a' holds inf in a row" in told
    assert "column 'b' has a missing value in a row, one of 3" in told
    assert "column 'c' holds -inf in a row" in told


def test_fewer_than_k_and_none_at_all(spark):
    frame = spark.createDataFrame(pa.table({"a": [1.0, 2.0], "t": ["x", "y"]}))
    with pytest.raises(InputError, match="k = 3"):
        microagg.protect(frame, 3, ["a", "t"])
    with pytest.raises(InputError, match=r"k = 3|no records"):
        microagg.protect(frame.filter("a > 5"), 3, ["a", "t"])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"weight": "w"}, "weights are not yet done larger than memory: take engine='memory'"),
        ({"strata": ["w"]}, "strata are not yet done"),
        ({"method": "mdav"}, "needs all records at once"),
        ({"to": "here.parquet"}, r"result\.data\.write\.parquet"),
        ({"memory_limit": "1GB"}, "memory_limit says nothing to Spark"),
        ({"engine": "duckdb"}, "not worked on by DuckDB"),
        ({"quasi_identifiers": ["aa"]}, "aa"),
    ],
)
def test_what_is_not_done_is_refused_before_work(spark, asked, told):
    frame = spark.createDataFrame(pa.table({"a": [1.0, 2.0], "w": [1.0, 2.0]}))
    with pytest.raises(InputError, match=told):
        microagg.protect(frame, **{"k": 2, "quasi_identifiers": ["a"], "drop": "rest", **asked})


def test_in_memory_if_that_is_what_is_asked(spark):
    frame = spark.createDataFrame(pa.table({"a": [1, 3, 20, 25]}))
    result = microagg.protect(frame, 2, ["a"], engine="memory")
    assert [row.a for row in result.data.collect()] == [2, 2, 22, 22]


def test_zero_and_minus_zero_look_different_to_the_check(spark):
    table = pa.table({"x": [0.0, -0.0, 0.0, np.nan, np.nan], "t": ["a", "a", "a", "a", None]})
    found, _ = classes_of(spark.createDataFrame(table), ["x", "t"], 2)
    assert (found.records, found.sizes, found.records_below_k) == (5, {1: 3, 2: 1}, 3)


def test_tells_of_groups_that_give_a_sensitive_value_away(spark):
    table = pa.table(
        {
            "a": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0],
            "s": ["x", "x", "x", "y", None, None, "x", None],
        }
    )
    result = microagg.protect(spark.createDataFrame(table), 2, ["a"], sensitive=["s"], method="blocked(mdav)")
    whole = microagg.protect(table, 2, ["a"], sensitive=["s"], method="blocked(mdav)")
    told = "in 2 of 4 groups all records share their value of 's'"
    assert [note.startswith(told) for note in result.notes].count(True) == 1
    assert set(result.notes) <= set(whole.notes)


def test_a_table_that_changes_is_not_released(spark):
    def drawn(batches):
        from numpy.random import default_rng

        for batch in batches:
            yield pa.RecordBatch.from_pydict({"a": default_rng().normal(size=batch.num_rows)})

    frame = spark.range(500).mapInArrow(drawn, "a double")
    frame.persist = lambda: frame  # as if what was kept were lost
    with pytest.raises(InputError, match=r"changed while it was read"):
        microagg.protect(frame, 2, ["a"], method="blocked(mdav, max_leaf=20)")


def test_spark_is_for_its_own_frames_and_not_loaded_for_others():
    with pytest.raises(InputError, match=r"engine='spark' is for data frames of Spark"):
        microagg.protect(pa.table({"a": [1, 2]}), 2, ["a"], engine="spark")
    code = (
        "import sys, pyarrow, microagg; "
        "microagg.protect(pyarrow.table({'a': [1, 2]}), 2, ['a']); sys.exit('pyspark' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_says_what_to_install_where_java_or_spark_is_absent_or_too_old(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(InputError, match=r"needs Java, which is not here: install .*openjdk-17-jre-headless"):
        session.local_session()
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(InputError, match=r"needs Java 17, and Java 8 in .* is too old"):
        session.local_session()
    monkeypatch.setitem(sys.modules, "pyspark", type(sys)("pyspark"))
    sys.modules["pyspark"].__version__ = "3.5.1"
    with pytest.raises(InputError, match=r"Spark 3\.5\.1 is too old: version 4 is the least"):
        session.local_session()
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(InputError, match=r"pip install 'microagg\[spark\]'"):
        session.local_session()
