"""Proposals: a plan made by looking at a table, as a start for a person who knows the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from microagg.errors import Faults, InputError
from microagg.plan import Plan
from microagg.proposal.rules import Proposed, proposed
from microagg.tables import read
from microagg.tables.overview import overview

__all__ = ["Proposal", "propose"]


@dataclass(frozen=True)
class Proposal:
    """A plan, and for each column of the table why the plan says of it what it does.

    The reasons tell of the data, as of the least and the greatest value of a column.
    """

    plan: Plan
    reasons: Mapping[str, str]


def propose(data: Any, k: int = 5) -> Proposal:
    """Look at each column of a table, and propose its role and kind.

    What identifies by itself is dropped, and whatever an outsider could know is a quasi-identifier when
    in doubt: nothing is released as it is but what seems sensitive by its name, and then only if it has
    few values. It is a start and not a judgement, since no program can know what outsiders know.

    Parameters
    ----------
    data
        The path of a file, a source or a data frame, as `microagg.protect` takes them.
    k
        The least number of records in a group, from 2.

    Returns
    -------
    Proposal
        The plan, and the reason for each column. If no column can be a quasi-identifier, the plan has
        none, and its `faults` say so.

    Raises
    ------
    InputError
        If the data cannot be read, hold no records or fewer than k, or have several columns of one name.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"name": ["Ann", "Bo", "Cy", "Di"], "age": [31, 42, 42, 65]})
    >>> proposal = propose(people, k=2)
    >>> proposal.plan.quasi_identifiers, proposal.plan.drop, dict(proposal.plan.kinds)
    (('age',), ('name',), {'age': 'integer'})
    >>> proposal.reasons["name"]
    'its name says that it identifies directly; text, 4 different'
    """
    names: list[str] = []
    faults = Faults(Plan(k, ("any",)).faults())
    table = faults.attempt(read, data)
    if table:
        names = table.names
        faults += Plan(k, tuple(dict.fromkeys(names))).faults_for(names, table.records)
    InputError.raise_any(faults)
    assert table is not None
    found = proposed({name: overview(table, name) for name in names}, k)
    return Proposal(_plan(k, found), {name: of.reason for name, of in found.items()})


def _plan(k: int, found: Mapping[str, Proposed]) -> Plan:
    """Return the plan that says of each column what was found."""

    def names(role: str) -> tuple[str, ...]:
        return tuple(name for name, of in found.items() if of.role == role)

    return Plan(
        k,
        names("quasi-identifier"),
        drop=names("direct identifier"),
        sensitive=names("sensitive"),
        weight=next(iter(names("weight")), None),
        entity=next(iter(names("entity")), None),
        kinds={name: of.kind for name, of in found.items() if of.kind},
        orders={name: of.order for name, of in found.items() if of.order},
    )
