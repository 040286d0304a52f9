"""Every example on the pages is run, and must give what the page shows.

Blocks of `python` that are sessions are run as doctests, those of one page one after the other. A block
of `sh` that is followed by one of `text` is run in bash, and the text is what it must print, apart from
times.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, blocks, name_of

SET_UP = "python3 -m venv .venv && .venv/bin/pip install -q . && "
"""What the first command of the README does before the work; here the package is installed already."""

TIME = re.compile(r"\b\d+\.\d\d s\b")


def python_only(text):
    """Return the page with all but its Python sessions blanked, so that the numbers of the lines stay."""
    kept = {}
    for block in blocks(text):
        if block.language == "python" and block.content.startswith(">>>"):
            first = text.count("\n", 0, block.start)
            kept.update(enumerate(block.content.splitlines(), first))
    return "\n".join(kept.get(number, "") for number in range(text.count("\n") + 1))


def shell_examples(text):
    """Return the commands of the page, the text each must print, and the line it stands in."""
    return [
        (commands.content, shown.content, text.count("\n", 0, commands.start) + 1)
        for commands, shown in pairwise(blocks(text))
        if (commands.language, shown.language) == ("sh", "text")
        and not text[commands.end : shown.start].removesuffix("```text\n").strip()
    ]


PYTHON_PAGES = [page for page in PAGES if ">>>" in python_only(page.read_text())]
SHELL_EXAMPLES = [
    pytest.param(page, commands, shown, id=f"{name_of(page)}:{line}")
    for page in PAGES
    for commands, shown, line in shell_examples(page.read_text())
]


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Give a function that returns the folder in which the examples of a page are run."""
    folders = {}

    def get(page):
        if page not in folders:
            folders[page] = tmp_path_factory.mktemp(page.stem)
            (folders[page] / "examples").symlink_to(ROOT / "examples")
        return folders[page]

    return get


@pytest.mark.parametrize("page", PYTHON_PAGES, ids=name_of)
def test_python_gives_what_the_page_shows(page, folder_of, monkeypatch):
    if "local_session" in page.read_text():
        require_spark()
    monkeypatch.chdir(folder_of(page))
    examples = doctest.DocTestParser().get_doctest(
        python_only(page.read_text()), {}, name_of(page), str(page), 0
    )
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(examples, out=told.append)
    assert not runner.failures, "".join(told)


def require_spark():
    """Skip what needs Spark where it cannot be started."""
    from microagg.engine.spark import require_startable
    from microagg.errors import InputError

    try:
        require_startable()
    except InputError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("page", "commands", "shown"), SHELL_EXAMPLES)
def test_command_prints_what_the_page_shows(page, commands, shown, folder_of):
    printed = run_in_bash(commands.replace(SET_UP, "").replace(".venv/bin/", ""), folder_of(page))
    assert TIME.sub("... s", printed) == TIME.sub("... s", shown)


def run_in_bash(commands: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    ).stdout


def test_the_main_job_of_the_readme_is_among_the_commands_run():
    first = shell_examples((ROOT / "README.md").read_text())[0][0]
    assert first.startswith(f"{SET_UP}.venv/bin/microagg protect examples/business_survey.csv ")


def test_ci_runs_the_test_command_of_the_readme():
    commands = [block.content for block in blocks((ROOT / "README.md").read_text()) if block.language == "sh"]
    (test_command,) = [command for command in commands if "pytest" in command]
    assert test_command in (ROOT / ".ci" / "run").read_text()
