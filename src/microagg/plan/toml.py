"""Plans as TOML: one table for each column, and the choices that hold for all of them on top."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.errors import Faults, InputError
from microagg.plan.faults import unknown_word
from microagg.plan.vocabulary import ROLES
from microagg.whole_files import replacing

if TYPE_CHECKING:
    from microagg.plan.plan import Plan

_HEAD = "# A plan of microagg: what each column is, and how the table is protected.\n"
_SEVERAL = {
    "quasi-identifier": "quasi_identifiers",
    "sensitive": "sensitive",
    "stratum": "strata",
    "other": "keep",
    "direct identifier": "drop",
}
_ONE = {"weight": "weight", "entity": "entity"}
_BY_COLUMN = {"kind": "kinds", "order": "orders", "centre": "centres", "importance": "importance"}
_OF_ROLES = {*_SEVERAL.values(), *_ONE.values()}


def text_of(plan: Plan, reasons: Mapping[str, str]) -> str:
    """Return the plan as TOML; what has its usual value is left out."""
    return "\n".join([_HEAD, *_top_lines(plan), *_column_lines(plan, reasons), ""])


def save(plan: Plan, path: str | os.PathLike[str], reasons: Mapping[str, str]) -> None:
    """Write the plan to a file; raises InputError if it cannot be written."""
    try:
        with replacing(Path(path)) as stream:
            stream.write(text_of(plan, reasons).encode())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the arguments of the plan in a file; raises InputError with all that is wrong with it."""
    try:
        said = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise InputError(f"{path} is no plan: {error}") from None
    faults = Faults()
    found = {**_top(said, faults), **_columns(said.get("columns", {}), said.get("rest"), faults)}
    InputError.raise_any(f"{path}: {fault}" for fault in faults)
    return found


def _top_lines(plan: Plan) -> Iterator[str]:
    by_column = {*_BY_COLUMN.values(), *_OF_ROLES}
    for field in fields(plan):
        value = getattr(plan, field.name)
        if field.name not in by_column and (field.default is MISSING or value != field.default):
            yield f"{field.name} = {_value(value)}"
    if plan.keep == "rest":
        yield 'rest = "keep"'
    if plan.drop == "rest":
        yield 'rest = "drop"'


def _column_lines(plan: Plan, reasons: Mapping[str, str]) -> Iterator[str]:
    roles = {name: role for role, names in plan.named() for name in names}
    said = {word: getattr(plan, option) for word, option in _BY_COLUMN.items()}
    for name in dict.fromkeys([*roles, *(name for of in said.values() for name in of)]):
        yield f"\n[columns.{json.dumps(name, ensure_ascii=False)}]"
        if name in reasons:
            yield f"# {' '.join(reasons[name].split())}"
        if name in roles:
            yield f"role = {_value(roles[name])}"
        yield from (f"{word} = {_value(of[name])}" for word, of in said.items() if name in of)


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    return repr(float(value)) if isinstance(value, float) else str(value)


def _top(said: Mapping[str, Any], faults: Faults) -> dict[str, Any]:
    from microagg.plan.plan import Plan

    known = [field.name for field in fields(Plan) if field.name not in {*_BY_COLUMN.values(), *_OF_ROLES}]
    found = {}
    for option, value in said.items():
        if option in known:
            found[option] = tuple(value) if isinstance(value, list) else value
        elif option not in ("rest", "columns"):
            faults.append(unknown_word("the option", option, [*known, "rest", "columns"]))
    if said.get("rest", "keep") not in ("keep", "drop"):
        faults.append(unknown_word("for the rest,", said["rest"], ["keep", "drop"]))
    if "k" not in said:
        faults.append("k is not said: write, say, k = 5 on top")
    return found


def _columns(said: Mapping[str, Any], rest: object, faults: Faults) -> dict[str, Any]:
    """Return the roles and all that is said by column, as the arguments of a plan."""
    names: dict[str, list[str]] = {role: [] for role in ROLES}
    found: dict[str, Any] = {option: {} for option in _BY_COLUMN.values()}
    for name, of in said.items():
        if not isinstance(of, dict):
            faults.append(f"column {name!r}: expected a table of its role and kind, found {of!r}")
            continue
        for word, value in of.items():
            if word == "role" and value in names:
                names[value].append(name)
            elif word == "role":
                faults.append(unknown_word(f"the role of column {name!r},", value, ROLES))
            elif word in _BY_COLUMN:
                found[_BY_COLUMN[word]][name] = tuple(value) if isinstance(value, list) else value
            else:
                faults.append(unknown_word(f"of column {name!r}, the word", word, ["role", *_BY_COLUMN]))
    found |= {option: tuple(names[role]) for role, option in _SEVERAL.items()}
    for role, option in _ONE.items():
        if len(names[role]) > 1:
            faults.append(f"columns {', '.join(map(repr, names[role]))} cannot all be the {role}: choose one")
        found[option] = names[role][0] if names[role] else None
    if rest in ("keep", "drop"):
        found[str(rest)] = "rest"
    return found
