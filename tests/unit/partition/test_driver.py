"""The compiled methods work in short slices that show progress and can be stopped."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.partition import slices
from microagg.partition.matrix import COMPILED_FROM
from microagg.partition.mdav import MDAV
from microagg.partition.vmdav import VMDAV

X = np.random.default_rng(4).random((COMPILED_FROM, 2))
METHODS = pytest.mark.parametrize("method", [MDAV(), VMDAV(gamma=0.5)], ids=repr)


@METHODS
def test_the_length_of_the_slices_changes_no_label(method, monkeypatch):
    expected = method.partition(X, 3)
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    told = []
    labels = method.partition(X, 3, progress=lambda *state: told.append(state))
    assert labels.tolist() == expected.tolist()
    assert len(told) > 100
    assert told == sorted(told)
    assert {total for _, total in told} == {len(X)}


@METHODS
def test_an_exception_raised_in_progress_stops_the_work(method, monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    told = []

    def stop_at_once(done, total):
        told.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        method.partition(X, 3, progress=stop_at_once)
    assert len(told) == 1
