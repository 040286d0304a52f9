"""Strata, and how small ones are merged."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microagg.prepare import parted, with_small_merged

RECORDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1)


@given(RECORDS)
def test_strata_are_the_records_equal_in_all_columns_in_the_order_of_their_values(records):
    columns = [np.array(column) for column in zip(*records, strict=True)]
    strata = parted(columns[:2], len(records))
    known = sorted({record[:2] for record in records})
    assert [known[of] for of in strata.of] == [record[:2] for record in records]
    assert [records[record][:2] for record in strata.record] == known
    assert strata.sizes().tolist() == [Counter(r[:2] for r in records)[one] for one in known]
    units = {one: {record[2] for record in records if record[:2] == one} for one in known}
    assert strata.sizes(columns[2]).tolist() == [len(units[one]) for one in known]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(2, 12))
def test_after_merging_no_stratum_is_too_small_and_no_more_are_merged_than_need_be(sizes, k):
    merged = with_small_merged(np.array(sizes), k)
    assert (merged[merged] == merged).all()
    totals = Counter()
    for size, of in zip(sizes, merged.tolist(), strict=True):
        totals[of] += size
    if sum(sizes) >= k:
        assert min(totals.values()) >= k
    moved = [size for size, of, place in zip(sizes, merged, range(len(sizes)), strict=True) if of != place]
    if min(sizes) >= k:
        assert moved == []
    untouched = [size for place, size in enumerate(sizes) if Counter(merged.tolist())[merged[place]] == 1]
    assert all(size >= k for size in untouched) or sum(sizes) < k
