"""The canonical form of a matrix: when it is a copy, and that the one given is never written to."""

from __future__ import annotations

import numpy as np
import pytest

from microagg import MDAV, VMDAV
from microagg.datasets import scattered
from microagg.partition.matrix import canonical

SORTED = np.array([[0.0, 3.0], [1.0, 0.0], [1.0, 2.0], [4.0, 0.0]])


def test_a_matrix_in_canonical_form_is_not_copied():
    found = canonical(SORTED.copy(), 2)
    given = SORTED.copy()
    assert canonical(given, 2).points is given
    assert found.order.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "given",
    [
        SORTED[::-1].copy(),
        SORTED + 7.0,
        np.asfortranarray(SORTED),
        np.repeat(SORTED, 2, axis=1)[:, ::2],
        np.frombuffer(SORTED.tobytes()).reshape(SORTED.shape),
    ],
    ids=["not sorted", "not from zero", "by columns", "with gaps", "read-only"],
)
def test_any_other_matrix_is_brought_into_the_form_that_kernels_are_compiled_for(given):
    points = canonical(given, 2).points
    assert points.tolist() == SORTED.tolist()
    assert points.flags.c_contiguous
    assert points.flags.writeable


@pytest.mark.parametrize("records", [200, 12_000])
@pytest.mark.parametrize("method", [MDAV(), VMDAV(gamma=0.2)])
def test_the_matrix_that_is_given_is_not_written_to(method, records):
    X = scattered(records, 2)
    X = X[np.lexsort(X.T[::-1])]
    X -= X.min(axis=0)
    before = X.tobytes()
    method.partition(X, 3)
    assert X.tobytes() == before
