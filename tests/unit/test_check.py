"""The independent check against counting tuples, which shares nothing with it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import check
from microagg.check import classes, require_safe
from microagg.errors import UnsafeReleaseError
from microagg.result import Classes

CODES = st.sampled_from([0, 1, 2, -1, 2**63 - 1, -(2**63), 1 << 32])
RECORDS = st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[CODES] * d), min_size=1, max_size=40))


def columns_of(records):
    return [np.array(column, dtype=np.int64) for column in zip(*records, strict=True)]


def counted(records, k):
    sizes = Counter(records).values()
    return Classes(
        records=len(records),
        count=len(sizes),
        smallest=min(sizes),
        largest=max(sizes),
        records_below_k=sum(size for size in sizes if size < k),
    )


@given(RECORDS, st.integers(2, 6))
def test_classes_are_those_of_equal_tuples(records, k):
    assert classes(columns_of(records), k) == counted(records, k)


@pytest.mark.parametrize("kinds", [1, 2])
def test_records_that_share_their_mixed_number_are_told_apart(monkeypatch, kinds):
    mixed = check._mixed
    monkeypatch.setattr(check, "_mixed", lambda columns: mixed(columns) % np.uint64(kinds))

    @given(RECORDS, st.integers(2, 6))
    def holds(records, k):
        assert classes(columns_of(records), k) == counted(records, k)

    holds()


def test_many_records_are_counted_too():
    rng = np.random.default_rng(5)
    records = list(map(tuple, rng.integers(0, 30, (20_000, 3)).tolist()))
    assert classes(columns_of(records), 3) == counted(records, 3)


def test_no_records_have_no_classes():
    assert classes([np.array([], dtype=np.int64)], 2) == Classes(0, 0, 0, 0, 0)


def test_a_class_of_k_is_safe_and_a_smaller_one_is_not():
    columns = [np.array([7, 7, 7, 1, 1])]
    require_safe(classes(columns, 2), 2)
    with pytest.raises(UnsafeReleaseError) as caught:
        require_safe(classes(columns, 3), 3)
    assert str(caught.value) == (
        "not safe for k = 3: 2 of 5 records share their quasi-identifiers with fewer than 2 others; "
        "the smallest of 2 classes holds 2 record(s)"
    )
