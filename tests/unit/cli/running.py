"""The command, run in this process or in one of its own, and what it leaves behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from microagg.cli import app

SURVEY = "id,name,staff,turnover,region\n" + "".join(
    f"{row},firm {row},{row % 7},{row * 10},north\n" for row in range(1, 21)
)
EVERYTHING = ["-q", "staff,turnover", "--drop", "id,name", "--keep", "rest", "-o", "safe.csv"]


def microagg(*arguments):
    """Run a command that must not fail in a way that nobody foresaw."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def faults(*arguments, command="protect"):
    """Return the messages of a command that must refuse to work."""
    before = contents()
    result = microagg(command, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    *messages, last = result.stderr.splitlines()
    assert last == "Nothing was written."
    assert contents() == before
    return messages


def told(*arguments):
    """Return the JSON object that a command prints when all is well."""
    result = microagg(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def contents():
    return {path: path.read_bytes() for path in Path.cwd().iterdir() if path.is_file()}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def installed():
    """Return the path of the installed command."""
    return Path(sys.executable).with_name("microagg")


def command(*arguments, **options):
    """Run the installed command, in a process of its own."""
    return subprocess.run(
        [installed(), *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


def on_a_terminal(program):
    """Return what a person at a terminal sees of a Python program's messages."""
    pty = pytest.importorskip("pty", reason="only Unix has such terminals")
    seen_by_person, terminal = pty.openpty()
    subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=terminal, check=True)
    os.write(terminal, b"END")
    seen = b""
    while not seen.endswith(b"END"):
        seen += os.read(seen_by_person, 4096)
    os.close(terminal)
    os.close(seen_by_person)
    return seen.removesuffix(b"END").decode()
