"""A request as one frozen value."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from microagg.plan import faults, toml
from microagg.plan.vocabulary import (
    Centre,
    Kind,
    Missing,
    Role,
    Scale,
    SmallStrata,
    WeightRelease,
)

Names = tuple[str, ...] | Literal["rest"]


@dataclass(frozen=True)
class Plan:
    """A request that can be looked at, compared, saved and run again.

    Every column needs a role; `keep` or `drop` may be the word "rest", and without it a column that
    nobody named is an error, so that nothing is released by default.

    Parameters
    ----------
    k
        The least number of records in a group, from 2; of entities, if there is a column of them.
    quasi_identifiers
        The columns to protect together.
    keep, drop
        The columns to release as they are, and those to leave out, direct identifiers first of all.
    sensitive
        Columns released as they are, and watched: groups in which all share one value are told of.
    weight
        The column of survey weights.
    strata
        Columns whose values part the records: no group reaches over two strata.
    entity
        The column that says to whom a record belongs, if a person or firm has several.
    kinds
        What kind of values a column holds, where this is not to be seen from the data.
    orders
        The values of an ordinal column from the least to the greatest.
    centres
        What stands for a group, by column: mean, median, trimmed mean or mode.
    importance
        How much a column weighs in the distances, by column: 1 if nothing is said.
    scale
        What the columns are divided by, to make them comparable: their standard deviation (zscore),
        their range, a robust standard deviation, or nothing (none).
    missing
        What missing values are: a value that a group can share ("shared"), what makes a group of its own
        ("own-group"), or an error.
    small_strata
        Whether strata of fewer than k records are an error, or merged.
    weight_release
        Whether the weights released are the means of their groups, kept as they are, or dropped.
    link_entities
        Whether the records of one entity may still be seen to belong together.
    edits
        What must hold between columns, as in "total = wages + purchases" or "turnover >= wages".
    method
        The text of a method, as in "vmdav(gamma=0.2)", or "auto".
    budget
        How many seconds the grouping may take, by which "auto" chooses.
    seed
        Where the chance of methods that draw starts.

    Examples
    --------
    >>> Plan(k=1, quasi_identifiers=("age",)).faults()
    ['k = 1 protects nobody: a group must hold at least 2 records']
    """

    k: int
    quasi_identifiers: tuple[str, ...]
    keep: Names = ()
    drop: Names = ()
    sensitive: tuple[str, ...] = ()
    weight: str | None = None
    strata: tuple[str, ...] = ()
    entity: str | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    centres: Mapping[str, Centre] = field(default_factory=dict)
    importance: Mapping[str, float] = field(default_factory=dict)
    scale: Scale = "zscore"
    missing: Missing = "shared"
    small_strata: SmallStrata = "error"
    weight_release: WeightRelease = "mean"
    link_entities: bool = False
    edits: tuple[str, ...] = ()
    method: str = "auto"
    budget: float = 60.0
    seed: int = 0

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """Return the plan that a TOML file holds; raises InputError with all that is wrong with it."""
        return toml.load(path)

    def save(self, path: str | os.PathLike[str], reasons: Mapping[str, str] | None = None) -> None:
        """Write the plan as a TOML file, which `load` reads back; reasons stand beside their columns."""
        toml.save(self, path, reasons or {})

    def as_toml(self, reasons: Mapping[str, str] | None = None) -> str:
        """Return the plan as the text of a TOML file."""
        return toml.text_of(self, reasons or {})

    def faults(self) -> list[str]:
        """Return what is wrong with the request, whatever the data."""
        return faults.of_request(self)

    def faults_for(self, columns: Sequence[str], records: int) -> list[str]:
        """Return what is wrong with the request for a table of these columns and so many records."""
        return faults.for_table(self, columns, records)

    def named(self) -> list[tuple[Role, tuple[str, ...]]]:
        """Return the columns that are named for each role."""
        return [
            ("quasi-identifier", self.quasi_identifiers),
            ("sensitive", self.sensitive),
            ("weight", () if self.weight is None else (self.weight,)),
            ("stratum", self.strata),
            ("entity", () if self.entity is None else (self.entity,)),
            ("other", () if self.keep == "rest" else self.keep),
            ("direct identifier", () if self.drop == "rest" else self.drop),
        ]

    def role_of(self, column: str) -> Role | None:
        """Return the role of a column, None if it has none."""
        for role, names in self.named():
            if column in names:
                return role
        if "rest" in (self.keep, self.drop):
            return "other" if self.keep == "rest" else "direct identifier"
        return None

    def without_role(self, columns: Iterable[str]) -> list[str]:
        """Return the columns that the plan says nothing about."""
        return [name for name in columns if self.role_of(name) is None]

    def released(self, columns: Iterable[str]) -> list[str]:
        """Return the columns that are released, in the order of the table."""
        left_out = {None, "direct identifier"}
        if not self.link_entities:
            left_out.add("entity")
        if self.weight_release == "drop":
            left_out.add("weight")
        return [name for name in columns if self.role_of(name) not in left_out]
