"""What a request says, and what that makes of each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

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
class Request:
    """The parts of a plan, which tells what each of them means."""

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
