"""What all tests share: how Hypothesis hunts, and the reference sets, where this machine has them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("everyday", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("hunt", deadline=None, max_examples=3000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "everyday"))

FOLDER = Path(
    os.environ.get("MICROAGG_REFERENCE_DATA") or Path(__file__).parents[1].parent / "shared" / "data"
)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Let Ctrl-C stop what is tested, even where it was ignored, as in what runs in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def standardised_reference():
    """Give a function that returns a reference set, standardised, or skips the test."""
    from microagg.datasets import load_reference
    from microagg.prepare import standardised

    known: dict[str, np.ndarray] = {}

    def get(name):
        if not (FOLDER / f"{name}.csv").is_file():
            pytest.skip(f"the reference set {name} is not in {FOLDER}: set MICROAGG_REFERENCE_DATA")
        if name not in known:
            known[name] = standardised(load_reference(name, FOLDER).X)
        return known[name]

    return get


@pytest.fixture(scope="session")
def loss_of():
    """Give a function that returns 100 SSE/SST, in NumPy's own sums."""

    def percent(X, labels):
        within = sum(((X[labels == g] - X[labels == g].mean(axis=0)) ** 2).sum() for g in np.unique(labels))
        return 100 * within / ((X - X.mean(axis=0)) ** 2).sum()

    return percent
