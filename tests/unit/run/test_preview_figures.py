"""The memory that is foretold, beside the peaks of whole processes that were measured once."""

from __future__ import annotations

import pytest

from microagg.run.foretelling import memory_of

MEASURED = [  # bytes, from Parquet to Parquet
    (10_000, 2, 235e6),
    (10_000, 10, 230e6),
    (100_000, 10, 274e6),
    (1_000_000, 2, 369e6),
    (1_000_000, 10, 556e6),
    (10_000_000, 4, 1801e6),
]


@pytest.mark.parametrize(("records", "dimensions", "peak"), MEASURED)
def test_the_memory_is_within_a_fifth(records, dimensions, peak):
    assert memory_of(8 * records * dimensions, records, dimensions) == pytest.approx(peak, rel=0.2)
