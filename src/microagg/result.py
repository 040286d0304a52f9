"""What came out of a run, and how it came to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.plan import Plan


@dataclass(frozen=True)
class Loss:
    """The information loss in percent: 100 SSE/SST, of all quasi-identifiers and of each."""

    percent: float
    by_column: Mapping[str, float]


@dataclass(frozen=True)
class Classes:
    """What an observer can tell apart: the classes of records with equal quasi-identifiers.

    `smallest`, `largest` and `sizes`, how many classes there are of each size, count records, or
    entities where several records belong to one.
    """

    records: int
    count: int
    smallest: int
    largest: int
    records_below_k: int
    sizes: Mapping[int, int] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Result:
    """A safe table and its account.

    `data` is the released table in the order of the rows and columns given: a data frame of the
    kind that was given, or else an Arrow table;
    `labels` the group of each row; `classes` what the independent check counted in the values as
    they are written; `notes` what the user should know; `account` what the method found out on its
    way, as plain data, such as the gamma it chose; `seconds` the wall time of each stage; `written`
    the file, or the table of a database without its password, if one was asked for.
    """

    data: Any = field(repr=False)
    labels: NDArray[np.int32] = field(repr=False)
    plan: Plan
    loss: Loss
    classes: Classes
    notes: tuple[str, ...]
    account: Mapping[str, Any]
    seconds: Mapping[str, float]
    versions: Mapping[str, str]
    written: Path | str | None = None

    @property
    def group_sizes(self) -> NDArray[np.intp]:
        """How many records each group holds."""
        return np.bincount(self.labels)
