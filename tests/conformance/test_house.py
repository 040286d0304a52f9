"""The rules of the house that tools can check: style, types, layers, sizes and names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VAGUE = {"utils", "util", "misc", "core", "common", "helpers", "helper", "tools"}


@pytest.mark.parametrize(
    "command",
    ["ruff check", "ruff format --check", "mypy", "lint-imports --no-cache"],
)
def test_tool_has_nothing_to_say(command):
    tool, *options = command.split()
    done = subprocess.run(
        [Path(sys.executable).with_name(tool), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "docs"])
def test_files_are_short_and_named_for_what_they_hold(folder):
    paths = list((ROOT / folder).rglob("*.py"))
    assert [path for path in paths if path.read_text().count("\n") > 400] == []
    assert [path for path in paths if path.stem in VAGUE or path.parent.name in VAGUE] == []
