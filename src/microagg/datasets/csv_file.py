"""Tables to and from CSV files, without a library of tables."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from microagg.whole_files import replacing


def write_csv(table: Mapping[str, Sequence[Any] | NDArray[Any]], path: str | os.PathLike[str]) -> None:
    """Write a mapping of column name -> values as a CSV file; None becomes an empty field.

    The file is written beside its target and renamed, so that a crash never leaves half of it, and
    several processes may write the same file at once.
    """
    with replacing(Path(path)) as stream:
        file = TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        file.detach()  # which flushes it


def read_csv(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the columns of a CSV file as texts, or raise ValueError if it is not a table."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"it is not a CSV file in UTF-8: {error}") from error
    if not rows:
        raise ValueError("it is empty")
    header, *records = rows
    for number, record in enumerate(records, start=1):
        if len(record) != len(header):
            raise ValueError(f"record {number} has {len(record)} fields, the header has {len(header)}")
    return {name: tuple(record[place] for record in records) for place, name in enumerate(header)}
