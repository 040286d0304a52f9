"""CONTRIBUTING's walk through adding a method, followed in a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks

CODE = [
    block.content for block in blocks((ROOT / "CONTRIBUTING.md").read_text()) if block.language == "python"
]
COMPILED = shutil.ignore_patterns("__pycache__")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Give a copy of the package to which the method of the walk has been added."""
    copy = tmp_path_factory.mktemp("walk")
    for part in ("src", "tests", "examples"):
        shutil.copytree(ROOT / part, copy / part, ignore=COMPILED)
    shutil.copy(ROOT / "pyproject.toml", copy)
    for code in CODE:
        if code.startswith("# "):
            path, _, content = code.removeprefix("# ").partition("\n")
            (copy / path).write_text(content)
        else:
            registry = copy / "src/microagg/partition/registry.py"
            registry.write_text(registry.read_text().replace("_HOME_OF = {\n", f"_HOME_OF = {{\n{code}"))
    return copy


def run(copy, tool, *options):
    return subprocess.run(
        [Path(sys.executable).with_name(tool), *options],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_method_passes_its_tests_and_example(copy):
    done = run(copy, "pytest", "-q", "tests/unit/partition/test_slabs.py", "src/microagg/partition/slabs.py")
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_the_method_is_written_as_the_house_wants_it(copy):
    new = list(copy.rglob("*slabs.py"))
    assert len(new) == 4
    for command in (["check"], ["format", "--check"]):
        done = run(copy, "ruff", *command, *map(str, new))
        assert done.returncode == 0, done.stdout


def test_the_command_line_knows_the_method(copy):
    request = "protect examples/business_survey.csv -k 5 -m slabs -q turnover --drop rest -o safe.csv"
    done = run(copy, "microagg", *request.split())
    assert "200 groups of 5" in done.stdout, done.stdout + done.stderr
