"""What is asked for, as one frozen value: k, what each column is, the method and the seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral
from typing import Literal

Names = tuple[str, ...] | Literal["rest"]

_SHOWN = 20  # column names listed in an error


@dataclass(frozen=True)
class Plan:
    """A request that can be looked at, compared and run again.

    Every column needs a role: a quasi-identifier (replaced by the mean of its group), kept as it is,
    or dropped. `keep` or `drop` may be the word "rest"; without it a column that nobody named is an
    error, so that nothing is released by default. `method` is the text of a method, as in
    "vmdav(gamma=0.2)".

    >>> Plan(k=1, quasi_identifiers=("age",)).faults()
    ['k = 1 protects nobody: a group must hold at least 2 records']
    """

    k: int
    quasi_identifiers: tuple[str, ...]
    keep: Names = ()
    drop: Names = ()
    method: str = "mdav"
    seed: int = 0

    def faults(self) -> list[str]:
        """Return what is wrong with the request, whatever the data."""
        faults = _faults_of_numbers(self.k, self.seed)
        if not self.quasi_identifiers:
            faults.append("no quasi-identifiers: name at least one column to protect")
        if self.keep == self.drop == "rest":
            faults.append("keep and drop cannot both be the rest: choose one")
        roles: dict[str, list[str]] = {}
        for role, names in self._named():
            for name, times in Counter(names).items():
                roles.setdefault(name, []).append(role)
                if times > 1:
                    faults.append(f"column {name!r} is named {times} times as {role}: name it once")
        faults += [
            f"column {name!r} is named as {' and as '.join(of)}: give it one role"
            for name, of in roles.items()
            if len(of) > 1
        ]
        return faults

    def faults_for(self, columns: Sequence[str], records: int) -> list[str]:
        """Return what is wrong with the request for a table of these columns and so many records."""
        faults = [
            f"{times} columns are called {name!r}: give each its own name"
            for name, times in Counter(columns).items()
            if times > 1
        ]
        if records == 0:
            faults.append("the table holds no records")
        elif _is_whole(self.k) and self.k > records:
            faults.append(f"k = {self.k} is more than the {records} records there are")
        if "rest" in columns and "rest" in (self.keep, self.drop):
            faults.append(
                "a column is called 'rest', so 'rest' is not clear: name the columns to keep or drop"
            )
        unknown = [(role, name) for role, names in self._named() for name in names if name not in columns]
        faults += [_unknown(role, name, columns) for role, name in dict.fromkeys(unknown)]
        without = self.without_role(columns)
        if without:
            faults.append(
                f"no role for {_listed(without)}: keep or drop each by name, "
                "or say that the rest is kept or dropped"
            )
        return faults

    def without_role(self, columns: Iterable[str]) -> list[str]:
        """Return the columns that the plan says nothing about."""
        if "rest" in (self.keep, self.drop):
            return []
        return [name for name in columns if not self.names(name)]

    def released(self, columns: Iterable[str]) -> list[str]:
        """Return the columns that are released, in the order of the table."""
        return [name for name in columns if self._releases(name)]

    def _releases(self, column: str) -> bool:
        if self.keep == "rest" and not self.names(column):
            return True
        return column in self.quasi_identifiers or (self.keep != "rest" and column in self.keep)

    def names(self, column: str) -> bool:
        """Say whether the plan gives this column a role by its name."""
        return any(column in names for _, names in self._named())

    def _named(self) -> list[tuple[str, tuple[str, ...]]]:
        return [
            ("quasi-identifier", self.quasi_identifiers),
            ("kept", () if self.keep == "rest" else self.keep),
            ("dropped", () if self.drop == "rest" else self.drop),
        ]


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _faults_of_numbers(k: int, seed: int) -> list[str]:
    faults = []
    if not _is_whole(k):
        faults.append(f"k must be a whole number, found {k!r}")
    elif k < 2:
        faults.append(f"k = {k} protects nobody: a group must hold at least 2 records")
    if not _is_whole(seed) or seed < 0:
        faults.append(f"the seed must be a whole number from 0, found {seed!r}")
    return faults


def _unknown(role: str, name: str, columns: Sequence[str]) -> str:
    found = f"there is no column {name!r}, named as {role}"
    if name == "rest" and role != "quasi-identifier":
        return f"{found}: say 'rest' alone to mean every column not named"
    by_folded = {column.strip().casefold(): column for column in columns}
    near = get_close_matches(name.strip().casefold(), by_folded, n=1)
    return f"{found}: {f'did you mean {by_folded[near[0]]!r}?' if near else f'there are {_listed(columns)}'}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
