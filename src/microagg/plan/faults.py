"""What is wrong with a plan: by itself, and for a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from microagg.plan.forms import faults_of_form, is_number, is_whole, well_formed
from microagg.plan.request import Request
from microagg.plan.vocabulary import (
    CENTRES,
    KINDS,
    Centre,
    Missing,
    Scale,
    SmallStrata,
    WeightRelease,
)

UNFINISHED = "no quasi-identifiers: name at least one column to protect"
"""The one fault that a plan may have while others are still to add to it."""

_SHOWN = 20  # column names listed in an error
_FEW = 3  # unknown columns up to which each is told by itself, with the one that may be meant
_MANY = 20  # and from which all are told together, whatever the plan
_TOLD = {"other": "kept", "direct identifier": "dropped"}  # roles by the words of those who gave them
_CHOICES = {
    "scale": Scale,
    "missing": Missing,
    "small_strata": SmallStrata,
    "weight_release": WeightRelease,
}


def of_request(plan: Request) -> list[str]:
    """Return what is wrong with a plan, whatever the data."""
    faults = [*_of_numbers(plan), *_of_choices(plan), *faults_of_form(plan)]
    if not plan.quasi_identifiers:
        faults.append(UNFINISHED)
    formed = well_formed(plan)
    if formed.link_entities and formed.entity is None:
        faults.append("entities are to be linked, but no column says whose each record is: name the entity")
    if formed.keep == formed.drop == "rest":
        faults.append("keep and drop cannot both be the rest: choose one")
    return [*faults, *_of_roles(formed), *_of_details(formed)]


def for_table(plan: Request, columns: Sequence[str], records: int) -> list[str]:
    """Return what is wrong with a plan for a table of these columns and so many records."""
    faults = [
        f"{times} columns are called {name!r}: give each its own name"
        for name, times in Counter(columns).items()
        if times > 1
    ]
    if records == 0:
        faults.append("the table holds no records")
    elif is_whole(plan.k) and plan.k > records:
        faults.append(f"k = {plan.k} is more than the {records} records there are")
    return [*faults, *_of_names(well_formed(plan), columns)]


def _of_names(plan: Request, columns: Sequence[str]) -> list[str]:
    """Return what is wrong with the names of a plan for a table of these columns."""
    known = set(columns)
    mentioned = dict.fromkeys(_mentioned(plan))
    unknown = [(told, name) for told, name in mentioned if name not in known]
    if _is_for_another_table(len(unknown), len(mentioned)):
        return [_for_another_table([name for _, name in unknown], len(mentioned), columns)]
    faults = []
    if "rest" in known and "rest" in (plan.keep, plan.drop):
        faults.append("a column is called 'rest', so 'rest' is not clear: name the columns to keep or drop")
    faults += [unknown_column(told, name, columns) for told, name in unknown]
    without = plan.without_role(columns)
    if without:
        faults.append(
            f"no role for {_listed(without)}: keep or drop each by name, "
            "or say that the rest is kept or dropped"
        )
    return faults


def _is_for_another_table(unknown: int, mentioned: int) -> bool:
    return unknown > _MANY or (unknown > _FEW and unknown * 2 > mentioned)


def _for_another_table(unknown: Sequence[str], mentioned: int, columns: Sequence[str]) -> str:
    return (
        f"the plan is for other columns: of the {mentioned} that it names, {len(unknown)} are not in this "
        f"table, such as {', '.join(map(repr, unknown[:_FEW]))}; this table has {_listed(columns)}"
    )


def unknown_column(told: str, name: str, columns: Sequence[str]) -> str:
    """Say that a column that is named as something is not there, and what is."""
    found = f"there is no column {name!r}, named as {told}"
    if name == "rest" and told in _TOLD.values():
        return f"{found}: say 'rest' alone to mean every column not named"
    by_folded = {column.strip().casefold(): column for column in columns}
    near = get_close_matches(name.strip().casefold(), by_folded, n=1)
    return f"{found}: {f'did you mean {by_folded[near[0]]!r}?' if near else f'there are {_listed(columns)}'}"


def unknown_word(what: str, word: object, known: Iterable[str]) -> str:
    """Say that a word is none of those known, and which it may be meant to be."""
    words = list(known)
    near = get_close_matches(str(word), words, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(words)}"
    return f"{what} {word!r} is not known: {hint}"


def _of_numbers(plan: Request) -> list[str]:
    faults = []
    if not is_whole(plan.k):
        faults.append(f"k must be a whole number, found {plan.k!r}")
    elif plan.k < 2:
        faults.append(f"k = {plan.k} protects nobody: a group must hold at least 2 records")
    if not is_whole(plan.seed) or plan.seed < 0:
        faults.append(f"the seed must be a whole number from 0, found {plan.seed!r}")
    if not is_number(plan.budget) or plan.budget <= 0:
        faults.append(f"the budget must be a number of seconds above 0, found {plan.budget!r}")
    return faults


def _of_choices(plan: Request) -> list[str]:
    chosen = {option: (getattr(plan, option), get_args(of)) for option, of in _CHOICES.items()}
    return [
        unknown_word(option.replace("_", " "), word, known)
        for option, (word, known) in chosen.items()
        if not isinstance(word, str) or word not in known
    ]


def _of_roles(plan: Request) -> list[str]:
    faults = []
    roles: dict[str, list[str]] = {}
    for role, names in plan.named():
        told = _TOLD.get(role, role)
        for name, times in Counter(names).items():
            roles.setdefault(name, []).append(told)
            if times > 1:
                faults.append(f"column {name!r} is named {times} times as {told}: name it once")
    faults += [
        f"column {name!r} is named as {' and as '.join(of)}: give it one role"
        for name, of in roles.items()
        if len(of) > 1
    ]
    return faults


def _of_details(plan: Request) -> Iterator[str]:
    """Yield what is wrong with what is said of single columns."""
    for name, kind in plan.kinds.items():
        if kind not in KINDS:
            yield unknown_word(f"the kind of column {name!r},", kind, KINDS)
    for name, centre in plan.centres.items():
        yield from _of_centre(plan, name, centre)
    for name, order in plan.orders.items():
        if len(set(order)) < len(order) or len(order) < 2:
            yield f"the order of column {name!r} must name two values or more, each of them once"
        if plan.kinds.get(name, "ordinal") != "ordinal":
            yield f"column {name!r} has an order, but its kind is {plan.kinds[name]}: only an ordinal has one"
    for name, value in plan.importance.items():
        if value < 0:
            yield f"the importance of column {name!r} must be a number from 0, found {value!r}"
    for told, of in (("a centre", plan.centres), ("an importance", plan.importance)):
        yield from _needless(told, of, plan)


def _of_centre(plan: Request, name: str, centre: Centre) -> Iterator[str]:
    known = dict.fromkeys(word for words in CENTRES.values() for word in words)
    if centre not in known:
        yield unknown_word(f"the centre of column {name!r},", centre, known)
    elif (kind := plan.kinds.get(name)) in CENTRES and centre not in CENTRES[kind]:
        yield wrong_centre(name, centre, kind)


def wrong_centre(name: str, centre: str, kind: str) -> str:
    """Say that values of a kind have no such centre, and which they have."""
    known = ", ".join(CENTRES[kind])  # type: ignore[index]
    return f"column {name!r} is {kind}, which has no {centre}: choose {known}"


def _needless(told: str, of: Mapping[str, Any], plan: Request) -> Iterator[str]:
    for name in of:
        if name not in plan.quasi_identifiers:
            yield f"column {name!r} has {told}, but is no quasi-identifier: leave that out"


def _mentioned(plan: Request) -> Iterator[tuple[str, str]]:
    """Yield what every column that the plan mentions is named as, and the column."""
    for role, names in plan.named():
        for name in names:
            yield _TOLD.get(role, role), name
    roles = {name for _, names in plan.named() for name in names}
    for told, of in (("a column with a kind", plan.kinds), ("a column with an order", plan.orders)):
        for name in of:
            if name not in roles:
                yield told, name


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"
