"""A request as one frozen value that finds its own faults, and can be saved."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import microagg.plan.faults as faults
import microagg.plan.toml as toml
from microagg.plan.request import Request


@dataclass(frozen=True)
class Plan(Request):
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

    @classmethod
    def load(cls, path: str | os.PathLike[str], **beside: Any) -> Self:
        """Return the plan that a TOML file holds, with what is said beside it, as in `changed`.

        Raises InputError with all that is wrong with the file.
        """
        return toml.load(path, cls, beside)

    def changed(self, **said: Any) -> Self:
        """Return the plan with other parts; what is said of single columns leaves the others as they are.

        Who drops the rest keeps it no longer, and the other way round.
        """
        return toml.changed(self, said)

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
