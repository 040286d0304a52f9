"""What goes to the terminal: lines, tables, JSON."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def ready_to_print() -> None:
    """Let names pass that the terminal has no letters for."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def say(lines: Iterable[str]) -> None:
    """Print lines; if nobody reads on, as after `| head`, that is no fault."""
    try:
        for line in lines:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_json(account: Mapping[str, Any]) -> str:
    """Return an account as one JSON object."""
    return json.dumps(account, ensure_ascii=False, allow_nan=False, default=str)


def titled(lines: Iterable[tuple[str, str]]) -> list[str]:
    """Return lines with titles in a column of their own.

    >>> titled([("k", "5"), ("Loss", "3 %")])
    ['k          5', 'Loss       3 %']
    """
    return [f"{title:<10} {text}" for title, text in lines]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Return rows with their cells below each other, those of some columns aligned to the right.

    >>> table(["size", "what"], [["5", "a"], ["10", "b"]], right=[0])
    ['size  what', '   5  a', '  10  b']
    """
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (heads, *rows)
    ]


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with what it counts.

    >>> counted(1, "group"), counted(1200, "class", "classes")
    ('1 group', '1,200 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def share(part: float) -> str:
    """Return a share in percent.

    >>> share(0.3333)
    '33.3 %'
    """
    return f"{100 * part:.1f} %"


def span(least: int, greatest: int) -> str:
    """Return a range of numbers, or the one there is.

    >>> span(3, 5), span(3, 3)
    ('3 to 5', '3')
    """
    return f"{least:,}" if least == greatest else f"{least:,} to {greatest:,}"
