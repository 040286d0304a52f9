"""A folder with a survey to work in."""

from __future__ import annotations

import pytest

from microagg.partition import registry
from tests.unit.cli.running import SURVEY


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firms.csv").write_text(SURVEY)
    return tmp_path


@pytest.fixture
def called(monkeypatch):
    """Give a function that lets the command line know a method by this name."""

    def call(name, method):
        monkeypatch.setitem(registry._HOME_OF, name, (method.__module__, method.__name__))

    return call
