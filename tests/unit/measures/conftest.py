"""The reference sets as they are published, and masked."""

from __future__ import annotations

import pytest

from tests.conftest import FOLDER
from tests.unit.measures.comparing import grouped


@pytest.fixture(scope="session")
def reference_release(standardised_reference):
    """Give a function that returns a reference set beside its release by MDAV, or skips the test."""
    from microagg import MDAV
    from microagg.datasets import load_reference

    known = {}

    def get(name, k, columns=None):
        if (name, k, columns) not in known:
            X = standardised_reference(name)
            reference = load_reference(name, FOLDER)
            chosen = [reference.columns.index(column) for column in columns or reference.columns]
            labels = MDAV().partition(X[:, chosen], k)
            values = dict(zip(columns or reference.columns, reference.X[:, chosen].T, strict=True))
            known[name, k, columns] = grouped(values, labels)
        return known[name, k, columns]

    return get
