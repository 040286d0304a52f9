"""Plans as TOML: one table for each column, and the choices that hold for all of them on top."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, replace
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

from microagg.errors import Faults, InputError
from microagg.plan.faults import UNFINISHED, of_request, unknown_word
from microagg.plan.request import Request
from microagg.plan.vocabulary import ROLES
from microagg.whole_files import replacing

P = TypeVar("P", bound=Request)

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


def text_of(plan: Request, reasons: Mapping[str, str]) -> str:
    """Return the plan as TOML; what has its usual value is left out."""
    return "\n".join([_HEAD, *_top_lines(plan), *_column_lines(plan, reasons), ""])


def save(plan: Request, path: str | os.PathLike[str], reasons: Mapping[str, str]) -> None:
    """Write the plan to a file, or leave the old one whole; raises InputError if it cannot be written."""
    InputError.raise_any(
        f"the plan cannot be saved: {fault}" for fault in of_request(plan) if fault != UNFINISHED
    )
    try:
        content = text_of(plan, reasons).encode()
        with replacing(_file_at(path)) as stream:
            stream.write(content)
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path} cannot be written: the plan holds {error.object[error.start]!r}, which no file can hold"
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def _file_at(path: str | os.PathLike[str]) -> Path:
    """Return the file that is to be written, behind any link, or raise if it can be none."""
    real = Path(os.path.realpath(path))
    if real.is_dir():
        raise InputError(f"{path} is a folder: name the file to write, as in {Path(path) / 'plan.toml'}")
    if real.exists() and not real.is_file():
        raise InputError(f"{path} is a device or a pipe: expected a file")
    if not real.parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {Path(path).parent}")
    if real.exists():
        with real.open("ab"):  # a file that may not be changed must not be replaced either
            pass
    return real


def load(path: str | os.PathLike[str], kind: type[P], beside: Mapping[str, Any]) -> P:
    """Return the plan in a file, as a value of this kind; raises InputError with all that is wrong with it.

    What is said beside the file counts more than what stands there.
    That it names no quasi-identifiers is left to those who run it: they may add some.
    """
    said = _read(path)
    faults = Faults()
    top = _top(said, faults)
    columns = said.get("columns", {})
    if not isinstance(columns, dict):
        faults.append(f'columns: expected a table for each, as in [columns."age"], found {columns!r}')
        columns = {}
    if "k" not in said and "k" not in beside:
        faults.append("k is not said: write, say, k = 5 on top")
    plan = kind(**{"k": 2, **top, **_columns(columns, said.get("rest"), faults)})
    faults += (fault for fault in of_request(plan) if fault != UNFINISHED)
    InputError.raise_any(f"{path}: {fault}" for fault in faults)
    return changed(plan, beside)


def changed(plan: P, beside: Mapping[str, Any]) -> P:
    """Return the plan with what is said beside it: of columns for each by itself, all else in its place."""
    said = dict(beside)
    for part in _BY_COLUMN.values():
        if isinstance(said.get(part), Mapping):
            said[part] = {**getattr(plan, part), **said[part]}
    for part, other in (("keep", "drop"), ("drop", "keep")):
        if said.get(part) == getattr(plan, other) == "rest":
            said.setdefault(other, ())
    return replace(plan, **said)


def _read(path: str | os.PathLike[str]) -> dict[str, Any]:
    text = ""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeError:
        raise InputError(f"{path} is no plan: it is not written in UTF-8; save it as that") from None
    except RecursionError:
        raise InputError(f"{path} is no plan: its values are nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is no plan: {error}{_hint(text, str(error))}") from None


def _hint(text: str, reason: str) -> str:
    """Say what may mend a file that is not TOML: what stands there, and the faults that are usual."""
    if "twice" in reason or "overwrite" in reason:
        return ": the same name stands there more than once"
    found = re.search(r"at line (\d+)", reason)
    line = text.split("\n")[int(found[1]) - 1].strip() if found else ""
    quotes = "; put the names of columns, and all text, in double quotes" if line and '"' not in line else ""
    return f", found {line!r}{quotes}" if line else ""


def _top_lines(plan: Request) -> Iterator[str]:
    by_column = {*_BY_COLUMN.values(), *_OF_ROLES}
    for field in fields(plan):
        value = getattr(plan, field.name)
        if field.name not in by_column and (field.default is MISSING or value != field.default):
            yield f"{field.name} = {_value(value)}"
    if plan.keep == "rest":
        yield 'rest = "keep"'
    if plan.drop == "rest":
        yield 'rest = "drop"'


def _column_lines(plan: Request, reasons: Mapping[str, str]) -> Iterator[str]:
    roles = {name: role for role, names in plan.named() for name in names}
    said = {word: getattr(plan, option) for word, option in _BY_COLUMN.items()}
    for name in dict.fromkeys([*roles, *(name for of in said.values() for name in of)]):
        yield f"\n[columns.{_value(name)}]"
        if name in reasons:
            yield f"# {_in_one_line(reasons[name])}"
        if name in roles:
            yield f"role = {_value(roles[name])}"
        yield from (f"{word} = {_value(of[name])}" for word, of in said.items() if name in of)


def _in_one_line(text: str) -> str:
    """Return text as it can stand in a comment, which holds no control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def _value(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, Integral) else repr(float(value))


def _top(said: Mapping[str, Any], faults: Faults) -> dict[str, Any]:
    known = _options()
    found = {}
    for option, value in said.items():
        if option in known:
            found[option] = tuple(value) if isinstance(value, list) else value
        elif option in _OF_ROLES or option in _BY_COLUMN.values():
            faults.append(_misplaced(option))
        elif option not in ("rest", "columns"):
            faults.append(unknown_word("the option", option, [*known, "rest", "columns"]))
    if said.get("rest", "keep") not in ("keep", "drop"):
        faults.append(unknown_word("for the rest,", said["rest"], ["keep", "drop"]))
    return found


def _options() -> list[str]:
    """Return what is said on top, for the whole table."""
    return [field.name for field in fields(Request) if field.name not in {*_BY_COLUMN.values(), *_OF_ROLES}]


def _misplaced(option: str) -> str:
    """Say where a plan's file has what it was told on top."""
    words = {option: f"role = {role!r}" for role, option in {**_SEVERAL, **_ONE}.items()}
    words |= {option: f"{word} = ..." for word, option in _BY_COLUMN.items()}
    rest = f", or rest = {option!r} on top" if option in ("keep", "drop") else ""
    return f'{option!r} is said column by column: write {words[option]} under [columns."name"]{rest}'


def _columns(said: Mapping[str, Any], rest: object, faults: Faults) -> dict[str, Any]:
    """Return the roles and all that is said by column, as the arguments of a plan."""
    names: dict[str, list[str]] = {role: [] for role in ROLES}
    found: dict[str, Any] = {option: {} for option in _BY_COLUMN.values()}
    for name, of in said.items():
        if not isinstance(of, dict):
            faults.append(f"column {name!r}: expected a table of its role and kind, found {of!r}")
            continue
        for word, value in of.items():
            if word == "role" and isinstance(value, str) and value in names:
                names[value].append(name)
            elif word == "role":
                faults.append(unknown_word(f"the role of column {name!r},", value, ROLES))
            elif word in _BY_COLUMN:
                found[_BY_COLUMN[word]][name] = tuple(value) if isinstance(value, list) else value
            else:
                faults.append(_unknown_of_column(name, word, value))
    found |= {option: tuple(names[role]) for role, option in _SEVERAL.items()}
    for role, option in _ONE.items():
        if len(names[role]) > 1:
            faults.append(f"columns {', '.join(map(repr, names[role]))} cannot all be the {role}: choose one")
        found[option] = names[role][0] if names[role] else None
    if rest in ("keep", "drop"):
        found[str(rest)] = "rest"
    return found


def _unknown_of_column(name: str, word: str, value: object) -> str:
    """Say that nothing of this name is said of a column, and what may be meant."""
    if isinstance(value, dict):
        whole = _value(f"{name}.{word}")
        return (
            f"column {name!r} has a part {word!r}: put a name with a dot in quotes, as in [columns.{whole}]"
        )
    if word in _options() or word == "rest":
        return f"of column {name!r}, {word} is said: it holds for the whole table, write it above all columns"
    return unknown_word(f"of column {name!r}, the word", word, ["role", *_BY_COLUMN])
