"""A request made ready: the plan, the table, and each quasi-identifier as numbers; or all its faults."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

import microagg.tables as tables
from microagg.columns import Column, Floats, Mask
from microagg.edits import Edit, edit_of
from microagg.errors import Faults, InputError
from microagg.kernels.exact import EQUAL
from microagg.partition.matrix import Method
from microagg.partition.registry import method_of
from microagg.plan import CENTRES, Centre, Kind, Missing, Plan, Scale, well_formed
from microagg.plan.faults import unknown_word, wrong_centre
from microagg.plan.forms import is_whole
from microagg.prepare import Strata, parted, with_small_merged

Ints = NDArray[np.intp]
Columns = Sequence[str] | str

_AUTO = "auto"


class Options(TypedDict, total=False):
    """What a request may say besides k and the quasi-identifiers; `Plan` tells what each means."""

    keep: Columns
    drop: Columns
    sensitive: Columns
    weight: str
    strata: Columns
    entity: str
    kinds: Mapping[str, Kind]
    orders: Mapping[str, Sequence[str]]
    centres: Mapping[str, Centre]
    importance: Mapping[str, float]
    scale: Scale
    missing: Missing
    small_strata: Literal["error", "merge"]
    weight_release: Literal["mean", "keep", "drop"]
    link_entities: bool
    edits: Columns
    budget: float
    seed: int


class Parts(NamedTuple):
    """What parts the records, and what unites them."""

    strata: Strata  # as they are
    merged: Ints  # for each stratum the one that it is released as
    block: Ints  # the block of each record within which groups are formed: merged strata, missing patterns
    entities: NDArray[np.int64] | None  # to whom each record belongs
    linked: bool  # whether records of an entity may be seen to belong together


class Job(NamedTuple):
    """A request without faults. The quasi-identifiers stand in alphabetical order."""

    plan: Plan
    method: Method | None  # None if it is left open
    table: tables.Table
    columns: dict[str, tables.Encoded]
    weights: Floats
    parts: Parts
    edits: list[Edit]
    target: tables.Target | tables.TableTarget | None


def plan_of(
    plan: Plan | str | os.PathLike[str] | None,
    k: int | None,
    quasi_identifiers: Columns | None,
    method: str | Method | None,
    options: Mapping[str, Any],
) -> Plan:
    """Return the plan with what is said besides it; raises InputError for options that there are not."""
    known = [field.name for field in fields(Plan)]
    InputError.raise_any(unknown_word("the option", name, known) for name in options if name not in known)
    said: dict[str, Any] = dict(options)
    text = method if method is None or isinstance(method, str) else repr(method)
    direct = {"k": k, "quasi_identifiers": quasi_identifiers, "method": text}
    said |= {name: value for name, value in direct.items() if value is not None}
    said |= {name: _names(said[name]) for name in _OF_NAMES if name in said}
    said |= {name: _names_or_rest(said[name]) for name in ("keep", "drop") if name in said}
    if isinstance(said.get("orders"), Mapping):
        orders = said["orders"].items()
        said["orders"] = {name: order if isinstance(order, str) else _names(order) for name, order in orders}
    if isinstance(plan, str | os.PathLike):
        return Plan.load(plan, **said)
    if plan is not None:
        if not isinstance(plan, Plan):
            raise InputError(f"expected a plan, or the path of its file: found {plan!r}")
        return plan.changed(**said)
    InputError.raise_any(
        f"{told} is not said: give it, or a plan"
        for name, told in (("k", "k"), ("quasi_identifiers", "which columns are quasi-identifiers"))
        if name not in said
    )
    return Plan(**said)


_OF_NAMES = ("quasi_identifiers", "sensitive", "strata", "edits")


def checked(data: Any, plan: Plan, method: str | Method | None, to: Any) -> Job:
    """Return the request made ready, or raise one error with all that is wrong with it."""
    faults = Faults(plan.faults())
    plan = well_formed(plan)
    given = plan.method if method is None else method
    chosen = None if given == _AUTO else faults.attempt(method_of, given)
    target = None if to is None else faults.attempt(tables.target_of, to, data)
    edits = [edit for text in plan.edits if (edit := faults.attempt(edit_of, text))]
    table = faults.attempt(tables.read, data)
    if not table:
        raise InputError(faults)
    faults += plan.faults_for(table.names, table.records)
    table = table.with_whole(plan.quasi_identifiers).without_labels(plan.entity)
    if target:
        faults.attempt(tables.as_written, table.only(plan.released(table.names)).slice(0, 0), table, target)
    columns = _columns(table, plan, faults)
    weights = faults.attempt(weights_of, table, plan)
    parts = _parts(table, plan, columns, faults)
    if set(columns) == set(plan.quasi_identifiers):
        known = {name: of.column for name, of in columns.items()}
        faults += [fault for edit in edits for fault in edit.faults(known)]
    InputError.raise_any(dict.fromkeys(faults))
    assert weights is not None
    return Job(plan, chosen, table, columns, weights, parts, edits, target)


def _columns(table: tables.Table, plan: Plan, faults: Faults) -> dict[str, tables.Encoded]:
    """Return the quasi-identifiers as numbers, and collect what is wrong with them."""
    found = {}
    for name in sorted(set(plan.quasi_identifiers)):
        if table.names.count(name) == 1:
            column = faults.attempt(_column, table, plan, name)
            if column:
                found[name] = column
    return found


def _column(table: tables.Table, plan: Plan, name: str) -> tables.Encoded:
    order = plan.orders.get(name, ())
    kind = plan.kinds.get(name) or ("ordinal" if order else table.kind(name).kind)
    if kind not in CENTRES:
        raise InputError([])  # told already, as a fault of the plan
    centre = plan.centres.get(name)
    found = table.encoded(name, kind, order)
    if centre and centre not in CENTRES[kind]:
        raise InputError(wrong_centre(name, centre, kind))
    missing = np.flatnonzero(found.column.missing)
    if plan.missing == "error" and missing.size:
        raise InputError(
            f"column {name!r} has a missing value in {table.where(int(missing[0]))}"
            f"{f', one of {missing.size:,}' if missing.size > 1 else ''}: fill or drop it, or let missing "
            "values be shared by their group"
        )
    return found


def weights_of(table: tables.Table, plan: Plan) -> Floats:
    """Return the survey weights, none if there are none or all are equal."""
    if plan.weight is None or table.names.count(plan.weight) != 1:
        return EQUAL
    column = table.encoded(plan.weight, "continuous").column
    faults = _without_gaps(column.missing, f"the weight {plan.weight!r}", table)
    wrong = np.flatnonzero((column.values <= 0.0) & ~_mask(column))
    if wrong.size:
        faults.append(
            f"the weight {plan.weight!r} is {column.values[wrong[0]]:g} in {table.where(int(wrong[0]))}"
            f"{f', one of {wrong.size:,} such weights' if wrong.size > 1 else ''}: a weight is above zero"
        )
    InputError.raise_any(faults)
    return column.values if np.ptp(column.values) else EQUAL


def _mask(column: Column) -> Mask:
    return column.missing if column.missing.size else np.zeros(column.values.size, dtype=np.bool_)


def _without_gaps(missing: Mask, told: str, table: tables.Table) -> list[str]:
    places = np.flatnonzero(missing)
    if not places.size:
        return []
    others = f", one of {places.size:,} such records" if places.size > 1 else ""
    return [f"{told} is missing in {table.where(int(places[0]))}{others}: fill it, or leave that record out"]


def _parts(table: tables.Table, plan: Plan, columns: Mapping[str, tables.Encoded], faults: Faults) -> Parts:
    """Return what parts and unites the records, and collect what is wrong with it."""
    k = int(plan.k) if is_whole(plan.k) and 2 <= plan.k <= table.records else None
    entities = faults.attempt(entities_of, table, plan, k)
    names = [name for name in plan.strata if table.names.count(name) == 1]
    strata = parted([table.ranks(name) for name in names], table.records)
    merged = np.arange(strata.record.size)
    block: Ints | None = strata.of
    if k and names and plan.small_strata == "merge":
        merged = _merged(strata, entities, k)
        block = merged[strata.of]
    elif k and names:
        faults += _small_strata(table, names, strata, strata.sizes(entities), k)
    if k and plan.missing == "own-group" and block is not None:
        block = faults.attempt(_by_missing, block, columns, entities, k, table.records)
    by_length = None if block is None or not k else _by_length(block, entities, plan)
    if by_length is not None:
        return Parts(strata, merged, by_length, entities, linked=True)
    return Parts(strata, merged, strata.of if block is None else block, entities, linked=False)


def entities_of(table: tables.Table, plan: Plan, k: int | None = None) -> NDArray[np.int64] | None:
    """Return to whom each record belongs, None if that is not said."""
    if plan.entity is None or table.names.count(plan.entity) != 1:
        return None
    InputError.raise_any(_without_gaps(table.missing(plan.entity), f"the entity {plan.entity!r}", table))
    entities = table.ranks(plan.entity)
    count = int(entities.max(initial=-1)) + 1
    if k and count < k:
        raise InputError(f"k = {k} is more than the {count} values of the entity {plan.entity!r}")
    return entities


def _merged(strata: Strata, entities: NDArray[np.int64] | None, k: int) -> Ints:
    """Return for each stratum the one that it is released as, of which none is too small.

    An entity with records in several strata counts once where they are merged, so it may take more.
    """
    merged = with_small_merged(strata.sizes(entities), k)
    while True:
        whole = Strata(merged[strata.of], strata.record)
        sizes = whole.sizes(entities)[np.unique(merged)]
        if sizes.min() >= k or sizes.size == 1:
            return merged
        place = with_small_merged(sizes, k)
        merged = np.unique(merged)[place][np.searchsorted(np.unique(merged), merged)]


def _by_length(block: Ints, entities: NDArray[np.int64] | None, plan: Plan) -> Ints | None:
    """Return the blocks parted by how many records an entity has, if at least k have each number.

    Only then can the records of one entity stay together without showing whose they are.
    """
    if entities is None or not plan.link_entities:
        return None
    blocks = parted([block, np.bincount(entities)[entities]], block.size)
    return blocks.of if blocks.sizes(entities).min() >= plan.k else None


def _small_strata(
    table: tables.Table, names: Sequence[str], strata: Strata, sizes: Ints, k: int
) -> Iterable[str]:
    small = np.flatnonzero(sizes < k)
    if not small.size:
        return
    shown = "; ".join(
        f"{', '.join(f'{name} = {table.value(name, int(strata.record[one]))!r}' for name in names)} "
        f"({sizes[one]})"
        for one in small[:5]
    )
    more = f"; and {small.size - 5:,} more" if small.size > 5 else ""
    yield (
        f"{small.size:,} of {sizes.size:,} strata hold fewer than k = {k}: {shown}{more}. Choose coarser "
        "strata, or "
        "let small ones be merged"
    )


def _values(table: tables.Table, names: Sequence[str], record: int) -> str:
    return ", ".join(f"{name} = {table.value(name, int(record))!r}" for name in names)


def _by_missing(
    block: Ints,
    columns: Mapping[str, tables.Encoded],
    entities: NDArray[np.int64] | None,
    k: int,
    records: int,
) -> Ints:
    """Return the blocks parted by which values are missing; raises InputError if fewer than k share one."""
    gaps = {
        name: of.column.missing.astype(np.int64) for name, of in columns.items() if of.column.missing.size
    }
    blocks = parted([block, *gaps.values()], records)
    sizes = blocks.sizes(entities)
    small = np.flatnonzero(sizes < k)
    if small.size:
        where = [name for name, gap in gaps.items() if gap[blocks.record[small[0]]]]
        what = f"{' and '.join(map(repr, where))} missing" if where else "nothing missing"
        raise InputError(
            f"only {sizes[small[0]]} record(s) have {what}, the first of {small.size:,} such patterns that "
            "fewer "
            f"than k = {k} records share: with missing values in groups of their own these cannot be "
            "protected; let "
            "missing values be shared by their group"
        )
    return blocks.of


def _names(given: Any) -> Any:
    """Return one name, or several, as a plan holds them; what else is given the plan's faults tell of."""
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, Iterable) else given


def _names_or_rest(given: Any) -> Any:
    return given if isinstance(given, str) and given == "rest" else _names(given)
