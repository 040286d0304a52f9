"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest

import pytest

from microagg.datasets import business, generators


@pytest.mark.parametrize("module", [business, generators])
def test_examples_give_what_they_show(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
