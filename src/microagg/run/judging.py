"""Two tables made ready to be compared, or all that is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

import microagg.tables as tables
from microagg.errors import Faults, InputError
from microagg.plan import Kind, Plan, Scale
from microagg.plan.faults import unknown_column, unknown_word
from microagg.run.request import Columns, plan_of


class Said(TypedDict, total=False):
    """What may be said of the columns of two tables; `Plan` tells what each means."""

    sensitive: Columns
    weight: str
    strata: Columns
    entity: str
    kinds: Mapping[str, Kind]
    orders: Mapping[str, Sequence[str]]
    importance: Mapping[str, float]
    scale: Scale
    seed: int


class Judged(NamedTuple):
    """Two tables that can be compared, and the plan that says what their columns are."""

    plan: Plan
    k: int | None  # if it was said
    original: tables.Table
    released: tables.Table
    rows: tables.Matching
    match_by: str | None
    notes: tuple[str, ...]


def judged(
    original: Any,
    released: Any,
    quasi_identifiers: Columns | None = None,
    *,
    k: int | None = None,
    plan: Plan | str | os.PathLike[str] | None = None,
    match_by: str | None = None,
    **said: Unpack[Said],
) -> Judged:
    """Return the tables read and matched, or raise one error with all that is wrong."""
    known = Said.__annotations__
    faults = Faults(unknown_word("the option", name, known) for name in said if name not in known)
    asked = faults.attempt(_asked, plan, k, quasi_identifiers, said)
    found = {
        told: _read(told, data, faults)
        for told, data in ((tables.ORIGINAL, original), (tables.RELEASED, released))
    }
    before, after = found.values()
    if asked is None or before is None or after is None:
        raise InputError(faults)
    faults += _faults_of_names(asked, before, after, match_by)
    InputError.raise_any(faults)
    rows = _rows(before, after, match_by)
    asked, notes = _with_columns(asked, before, after, rows, match_by)
    InputError.raise_any(replace(asked, drop="rest", keep=()).faults())
    left_out = before.records - rows.original.size
    if left_out:
        notes.append(f"{left_out:,} of {before.records:,} original records are not in the release")
    notes += [note for name in asked.sensitive if (note := _of_sensitive(name, before, after, rows))]
    return Judged(
        asked, asked.k if plan or k is not None else None, before, after, rows, match_by, tuple(notes)
    )


def _asked(
    plan: Plan | str | os.PathLike[str] | None,
    k: int | None,
    quasi_identifiers: Columns | None,
    said: Said,
) -> Plan:
    """Return the plan with what is said beside it; without one neither k nor columns need be said."""
    if plan is None:
        k, quasi_identifiers = 2 if k is None else k, quasi_identifiers or ()
    options = {name: value for name, value in said.items() if name in Said.__annotations__}
    return plan_of(plan, k, quasi_identifiers, None, options)


def _read(told: str, data: Any, faults: Faults) -> tables.Table | None:
    own = Faults()
    table = own.attempt(tables.read, data)
    if table and not table.records:
        own.append("it holds no records")
    faults += [f"the {told}: {fault}" for fault in own]
    return table


def _faults_of_names(
    plan: Plan, before: tables.Table, after: tables.Table, match_by: str | None
) -> list[str]:
    """Return which columns that are named are not there, or there twice."""
    in_both = [("quasi-identifier", name) for name in plan.quasi_identifiers]
    in_both += [("column to match by", match_by)] if match_by is not None else []
    in_original = [("sensitive", name) for name in plan.sensitive]
    in_original += [("weight", plan.weight)] if plan.weight is not None else []
    in_original += [("entity", plan.entity)] if plan.entity is not None else []
    in_released = [("stratum", name) for name in plan.strata]
    faults = []
    for told, table, named in (
        (tables.ORIGINAL, before, [*in_both, *in_original]),
        (tables.RELEASED, after, [*in_both, *in_released]),
    ):
        for role, name in named:
            times = table.names.count(name)
            if not times:
                faults.append(f"the {told}: {unknown_column(role, name, table.names)}")
            elif times > 1:
                faults.append(f"the {told}: {times} columns are called {name!r}: give each its own name")
    return list(dict.fromkeys(faults))


def _rows(before: tables.Table, after: tables.Table, match_by: str | None) -> tables.Matching:
    if match_by is not None:
        return tables.matched(before, after, match_by)
    if before.records != after.records:
        raise InputError(
            f"the {tables.ORIGINAL} holds {before.records:,} records and the {tables.RELEASED} "
            f"{after.records:,}: they are compared row by row; name a column to match rows by"
        )
    rows = np.arange(before.records)
    return tables.Matching(rows, rows)


def _with_columns(
    plan: Plan, before: tables.Table, after: tables.Table, rows: tables.Matching, match_by: str | None
) -> tuple[Plan, list[str]]:
    """Return the plan with the columns that differ, if it names none, and a note of that."""
    if plan.quasi_identifiers:
        return plan, []
    apart = {match_by, plan.weight, plan.entity, *plan.sensitive, *plan.strata}
    shared = [
        name
        for name in before.names
        if name not in apart and before.names.count(name) == after.names.count(name) == 1
    ]
    if not shared:
        raise InputError("the tables have no column in common that can be compared")
    found = [name for name in shared if tables.differ(name, before, after, rows)]
    if not found:
        raise InputError(
            f"no column differs between the tables ({', '.join(map(repr, shared))}): name the "
            "quasi-identifiers"
        )
    note = f"no quasi-identifiers are named: compared are the columns that differ, {', '.join(found)}"
    return replace(plan, quasi_identifiers=tuple(found)), [note]


def _of_sensitive(name: str, before: tables.Table, after: tables.Table, rows: tables.Matching) -> str | None:
    """Tell if a sensitive column is not released as it is, by which what groups give away is judged."""
    if after.names.count(name) != 1:
        return f"{name!r} is not in the release: what is said of it holds where it is found out elsewhere"
    if tables.differ(name, before, after, rows):
        return f"{name!r} has other values in the release: what is said of it is judged by the original"
    return None
