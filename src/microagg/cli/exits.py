"""How a command ends: with a message for whatever a user can meet, and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

import microagg.cli.stopping as stopping
from microagg.cli.printed import as_json
from microagg.errors import MicroaggError, UnsafeReleaseError

FAULTY, UNSAFE, ALONE, NONE_FITS, STOPPED = 2, 3, 4, 5, 130
"""Exit codes.

With `ALONE` the table was written, but not what was to stand beside it; with `NONE_FITS` candidates were
compared, and none can be chosen.
"""

_WORD = {FAULTY: "faults", UNSAFE: "unsafe", ALONE: "incomplete", STOPPED: "stopped"}


@contextmanager
def plain_errors(nothing_done: str = "", *, json: bool = False) -> Iterator[None]:
    """Turn what a user can meet into a message and an exit code.

    `nothing_done` says after every fault that no harm is done.
    """
    try:
        yield
        return
    except UnsafeReleaseError as error:
        code, lines = UNSAFE, [str(error)]
    except MicroaggError as error:
        code, lines = FAULTY, str(error).splitlines()
    except MemoryError:
        code, lines = FAULTY, ["there is not enough memory for this: --dry-run tells about how much it takes"]
    except KeyboardInterrupt:
        code, lines = STOPPED, []
    except Exception:
        if not stopping.asked_for():  # an import that is interrupted can fail in any way
            raise
        code, lines = STOPPED, []
    if code == STOPPED:
        stopping.arrived()
        lines = [" ".join(filter(None, ["Stopped.", nothing_done]))]
    elif nothing_done and not json:
        lines.append(nothing_done)
    end(code, lines, json=json)


def end(code: int, lines: Sequence[str], *, json: bool) -> None:
    """Tell why the command ends, and end it."""
    told = [as_json({"error": _WORD[code], "faults": lines, "exit_code": code})] if json else lines
    for line in told:
        print(line, file=sys.stderr)
    raise typer.Exit(code)
