"""Released values: the means of the groups, each in its place."""

from __future__ import annotations

import math

import numpy as np
import pytest

from microagg.aggregate import centres


def test_each_record_gets_the_means_of_its_group():
    values = np.array([[1.0, 10.0], [5.0, 50.0], [3.0, 20.0], [6.0, 50.0]])
    labels = np.array([1, 0, 1, 0], dtype=np.int32)
    assert centres(values, labels).tolist() == [[2.0, 15.0], [5.5, 50.0], [2.0, 15.0], [5.5, 50.0]]


@pytest.mark.parametrize("zeros", [[-0.0, -0.0], [0.0, -0.0], [-5e-324, 0.0]])
def test_no_mean_is_a_negative_zero(zeros):
    ((mean, _),) = centres(np.array(zeros)[:, None], np.zeros(2, dtype=np.int32)).T
    assert math.copysign(1.0, mean) == 1.0
