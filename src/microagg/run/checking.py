"""The independent check, for any table that is or will be handed on."""

from __future__ import annotations

from collections import Counter
from typing import Any

import microagg.tables as tables
from microagg.check import classes
from microagg.errors import Faults, InputError
from microagg.outcome import Classes
from microagg.plan import Plan
from microagg.plan.faults import unknown_column
from microagg.run.request import Columns


def check_release(data: Any, k: int, quasi_identifiers: Columns, entity: str | None = None) -> Classes:
    """Count the records of a table that share their quasi-identifiers, whoever made the table.

    The release is safe if `records_below_k` is 0. Values are compared as they stand in the table: in a
    CSV file 1 and 1.0 differ, since whoever reads the file can tell them apart.

    Parameters
    ----------
    data
        Whatever `protect` takes: the path of a file, the address of a database, a data frame.
    k
        The least number of records that may share their values.
    quasi_identifiers
        The columns by which an observer may tell records apart, with any strata and weights released.
    entity
        The column that says to whom a record belongs: then k counts entities.

    Returns
    -------
    Classes
        How many classes of equal records there are, of which sizes, and how many records are in
        classes of fewer than k.

    Raises
    ------
    InputError
        If there is no such table or column, with all faults at once.

    Examples
    --------
    >>> import pyarrow as pa
    >>> check_release(pa.table({"age": [30, 30, 41], "town": ["x", "x", "x"]}), 2, ["age", "town"])
    Classes(records=3, count=2, smallest=1, largest=2, records_below_k=1)
    """
    names = (quasi_identifiers,) if isinstance(quasi_identifiers, str) else tuple(quasi_identifiers)
    faults = Faults(Plan(k=k, quasi_identifiers=names, entity=entity, drop="rest").faults())
    table = faults.attempt(tables.read, data)
    if table is None:
        raise InputError(faults)
    faults += [
        f"{times} columns are called {name!r}: give each its own name"
        for name, times in Counter(table.names).items()
        if times > 1
    ]
    if not table.records:
        faults.append("the table holds no records")
    named = [*(("quasi-identifier", name) for name in names), *([("entity", entity)] if entity else [])]
    faults += [unknown_column(told, name, table.names) for told, name in named if name not in table.names]
    if entity in table.names and table.missing(str(entity)).any():
        faults.append(f"the entity {entity!r} is missing in some records: without it they cannot be counted")
    InputError.raise_any(faults)
    seen = [tables.codes(table.data.column(name)) for name in names]
    return classes(seen, k, None if entity is None else tables.codes(table.data.column(entity)))
