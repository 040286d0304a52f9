"""Help with examples, completion for shells, and a start that loads nothing heavy."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

import pytest

from microagg import __version__
from tests.unit.cli.running import command, microagg

COMMANDS = ["plan", "protect", "check", "data"]
HEAVY = {"numpy", "numba", "sklearn", "pyarrow", "pandas", "polars", "rich"}


def test_the_version_is_shown():
    assert microagg("--version").stdout == f"microagg {__version__}\n"


def test_every_command_is_told_of():
    result = microagg("--help")
    assert result.exit_code == 0
    listed = result.stdout.partition("Commands:\n")[2]
    assert [line.split()[0] for line in listed.splitlines()] == COMMANDS
    assert "\n    130  stopped with Ctrl-C\n" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_exit_codes_and_every_option(name):
    shown = microagg(name, "-h").stdout
    assert shown == microagg(name, "--help").stdout
    assert "\n  Examples:\n    microagg " in shown
    assert "\n    130  stopped with Ctrl-C\n" in shown
    assert max(map(len, shown.splitlines())) <= 90


def test_options_stand_in_sections():
    shown = microagg("protect", "-h").stdout
    sections = re.findall(r"^(\S.*):$", shown, re.MULTILINE)
    assert sections == [
        "Arguments",
        "What is asked for",
        "What the columns are",
        "How records are compared and released",
        "How groups are formed",
        "Where the work is done",
        "What is written",
        "What is told",
        "How the table is read",
        "Options",
    ]


def test_no_command_at_all_is_answered_with_help():
    result = microagg()
    assert result.exit_code == 2
    assert "Commands:" in result.stdout + result.stderr


@pytest.mark.parametrize("name", ["--help", *COMMANDS])
def test_help_needs_nothing_heavy(name):
    program = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
    arguments = [name] if name == "--help" else [name, "--help"]
    done = subprocess.run(
        [sys.executable, "-c", f"{program}from microagg.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    assert HEAVY & set(done.stderr.split()) == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_had_for_shells(shell):
    settings = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = command("--show-completion", shell, env=settings)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_MICROAGG_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("begun", "expected"),
    [
        ("microagg pr", ["protect"]),
        ("microagg protect --sm", ["--small-strata"]),
        ("microagg protect --scale r", ["range", "robust"]),
        ("microagg protect --missing ", ["shared", "own-group", "error"]),
    ],
)
def test_completion_knows_commands_options_and_words(begun, expected):
    words = shlex.split(begun)
    place = len(words) - (not begun.endswith(" "))
    asked = {"_MICROAGG_COMPLETE": "complete_bash", "COMP_WORDS": begun, "COMP_CWORD": str(place)}
    assert command(env={**os.environ, **asked}).stdout.split() == expected
