"""The independent check against counting tuples, which shares nothing with it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import check
from microagg.check import classes, linked_safely, require_safe
from microagg.errors import UnsafeReleaseError
from microagg.outcome import Classes

CODES = st.sampled_from([0, 1, 2, -1, 2**63 - 1, -(2**63), 1 << 32])
RECORDS = st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[CODES] * d), min_size=1, max_size=40))


def columns_of(records):
    return [np.array(column, dtype=np.int64) for column in zip(*records, strict=True)]


def counted(records, k):
    sizes = list(Counter(records).values())
    return Classes(
        records=len(records),
        count=len(sizes),
        smallest=min(sizes),
        largest=max(sizes),
        records_below_k=sum(size for size in sizes if size < k),
        sizes=dict(Counter(sizes)),
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
        "not safe for k = 3: 2 of 5 records share their quasi-identifiers with fewer than 2 other records; "
        "the smallest of 2 classes holds 2 record(s)"
    )


ENTITIES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30)


@given(ENTITIES, st.integers(2, 4))
def test_of_several_records_of_one_entity_a_class_counts_one(records, k):
    values, entities = columns_of(records)
    members = {value: {entity for of, entity in records if of == value} for value, _ in records}
    sizes = {value: len(of) for value, of in members.items()}
    found = classes([values], k, entities)
    assert (found.smallest, found.largest) == (min(sizes.values()), max(sizes.values()))
    assert found.sizes == dict(Counter(sizes.values()))
    assert found.records_below_k == sum(sizes[value] < k for value, _ in records)


@given(ENTITIES, st.integers(2, 4))
def test_linked_records_are_safe_if_k_entities_show_the_same_ones(records, k):
    shown = {entity: tuple(sorted(value for value, of in records if of == entity)) for _, entity in records}
    values, entities = columns_of(records)
    assert linked_safely([values], k, entities) == (min(Counter(shown.values()).values()) >= k)
