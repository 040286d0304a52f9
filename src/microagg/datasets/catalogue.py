"""The sets by name: what they are, and the table of each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from microagg.datasets import generators
from microagg.datasets.business import business_survey
from microagg.datasets.printed import toy
from microagg.datasets.reference import load_reference
from microagg.datasets.sources import SOURCES
from microagg.errors import InputError

Columns = Mapping[str, Any]


class Entry(NamedTuple):
    """A set that can be had by name."""

    records: int
    about: str
    make: Callable[..., Any]
    options: tuple[str, ...]


def catalogue() -> dict[str, Entry]:
    """Return every set by its name."""
    drawn: dict[str, tuple[str, Callable[..., Any]]] = {
        "business_survey": ("an invented business survey", business_survey),
        "scattered": ("uniform in each attribute", generators.scattered),
        "clustered": ("clusters of three to five records", generators.clustered),
        "correlated": ("factors and noise, all normal", generators.correlated),
        "tree_dependent": ("each attribute depends on another", generators.tree_dependent),
        "siblings_related": ("six binary attributes in a tree", partial(generators.siblings, related=True)),
        "siblings_unrelated": (
            "the same with other chances",
            partial(generators.siblings, related=False),
        ),
        "uniform": ("one attribute, uniform", partial(generators.vector, "uniform")),
        "normal": ("one attribute, normal", partial(generators.vector, "normal")),
        "exponential": ("one attribute, exponential", partial(generators.vector, "exponential")),
    }
    found = {name: _drawn(about, make) for name, (about, make) in drawn.items()}
    found["toy"] = Entry(len(toy()), "the example that the papers print", toy, ())
    for source in SOURCES.values():
        load = partial(load_reference, source.name)
        found[source.name] = Entry(source.records, source.origin, load, ("folder",))
    return found


def _drawn(about: str, make: Callable[..., Any]) -> Entry:
    signature = inspect.signature(make).parameters
    options = tuple(option for option, name in _NAME_OF.items() if name in signature)
    return Entry(signature["n"].default, about, make, options)


_NAME_OF = {"records": "n", "columns": "d", "seed": "seed", "missing": "missing", "folder": "folder"}


def table_of(name: str, options: Mapping[str, Any]) -> Columns:
    """Return the columns of a set; raises InputError for a name or an option that there is not."""
    sets = catalogue()
    if name not in sets:
        raise InputError(f"there is no set {name!r}: there are {', '.join(sets)}")
    entry = sets[name]
    InputError.raise_any(
        f"{name} has no {option}: leave that option out" for option in options if option not in entry.options
    )
    return _columns(entry.make(**{_NAME_OF[option]: value for option, value in options.items()}))


def _columns(made: Any) -> Columns:
    """Return what a generator made as named columns."""
    table = getattr(made, "table", getattr(made, "X", made))
    if isinstance(table, Mapping):
        return table
    matrix = np.asarray(table)
    matrix = matrix[:, np.newaxis] if matrix.ndim == 1 else matrix
    return {f"x{place}": column for place, column in enumerate(matrix.T, start=1)}
