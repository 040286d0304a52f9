"""Neither the order of the rows nor that of the columns changes what a record's released values are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import MDAV, protect
from tests.stand_ins import Chunks

LATTICE = st.sampled_from([-1.0, -0.0, 0.0, 1.0])
SPREAD = st.sampled_from([0.1, 0.2, 0.30000000000000004, 0.3, 1e9, 1e9 + 0.1])
KEPT = st.text("ab", max_size=1)
ODD = st.lists(st.integers(0, 1), max_size=1) | st.none()  # lists, for which Arrow knows no order


@st.composite
def tables(draw):
    record = st.tuples(LATTICE, draw(st.sampled_from([LATTICE, SPREAD])), KEPT, ODD)
    return draw(st.lists(record, min_size=2, max_size=14))


METHODS = pytest.mark.parametrize("method", [MDAV(), Chunks()], ids=["mdav", "as they come"])


def table_of(records):
    x, y, kept, odd = (list(column) for column in zip(*records, strict=True))
    types = {"y": pa.float64(), "kept": pa.string(), "odd": pa.list_(pa.int64()), "x": pa.float64()}
    return pa.table({"y": y, "kept": kept, "odd": odd, "x": x}, schema=pa.schema(types.items()))


def released(records, k, method, names=("x", "y")):
    data = protect(table_of(records), k, names, keep="rest", method=method).data
    return list(zip(data["x"].to_pylist(), data["y"].to_pylist(), strict=True))


def with_their_release(records, k, method):
    """Pair the records with what they became; minus zero and zero are one number, and so one record."""
    known = [(x + 0.0, y + 0.0, *kept) for x, y, *kept in records]
    return sorted(zip(map(repr, known), released(records, k, method), strict=True))


@METHODS
@given(tables(), st.integers(2, 4), st.randoms(use_true_random=False))
def test_shuffled_rows_are_released_alike(method, records, k, random):
    k = min(k, len(records))
    shuffled = list(records)
    random.shuffle(shuffled)
    assert with_their_release(shuffled, k, method) == with_their_release(records, k, method)


@METHODS
@given(tables())
def test_the_order_in_which_columns_are_named_or_stand_does_not_matter(method, records):
    expected = released(records, 2, method)
    assert released(records, 2, method, ("y", "x")) == expected
    turned = table_of(records).select(["x", "odd", "kept", "y"])
    data = protect(turned, 2, ["y", "x"], keep="rest", method=method).data
    assert list(zip(data["x"].to_pylist(), data["y"].to_pylist(), strict=True)) == expected


@given(st.integers(0, 2**32), st.sampled_from([1e9, -1e9, 2.0**40]))
def test_a_large_offset_leaves_the_groups_as_they_are(seed, offset):
    rng = np.random.default_rng(seed)
    X = rng.integers(-500, 500, (60, 3)) / 64

    def labels(Y):
        return protect(pa.table(dict(zip("abc", Y.T, strict=True))), 3, ["a", "b", "c"]).labels.tolist()

    assert labels(X + np.array([offset, 0.0, -offset])) == labels(X)
