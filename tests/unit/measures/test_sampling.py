"""The sample of records, which knows what is in them and not where they stand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microagg.measures.sampling import sample_of
from tests.unit.measures.comparing import compared, watched

CELLS = st.sampled_from([0.0, -0.0, 1.0, 2.5, None])
RECORDS = st.lists(st.tuples(CELLS, CELLS, st.integers(0, 2)), min_size=1, max_size=30)


def drawn(records, size, seed=0):
    first, second, kept = (list(column) for column in zip(*records, strict=True))
    return sample_of(compared({"a": first}, {"a": second}, sensitive=[watched("kept", kept)]), size, seed)


@given(RECORDS, st.integers(1, 30), st.integers(-5, 5), st.randoms(use_true_random=False))
def test_the_same_records_are_drawn_whatever_their_order(records, size, seed, random):
    shuffled = random.sample(records, len(records))
    one, other = ([of[i] for i in drawn(of, size, seed)] for of in (records, shuffled))
    assert len(one) == min(size, len(records))
    assert sorted(map(str, _plain(one))) == sorted(map(str, _plain(other)))


def _plain(records):
    return [tuple(None if cell is None else cell + 0.0 for cell in record) for record in records]


def test_a_zero_has_no_sign():
    records = [(i % 3, 0.0, 0) for i in range(100)]
    signed = [(-0.0 if a == 0 else a, -0.0, c) for a, _, c in records]
    assert drawn(signed, 20).tolist() == drawn(records, 20).tolist()


def test_another_seed_draws_others():
    records = [(float(i), 0.0, 0) for i in range(200)]
    assert drawn(records, 20, 1).tolist() == drawn(records, 20, 1).tolist()
    assert drawn(records, 20, 1).tolist() != drawn(records, 20, 2).tolist()


def test_of_equal_records_some_are_drawn():
    records = [(float(i % 2), None, 0) for i in range(2000)]
    ones = sum(records[i][0] for i in drawn(records, 200))
    assert 70 < ones < 130


def test_every_record_has_the_same_chance():
    records = [(float(i), 0.0, 0) for i in range(50)]
    times = np.bincount(np.concatenate([drawn(records, 10, seed) for seed in range(500)]), minlength=50)
    assert times.min() > 50
    assert times.max() < 160
