"""Tables to and from CSV files, with nothing but the standard library."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def write_csv(table: Mapping[str, Sequence[Any] | NDArray[Any]], path: str | os.PathLike[str]) -> None:
    """Write a mapping of column name -> values as a CSV file; None becomes an empty field.

    The file is written beside its target and renamed, so that a crash never leaves half of it.
    """
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    columns = [column.tolist() if isinstance(column, np.ndarray) else column for column in table.values()]
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table)
            writer.writerows(zip(*columns, strict=True))
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def read_csv(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the columns of a CSV file as texts, or raise ValueError if it is not a table."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file, strict=True)
        return dict(zip(header, zip(*rows, strict=True), strict=True))
    except (ValueError, csv.Error) as error:
        raise ValueError(f"it is not a CSV file of one table: {error}") from error
