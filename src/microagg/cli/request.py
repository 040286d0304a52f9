"""The request that the options of `microagg protect` make."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import microagg.cli.asked as asked
from microagg.errors import Faults, InputError
from microagg.plan import Plan

if TYPE_CHECKING:
    import microagg.tables as tables

_SOURCE = ("delimiter", "encoding", "decimal", "thousands", "sheet", "table", "query")
_AS_SAID = (
    "k",
    "weight",
    "entity",
    "scale",
    "missing",
    "small_strata",
    "weight_release",
    "link_entities",
    "method",
    "budget",
    "seed",
)
_PLACE = ("engine", "memory_limit", "temporary")
_NAMES = ("quasi_identifiers", "sensitive", "strata")
_NAMES_OR_REST = ("keep", "drop")
_BY_NAME: tuple[tuple[str, str, str, Callable[[str], Any]], ...] = (
    ("kind", "kinds", "KIND", str),
    ("order", "orders", "A<B<C", asked.order_of),
    ("centre", "centres", "CENTRE", str),
    ("importance", "importance", "NUMBER", float),
)


def source(said: Mapping[str, Any]) -> tables.Source:
    """Return what is to be read."""
    import microagg.tables as tables

    return tables.Source(said["file"], **{name: said[name] for name in _SOURCE})


def arguments(said: Mapping[str, Any], faults: Faults) -> dict[str, Any]:
    """Return the request as arguments of `protect`, without what cannot be read, which is a fault."""
    found: dict[str, Any] = {"data": source(said), "to": _destination(said)}
    found |= {name: said[name] for name in _AS_SAID if said[name] is not None}
    found |= {name: faults.attempt(asked.names, said[name]) for name in _NAMES if said[name]}
    found |= {name: faults.attempt(asked.names_or_rest, said[name]) for name in _NAMES_OR_REST if said[name]}
    if said["edit"]:
        found["edits"] = said["edit"]
    for option, name, expected, value_of in _BY_NAME:
        if said[option]:
            found[name] = faults.attempt(asked.by_name, f"--{option}", said[option], expected, value_of)
    if said["plan"]:
        k = {} if said["k"] is None else {"k": said["k"]}
        found["plan"] = faults.attempt(Plan.load, said["plan"], **k)
    return {name: value for name, value in found.items() if value is not None}


def place_of_work(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return where the work is to be done, as arguments of `protect`."""
    return {name: said[name] for name in _PLACE if said[name] is not None}


def _destination(said: Mapping[str, Any]) -> tables.Destination | None:
    import microagg.tables as tables

    if said["output"] is None:
        return None
    return tables.Destination(said["output"], table=said["to_table"], overwrite=said["overwrite"])


def require_places(said: Mapping[str, Any]) -> None:
    """Raise an InputError with all that is wrong with where things are to be written."""
    faults = Faults()
    if said["output"] is None and not said["dry_run"]:
        faults.append("it is not said where to write: give -o, or --dry-run to write nothing")
    if said["dry_run"] and said["engine"] == "duckdb":
        faults.append("--dry-run looks at the table in memory: leave out --engine duckdb, or --dry-run")
    if said["key"] and not said["account"]:
        faults.append("--key is for the fingerprints in an account: give --account too")
    others = {said[name] for name in ("file", "output", "plan") if said[name]}
    for option in ("save_plan", "account", "key"):
        if said[option]:
            faults.attempt(require_free, said[option], others)
            others.add(said[option])
    InputError.raise_any(faults)


def require_free(path: Path, others: set[str | Path]) -> None:
    """Raise an InputError if a file cannot be put there, or if another with a meaning is there."""
    if any(os.path.realpath(path) == os.path.realpath(other) for other in others):
        raise InputError(f"{path} is asked for twice, or read: choose another name")
    if path.is_dir():
        raise InputError(f"{path} is a folder: expected a file")
    if not path.parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{path} cannot be written: it may not be changed here")
