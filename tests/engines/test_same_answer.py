"""Every case on every engine: the released values are those of the work in memory, to the last bit."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engines.running import ENGINES, release

SEED = 7


def numbers(n=1000):
    rng = np.random.default_rng(SEED)
    return pa.table(
        {"b": rng.lognormal(size=n), "a": 1e9 + rng.normal(size=n), "c": rng.normal(size=n) * 1e-9}
    )


def tied(n=800):
    """Whole numbers of which many records share all, beside what alone parts them."""
    rng = np.random.default_rng(SEED)
    return pa.table(
        {
            "name": [f"n{value}" if value else None for value in rng.integers(0, 40, n)],
            "staff": pa.array(rng.integers(0, 5, n), pa.int32()),
            "size": rng.integers(0, 4, n),
            "share": [None if value < 0.1 else round(value, 1) for value in rng.random(n)],
            "code": pa.array(rng.integers(0, 3, n).astype(str)).dictionary_encode(),
        }
    )


def gaps(values, share=0.15):
    rng = np.random.default_rng(SEED)
    return [None if rng.random() < share else value for value in values]


def kinds(n=700):
    rng = np.random.default_rng(SEED)
    day = dt.date(2020, 1, 1)
    return pa.table(
        {
            "turnover": gaps(rng.lognormal(size=n).tolist()),
            "staff": pa.array(gaps(rng.integers(0, 900, n).tolist()), pa.int16()),
            "born": [day + dt.timedelta(days=int(value)) for value in rng.integers(0, 900, n)],
            "seen": pa.array(
                gaps([dt.datetime(2020, 1, 1, 0, 0, int(value)) for value in rng.integers(0, 60, n)]),
                pa.timestamp("ms"),
            ),
            "town": gaps(rng.choice(["York", "Bath", "Ely"], n).tolist()),
            "trade": [f"t{value}" for value in rng.zipf(1.3, n) % 90],
            "owner": gaps((rng.random(n) < 0.3).tolist()),
            "grade": rng.choice(["low", "mid", "high"], n).tolist(),
            "price": [Decimal(int(value)).scaleb(-2) for value in rng.integers(0, 9999, n)],
            "small": pa.array(rng.normal(size=n), pa.float32()),
        }
    )


CASES = {
    "numbers": (numbers, {"quasi_identifiers": ["a", "b", "c"]}),
    "ranges": (numbers, {"quasi_identifiers": ["a", "b"], "scale": "range", "keep": ["c"]}),
    "unscaled, weighed": (
        numbers,
        {"quasi_identifiers": ["a", "b", "c"], "scale": "none", "importance": {"c": 1e18}},
    ),
    "huge": (
        lambda: pa.table({"a": numbers()["b"], "b": pa.array(np.array(numbers()["c"]) * 1e150)}),
        {"quasi_identifiers": ["a", "b"], "scale": "none"},
    ),
    "medians": (
        numbers,
        {"quasi_identifiers": ["a", "b", "c"], "centres": {"a": "median", "b": "trimmed mean"}},
    ),
    "ties": (tied, {"quasi_identifiers": ["staff", "size"], "keep": ["name", "share"], "drop": ["code"]}),
    "ties without more": (lambda: tied().select(["staff", "size"]), {"quasi_identifiers": ["staff", "size"]}),
    "all kinds": (
        kinds,
        {
            "quasi_identifiers": kinds().column_names,
            "orders": {"grade": ["low", "mid", "high"]},
            "importance": {"town": 0.5},
        },
    ),
    "levels alone": (kinds, {"quasi_identifiers": ["trade", "town", "owner"], "drop": "rest"}),
    "one value": (
        lambda: pa.table({"a": [3.0] * 300, "b": np.arange(300) % 7}),
        {"quasi_identifiers": ["a", "b"]},
    ),
    "all the same": (
        lambda: pa.table({"a": [3.0] * 300, "n": range(300)}),
        {"quasi_identifiers": ["a"], "keep": ["n"]},
    ),
    "nothing there": (
        lambda: pa.table({"a": pa.array([None] * 300, pa.float64()), "b": np.arange(300) % 7}),
        {"quasi_identifiers": ["a", "b"]},
    ),
    "tiny": (lambda: pa.table({"a": np.array([1e-300, 3e-300, 2e-300] * 40)}), {"quasi_identifiers": ["a"]}),
}
METHODS = (
    "blocked(mdav, max_leaf=40)",
    "blocked(mdav, max_leaf=100, hard_limit=True, tree='2^d')",
    "blocked(mdav, max_leaf=90, tree='univariate')",
    "blocked(mdav)",
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_released_values_loss_and_classes_are_those_of_the_work_in_memory(case, method, tmp_path):
    make, request = CASES[case]
    pq.write_table(make(), tmp_path / "in.parquet")
    asked = {"k": 3, "method": method, **request}
    whole, expected = release("memory", tmp_path / "in.parquet", tmp_path / "memory.parquet", **asked)
    for engine in ENGINES:
        result, found = release(engine, tmp_path / "in.parquet", tmp_path / "parts.parquet", **asked)
        assert found.schema == expected.schema, engine
        assert found.equals(expected), engine
        assert result.loss == whole.loss
        assert result.classes == whole.classes
        assert result.account == whole.account
        assert result.plan == whole.plan


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_small_table_gets_the_same_values(data, tmp_path):
    n = data.draw(st.integers(6, 120))
    few = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.5, -7.25, 1e12, 1e12 + 1]))
    table = pa.table(
        {
            "x": pa.array(data.draw(st.lists(few, min_size=n, max_size=n)), pa.float64()),
            "y": pa.array(data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), pa.int64()),
            "z": data.draw(st.lists(st.sampled_from("abcä"), min_size=n, max_size=n)),
            "note": pa.array(data.draw(st.lists(few, min_size=n, max_size=n)), pa.float64()),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    asked = {
        "k": 2,
        "quasi_identifiers": ["x", "y", "z"],
        "keep": ["note"],
        "method": "blocked(mdav, max_leaf=6)",
    }
    _, expected = release("memory", tmp_path / "in.parquet", tmp_path / "memory.parquet", **asked)
    _, found = release("duckdb", tmp_path / "in.parquet", tmp_path / "parts.parquet", part=7, **asked)
    assert found.equals(expected)
    assert [str(value) for value in found["x"]] == [str(value) for value in expected["x"]]
