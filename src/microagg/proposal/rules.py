"""The rules by which roles are proposed, the safest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import microagg.proposal.names as names
from microagg.columns import Floats
from microagg.plan import Kind, Role
from microagg.proposal.kinds import are_whole, shown
from microagg.tables.overview import FEW, Overview

_NEARLY_ALL = 0.9  # different values among all, from which they are nearly unique
_A_FEW_RECORDS = 20  # below, whole numbers that all differ say nothing
_SEVERAL_ROWS = 100  # rows on average up to which many values may be identifiers
_MANY = 20
_LOW = 0.25  # where in their range the middle of amounts lies, which are crowded at the low end


class Proposed(NamedTuple):
    """What is proposed for a column, and why."""

    role: Role
    reason: str
    kind: Kind | None = None
    order: tuple[str, ...] = ()


def proposed(table: Mapping[str, Overview], k: int) -> dict[str, Proposed]:
    """Return what is proposed for each column; there is at most one weight, and one entity."""
    found: dict[str, Proposed] = {}
    for name, of in table.items():
        role_taken = {each.role for each in found.values()}
        candidates = (rule for rule in _rules(name, of, table, k) if rule is not None)
        found[name] = _alone(next(candidates), role_taken)
    return found


def _rules(name: str, of: Overview, table: Mapping[str, Overview], k: int) -> Iterator[Proposed | None]:
    """Yield what each rule proposes; the first that proposes something wins."""
    yield _unusable(name, of)
    yield _weight(name, of, table)
    yield _direct_by_name(name, of)
    yield _identifier(name, of, k)
    yield _nearly_unique(name, of)
    yield _sensitive(name, of)
    yield _quasi_identifier(name, of)


def _alone(one: Proposed, taken: set[Role]) -> Proposed:
    """Return what is proposed, unless another column has the role that only one can have."""
    if one.role in ("weight", "entity") and one.role in taken:
        return Proposed("direct identifier", f"{one.reason}; but there is another {one.role} already")
    return one


def _unusable(name: str, of: Overview) -> Proposed | None:
    if of.seen is None:
        return Proposed("direct identifier", f"it {of.fault.removeprefix(f'column {name!r} ')}")
    if of.different == 0:
        return Proposed("direct identifier", "no values at all, so nothing to release")
    return None


def _weight(name: str, of: Overview, table: Mapping[str, Overview]) -> Proposed | None:
    if not names.says_weight(name, [other for other in table if other != name]):
        return None
    if _is_of(of, "integer", "continuous") and of.present == of.records and of.numbers[:1].sum() > 0:
        told = f"its name says that it is a weight, and its {of.records:,} values are positive numbers"
        return Proposed("weight", told, "continuous")
    return None


def _direct_by_name(name: str, of: Overview) -> Proposed | None:
    if names.says_direct(name) and _may_identify(of):
        return Proposed(
            "direct identifier", f"its name says that it identifies directly; {shown(name, of).told}"
        )
    return None


def _identifier(name: str, of: Overview, k: int) -> Proposed | None:
    """Propose for an identifier by its name: dropped if it is nearly unique, or else an entity."""
    if not (names.says_identifier(name) and _may_identify(of)):
        return None
    if _is_nearly_unique(of):
        return Proposed("direct identifier", f"its name says that it is an identifier; {_counted(of)}")
    if not names.says_owner(name) and (_are_amounts(of.numbers) or not _are_many(of)):
        return None
    told = f"its name says that it is an identifier, and its values repeat: {_counted(of)}"
    if of.present < of.records:
        return Proposed("direct identifier", f"{told}; no entity, since it is missing in some records")
    if of.different < k:
        return Proposed("direct identifier", f"{told}; no entity, since they are fewer than k")
    return Proposed("entity", told)


def _nearly_unique(name: str, of: Overview) -> Proposed | None:
    if not (_is_nearly_unique(of) and _may_identify(of)):
        return None
    if _number_the_records(of):
        return Proposed("direct identifier", f"{shown(name, of).told}, each once: they number the records")
    if _has_whole_numbers(of) and not _are_identifiers(name, of):
        return None
    return Proposed("direct identifier", f"{_counted(of)}: nearly unique")


def _sensitive(name: str, of: Overview) -> Proposed | None:
    if not names.says_sensitive(name) or _is_of(of, "date", "datetime"):
        return None
    if of.different > FEW and _is_of(of, "integer", "continuous"):
        return None  # so many values would identify if they were released as they are
    found = shown(name, of)
    told = f"its name says that it is sensitive; {found.told}{_missing(of)}"
    return Proposed("sensitive", told, found.kind, found.order)


def _quasi_identifier(name: str, of: Overview) -> Proposed:
    found = shown(name, of)
    told = f"{found.told}{_missing(of)}; outsiders may know it"
    return Proposed("quasi-identifier", told, found.kind, found.order)


def _is_of(of: Overview, *kinds: Kind) -> bool:
    return of.seen is not None and of.seen.kind in kinds


def _has_whole_numbers(of: Overview) -> bool:
    return _is_of(of, "integer", "continuous") and are_whole(of.numbers)


def _may_identify(of: Overview) -> bool:
    """Say whether values are such as identifiers have: text or whole numbers."""
    return _is_of(of, "nominal", "ordinal") or _has_whole_numbers(of)


def _is_nearly_unique(of: Overview) -> bool:
    return of.different >= _NEARLY_ALL * of.present


def _number_the_records(of: Overview) -> bool:
    """Say whether values are whole numbers in a row, each of them once."""
    if not _has_whole_numbers(of) or of.different < max(of.present, 2):
        return False
    return bool(of.numbers[-1] - of.numbers[0] + 1 == of.different)


def _are_identifiers(name: str, of: Overview) -> bool:
    """Say whether whole numbers that nearly all differ are identifiers rather than amounts."""
    return of.present >= _A_FEW_RECORDS and not (names.says_amount(name) or _are_amounts(of.numbers))


def _are_amounts(numbers: Floats) -> bool:
    """Say whether numbers are crowded at the low end of their range, as amounts are, or below zero."""
    if not numbers.size:
        return False
    low = numbers[0] + _LOW * (numbers[-1] - numbers[0])
    return bool(numbers[0] < 0 or numbers[numbers.size // 2] < low)


def _are_many(of: Overview) -> bool:
    return of.different >= _MANY and of.different * _SEVERAL_ROWS >= of.present


def _counted(of: Overview) -> str:
    return f"{of.different:,} different values in {of.present:,} records"


def _missing(of: Overview) -> str:
    lost = of.records - of.present
    return f", missing in {lost:,} record{'s' if lost > 1 else ''}" if lost else ""
